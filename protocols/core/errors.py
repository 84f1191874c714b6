"""Errors of the package."""

from text_rankings.base.i18n import Message


class ProtocolError(Exception):
    """The base of all refusals of this package; values replace names in braces in its words."""

    def __init__(self, words: str = "", **values: object) -> None:
        super().__init__(Message(words, **values))


class RegionError(ProtocolError, ValueError):
    """A region that is not one."""


class ParameterError(ProtocolError, ValueError):
    """A parameter that is unknown or outside its range."""


class UnknownProtocol(ProtocolError, LookupError):
    """A protocol of this name does not exist."""
