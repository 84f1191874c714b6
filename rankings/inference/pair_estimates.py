"""Estimates of protocols' distance from people, from pairs or a few methods of an image at a time.

A protocol's loss on a pair of methods is Kemeny's: 1 if it and the person order the pair
oppositely, 1/2 if exactly one of them ties it, else 0. Its loss on an image is the mean over all N
pairs of methods there, and one visit of an annotator, who is asked some of them, gives an unbiased
estimate by Horvitz and Thompson's sum ([HT52]_)::

    1 / N sum over the pairs asked of loss / probability of being asked

Hajek's ratio, which divides by the sum of 1 / probability instead of by N, has less variance for
the loss itself, but not for the tested difference: if two protocols agree on a pair their
difference there is 0, so pairs that were unlikely to be asked, because protocols agree on them, add
nothing to Horvitz and Thompson's difference, while they change the denominator of Hajek's. And N is
known.

The estimate of one visit is a cell of images x annotators with mean mu; the draw is part of its
rest. So the tests are those of whole rankings, with annotators and images random
(:mod:`.multi_reader`). If every pair is asked, results are those of whole rankings, divided by N.

A visit with a skipped pair keeps its other answers, weighted up to all pairs that it asked, as if
the pairs without a verdict had their mean loss. A visit without another answer gives no estimate.
But pairs are not skipped at random: :func:`loss_limits` bounds the estimates that would have
followed if the skipped pairs had been answered.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..elicitation.pair_draws import Pair
from ..errors import RankingError
from ..orders.buckets import Ranking, bucket_of
from ..orders.packed import packed_rankings
from ..orders.packed_scores import Floats
from .clusters import NONE_DECLARED, Declared
from .multi_reader import Comparisons, compare_clusters
from .personal_distances import PersonalDistances


@dataclass(frozen=True, slots=True)
class Visit:
    """One annotator's verdicts on some methods of one image, by one criterion.

    A pair is a ranking of two. ``probabilities`` are those of asking at least every two methods of
    the ranking, above 0 and at most 1; None means that every pair was asked with certainty, as in a
    whole ranking. The methods could be ``drawn_from`` these; None means all that protocols rank on
    the image.
    """

    image: str
    annotator: str
    ranking: Ranking
    probabilities: Mapping[Pair, float] | None
    drawn_from: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class LostVisit:
    """A visit, or an attempt at a whole ranking, without a ranking because a pair was skipped.

    ``known`` has for each pair that the other answers settle the better method, None if they are
    equal; all other pairs have no verdict. Without ``has_answers``, known pairs are those of
    identical results. ``probabilities`` and ``drawn_from`` are as in :class:`Visit`.
    """

    image: str
    annotator: str
    methods: frozenset[str]
    probabilities: Mapping[Pair, float] | None
    drawn_from: frozenset[str] | None = None
    known: Mapping[Pair, str | None] = field(default_factory=dict)
    has_answers: bool = False


AnyVisit = TypeVar("AnyVisit", bound=Visit | LostVisit)


@dataclass(frozen=True, slots=True)
class DifferenceLimits:
    """The least and the greatest difference of two protocols' mean losses, first minus second."""

    first: str
    second: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LossLimits:
    """Bounds on mean losses if every skipped pair had been answered.

    Of the lost visits with drawn methods and the lost whole rankings, ``n_kept`` have other
    answers, which enter the losses; ``n_pairs`` of theirs have no verdict. ``low`` and ``high`` are
    the least and the greatest mean loss of each protocol by itself, empty if no visit is lost. A
    verdict moves two losses, so the limits of ``pairs`` are narrower than those that follow from
    these.
    """

    n_visits: int = 0
    n_rankings: int = 0
    n_kept: int = 0
    n_pairs: int = 0
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    pairs: tuple[DifferenceLimits, ...] = ()


