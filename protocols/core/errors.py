"""Errors of the package."""

from text_rankings.base.i18n import Message


class ProtocolError(Exception):
    """The base of all errors of this package; values replace names in braces in the message."""

    def __init__(self, words: str = "", **values: object) -> None:
        super().__init__(Message(words, **values))


class DataWarning(UserWarning):
    """A finding about ground truth or results that are read all the same."""


class RegionError(ProtocolError, ValueError):
    """An invalid region."""


class ParameterError(ProtocolError, ValueError):
    """A parameter that is unknown or outside its range."""


class UnknownProtocol(ProtocolError, LookupError):
    """A name that no protocol has."""
