"""The site's base error, and the message that two subjects share."""

from typing import Final

CHOOSE_A_VERDICT: Final = "Choose left, equal or right."


class Refusal(Exception):
    """Something that was asked for is not done; the message is for the person who asked."""
