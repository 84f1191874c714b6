"""Agreement between annotators, and how near one is to the consensus of the others.

A study is a mapping of image to annotator to ranking, for one criterion. None means undefined.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..consensus.kemeny import kemeny_places
from ..consensus.rules import ConsensusMethod
from ..errors import RankingError
from ..inference.resampling import SEED, score_intervals
from ..orders.buckets import Ranking, checked, doubled_ranks
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.edit_distance import places_of
from ..orders.packed import (
    PackedRankings,
    Places,
    doubled_ranks_of,
    named_rankings,
    packed_rankings,
)

StudyRankings = Mapping[str, Mapping[str, Ranking]]


@dataclass(frozen=True, slots=True)
class ImageAgreement:
    """Agreement between the annotators of one image on one criterion.

    Distances are means over pairs of annotators, None if there are fewer than two.
    """

    n_annotators: int
    kendall_w: float | None
    edit_distance: float | None
    kemeny_distance: float | None


def image_agreements(study: StudyRankings) -> dict[str, ImageAgreement]:
    """Return the agreement on every image; for an image without rankings, the measures are None.

    Raises
    ------
    RankingError
        If the rankings of an image are of different methods; the message names image and methods.

    Examples
    --------
    >>> image_agreements({"img_1": {"ann": (("a",), ("b",)), "ben": (("a",), ("b",))}})["img_1"].kendall_w
    1.0
    """
    by_row = [ImageAgreement(0, None, None, None)] * len(study)
    for group in _packed(study):
        agreements = zip(
            [group.places.shape[1]] * len(group.rows),
            _kendall_ws(group.places),
            _mean_pairwise_distances(group.places, "edit"),
            _mean_pairwise_distances(group.places, "kemeny"),
            strict=True,
        )
        for row, numbers in zip(group.rows.tolist(), agreements, strict=True):
            by_row[row] = ImageAgreement(*numbers)
    return dict(zip(study, by_row, strict=True))


def _packed(study: StudyRankings) -> Iterator[PackedRankings]:
    """Yield all rankings, packed; an error names an image whose rankings cannot be compared."""
    try:
        yield from named_rankings(list(study), [list(of.values()) for of in study.values()])
    except RankingError:
        # Packing does not know the annotator of an invalid ranking.
        for image, of_annotator in study.items():
            for entry in of_annotator.items():
                _checked(image, *entry)
        raise


def kendall_w(rankings: Sequence[Ranking]) -> float | None:
    """Return Kendall's coefficient of concordance with the correction for ties ([Ken45]_).

    With R_i the sum of method i's ranks over m rankings of n methods, S the sum of squared
    deviations of the R_i from their mean, and T the sum of t^3 - t over all buckets of t methods:
    ``W = 12 S / (m^2 (n^3 - n) - m T)``.

    Returns
    -------
    float or None
        In [0, 1]; None for fewer than two rankings, one method, or when every ranking ties
        everything.

    Raises
    ------
    RankingError
        If a ranking is invalid, or they rank different methods; the message names the methods.

    Examples
    --------
    >>> kendall_w([(("a",), ("b",), ("c",)), (("a",), ("b",), ("c",))])
    1.0
    """
    places = places_of([checked(ranking) for ranking in rankings])
    return _kendall_ws(places[np.newaxis])[0] if len(places) else None


def _kendall_ws(places: Places) -> list[float | None]:
    """Return Kendall's W by image from bucket numbers of shape (images, rankings, methods)."""
    m, n = places.shape[1:]
    if m < 2:
        return [None] * len(places)
    # Twice the sum of each method's ranks: (images, methods). Its mean is m (n + 1). Integers keep
    # everything exact up to the last division.
    doubled = doubled_ranks_of(places).sum(axis=1, dtype=np.int64)
    deviations = ((doubled - m * (n + 1)) ** 2).sum(axis=1)
    # The size of each method's bucket: (images, rankings, methods). A bucket's t^3 - t is t^2 - 1
    # for each of its t methods, so that the sum over methods is the one over buckets.
    sizes = sum((places == places[..., [at]]).astype(np.int64) for at in range(n))
    ties = (sizes**2 - 1).sum(axis=(1, 2))
    most = m * (m * (n**3 - n) - ties)
    # The ranks are doubled, so the squares are four times too large.
    return [
        3 * deviation / of_all if of_all else None
        for deviation, of_all in zip(deviations.tolist(), most.tolist(), strict=True)
    ]


