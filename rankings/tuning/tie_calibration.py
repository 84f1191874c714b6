"""The best threshold for a protocol's ties: the score difference below which people see none."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agreement.report import Scores
from ..orders.buckets import Ranking
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.packed import Places
from ..orders.packed_scores import Floats, PackedStudy, packed_study, protocols_of
from .cross_validation import fold_numbers, folds

CURVE_POINTS = 200
# Decimals of a difference: scores are fractions, and 0.3 - 0.2 and 0.2 - 0.1 are the same one.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The difference of a protocol's scores below which people see none.

    Scores that differ by no more than ``epsilon`` count as tied; None if there is no pair of
    methods. ``accuracy`` is pairwise accuracy with ties at epsilon, or at 0, where only equal
    scores tie; ``score`` the mean distance of the calibrated rankings (:func:`calibrated_places`)
    to the annotators'. Cross-validated ones judge each image with the epsilon of the images outside
    its fold; None for fewer than two images with a pair. ``curve`` has (epsilon, accuracy) of at
    most ``CURVE_POINTS`` candidates spread evenly over all, and the best. ``n_images`` have at
    least two methods; the others have no pair and are ignored.
    """

    protocol: str
    epsilon: float | None
    accuracy: float | None
    accuracy_at_0: float | None
    cross_validated_accuracy: float | None
    fold_epsilons: tuple[float, ...]
    score: float | None
    cross_validated_score: float | None
    curve: tuple[tuple[float, float], ...]
    n_images: int


def tie_calibration(
    scores: Scores,
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    *,
    distance: Distance = "edit",
) -> tuple[TieCalibration, ...]:
    """Search the epsilon of each protocol that maximises pairwise accuracy with ties ([DFF23]_).

    Accuracy is the share of the pairs of a ranking on which it and the protocol agree (better,
    worse or tied), mean over the annotators' rankings. A consensus would not show which differences
    a person sees: the more annotators, the fewer pairs a consensus by mean rank ties. Accuracy
    depends on pairs alone: a pair is tied if its scores differ by at most epsilon, which need not
    be transitive; :func:`calibrated_places` turns this into a ranking. Candidates are 0 and every
    difference that occurs; of equally good ones the smallest wins. Accuracies are compared exactly,
    as fractions; differences are rounded to 12 decimals, because 0.3 - 0.2 and 0.2 - 0.1 are one
    candidate.

    Time: for each protocol one sort of all pairs of all rankings. Scores are not rounded; the
    rankings of an image are in one fold. Protocols are in order of name. Epsilon is 0 for a
    constant protocol and for one that is best left unchanged, and the largest difference if people
    tie everything. If no image has two methods, only the names are given. Raises MissingScore if
    the score of a ranked method is missing; the message names image, protocol and method. Raises
    RankingError if a setting is invalid.
    """
    require_distance(distance)
    paired: dict[str, Ranking] = {}
    rows_of: list[list[int]] = []
    of_ranking = {}
    for image, of_image in annotator_rankings.items():
        rows = []
        for annotator, ranking in of_image.items():
            if sum(map(len, ranking)) > 1:
                rows.append(len(paired))
                name = f"{image}, ranked by {annotator}"
                paired[name], of_ranking[name] = ranking, scores.get(image, {})
        if rows:
            rows_of.append(rows)
    parts = [
        np.array([row for image in part.tolist() for row in rows_of[image]], dtype=np.intp)
        for part in folds(len(rows_of))
    ]
    protocols = protocols_of(of_ranking or scores)
    groups = list(packed_study(of_ranking, paired, protocols))
    calibrated = (
        _calibrated(protocol, at, groups, len(paired), parts, distance)
        for at, protocol in enumerate(protocols)
    )
    return tuple(replace(one, n_images=len(rows_of)) for one in calibrated)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """All pairs of methods of all images, in order of the difference of their scores.

    An epsilon ties the pairs up to some place in this order, from any image. So the accuracy of
    every epsilon comes from one running sum: the pairs that are right if nothing is tied, and the
    gain or loss of each tied pair.

    Of shape (pairs,): sorted ``differences``; ``gains`` from tying the pair, 1 for one that is
    right only if tied, -1 for one that is right only if not, else 0, times the pair's weight;
    ``folds`` of the pairs' images. Weights make each image count the same and stay integers: a pair
    of an image with k pairs weighs ``common`` / k. ``right_if_strict`` has for each fold the summed
    weights of the pairs that are right if nothing is tied.
    """

    differences: Floats
    gains: NDArray[Any]
    folds: NDArray[Any]
    right_if_strict: list[int]
    common: int

    def candidates(self) -> tuple[Floats, NDArray[np.intp]]:
        """Return 0 and every difference that occurs, and how many pairs differ by no more."""
        # A candidate is the last of equal differences: all pairs up to it are tied together.
        is_last = np.append(self.differences[1:] != self.differences[:-1], True)
        n_tied = np.flatnonzero(is_last) + 1
        candidates = self.differences[n_tied - 1]
        if candidates[0] > 0:
            return np.append(0.0, candidates), np.append(0, n_tied)
        return candidates, n_tied

    def right(self, n_tied: NDArray[np.intp], fold: int | None = None) -> NDArray[Any]:
        """Return the summed weights of the pairs that are right, for each number of tied ones."""
        gains = self.gains if fold is None else np.where(self.folds == fold, self.gains, 0)
        strict = sum(self.right_if_strict) if fold is None else self.right_if_strict[fold]
        # Sums of Python's integers (objects) stay such; sums of small types need 64 bits.
        gained = np.cumsum(gains, dtype=object if gains.dtype == object else np.int64)
        return np.where(n_tied > 0, gained[n_tied - 1], 0) + strict


