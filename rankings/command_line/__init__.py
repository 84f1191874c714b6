"""Commands of `python -m rankings`."""