def _mean_pairwise_distances(places: Places, distance: Distance) -> list[float | None]:
    """Return the mean of each image, from bucket numbers of shape (images, rankings, methods)."""
    if places.shape[1] < 2:
        return [None] * len(places)
    first, second = np.array(list(combinations(range(places.shape[1]), 2))).T
    apart = distances_between(places[:, first], places[:, second], distance)
    # (images, pairs of rankings). Distances are multiples of 1/2, so that the sums are exact.
    return list((apart.sum(axis=1) / len(first)).tolist())


def krippendorff_alpha(study: StudyRankings) -> float | None:
    """Return Krippendorff's alpha of a study for ordinal data ([Kri19]_, chapter 12).

    A unit is a method on an image, and its value is the rank an annotator gives it there; the
    methods of a bucket share the mean of its positions. The source leaves the coding of rankings
    open; with shared ranks, an annotator who ties everything says "in the middle" and not "best".
    Annotators may skip images and, on an image, methods; images with different numbers of methods
    share a scale.

    Returns
    -------
    float or None
        At most 1, which is full agreement; 0 is agreement by chance. None if no method has ranks
        from two annotators on one image, or if all comparable ranks are equal.

    Raises
    ------
    RankingError
        If a ranking is invalid; the message names image and annotator.

    Examples
    --------
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> krippendorff_alpha({"img_1": {"ann": ab, "ben": ab}, "img_2": {"ann": ab, "ben": ba}})
    0.125
    """
    units = [values for values in _ranks_by_unit(study) if values.shape[1] > 1]
    domain = np.unique(np.concatenate([np.empty(0, np.int64), *(of.ravel() for of in units)]))
    n = len(domain)
    if n < 2:
        return None
    # (distinct ranks, distinct ranks): how often one annotator gave a unit the first rank and
    # another annotator the second, each unit of m ranks weighing 1 / (m - 1).
    together = np.zeros((n, n))
    for values in units:
        columns = np.searchsorted(domain, values)
        # (units, distinct ranks): how many annotators gave the unit this rank. Sums of products of
        # such counts are integers, exact in any order.
        counts = np.zeros((len(values), n))
        for column in columns.T:
            counts[np.arange(len(values)), column] += 1
        pairs = counts.T @ counts - np.diag(counts.sum(axis=0))
        together += pairs / (values.shape[1] - 1)
    totals = together.sum(axis=0)
    by_chance = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    # Ordinal data: the distance of two ranks is the number of values between them, where the two
    # ranks themselves count half.
    middle = np.cumsum(totals) - totals / 2
    apart = np.subtract.outer(middle, middle) ** 2
    return float(1 - (together * apart).sum() / (by_chance * apart).sum())


