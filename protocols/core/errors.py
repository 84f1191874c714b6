"""Errors of the package."""

from typing import Final

import shapely

# What shapes of millions beside billionths may make geometry raise. Whoever scores regions of
# strangers refuses them then.
BEYOND_COMPUTING: Final = (shapely.errors.GEOSException, ArithmeticError)


class ProtocolError(Exception):
    """The base of all refusals of this package."""


class RegionError(ProtocolError, ValueError):
    """A region that is not one."""


class ParameterError(ProtocolError, ValueError):
    """A parameter that is unknown or outside its range."""


class UnknownProtocol(ProtocolError, LookupError):
    """A protocol of this name does not exist."""
