"""Datasets, images, methods and results; photographs and the drawing of regions."""
