"""Errors of backups."""

from annotate.errors import Refusal


class NotRestored(Refusal):
    """The archive cannot be restored here; no row was stored."""
