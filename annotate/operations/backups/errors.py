"""Why a backup is not made or not restored."""

from annotate.errors import Refusal


class NotRestored(Refusal):
    """The archive cannot be restored here; nothing was changed."""
