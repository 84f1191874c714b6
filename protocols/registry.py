"""The protocols by their slugs: those of this package and of plug-ins."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from text_rankings.base.suggestions import did_you_mean

from .core.base import Family, ImageScore, Protocol, Scene
from .core.errors import ParameterError, UnknownProtocol

if TYPE_CHECKING:
    from .plugins import Broken, Found

_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

# Module and class by slug; a protocol is imported on first use.
_ALL: Final[Mapping[str, tuple[str, str]]] = {
    "iou": ("iou", "Iou"),
    "iou-toolkits": ("iou_toolkits", "IouToolkits"),
    "average-precision": ("average_precision", "AveragePrecision"),
    "tiou": ("tiou", "Tiou"),
    "panoptic-quality": ("panoptic_quality", "PanopticQuality"),
    "maptext": ("maptext", "MapText"),
    "deteval": ("deteval", "Deteval"),
    "icdar13": ("deteval", "Icdar13"),
    "deteval-wolf": ("deteval_wolf", "DetevalWolf"),
    "deteval-total-text": ("deteval_total_text", "DetevalTotalText"),
    "evaltex": ("evaltex.protocol", "Evaltex"),
    "evaltex-no-split": ("evaltex.protocol", "EvaltexNoSplit"),
    "evaltex-emd": ("evaltex.protocol", "EvaltexEmd"),
    "evaltex-emd-no-split": ("evaltex.protocol", "EvaltexEmdNoSplit"),
    "tedeval": ("tedeval", "Tedeval"),
    "cleval": ("cleval.protocol", "Cleval"),
    "end-to-end": ("end_to_end", "EndToEnd"),
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

# Variants and other implementations of a protocol, each with the slug of the original.
_VARIES: Final[Mapping[str, str]] = {
    "iou-toolkits": "iou",
    "deteval-wolf": "deteval",
    "deteval-total-text": "deteval",
    "evaltex-no-split": "evaltex",
    "evaltex-emd": "evaltex",
    "evaltex-emd-no-split": "evaltex",
    "total-area": "count",
    "mean-size": "count",
}


@cache
def _imported(slug: str) -> type[Protocol]:
    module, name = _ALL[slug]
    return cast(type[Protocol], getattr(import_module(f"{__package__}.{module}"), name))


@cache
def _plugged() -> "Found[type[Protocol]]":
    # Searching the installed packages takes longer than a score, and most scripts name their
    # protocols.
    from . import plugins

    def fitting(name: str, loaded: object) -> type[Protocol]:
        if not (isinstance(loaded, type) and issubclass(loaded, Protocol)):
            raise plugins.Unfit("it is no class below Protocol")
        for attribute in ("slug", "name", "reference", "summary"):
            if not isinstance(getattr(loaded, attribute, None), str):
                raise plugins.Unfit(f"its {attribute} is no text")
        if loaded.slug != name or not _SLUG.fullmatch(name):
            raise plugins.Unfit(
                f"its slug is {loaded.slug!r}, and its entry point must be the same"
            )
        if getattr(loaded, "family", None) not in get_args(Family):
            raise plugins.Unfit(f"its family is none of {', '.join(get_args(Family))}")
        loaded()  # with its published parameters, which must be inside their ranges
        return loaded

    return plugins.loaded(plugins.PROTOCOLS, fitting, _ALL)


class _Protocols(Mapping[str, type[Protocol]]):
    """The classes by slug; listing the slugs imports only plug-ins, which come last."""

    def __getitem__(self, slug: str) -> type[Protocol]:
        return _imported(slug) if slug in _ALL else _plugged().things[slug]

    def __contains__(self, slug: object) -> bool:
        return slug in _ALL or slug in _plugged().things

    def __iter__(self) -> Iterator[str]:
        yield from _ALL
        yield from _plugged().things

    def __len__(self) -> int:
        return len(_ALL) + len(_plugged().things)


PROTOCOLS: Final[Mapping[str, type[Protocol]]] = _Protocols()


def is_sentinel(slug: str) -> bool:
    """Return whether a protocol ignores the ground truth, so that people should not agree with it.

    A slug without a protocol, as after the removal of a plug-in, gives False.

    Examples
    --------
    >>> is_sentinel("count"), is_sentinel("iou")
    (True, False)
    """
    if slug in _ALL:
        return _ALL[slug][0] == "sentinels"
    return slug in PROTOCOLS and PROTOCOLS[slug].is_sentinel


def one_of_each(slugs: Sequence[str]) -> list[str]:
    """Return the protocols without those that vary another one of them.

    A study compares every two of its protocols, and each of them makes the other comparisons less sure.

    Parameters
    ----------
    slugs : sequence of str

    Examples
    --------
    >>> one_of_each(["iou", "iou-toolkits", "evaltex-emd", "tedeval"])
    ['iou', 'evaltex-emd', 'tedeval']
    """
    return [slug for slug in slugs if _VARIES.get(slug) not in slugs]


def package_of(slug: str) -> str:
    """Return the package and version of a plug-in protocol; empty for other protocols.

    Examples
    --------
    >>> package_of("iou")
    ''
    """
    return "" if slug in _ALL else _plugged().packages.get(slug, "")


def broken_plugins() -> "tuple[Broken, ...]":
    """Return the plug-in protocols that cannot be used, each with the reason.

    Examples
    --------
    >>> [str(broken) for broken in broken_plugins()]
    []
    """
    return _plugged().broken


def get(slug: str, parameters: Mapping[str, Any] | None = None) -> Protocol:
    """Return a protocol with the given parameters, and the published values of the others.

    ``slug`` may name a variant after a colon (``iou:art``); then its parameters count as published.

    Parameters
    ----------
    slug : str
        One of ``PROTOCOLS``, or ``slug:variant``, in upper or lower case.
    parameters : mapping of str to value, optional

    Raises
    ------
    UnknownProtocol
        If there is no such name or variant; names the nearest and lists the existing ones.
    ParameterError
        If a parameter is unknown or outside its range.

    Examples
    --------
    >>> get("iou").slug
    'iou'
    >>> get("iou", {"min_iou": 0.7}).min_iou
    0.7
    >>> get("iou:art").matching
    'best'
    """
    if not isinstance(slug, str):
        raise UnknownProtocol(f"a protocol is named by a text such as 'iou', got {slug!r}")
    given, colon, name = slug.strip().partition(":")
    slug, name = given.lower(), name.lower()
    try:
        protocol = PROTOCOLS[slug]
    except KeyError:
        raise UnknownProtocol(
            f"there is no protocol {given!r}{did_you_mean(slug, PROTOCOLS)}; "
            f"protocols: {', '.join(PROTOCOLS)}"
        ) from None
    if colon and name not in protocol.variants:
        known = ", ".join(protocol.variants) or "none"
        meant = did_you_mean(name, protocol.variants)
        raise UnknownProtocol(f"{slug} has no variant {name!r}{meant}; variants: {known}")
    names = [declared.name for declared in protocol.declared()]
    unknown = sorted(set(parameters or {}) - set(names))
    if unknown:
        raise ParameterError(
            f"{slug} has no parameter {unknown[0]!r}; parameters: {', '.join(names) or 'none'}"
        )
    of_variant = protocol.variants[name].parameters if colon else {}
    return protocol(**{**of_variant, **(parameters or {})})


def all_protocols() -> list[Protocol]:
    """Return every protocol with its published parameters.

    Examples
    --------
    >>> [protocol.slug for protocol in all_protocols()][:2]
    ['iou', 'iou-toolkits']
    """
    return [protocol() for protocol in PROTOCOLS.values()]


def families() -> dict[Family, list[Protocol]]:
    """Return every protocol with its published parameters, by family, in the order of families.

    Examples
    --------
    >>> [protocol.slug for protocol in families()["Tables"]]
    ['table-detection', 'table-structure']
    """
    by_family: dict[Family, list[Protocol]] = {family: [] for family in get_args(Family)}
    for protocol in all_protocols():
        by_family[protocol.family].append(protocol)
    return by_family


def score_together(
    protocols: Sequence[Protocol], scenes: Sequence[Scene]
) -> list[list[ImageScore]]:
    """Return the scores of several protocols; variants of EVALTEX share intermediate results.

    Parameters
    ----------
    protocols : sequence of Protocol, length p
    scenes : sequence of Scene, length n

    Examples
    --------
    >>> from protocols.core.regions import Region
    >>> word = (Region.from_box(0, 0, 100, 40),)
    >>> [[of_iou], [of_count]] = score_together([get("iou"), get("count")], [Scene(word, word)])
    >>> of_iou.recall, of_count.indicators["measured"]
    (1.0, 1.0)
    """
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