def compare_by_pairs(
    visits: Iterable[Visit | LostVisit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
    *,
    declared: Declared = NONE_DECLARED,
) -> Comparisons:
    """Compare every two protocols: :func:`.multi_reader.compare` of :func:`pair_losses`.

    Declared groups of annotators and scenes of images are the units of the test.
    """
    known = list(visits)
    images, annotators = names_of(known)
    measured = pair_losses(known, protocol_rankings, protocols)
    found = compare_clusters(measured, images, annotators, declared)
    return replace(found, loss="share of pairs")


def names_of(known: Sequence[Visit | LostVisit]) -> tuple[list[str], list[str]]:
    """Return the names of images and annotators in the order of their numbers."""
    return sorted({visit.image for visit in known}), sorted({visit.annotator for visit in known})


def pair_losses(
    visits: Iterable[Visit | LostVisit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
) -> PersonalDistances:
    """Estimate every protocol's loss on every image by every annotator who visited it.

    Several visits of one annotator to an image are averaged. A method that protocols no longer rank
    is left out with its pairs; a visit without a remaining pair that has a verdict does not count.
    A protocol need not have been considered in the draws: one that was added later is estimated
    without bias, too. There is a row for each image and annotator. A single estimate may be outside
    the range of a loss; the mean is not biased. If a visit's methods were drawn from fewer than the
    image has now, it estimates the loss on the pairs of those fewer methods. Raises RankingError if
    a pair asked has no probability in (0, 1], methods that could not be drawn were asked, or
    protocols rank different methods; the message names the image.
    """
    known = _in_order(visits)
    images, annotators = names_of(known)
    losses = np.zeros((len(known), len(protocols)))
    # The weights of each visit's pairs, and of those with a verdict.
    every, answered = np.zeros(len(known)), np.zeros(len(known))
    for asked, places in _asked_on(images, known, protocol_rankings, protocols):
        asked.add_losses(losses, places)
        asked.add_weights(every, answered)
    counts = answered > 0
    losses[counts] *= (every[counts] / answered[counts])[:, np.newaxis]
    cells = _cells(known, images, annotators)
    return _averaged(tuple(protocols), cells[counts], losses[counts])


def loss_limits(
    visits: Iterable[Visit],
    lost: Iterable[LostVisit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
) -> LossLimits:
    """Bound the mean losses that the study would have given, had every skipped pair been answered.

    A pair without a verdict counts from 0 to 1 for a protocol that orders it, from 0 to 1/2 for one
    that ties it, with the weights of :func:`pair_losses`. The difference of two protocols is least
    if the person agrees with the first, and greatest if the person agrees with the second. These
    limits are reached if visits have one pair each. With more pairs per visit, some answers that
    reach them contradict each other, so the limits may be wider than any rankings allow. The mean
    loss of only the ``visits`` with a ranking may be outside: then any answers to the skipped pairs
    would have moved it in the same direction. Raises RankingError as :func:`pair_losses` does.
    """
    answered, without = _in_order(visits), _in_order(lost)
    known: list[Visit | LostVisit] = [*answered, *without]
    images, annotators = names_of(known)
    losses = np.zeros((len(known), len(protocols)))
    counts = np.zeros(len(known), dtype=bool)
    groups = list(_asked_on(images, known, protocol_rankings, protocols))
    for asked, places in groups:
        counts[asked.visits] = True
        asked.add_losses(losses, places)
    if not counts[len(answered) :].any():
        return LossLimits()
    cells = _cells(known, images, annotators)[counts]
    different, cell_of, n_visits = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    # The weight of a visit in the mean over cells of images x annotators.
    weights = np.zeros(len(known))
    weights[counts] = 1 / (len(different) * n_visits[cell_of.ravel()])
    fixed = weights @ losses
    room = np.zeros(len(protocols))
    # (first, second): maximum distance of the difference from that of the known part.
    apart = np.zeros((len(protocols), len(protocols)))
    n_pairs = 0
    for asked, places in groups:
        signs, shares = asked.open_pairs(places, weights)
        n_pairs += len(shares)
        room += shares @ (1 + np.abs(signs)) / 2
        for at in range(len(protocols)):
            apart[at] += shares @ np.abs(signs - signs[:, at : at + 1]) / 2
    counted = [
        visit
        for visit, counts_now in zip(without, counts[len(answered) :], strict=True)
        if counts_now
    ]
    n_rankings = sum(visit.probabilities is None for visit in counted)
    return LossLimits(
        n_visits=len(counted) - n_rankings,
        n_rankings=n_rankings,
        n_kept=sum(visit.has_answers for visit in counted),
        n_pairs=n_pairs,
        low=tuple(fixed.tolist()),
        high=tuple((fixed + room).tolist()),
        pairs=tuple(
            DifferenceLimits(
                *(protocols[a], protocols[b]),
                low=float(fixed[a] - fixed[b] - apart[a, b]),
                high=float(fixed[a] - fixed[b] + apart[a, b]),
            )
            for a, b in combinations(range(len(protocols)), 2)
        ),
    )


def _in_order(visits: Iterable[AnyVisit]) -> list[AnyVisit]:
    """Return visits by image, annotator and content, so that sums are rounded alike."""

    def content(visit: Visit | LostVisit) -> tuple[str, str, str]:
        asked = sorted((sorted(pair), of) for pair, of in (visit.probabilities or {}).items())
        own = (
            (visit.ranking, ())
            if isinstance(visit, Visit)
            else (
                sorted(visit.methods),
                sorted((sorted(of), by or "") for of, by in visit.known.items()),
            )
        )
        return visit.image, visit.annotator, repr((own, asked))

    return sorted(visits, key=content)


def _asked_on(
    images: Sequence[str],
    known: Sequence[Visit | LostVisit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
) -> "Iterator[tuple[_Asked, NDArray[np.int64]]]":
    """Yield the pairs asked on images with equal numbers of methods, and the protocols' places.

    Places are (images, protocols, methods); visits are numbered as in ``known``.
    """
    visits_of: dict[str, list[int]] = {}
    for at, visit in enumerate(known):
        visits_of.setdefault(visit.image, []).append(at)

    def refuse(at: int) -> None:
        raise RankingError(f"{images[at]}: protocols rank different methods")

    own = [[protocol_rankings[image][protocol] for protocol in protocols] for image in images]
    for group in packed_rankings(own, refuse):
        asked = _Asked()
        for row, (at, methods) in enumerate(zip(group.rows.tolist(), group.methods, strict=True)):
            number = {method: place for place, method in enumerate(methods)}
            for one in visits_of[images[at]]:
                asked.add(one, known[one], row, number)
        if asked.visits:
            yield asked, group.places.astype(np.int64)


def _cells(
    known: Sequence[Visit | LostVisit], images: Sequence[str], annotators: Sequence[str]
) -> NDArray[np.intp]:
    """Return the numbers of image and annotator of each visit: (visits, 2)."""
    image_of, annotator_of = (
        {name: at for at, name in enumerate(names)} for names in (images, annotators)
    )
    return np.array(
        [(image_of[visit.image], annotator_of[visit.annotator]) for visit in known], dtype=np.intp
    ).reshape(-1, 2)


class _Asked:
    """The pairs asked on some images: visit, row, the two methods, verdict and weight of each."""

    def __init__(self) -> None:
        self.visits: list[int] = []
        self._rows: list[int] = []
        self._first: list[int] = []
        self._second: list[int] = []
        # -1, 0 or 1: the first method is before, tied with or after the second; NaN: no verdict.
        self._said: list[float] = []
        self._weights: list[float] = []

    def add(self, at: int, visit: Visit | LostVisit, row: int, number: Mapping[str, int]) -> None:
        asked, said = _verdicts_of(visit)
        strangers = asked - visit.drawn_from if visit.drawn_from is not None else ()
        if strangers:
            raise RankingError(
                f"{visit.image}: asked but not drawn from: {', '.join(sorted(strangers))}"
            )
        could = number.keys() if visit.drawn_from is None else number.keys() & visit.drawn_from
        n_pairs = math.comb(len(could), 2)
        for first, second in combinations(sorted(asked & could), 2):
            probability = _checked(visit, first, second)
            self.visits.append(at)
            self._rows.append(row)
            self._first.append(number[first])
            self._second.append(number[second])
            self._said.append(said(first, second))
            self._weights.append(1 / (n_pairs * probability))

    def add_losses(self, losses: Floats, places: NDArray[np.int64]) -> None:
        """Add each pair's weighted loss to its visit; a pair without a verdict adds nothing."""
        said = np.array(self._said)[:, np.newaxis]
        apart = np.nan_to_num(np.abs(self._signs(places) - said) / 2)
        np.add.at(losses, self.visits, apart * np.array(self._weights)[:, np.newaxis])

    def add_weights(self, every: Floats, answered: Floats) -> None:
        """Add each pair's weight to its visit's; to ``answered`` only if it has a verdict."""
        weights = np.array(self._weights)
        np.add.at(every, self.visits, weights)
        np.add.at(answered, self.visits, np.where(np.isnan(self._said), 0, weights))

    def open_pairs(self, places: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats]:
        """Return the protocols' signs for pairs without a verdict, and their weights in the mean.

        ``weights`` are those of the visits. The shapes are (pairs, protocols) and (pairs,).
        """
        is_open = np.isnan(self._said)
        shares = np.array(self._weights) * weights[self.visits]
        return self._signs(places)[is_open], shares[is_open]

    def _signs(self, places: NDArray[np.int64]) -> Floats:
        """Return -1, 0 or 1 for each pair and protocol, as in ``_said``."""
        rows = np.array(self._rows)
        first, second = places[rows, :, self._first], places[rows, :, self._second]
        signs: Floats = np.sign(first - second).astype(np.float64)
        return signs


def _verdicts_of(visit: Visit | LostVisit) -> tuple[frozenset[str], Callable[[str, str], float]]:
    """Return the methods asked, and the verdict on any two of them as in :class:`_Asked`."""
    if isinstance(visit, Visit):
        bucket = bucket_of(visit.ranking)
        return frozenset(bucket), lambda first, second: _sign(bucket[first] - bucket[second])
    known = visit.known

    def said(first: str, second: str) -> float:
        pair = frozenset((first, second))
        if pair not in known:
            return math.nan
        better = known[pair]
        return 0 if better is None else -1 if better == first else 1

    return visit.methods, said


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _checked(visit: Visit | LostVisit, first: str, second: str) -> float:
    if visit.probabilities is None:
        return 1.0
    probability = visit.probabilities.get(frozenset((first, second)))
    if probability is None or not 0 < probability <= 1 + 1e-9:
        raise RankingError(
            f"{visit.image}: {first} and {second} were asked with probability {probability}, "
            "which is not above 0 and up to 1"
        )
    return probability


def _averaged(
    protocols: tuple[str, ...], cells: NDArray[np.intp], losses: Floats
) -> PersonalDistances:
    """Return the mean loss for every combination of image and annotator."""
    different, cell_of, n_visits = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(different), len(protocols)))
    np.add.at(sums, cell_of.ravel(), losses)
    return PersonalDistances(
        protocols, different[:, 0], different[:, 1], sums / n_visits[:, np.newaxis]
    )
