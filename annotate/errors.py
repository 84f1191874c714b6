"""The site's base error."""


class Refusal(Exception):
    """Something that was asked for is not done; the message is for the person who asked."""
