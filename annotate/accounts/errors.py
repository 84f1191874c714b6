from annotate.errors import Refusal


class InvitationRefused(Refusal):
    """An invitation that cannot be made, or not be used by this person."""
