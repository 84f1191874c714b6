from annotate.errors import Refusal


class TokenRefused(Refusal):
    """A token that cannot be created."""
