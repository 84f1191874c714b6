"""Diagnostics of results that parse: fit to the ground truth, and common mistakes."""
