"""Errors of reports."""

from annotate.errors import Refusal


class TooLarge(Refusal):
    """A study whose report is not computed while somebody waits for a page."""
