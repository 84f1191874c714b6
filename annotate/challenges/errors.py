"""Refusals of challenges, teams and entries."""

from annotate.errors import Refusal


class ChallengeRefused(Refusal):
    """Refusal of settings, of a team or of an entry; the message says what to do."""
