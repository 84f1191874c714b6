"""Errors of the package."""


class ProtocolError(Exception):
    """The base of all errors of this package."""


class DataWarning(UserWarning):
    """A finding about ground truth or results that are read all the same."""


class RegionError(ProtocolError, ValueError):
    """An invalid region."""


class ParameterError(ProtocolError, ValueError):
    """A parameter that is unknown or outside its range."""


class UnknownProtocol(ProtocolError, LookupError):
    """A name that no protocol has."""


class MissingPackage(ProtocolError, ImportError):
    """An optional package that is needed and not installed; the message says how to install it."""
