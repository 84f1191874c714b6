"""Errors of the package."""


class ProtocolError(Exception):
    """The base of all refusals of this package."""


class RegionError(ProtocolError, ValueError):
    """A region that is not one."""


class ParameterError(ProtocolError, ValueError):
    """A parameter that is unknown or outside its range."""


class UnknownProtocol(ProtocolError, LookupError):
    """A protocol of this name does not exist."""
