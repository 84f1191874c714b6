"""The protocols by their slugs."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from . import __version__
from .average_precision import AveragePrecision
from .cleval.protocol import Cleval, ClevalEndToEnd
from .core.base import ImageScore, Protocol, Scene
from .core.errors import ParameterError, UnknownProtocol
from .deteval import Deteval, Icdar13
from .deteval_wolf import DetevalWolf
from .evaltex.protocol import Evaltex, EvaltexEmd, EvaltexEmdNoSplit, EvaltexNoSplit
from .iou import Iou
from .no_ground_truth.protocol import NoGroundTruth
from .popeval import Popeval
from .sentinels import Count, MeanSize, TotalArea
from .slot_error.protocol import SlotError
from .table_detection import TableDetection
from .table_structure import TableStructure
from .tedeval import Tedeval
from .tiou import Tiou

VERSION = __version__

_ALL: Final[tuple[type[Protocol], ...]] = (
    Iou,
    Deteval,
    Icdar13,
    Evaltex,
    EvaltexNoSplit,
    EvaltexEmd,
    EvaltexEmdNoSplit,
    AveragePrecision,
    DetevalWolf,
    Tiou,
    Tedeval,
    Cleval,
    ClevalEndToEnd,
    Popeval,
    TableDetection,
    TableStructure,
    SlotError,
    NoGroundTruth,
    Count,
    TotalArea,
    MeanSize,
)
PROTOCOLS: Mapping[str, type[Protocol]] = MappingProxyType(
    {protocol.slug: protocol for protocol in _ALL}
)
# What looks at no ground truth: nobody should agree with these.
SENTINELS: Final = frozenset(slug for slug, protocol in PROTOCOLS.items() if protocol.is_sentinel)


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
    known = [declared.name for declared in protocol.declared()]
    unknown = sorted(set(parameters or {}) - set(known))
    if unknown:
        raise ParameterError(
            f"{slug} has no parameter {unknown[0]!r}; parameters: {', '.join(known) or 'none'}"
        )
    return protocol(**(parameters or {}))


def all_protocols() -> list[Protocol]:
    """Return every protocol with its published parameters."""
    return [protocol() for protocol in PROTOCOLS.values()]


def score_together(
    protocols: Sequence[Protocol], scenes: Sequence[Scene]
) -> list[list[ImageScore]]:
    """Return the scores of several protocols; variants of EVALTEX share what they measure."""
    measured: dict[Any, Any] = {}
    scores = []
    for protocol in protocols:
        if not isinstance(protocol, Evaltex):
            scores.append(protocol.score(scenes))
            continue
        if protocol.measurement not in measured:
            measured[protocol.measurement] = protocol.measure(scenes)
        scores.append(protocol.conclude(measured[protocol.measurement]))
    return scores
