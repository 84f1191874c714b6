"""Datasets, images, methods and results; photographs and how regions are drawn."""
