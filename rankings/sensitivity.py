"""Whether the order of the protocols hangs on a setting, an annotator or half of the images."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .distances import kendall_tau_b
from .errors import RankingError
from .mean_rank import mean_rank
from .orders import Ranking, bucket_of, checked, from_values, require_same_methods
from .report import Scores
from .resampling import Distance, Floats, distances_between
from .tuning import (
    Packed,
    packed,
    places_from_scores,
    protocols_of,
    require_decimals,
    require_distance,
)

BASE = "as reported"
DECIMALS: tuple[int | None, ...] = (2, 3, 4, None)

Consensus = Callable[[Sequence[Ranking]], Ranking]


@dataclass(frozen=True, slots=True)
class Variant:
    """The order of the protocols when one thing is changed.

    Attributes
    ----------
    order : Ranking or None
        By Score, equal Scores tied; None when no image is left or there is no protocol.
    tau_b : float or None
        Kendall's tau-b between this order and the one as reported; None when either ties all
        protocols (so also with one protocol) or is None.
    best : tuple of str
        All protocols with the smallest Score.
    same_order : bool or None
        Whether the order is exactly the one as reported.
    """

    name: str
    order: Ranking | None
    tau_b: float | None
    best: tuple[str, ...]
    same_order: bool | None
    n_images: int


def sensitivity_table(
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    scores: Scores,
    *,
    decimals: int | None = 4,
    distance: Distance = "edit",
    consensus: Consensus = mean_rank,
    other_consensuses: Mapping[str, Consensus] | None = None,
) -> tuple[Variant, ...]:
    """Return the order of the protocols as reported and with one thing changed at a time.

    The changes: the other distance; each other consensus; 2, 3, 4 decimals and none; without one
    annotator; the first half of the images.

    Parameters
    ----------
    annotator_rankings : image -> annotator -> ranking
        The images that count in the report, in the order in which "first half" is meant (an odd
        one in the middle belongs to it).
    scores : image -> protocol -> method -> score
    consensus : callable
        Takes the rankings of an image, at least one, in order of the annotators' names.
    other_consensuses : mapping of name to callable, optional

    Returns
    -------
    tuple of Variant
        The first is the order as reported. Without an annotator, an image counts as long as one
        ranking is left, fewer than the report asks for though that may be: otherwise three
        annotators would leave nothing to compare.

    Raises
    ------
    MissingScore
        If a score of a ranked method is missing; names image, protocol and method.
    RankingError
        If a setting cannot be or an image's rankings are none or of different methods.
    """
    protocols = protocols_of(scores)
    people = {image: _checked(image, of) for image, of in annotator_rankings.items()}
    agreed = _consensuses(people, consensus)
    images = list(people)
    other: Distance = "kemeny" if distance == "edit" else "edit"
    studies: list[tuple[str, Mapping[str, Ranking], int | None, Distance]] = [
        (BASE, agreed, decimals, distance),
        (f"{other} distance", agreed, decimals, other),
    ]
    for name, find in (other_consensuses or {}).items():
        found = _consensuses(people, find)
        studies.append((f"consensus: {name}", found, decimals, distance))
    for places in DECIMALS:
        if places != decimals:
            studies.append((_rounding_name(places), agreed, places, distance))
    for annotator in sorted({name for of in people.values() for name in of}):
        changed = _without(annotator, people, agreed, consensus)
        studies.append((f"without {annotator}", changed, decimals, distance))
    half = images[: (len(images) + 1) // 2]
    studies.append(
        ("first half of the images", {image: agreed[image] for image in half}, decimals, distance)
    )
    require_decimals(decimals)
    require_distance(distance)
    groups = list(packed(scores, agreed, protocols))
    base: Ranking | None = None
    variants = []
    for name, study, places, measure in studies:
        sums = np.zeros(len(protocols))
        for group in groups:
            sums += _sums(group, study, places, measure)
        order = _order(protocols, sums) if study else None
        base = order if name == BASE else base
        variants.append(_variant(name, order, base, len(study)))
    return tuple(variants)


def _rounding_name(decimals: int | None) -> str:
    return "not rounded" if decimals is None else f"{decimals} decimals"


def _checked(image: str, of_annotator: Mapping[str, Ranking]) -> dict[str, Ranking]:
    """Return the rankings in order of the annotators' names."""
    if not of_annotator:
        raise RankingError(f"{image} has no ranking")
    found = {name: checked(of_annotator[name]) for name in sorted(of_annotator)}
    try:
        require_same_methods(*found.values())
    except RankingError as refusal:
        raise RankingError(f"{image}: {refusal}") from refusal
    return found


