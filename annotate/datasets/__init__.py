"""Datasets, their images, methods and results."""
