"""From people's answers to rankings, and from rankings to how well protocols agree with them."""

__version__ = "0.1.0"