def _ranks_by_unit(study: StudyRankings) -> Iterator[NDArray[np.int64]]:
    """Yield doubled ranks, grouping units with equally many annotators: (units, annotators)."""
    images = list(study.items())
    rankings = [list(of_annotator.values()) for of_annotator in study.values()]
    differing: list[int] = []
    try:
        for group in packed_rankings(rankings, differing.append):
            ranks = doubled_ranks_of(group.places).astype(np.int64)
            yield ranks.transpose(0, 2, 1).reshape(-1, ranks.shape[1])
    except RankingError:
        # Packing names neither image nor annotator.
        for image, of_annotator in images:
            for annotator, ranking in of_annotator.items():
                _checked(image, annotator, ranking)
        raise
    for at in differing:
        image, of_annotator = images[at]
        by_method: dict[str, list[int]] = {}
        for annotator, ranking in of_annotator.items():
            for method, rank in doubled_ranks(_checked(image, annotator, ranking)).items():
                by_method.setdefault(method, []).append(rank)
        for ranks_of_method in by_method.values():
            yield np.array([ranks_of_method], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class AnnotatorDistance:
    """Distance of one annotator to the consensus of the others.

    A mean over the images that this annotator and enough others ranked; None if there is none.
    """

    n_images: int
    distance: float | None


def annotator_distances(
    study: StudyRankings,
    *,
    distance: Distance = "edit",
    min_annotators: int = 2,
    consensus: ConsensusMethod = "mean-rank",
) -> dict[str, AnnotatorDistance]:
    """Return the mean over images of each annotator's :func:`left_out_distances`, by name."""
    distances: dict[str, list[float]] = {
        annotator: [] for of_annotator in study.values() for annotator in of_annotator
    }
    left_out = left_out_distances(
        study, distance=distance, min_annotators=min_annotators, consensus=consensus
    )
    for of_annotator in left_out.values():
        for annotator, apart in of_annotator.items():
            distances[annotator].append(apart)
    return {
        annotator: AnnotatorDistance(len(distances[annotator]), mean_of(distances[annotator]))
        for annotator in sorted(distances)
    }


def left_out_distances(
    study: StudyRankings,
    *,
    distance: Distance = "edit",
    min_annotators: int = 2,
    consensus: ConsensusMethod = "mean-rank",
) -> dict[str, dict[str, float]]:
    """Return each annotator's distance to the consensus of the others, by image and annotator.

    An image counts once it has ``min_annotators`` rankings, the left-out one included; at least 2.
    Raises RankingError if the rankings of an image are of different methods (the message names
    them), or a setting is out of range.
    """
    require_distance(distance)
    if min_annotators < 2:
        raise RankingError(f"min_annotators must be at least 2, got {min_annotators}")
    by_row: list[list[float]] = [[] for _ in study]
    for group in _packed(study):
        if group.places.shape[1] < min_annotators:
            continue
        others = of_the_others(group.places, consensus)
        apart = distances_between(group.places, others, distance)
        for row, of_image in zip(group.rows.tolist(), apart.tolist(), strict=True):
            by_row[row] = of_image
    return {
        image: dict(zip(of_annotator, apart, strict=True))
        for (image, of_annotator), apart in zip(study.items(), by_row, strict=True)
        if apart
    }


def of_the_others(places: Places, consensus: ConsensusMethod) -> NDArray[np.integer[Any]]:
    """Return, for each ranking, numbers that order methods like the consensus of the others.

    ``places`` of shape (g, k, n) are bucket numbers of n methods in the k rankings of each of g
    images. The result, of the same shape, is smaller if the consensus without this ranking places a
    method higher, and equal if it ties.
    """
    if consensus == "kemeny":
        without = [np.delete(places, at, axis=1) for at in range(places.shape[1])]
        return np.stack([kemeny_places(others)[0] for others in without], axis=1)
    # The sum of all ranks minus an annotator's own is the sum of the others', which has the order
    # of their mean ranks. Distances need only an order.
    ranks = doubled_ranks_of(places)
    return np.asarray(ranks.sum(axis=1, keepdims=True, dtype=np.int32) - ranks)


@dataclass(frozen=True, slots=True)
class HumanBaseline:
    """The Score of a left-out annotator: how near one person is to the others.

    None when no image counts; ``low`` and ``high`` limit its bootstrap interval over the images, if
    requested.
    """

    score: float | None
    n_images: int
    n_rankings: int
    low: float | None = None
    high: float | None = None


def human_baseline(
    study: StudyRankings,
    *,
    distance: Distance = "edit",
    min_annotators: int = 2,
    consensus: ConsensusMethod = "mean-rank",
    n_resamples: int = 0,
    seed: int = SEED,
) -> HumanBaseline:
    """Return the Score of a left-out annotator against the consensus of the others.

    The mean over images of the mean over annotators: as in a protocol's Score, every image has the
    same weight, however many people ranked it. The consensus of the others has one ranking less
    than the one that protocols are compared with, and one person errs where a consensus does not: a
    protocol that orders methods as people do on average is nearer than this.

    Parameters
    ----------
    study, distance, min_annotators, consensus
        See :func:`left_out_distances`.
    n_resamples, seed : int
        For the interval over images (:func:`.resampling.score_intervals`); 0 resamples: none.

    Raises
    ------
    RankingError
        As :func:`left_out_distances` does.

    Examples
    --------
    >>> a, b = (("a",), ("b",)), (("b",), ("a",))
    >>> study = {"img_1": {"ann": a, "ben": a}, "img_2": {"ann": a, "ben": b}}
    >>> human_baseline(study).score
    0.5
    """
    of_image = left_out_distances(
        study, distance=distance, min_annotators=min_annotators, consensus=consensus
    )
    baseline = _baseline(of_image.values())
    if not n_resamples:
        return baseline
    means = [[sum(row.values()) / len(row)] for _, row in sorted(of_image.items())]
    table = np.array(means, dtype=np.float64).reshape(-1, 1)
    [interval] = score_intervals(table, ["a person"], n_resamples=n_resamples, seed=seed).scores
    return replace(baseline, low=interval.low, high=interval.high)


def _baseline(of_image: Collection[Mapping[str, float]]) -> HumanBaseline:
    return HumanBaseline(
        score=mean_of([sum(row.values()) / len(row) for row in of_image]),
        n_images=len(of_image),
        n_rankings=sum(map(len, of_image)),
    )


def mean_of(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that are defined; None if none is."""
    # Rounded once, so that the order of the images has no effect.
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def _checked(image: str, annotator: str, ranking: Ranking) -> Ranking:
    try:
        return checked(ranking)
    except RankingError as fault:
        raise RankingError(f"{image}, {annotator}: {fault}") from fault
