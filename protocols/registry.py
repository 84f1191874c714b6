"""The protocols by their slugs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, cast

from . import __version__
from .core.base import ImageScore, Protocol, Scene
from .core.errors import ParameterError, UnknownProtocol

VERSION = __version__

# By slug the module and the class; a protocol is imported when somebody asks for it.
_ALL: Final[Mapping[str, tuple[str, str]]] = {
    "iou": ("iou", "Iou"),
    "deteval": ("deteval", "Deteval"),
    "icdar13": ("deteval", "Icdar13"),
    "evaltex": ("evaltex.protocol", "Evaltex"),
    "evaltex-no-split": ("evaltex.protocol", "EvaltexNoSplit"),
    "evaltex-emd": ("evaltex.protocol", "EvaltexEmd"),
    "evaltex-emd-no-split": ("evaltex.protocol", "EvaltexEmdNoSplit"),
    "average-precision": ("average_precision", "AveragePrecision"),
    "deteval-wolf": ("deteval_wolf", "DetevalWolf"),
    "tiou": ("tiou", "Tiou"),
    "tedeval": ("tedeval", "Tedeval"),
    "cleval": ("cleval.protocol", "Cleval"),
    "cleval-end-to-end": ("cleval.protocol", "ClevalEndToEnd"),
    "popeval": ("popeval", "Popeval"),
    "table-detection": ("table_detection", "TableDetection"),
    "table-structure": ("table_structure", "TableStructure"),
    "slot-error": ("slot_error.protocol", "SlotError"),
    "no-ground-truth": ("no_ground_truth.protocol", "NoGroundTruth"),
    "count": ("sentinels", "Count"),
    "total-area": ("sentinels", "TotalArea"),
    "mean-size": ("sentinels", "MeanSize"),
}


@cache
def _imported(slug: str) -> type[Protocol]:
    module, name = _ALL[slug]
    return cast(type[Protocol], getattr(import_module(f"{__package__}.{module}"), name))


class _Protocols(Mapping[str, type[Protocol]]):
    """The classes by slug; a look at the slugs imports none."""

    def __getitem__(self, slug: str) -> type[Protocol]:
        return _imported(slug)

    def __contains__(self, slug: object) -> bool:
        return slug in _ALL

    def __iter__(self) -> Iterator[str]:
        return iter(_ALL)

    def __len__(self) -> int:
        return len(_ALL)


PROTOCOLS: Final[Mapping[str, type[Protocol]]] = _Protocols()
# What looks at no ground truth: nobody should agree with these.
SENTINELS: Final = frozenset(slug for slug, (module, _) in _ALL.items() if module == "sentinels")


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
        if _ALL.get(protocol.slug, ("", ""))[0] != "evaltex.protocol":
            scores.append(protocol.score(scenes))
            continue
        from .evaltex.protocol import Evaltex

        variant = cast(Evaltex, protocol)
        if variant.measurement not in measured:
            measured[variant.measurement] = variant.measure(scenes)
        scores.append(variant.conclude(measured[variant.measurement]))
    return scores
