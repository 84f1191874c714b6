from annotate.errors import Refusal


class NotErased(Refusal):
    """Personal data that cannot be erased as requested."""
