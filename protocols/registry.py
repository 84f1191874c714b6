"""The protocols by their slugs."""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from . import __version__
from .base import Protocol
from .deteval import Deteval, Icdar13
from .errors import ParameterError, UnknownProtocol
from .iou import Iou

VERSION = __version__

PROTOCOLS: Mapping[str, type[Protocol]] = MappingProxyType(
    {protocol.slug: protocol for protocol in (Iou, Deteval, Icdar13)}
)


def get(slug: str, parameters: Mapping[str, Any] | None = None) -> Protocol:
    """Return a protocol with its published parameters but for those given.

    Raises
    ------
    UnknownProtocol
        If there is none of this name; lists those there are.
    ParameterError
        If a parameter is unknown or outside its range.
    """
    try:
        protocol = PROTOCOLS[slug]
    except KeyError:
        raise UnknownProtocol(
            f"there is no protocol {slug!r}; protocols: {', '.join(PROTOCOLS)}"
        ) from None
    known = [declared.name for declared in fields(protocol)]
    unknown = sorted(set(parameters or {}) - set(known))
    if unknown:
        raise ParameterError(
            f"{slug} has no parameter {unknown[0]!r}; parameters: {', '.join(known) or 'none'}"
        )
    return protocol(**(parameters or {}))


def all_protocols() -> list[Protocol]:
    """Return every protocol with its published parameters."""
    return [protocol() for protocol in PROTOCOLS.values()]
