"""Drawings of the worked examples and the practice."""