def _calibrated(
    protocol: str,
    at: int,
    groups: Sequence[PackedStudy],
    n: int,
    parts: Sequence[NDArray[np.intp]],
    distance: Distance,
) -> TieCalibration:
    if not n:
        return TieCalibration(protocol, None, None, None, None, (), None, None, (), 0)
    pairs = _pairs_of(groups, at, fold_numbers(parts, n), max(1, len(parts)))
    # The total weight of all pairs of all images: an accuracy is a sum of weights divided by it.
    whole = pairs.common * n
    candidates, n_tied = pairs.candidates()
    right = pairs.right(n_tied)
    best = int(np.argmax(right))
    epsilon = float(candidates[best])
    fold_epsilons = []
    held_out = 0
    epsilon_of = np.full(n, epsilon)
    for fold, part in enumerate(parts):
        inside = pairs.right(n_tied, fold)
        # A difference that only occurs inside the fold ties with the smaller one before it.
        outside = int(np.argmax(right - inside))
        fold_epsilons.append(float(candidates[outside]))
        epsilon_of[part] = fold_epsilons[-1]
        held_out += int(inside[outside])
    shown = {*np.linspace(0, len(candidates) - 1, CURVE_POINTS).astype(int).tolist(), best}
    return TieCalibration(
        protocol,
        epsilon,
        float(Fraction(int(right[best]), whole)),
        float(Fraction(int(right[0]), whole)),
        float(Fraction(held_out, whole)) if parts else None,
        tuple(fold_epsilons),
        _calibrated_score(groups, at, np.full(n, epsilon), distance),
        _calibrated_score(groups, at, epsilon_of, distance) if parts else None,
        tuple((float(candidates[i]), float(Fraction(int(right[i]), whole))) for i in sorted(shown)),
        n,
    )


def _pairs_of(
    groups: Sequence[PackedStudy], at: int, fold_of: NDArray[Any], n_folds: int
) -> _Pairs:
    """Return the pairs of one protocol (the ``at``-th), of all images."""
    n_pairs = [group.goals.shape[1] * (group.goals.shape[1] - 1) // 2 for group in groups]
    common = math.lcm(*n_pairs)
    sizes = [len(group.rows) * k for group, k in zip(groups, n_pairs, strict=True)]
    most = common // min(n_pairs)
    # Many different numbers of methods can make the common multiple too large for 64 bits.
    kind = np.min_scalar_type(-most - 1) if common * len(fold_of) < 2**62 else np.dtype(object)
    # Filled group by group, since groups differ in their numbers of methods.
    differences = np.empty(sum(sizes))
    gains = np.empty(sum(sizes), dtype=kind)
    folds = np.empty(sum(sizes), dtype=fold_of.dtype)
    right_if_strict = [0] * n_folds
    end = 0
    for group, k, size in zip(groups, n_pairs, sizes, strict=True):
        part = slice(end, end + size)
        end += size
        # Arrays of (images, pairs) from here on.
        first, second = np.array(list(combinations(range(group.goals.shape[1]), 2))).T
        values = group.values[:, at]
        apart = np.round(values[:, first] - values[:, second], _DIGITS)
        # Bucket numbers grow as scores fall.
        better = np.sign(group.goals[:, second] - group.goals[:, first])
        strict = (np.sign(apart) == better) & (better != 0)
        gained = (better == 0).astype(kind) - strict.astype(kind)
        differences[part] = np.abs(apart).ravel()
        gains[part] = gained.ravel() * (common // k)
        folds[part] = np.repeat(fold_of[group.rows], k)
        # bincount with weights adds up, for each fold, its images' right pairs.
        of_fold = np.bincount(fold_of[group.rows], strict.sum(axis=1), minlength=n_folds)
        for fold, right in enumerate(of_fold.tolist()):
            right_if_strict[fold] += int(right) * (common // k)
    order = np.argsort(differences)
    return _Pairs(differences[order], gains[order], folds[order], right_if_strict, common)


def _calibrated_score(
    groups: Sequence[PackedStudy], at: int, epsilons: Floats, distance: Distance
) -> float:
    total = 0.0
    for group in groups:
        places = calibrated_places(group.values[:, at], epsilons[group.rows])
        total += float(distances_between(places, group.goals, distance).sum())
    return total / len(epsilons)


def calibrated_places(values: Floats, epsilons: Floats) -> Places:
    """Return bucket numbers of shape (m, n), the buckets of row i no wider than epsilons[i].

    "Differs by at most epsilon" is not transitive, but a ranking's ties are. So the methods are
    visited from the best score down, and a bucket takes every method whose score is within epsilon
    of the bucket's *best*. Methods in one bucket never differ by more than epsilon; two neighbours
    in different buckets may differ by less. With epsilon 0 only equal scores tie.

    All rows are processed in parallel, each from its best method down; ``best`` and ``number``
    hold, for each row, the best score of the current bucket and the bucket's number.
    """
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    number = np.zeros(len(values), dtype=np.min_scalar_type(-values.shape[1]))
    best = ordered[:, 0]
    places: Places = np.zeros_like(order, dtype=number.dtype)
    for at in range(1, values.shape[1]):
        opens = np.round(best - ordered[:, at], _DIGITS) > epsilons
        best = np.where(opens, ordered[:, at], best)
        number = number + opens
        np.put_along_axis(places, order[:, [at]], number[:, np.newaxis], axis=1)
    return places
