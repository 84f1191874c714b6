"""Scores of protocols on many images as arrays, methods in order of name."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from .buckets import Ranking
from .from_scores import quantized, require_decimals, require_score
from .packed import TOGETHER, Places, dense_places, packed_rankings, rankings_of

Floats = NDArray[np.float64]

# In units of the last decimal: a score this close to a half is rounded in decimal arithmetic.
# Scaling errors are far smaller, so all other scores are rounded correctly in binary.
_NEAR_HALF = 1e-4


def protocols_of(scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the protocols that score any image, in order of name."""
    return sorted({protocol for of_protocol in scores.values() for protocol in of_protocol})


def packed_scores(
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    images: Sequence[str],
    methods: Sequence[Sequence[str]],
    protocols: Sequence[str],
    n_values: int = 1,
) -> Floats:
    """Return the scores of g images with equally many ranked methods; nan if missing.

    The shape is (g, protocols, n), or (g, protocols, n, n_values).
    """
    n = len(methods[0]) if len(images) else 0
    shape = (len(images), len(protocols), n, n_values)
    try:
        # Scores are hardly ever missing, and a plain comprehension is several times as fast.
        present = [
            of_protocol[method]
            for image, ranked in zip(images, methods, strict=True)
            for of_protocol in map(scores[image].__getitem__, protocols)
            for method in ranked
        ]
        # An array of the standard library, because numpy would convert text to numbers.
        values = array("d", present if n_values == 1 else chain.from_iterable(present))
    except (KeyError, TypeError):
        # A score is missing or None: collect again, with nan in its place.
        values = array("d")
        nothing = (None,) * n_values
        for image, ranked in zip(images, methods, strict=True):
            for protocol in protocols:
                of_method = scores.get(image, {}).get(protocol, {})
                for method in ranked:
                    score = of_method.get(method)
                    several = [score] if n_values == 1 else nothing if score is None else score
                    values.extend([np.nan if value is None else value for value in several])
    return np.frombuffer(values, dtype=np.float64).reshape(shape if n_values > 1 else shape[:-1])


def complete_scores(
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    images: Sequence[str],
    methods: Sequence[Sequence[str]],
    protocols: Sequence[str],
    n_values: int = 1,
) -> Floats:
    """Return :func:`packed_scores`, of the same shape, checking that all are finite.

    Raises MissingScore if a score is missing or not finite; the message names image, protocol and
    method.
    """
    values = packed_scores(scores, images, methods, protocols, n_values)
    if not np.isfinite(values).all():
        for image, ranked in zip(images, methods, strict=True):
            for protocol in protocols:
                for method in ranked:
                    score = scores.get(image, {}).get(protocol, {}).get(method)
                    several = score if n_values > 1 and score is not None else [score]
                    for value in several:
                        require_score(value, f"{image}, {protocol}: {method}")
    return values


def rankings_from_scores(
    scores: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    methods: Mapping[str, Sequence[str]],
    protocols: Sequence[str],
    decimals: int | None = 4,
) -> dict[str, dict[str, Ranking]]:
    """Return the output of :func:`.ranking_from_scores` for many images and protocols.

    ``methods`` of each image are in order of name, at least one; images keep this order. Raises
    MissingScore, which names image, protocol and method, and RankingError for ``decimals`` outside
    0 .. 15 and for an image without methods.
    """
    require_decimals(decimals)
    if not all(methods.values()):
        raise RankingError("a ranking needs at least one method")
    rankings_by_image: dict[str, dict[str, Ranking]] = {image: {} for image in methods}
    by_size: dict[int, list[str]] = {}
    for image, ranked in methods.items():
        by_size.setdefault(len(ranked), []).append(image)
    for n, of_size in by_size.items():
        for start in range(0, len(of_size), TOGETHER):
            images = of_size[start : start + TOGETHER]
            of_images = [methods[image] for image in images]
            values = complete_scores(scores, images, of_images, protocols)
            # One row for each image and protocol; for each row the names of the image's methods.
            places = places_from_scores(values, decimals).reshape(-1, n)
            each = chain.from_iterable([ranked] * len(protocols) for ranked in of_images)
            rankings = rankings_of(places, each)
            for image in images:
                # The names come first, so that no ranking is read beyond the last.
                rankings_by_image[image] = dict(zip(protocols, rankings, strict=False))
    return rankings_by_image


def rounded_scores(values: Floats, decimals: int | None) -> NDArray[Any]:
    """Return numbers of the same shape, smaller for better, that compare like the rounded scores.

    Rounds like :func:`rankings.orders.from_scores.ranking_from_scores`, for many scores at once:
    only those near a half need decimal arithmetic.
    """
    if decimals is None:
        return -values
    scaled = values * 10.0**decimals
    largest = np.abs(scaled).max(initial=0.0)
    if largest > 2.0**32:
        # The numbers are so large that a float has too few digits after the point: every score is
        # rounded exactly and replaced by its place among all of them.
        exact = [quantized(Decimal(repr(value)), decimals) for value in values.ravel().tolist()]
        number = {value: at for at, value in enumerate(sorted({*exact}, reverse=True))}
        return np.array([number[value] for value in exact]).reshape(values.shape)
    # rint rounds halves to even, as we do; only near a half can its result differ from decimal
    # rounding, because 0.12345 x 10^4 need not be 1234.5.
    units = np.rint(scaled)
    near = np.abs(scaled - units) > 0.5 - _NEAR_HALF
    if near.any():
        exact = [quantized(Decimal(repr(value)), decimals) for value in values[near].tolist()]
        units[near] = [float(value.scaleb(decimals)) for value in exact]
    # Two bytes instead of eight where they suffice: comparisons take most of a report's time.
    return np.asarray((-units).astype(np.int16) if largest < 2**15 - 1 else -units)


def places_from_scores(values: Floats, decimals: int | None) -> Places:
    """Return bucket numbers, 0 for the best, of scores of any shape along the last axis."""
    return dense_places(rounded_scores(values, decimals))


@dataclass(frozen=True, slots=True)
class PackedStudy:
    """Scores and consensus of images with equally many ranked methods, in order of name.

    ``rows`` of shape (g,) has the images' positions among all in order of name, ``values`` the
    shape (g, protocols, n) or (g, protocols, n, n_values), and ``goals`` of shape (g, n) the bucket
    numbers of the consensus.
    """

    rows: NDArray[np.intp]
    values: Floats
    goals: Places


def packed_study(
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    consensus: Mapping[str, Ranking],
    protocols: Sequence[str],
    n_values: int = 1,
) -> Iterator[PackedStudy]:
    """Yield scores and consensus, grouping a few thousand images with equally many methods.

    Raises MissingScore if a score of a ranked method is missing or not finite; the message says
    which. Raises RankingError if a consensus is not a ranking.
    """
    images = sorted(consensus)
    alone = [[consensus[image]] for image in images]
    for group in packed_rankings(alone):
        of_images = [images[at] for at in group.rows.tolist()]
        values = complete_scores(scores, of_images, group.methods, protocols, n_values)
        yield PackedStudy(group.rows, values, group.places[:, 0])
