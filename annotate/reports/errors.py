"""Errors of reports."""

from annotate.errors import Refusal


class TooLarge(Refusal):
    """A study whose report is too large to compute within a request."""
