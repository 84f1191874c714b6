from annotate.errors import Refusal


class InvitationRefused(Refusal):
    """An invitation that cannot be made or revoked, or that this person cannot use."""
