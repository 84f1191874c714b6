"""The order of the protocols when a setting, an annotator or half of the images is changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.names import natural_order

from ..consensus.mean_rank import mean_rank
from ..consensus.rules import Consensus, consensus_places
from ..errors import RankingError
from ..orders.buckets import Ranking, from_values
from ..orders.distances import Distance, distances_between, kendall_tau_b, require_distance
from ..orders.from_scores import require_decimals
from ..orders.group_swaps import group_swap_distances
from ..orders.packed import Places, dense_places, named_rankings
from ..orders.packed_scores import complete_scores, packed_study, protocols_of, rounded_scores
from .report import Scores

BASE = "as reported"
DECIMALS: tuple[int | None, ...] = (2, 3, 4, None)
_OTHER_DISTANCE: Final[Mapping[Distance, str]] = {
    "edit": "edit distance",
    "kemeny": "kemeny distance",
}
_GROUP_SWAPS: Final = "one swap past a tied group"
_HALF: Final = "first half of the images"
# Images whose swaps past groups are counted at a time.
_TOGETHER: Final = 256


@dataclass(frozen=True, slots=True)
class Variant:
    """The order of the protocols when one thing is changed.

    ``order`` is by Score, equal Scores tied; None if no image is left or there is no protocol.
    ``tau_b`` is Kendall's between this order and the reported one; None if either ties all
    protocols or is None, as ``same_order`` is then. ``best`` are all protocols with the smallest
    Score.
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
    """Return the order of the protocols as reported, and with one change at a time.

    The changes: the other distance; for the edit distance its other reading
    (:mod:`.group_swaps`); each other consensus (a callable that takes the rankings of an
    image in order of the annotators' names); 2, 3 or 4 decimals, or no rounding; one annotator left
    out; only the first half of the images by their names (img_2 before img_10), with the middle one
    of an odd number. Without an annotator, an image counts as long as one ranking is left, even if the report
    requires more: otherwise three annotators would leave nothing to compare. Raises MissingScore if
    a score of a ranked method is missing; the message names image, protocol and method. Raises
    RankingError if a setting is invalid, or an image has no rankings or rankings of different
    methods.
    """
    require_decimals(decimals)
    require_distance(distance)
    protocols = protocols_of(scores)
    annotators = sorted({name for by_name in annotator_rankings.values() for name in by_name})
    changes = _changes(annotators, decimals, distance, consensus, other_consensuses or {})
    by_name = sorted(annotator_rankings, key=natural_order)
    half = {*by_name[: (len(by_name) + 1) // 2]}
    is_first = np.array([image in half for image in annotator_rankings], dtype=bool)
    # For each change, the sum of distances (exact: multiples of 1/2) and the number of images.
    sums = np.zeros((len(changes), len(protocols)))
    n_images = np.zeros(len(changes), dtype=np.intp)
    for rows, group in _groups(annotator_rankings):
        measured = _Measured(group, scores, protocols, changes[0])
        for at, change in enumerate(changes):
            distances = measured.first(is_first[rows]) if change.first_half else measured.of(change)
            sums[at] += distances.sum(axis=0)
            n_images[at] += len(distances)
    orders = [_order(protocols, row) if n else None for row, n in zip(sums, n_images, strict=True)]
    return tuple(
        _variant(change.name, order, orders[0], int(n))
        for change, order, n in zip(changes, orders, n_images, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Change:
    """The settings of a variant: those of the report, with at most one change."""

    name: str
    decimals: int | None
    distance: Distance
    consensus: Consensus
    without: str | None = None
    first_half: bool = False
    group_swaps: bool = False


def _changes(
    annotators: Sequence[str],
    decimals: int | None,
    distance: Distance,
    consensus: Consensus,
    other_consensuses: Mapping[str, Consensus],
) -> list[_Change]:
    """Return the report's own settings, then each with one thing changed."""
    other: Distance = "kemeny" if distance == "edit" else "edit"
    return [
        _Change(BASE, decimals, distance, consensus),
        _Change(_OTHER_DISTANCE[other], decimals, other, consensus),
        *(
            [_Change(_GROUP_SWAPS, decimals, distance, consensus, group_swaps=True)]
            if distance == "edit"
            else []
        ),
        *(
            _Change(f"consensus: {name}", decimals, distance, find)
            for name, find in other_consensuses.items()
        ),
        *(
            _Change(rounding_name(number), number, distance, consensus)
            for number in DECIMALS
            if number != decimals
        ),
        *(
            _Change(f"without {name}", decimals, distance, consensus, without=name)
            for name in annotators
        ),
        _Change(_HALF, decimals, distance, consensus, first_half=True),
    ]


def rounding_name(decimals: int | None) -> str:
    """Return the rounding of scores, in words."""
    return "not rounded" if decimals is None else f"{decimals} decimals"


@dataclass(frozen=True, slots=True)
class _Images:
    """Images with the same number of rankings and of methods.

    Names, methods and people (annotators in order) of each; ``places`` of shape (g, k, n) has the
    bucket numbers of the rankings.
    """

    names: list[str]
    methods: list[tuple[str, ...]]
    people: list[dict[str, Ranking]]
    places: Places

    def goals(self, find: Consensus) -> Places:
        rankings = (list(of_image.values()) for of_image in self.people)
        goals, _ = consensus_places(
            find, self.places, zip(self.names, self.methods, rankings, strict=True)
        )
        return goals

    def without(self, annotator: str) -> tuple[list[int], "_Images"]:
        """Return the positions of an annotator's images, and these images without the annotator."""
        chosen = [at for at, of_image in enumerate(self.people) if annotator in of_image]
        others = np.array(
            [[name != annotator for name in self.people[at]] for at in chosen], dtype=bool
        )
        _, k, n = self.places.shape
        # A mask over (images, rankings) gives one long list of rankings; every image keeps k - 1.
        places = self.places[chosen][others.reshape(len(chosen), k)]
        remaining = _Images(
            [self.names[at] for at in chosen],
            [self.methods[at] for at in chosen],
            [
                {name: ranking for name, ranking in self.people[at].items() if name != annotator}
                for at in chosen
            ],
            places.reshape(len(chosen), k - 1, n),
        )
        return chosen, remaining


def _groups(
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
) -> Iterator[tuple[NDArray[np.intp], _Images]]:
    """Yield positions and data of images, grouped by their numbers of rankings and of methods."""
    images = list(annotator_rankings)
    people = [dict(sorted(by_name.items())) for by_name in annotator_rankings.values()]
    for image, by_name in zip(images, people, strict=True):
        if not by_name:
            raise RankingError(f"{image} has no ranking")
    for group in named_rankings(images, [list(by_name.values()) for by_name in people]):
        rows = group.rows.tolist()
        yield (
            group.rows,
            _Images(
                [images[at] for at in rows],
                group.methods,
                [people[at] for at in rows],
                group.places,
            ),
        )


class _Measured:
    """The distances of the protocols to the consensus on some images, under any change.

    Intermediate results that several changes share are computed once: the scores in each rounding,
    each consensus, and the reported distances, of which leaving an annotator out changes some rows.
    """

    def __init__(
        self, images: _Images, scores: Scores, protocols: Sequence[str], base: _Change
    ) -> None:
        self._images = images
        self._base = base
        # (images, protocols, methods)
        self._values = complete_scores(scores, images.names, images.methods, protocols)
        self._rounded: dict[int | None, NDArray[Any]] = {}
        self._goals: dict[Consensus, Places] = {}
        # (images, protocols)
        self._reported = self._distances(base)

    def of(self, change: _Change) -> NDArray[np.float64]:
        """Return the distances under a change: (images that still count, protocols)."""
        if change.without is not None:
            return self._without(change.without)
        return self._reported if change == self._base else self._distances(change)

    def first(self, is_chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the reported distances of some of the images."""
        return self._reported[is_chosen]

    def _distances(self, change: _Change) -> NDArray[np.float64]:
        if change.consensus not in self._goals:
            self._goals[change.consensus] = self._images.goals(change.consensus)
        # All protocols share the goals: (images, 1, methods).
        goals = self._goals[change.consensus][:, np.newaxis]
        if change.group_swaps:
            return self._group_swap_distances(goals)
        return distances_between(self._in_decimals(change.decimals), goals, change.distance)

    def _group_swap_distances(self, goals: Places) -> NDArray[np.float64]:
        own = dense_places(self._in_decimals(self._base.decimals))
        # Few images at a time: each ranking has a table of methods x methods.
        parts = (
            group_swap_distances(*(of.reshape(-1, own.shape[-1]) for of in (one, goal)))
            for one, goal in zip(
                np.array_split(own, len(own) // _TOGETHER + 1),
                np.array_split(np.broadcast_to(goals, own.shape), len(own) // _TOGETHER + 1),
                strict=True,
            )
        )
        return np.concatenate([*parts]).reshape(own.shape[:2])

    def _in_decimals(self, decimals: int | None) -> NDArray[Any]:
        if decimals not in self._rounded:
            self._rounded[decimals] = rounded_scores(self._values, decimals)
        return self._rounded[decimals]

    def _without(self, annotator: str) -> NDArray[np.float64]:
        changed, others = self._images.without(annotator)
        if not others.places.shape[1]:
            # No other annotator ranked these images: they do not count.
            return np.delete(self._reported, changed, axis=0)
        distances = self._reported.copy()
        goals = others.goals(self._base.consensus)[:, np.newaxis]
        rounded = self._in_decimals(self._base.decimals)[changed]
        distances[changed] = distances_between(rounded, goals, self._base.distance)
        return distances


def _order(protocols: Sequence[str], sums: NDArray[np.float64]) -> Ranking | None:
    if not protocols:
        return None
    return from_values(list(zip(protocols, sums.tolist(), strict=True)), descending=False)


def _variant(name: str, order: Ranking | None, base: Ranking | None, n_images: int) -> Variant:
    if order is None or base is None:
        return Variant(name, order, None, order[0] if order else (), None, n_images)
    return Variant(name, order, kendall_tau_b(order, base), order[0], order == base, n_images)


@dataclass(frozen=True, slots=True)
class RoundingRow:
    """A protocol's Score for each number of decimals; None if there are no images."""

    protocol: str
    scores: tuple[float | None, ...]


def rounding_table(
    scores: Scores,
    consensus: Mapping[str, Ranking],
    *,
    distance: Distance = "edit",
) -> tuple[RoundingRow, ...]:
    """Return every protocol's Score for 2, 3, 4 decimals and unrounded ([DPTF18]_, table II).

    Protocols are in order of name; the images of ``consensus`` count; None means no rounding.
    Raises MissingScore, which names image, protocol and method, and RankingError for an invalid
    setting.
    """
    protocols = protocols_of(scores)
    require_distance(distance)
    sums = np.zeros((len(DECIMALS), len(protocols)))
    for group in packed_study(scores, consensus, protocols):
        for at, number in enumerate(DECIMALS):
            rounded = rounded_scores(group.values, number)
            # (images, protocols), added over the images; exact, since they are multiples of 1/2.
            distances = distances_between(rounded, group.goals[:, np.newaxis], distance)
            sums[at] += distances.sum(axis=0)
    n = len(consensus)
    return tuple(
        RoundingRow(protocol, tuple(float(total) / n if n else None for total in sums[:, at]))
        for at, protocol in enumerate(protocols)
    )