def _consensuses(
    people: Mapping[str, Mapping[str, Ranking]], consensus: Consensus
) -> dict[str, Ranking]:
    return {image: consensus(list(of_annotator.values())) for image, of_annotator in people.items()}


def _without(
    annotator: str,
    people: Mapping[str, Mapping[str, Ranking]],
    agreed: Mapping[str, Ranking],
    consensus: Consensus,
) -> dict[str, Ranking]:
    found = {}
    for image, of_annotator in people.items():
        others = [of for name, of in of_annotator.items() if name != annotator]
        if len(others) == len(of_annotator):
            found[image] = agreed[image]
        elif others:
            found[image] = consensus(others)
    return found


def _sums(
    group: Packed, consensus: Mapping[str, Ranking], decimals: int | None, distance: Distance
) -> Floats:
    """Return each protocol's distances, summed over the images that have a consensus.

    Distances are multiples of 1/2, so that the sums are exact.
    """
    chosen, goals = [], []
    for at, (image, methods) in enumerate(zip(group.images, group.methods, strict=True)):
        if image in consensus:
            place = bucket_of(consensus[image])
            if sorted(place) != methods:
                raise RankingError(f"{image}: a consensus ranks other methods than people do")
            chosen.append(at)
            goals.append([place[method] for method in methods])
    if not chosen:
        return np.zeros(group.values.shape[1])
    places = places_from_scores(group.values[chosen], decimals)
    goal: NDArray[Any] = np.broadcast_to(np.array(goals)[:, np.newaxis], places.shape)
    return np.asarray(distances_between(places, goal, distance).sum(axis=0))


def _order(protocols: Sequence[str], sums: Floats) -> Ranking | None:
    if not protocols:
        return None
    return from_values(list(zip(protocols, sums.tolist(), strict=True)), descending=False)


def _variant(name: str, order: Ranking | None, base: Ranking | None, n_images: int) -> Variant:
    if order is None or base is None:
        return Variant(name, order, None, order[0] if order else (), None, n_images)
    return Variant(name, order, kendall_tau_b(order, base), order[0], order == base, n_images)


@dataclass(frozen=True, slots=True)
class RoundingRow:
    """A protocol's Score for each number of decimals; None without an image."""

    protocol: str
    scores: tuple[float | None, ...]


def rounding_table(
    scores: Scores,
    consensus: Mapping[str, Ranking],
    *,
    decimals: Sequence[int | None] = DECIMALS,
    distance: Distance = "edit",
) -> tuple[RoundingRow, ...]:
    """Return every protocol's Score for 2, 3, 4 decimals and unrounded ([DPTF18]_, table II).

    Parameters
    ----------
    scores : image -> protocol -> method -> score
    consensus : image -> ranking
        The images that count; other images' scores are not looked at.
    decimals : sequence of int or None
        None: not rounded.

    Returns
    -------
    tuple of RoundingRow
        Protocols in order of name, Scores in order of ``decimals``.

    Raises
    ------
    MissingScore
        If a score of a ranked method is missing; names image, protocol and method.
    RankingError
        If a number of decimals or the distance cannot be.
    """
    protocols = protocols_of(scores)
    for number in decimals:
        require_decimals(number)
    require_distance(distance)
    sums = np.zeros((len(decimals), len(protocols)))
    for group in packed(scores, consensus, protocols):
        for at, number in enumerate(decimals):
            sums[at] += _sums(group, consensus, number, distance)
    n = len(consensus)
    return tuple(
        RoundingRow(protocol, tuple(float(of) / n if n else None for of in sums[:, at]))
        for at, protocol in enumerate(protocols)
    )
