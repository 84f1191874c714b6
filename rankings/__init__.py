"""Rankings from people's answers, and the agreement of evaluation protocols with them."""

__version__ = "0.1.0"
