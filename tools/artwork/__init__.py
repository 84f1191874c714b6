"""Generators of the pictures and the demo study that the site ships; `make artwork` runs them."""
