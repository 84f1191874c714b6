from annotate.errors import Refusal


class TokenRefused(Refusal):
    """A token that is not made."""
