"""What a protocol could reach: the best beta of its F-score, and the best threshold for its ties."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import MissingScore, RankingError
from .from_scores import MAX_DECIMALS
from .orders import Ranking, bucket_of, checked
from .report import RecallPrecision, Scores
from .resampling import SEED, Distance, Floats, Places, dense_places, distances_between

N_FOLDS = 5
# Eight steps for each doubling: 49 values, 1 among them.
BETAS = tuple(2.0 ** (step / 8) for step in range(-24, 25))
CURVE_POINTS = 200
# Scores are fractions; what differs by less than this is the same difference.
_DIGITS = 12
# A score whose half is nearer than this is rounded in decimal arithmetic.
_NEAR_HALF = 1e-4
# So many images at a time.
_PACKED = 4096


@dataclass(frozen=True, slots=True)
class BetaSearch:
    """The beta with which a protocol's F-score is nearest to what people prefer.

    Attributes
    ----------
    beta, score : float or None
        The best beta and the mean distance it reaches; None without an image.
    cross_validated_score : float or None
        The mean distance when each image is ranked with the beta that is best on the images
        outside its fold; None for fewer than two images.
    fold_betas : tuple of float
        The best beta outside each fold: how far they spread says how sure ``beta`` is.
    curve : tuple of (beta, mean distance)
    """

    protocol: str
    beta: float | None
    score: float | None
    cross_validated_score: float | None
    fold_betas: tuple[float, ...]
    curve: tuple[tuple[float, float], ...]
    n_images: int


def beta_search(
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    consensus: Mapping[str, Ranking],
    *,
    decimals: int | None = 4,
    distance: Distance = "edit",
    betas: Sequence[float] = BETAS,
    n_folds: int = N_FOLDS,
    seed: int = SEED,
) -> tuple[BetaSearch, ...]:
    """Search each protocol's beta for the smallest mean distance to the preference consensus.

    [DPTF18]_, V.C asks for it. Of betas with equal means the one nearest to 1 is taken, in
    octaves, then the smaller: a protocol whose ranking does not depend on beta has beta 1.

    Parameters
    ----------
    scores : image -> protocol -> method -> (recall, precision)
    consensus : image -> ranking
        The images that count; other images' scores are not looked at.
    decimals : int or None
        F-scores are rounded as :func:`rankings.from_scores.ranking_from_scores` does.

    Returns
    -------
    tuple of BetaSearch
        Protocols in order of name. Without an image nothing but names; one image has no
        cross-validated Score; fewer images than folds: each is a fold.

    Raises
    ------
    MissingScore
        If recall or precision of a ranked method is missing; names image, protocol and method.
    RankingError
        If there is no beta, one is not positive, or another setting cannot be.
    """
    if not betas or not all(math.isfinite(beta) and beta > 0 for beta in betas):
        raise RankingError(f"betas must be positive numbers, got {list(betas)}")
    require_decimals(decimals)
    require_distance(distance)
    protocols = protocols_of(scores)
    n = len(consensus)
    parts = folds(n, n_folds, seed)
    fold_of = np.zeros(n, dtype=np.intp)
    for number, part in enumerate(parts):
        fold_of[part] = number
    # Sums of multiples of 1/2: exact, so that equal means are found equal.
    sums = np.zeros((len(betas), max(1, len(parts)), len(protocols)))
    for group in packed(scores, consensus, protocols, n_values=2):
        recall, precision = group.values[..., 0], group.values[..., 1]
        goals = np.broadcast_to(group.goals[:, np.newaxis], recall.shape)
        in_fold = np.equal.outer(np.arange(sums.shape[1]), fold_of[group.rows]).astype(np.float64)
        places = np.full(recall.shape, -1, dtype=np.intp)
        found = np.zeros(recall.shape[:-1])
        for at, beta in enumerate(betas):
            before = places
            places = places_from_scores(_f_betas(recall, precision, beta), decimals)
            changed = (places != before).any(axis=-1)
            found[changed] = distances_between(places[changed], goals[changed], distance)
            sums[at] += in_fold @ found
    order = sorted(range(len(betas)), key=lambda at: (abs(math.log(betas[at])), betas[at]))
    return tuple(
        _searched(protocol, sums[:, :, at], betas, order, n)
        for at, protocol in enumerate(protocols)
    )


def _f_betas(recall: Floats, precision: Floats, beta: float) -> Floats:
    """Return :func:`rankings.from_scores.f_beta` of each, with the same operations in its order."""
    weight = beta * beta
    below = weight * precision + recall
    above = (1 + weight) * precision * recall
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)


def _searched(
    protocol: str, by_fold: Floats, betas: Sequence[float], order: Sequence[int], n: int
) -> BetaSearch:
    if not n:
        return BetaSearch(protocol, None, None, None, (), (), 0)
    sums = by_fold.sum(axis=1)
    in_order = list(order)

    def best(of: Floats) -> int:
        return in_order[int(np.argmin(of[in_order]))]

    chosen = best(sums)
    outside = [best(sums - of_fold) for of_fold in by_fold.T] if n > 1 else []
    held_out = sum(float(of_fold[at]) for of_fold, at in zip(by_fold.T, outside, strict=False))
    return BetaSearch(
        protocol,
        betas[chosen],
        float(sums[chosen]) / n,
        held_out / n if outside else None,
        tuple(betas[at] for at in outside),
        tuple((beta, float(of) / n) for beta, of in zip(betas, sums, strict=True)),
        n,
    )


def folds(n: int, n_folds: int = N_FOLDS, seed: int = SEED) -> list[NDArray[np.intp]]:
    """Divide n images at random into folds whose sizes differ by at most one.

    Fewer images than folds: each is a fold. Fewer than two images: no fold.

    Raises
    ------
    RankingError
        If there are fewer than two folds.
    """
    if n_folds < 2:
        raise RankingError(f"n_folds must be at least 2, got {n_folds}")
    if n < 2:
        return []
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(part) for part in np.array_split(shuffled, min(n, n_folds))]


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """Below which difference of a protocol's scores people see none.

    Attributes
    ----------
    epsilon : float or None
        Scores that differ by no more count as tied; None without a pair of methods.
    accuracy, accuracy_at_0 : float or None
        Pairwise accuracy with ties at epsilon, and at 0 where only equal scores tie.
    cross_validated_accuracy : float or None
        When each image is judged with the epsilon of the images outside its fold; None for fewer
        than two images with a pair.
    fold_epsilons : tuple of float
        The best epsilon outside each fold.
    score, cross_validated_score : float or None
        The mean distance of the calibrated rankings to the consensus (:func:`calibrated_ranking`),
        with epsilon, and with that of the images outside the fold.
    curve : tuple of (epsilon, accuracy)
        At most ``CURVE_POINTS`` candidates spread evenly over all, and the best.
    n_images : int
        Images with at least two methods. The others have no pair and are in none of the numbers.
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
    consensus: Mapping[str, Ranking],
    *,
    distance: Distance = "edit",
    n_folds: int = N_FOLDS,
    seed: int = SEED,
) -> tuple[TieCalibration, ...]:
    """Search the epsilon of each protocol that maximises pairwise accuracy with ties ([DFF23]_).

    Accuracy is the share of an image's pairs on which protocol and consensus say the same of
    better, worse and tied, mean over the images. It looks at pairs alone: a pair is tied when its
    scores differ by at most epsilon, which need not be transitive; what ranking that gives says
    :func:`calibrated_ranking`. Candidates are 0 and every difference that occurs, the smallest of
    equals wins. Accuracies are compared exactly, as fractions; differences are rounded to 12
    decimals, because 0.3 - 0.2 and 0.2 - 0.1 are one candidate.

    Time: for each protocol one sort of all pairs of all images.

    Parameters
    ----------
    scores : image -> protocol -> method -> score
        Not rounded.
    consensus : image -> ranking
        The images that count; other images' scores are not looked at.

    Returns
    -------
    tuple of TieCalibration
        Protocols in order of name. A constant protocol has epsilon 0, as has one that is best
        left alone. Where people tie everything, the largest difference. Without an image of two
        methods nothing but names.

    Raises
    ------
    MissingScore
        If the score of a ranked method is missing; names image, protocol and method.
    RankingError
        If a setting cannot be.
    """
    require_distance(distance)
    protocols = protocols_of(scores)
    paired = {image: ranking for image, ranking in consensus.items() if sum(map(len, ranking)) > 1}
    groups = list(packed(scores, paired, protocols))
    parts = folds(len(paired), n_folds, seed)
    return tuple(
        _calibrated(protocol, at, groups, len(paired), parts, distance)
        for at, protocol in enumerate(protocols)
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """All pairs of methods of all images, in order of the difference of their scores.

    ``weights`` make each image count the same, as integers: a pair of an image with k pairs counts
    common / k, where every k divides ``common``.
    """

    images: NDArray[np.intp]
    differences: Floats
    weights: NDArray[Any]
    tied_by_people: NDArray[np.bool_]
    right_if_strict: NDArray[np.bool_]
    common: int

    def candidates(self, chosen: NDArray[np.bool_] | None) -> tuple[Floats, list[int]]:
        """Return each candidate and the summed weights of the pairs that are right with it."""
        differences, weights = self.differences, self.weights
        tied, strict = self.tied_by_people, self.right_if_strict
        if chosen is not None:
            differences, weights = differences[chosen], weights[chosen]
            tied, strict = tied[chosen], strict[chosen]
        last = np.flatnonzero(np.append(differences[1:] != differences[:-1], True))
        gained = np.cumsum(weights * (tied.astype(np.int8) - strict.astype(np.int8)))[last]
        at_least = differences[last]
        if at_least[0] > 0:
            at_least, gained = np.append(0.0, at_least), np.append(0, gained)
        return at_least, gained + (weights * strict).sum()

    def right_at(self, epsilon: float, chosen: NDArray[np.bool_]) -> int:
        right = np.where(self.differences <= epsilon, self.tied_by_people, self.right_if_strict)
        return int(self.weights[chosen & right].sum())


def _calibrated(
    protocol: str,
    at: int,
    groups: Sequence["Packed"],
    n: int,
    parts: Sequence[NDArray[np.intp]],
    distance: Distance,
) -> TieCalibration:
    if not n:
        return TieCalibration(protocol, None, None, None, None, (), None, None, (), 0)
    pairs = _pairs_of(groups, at, n)
    whole = pairs.common * n
    candidates, right = pairs.candidates(None)
    best = int(np.argmax(right))
    epsilon = float(candidates[best])
    fold_epsilons = []
    held_out = 0
    epsilon_of = np.full(n, epsilon)
    for part in parts:
        inside = np.zeros(n, dtype=bool)
        inside[part] = True
        of_part = inside[pairs.images]
        outside, right_outside = pairs.candidates(~of_part)
        fold_epsilons.append(float(outside[int(np.argmax(right_outside))]))
        epsilon_of[part] = fold_epsilons[-1]
        held_out += pairs.right_at(fold_epsilons[-1], of_part)
    some = {*np.linspace(0, len(candidates) - 1, CURVE_POINTS).astype(int).tolist(), best}
    return TieCalibration(
        protocol,
        epsilon,
        float(Fraction(int(right[best]), whole)),
        float(Fraction(int(right[0]), whole)),
        float(Fraction(held_out, whole)) if parts else None,
        tuple(fold_epsilons),
        _calibrated_score(groups, at, np.full(n, epsilon), distance),
        _calibrated_score(groups, at, epsilon_of, distance) if parts else None,
        tuple((float(candidates[i]), float(Fraction(int(right[i]), whole))) for i in sorted(some)),
        n,
    )


def _pairs_of(groups: Sequence["Packed"], at: int, n: int) -> _Pairs:
    n_pairs = [group.goals.shape[1] * (group.goals.shape[1] - 1) // 2 for group in groups]
    common = math.lcm(*n_pairs)
    # Many different numbers of methods can make the common multiple too large for the processor.
    kind: Any = np.int64 if common * n < 2**62 else object
    images, differences, weights, tied, strict = [], [], [], [], []
    for group, k in zip(groups, n_pairs, strict=True):
        first, second = np.array(list(combinations(range(group.goals.shape[1]), 2))).T
        values = group.values[:, at]
        apart = np.round(values[:, first] - values[:, second], _DIGITS)
        # Bucket numbers grow as scores fall.
        better = np.sign(group.goals[:, second] - group.goals[:, first])
        images.append(np.repeat(group.rows, k))
        differences.append(np.abs(apart).ravel())
        weights.append(np.full(apart.size, common // k, dtype=kind))
        tied.append((better == 0).ravel())
        strict.append(((np.sign(apart) == better) & (better != 0)).ravel())
    order = np.argsort(np.concatenate(differences), kind="stable")
    return _Pairs(
        np.concatenate(images)[order],
        np.concatenate(differences)[order],
        np.concatenate(weights)[order],
        np.concatenate(tied)[order],
        np.concatenate(strict)[order],
        common,
    )


def _calibrated_score(
    groups: Sequence["Packed"], at: int, epsilons: Floats, distance: Distance
) -> float:
    total = 0.0
    for group in groups:
        places = _clustered(group.values[:, at], epsilons[group.rows])
        total += float(distances_between(places, group.goals, distance).sum())
    return total / len(epsilons)


def calibrated_ranking(scores: Mapping[str, float | None], epsilon: float) -> Ranking:
    """Return a ranking in which no bucket is wider than epsilon.

    "Differs by at most epsilon" is not transitive, and a ranking's ties are. So the methods are
    gone through from the best score down, and a bucket takes every method whose score lies within
    epsilon of the bucket's *best*. Methods in one bucket never differ by more than epsilon; two
    neighbours in different buckets may differ by less. With epsilon 0 only equal scores tie.

    Raises
    ------
    MissingScore
        If a score is None or not a finite number; names the method.
    RankingError
        If there is no score, or epsilon is below 0 or not finite.
    """
    if not scores:
        raise RankingError("a ranking needs at least one score")
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise RankingError(f"epsilon must be 0 or more, got {epsilon}")
    methods = sorted(scores)
    for method in methods:
        _require_score(scores[method], method)
    values = np.array([[scores[method] for method in methods]], dtype=np.float64)
    [places] = _clustered(values, np.array([epsilon]))
    return tuple(
        tuple(method for method, place in zip(methods, places, strict=True) if place == number)
        for number in range(int(places.max()) + 1)
    )


def _clustered(values: Floats, epsilons: Floats) -> Places:
    """Return bucket numbers of shape (m, n), the buckets of row i no wider than epsilons[i]."""
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    number = np.zeros(len(values), dtype=np.intp)
    best = ordered[:, 0]
    places = np.zeros(values.shape, dtype=np.intp)
    for at in range(1, values.shape[1]):
        opens = np.round(best - ordered[:, at], _DIGITS) > epsilons
        best = np.where(opens, ordered[:, at], best)
        number = number + opens
        np.put_along_axis(places, order[:, [at]], number[:, np.newaxis], axis=1)
    return places


@dataclass(frozen=True, slots=True)
class Packed:
    """Some images that rank the same number of methods, as arrays; methods in order of name.

    Attributes
    ----------
    images, methods : list, length g
        Their names, and those of the methods each ranks.
    rows : ndarray of shape (g,)
        The images' numbers in order of name among all.
    values : ndarray of shape (g, protocols, n), or (g, protocols, n, n_values)
    goals : ndarray of shape (g, n)
        Bucket numbers of the consensus.
    """

    images: list[str]
    methods: list[list[str]]
    rows: NDArray[np.intp]
    values: Floats
    goals: Places


def packed(
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    consensus: Mapping[str, Ranking],
    protocols: Sequence[str],
    n_values: int = 1,
) -> Iterator[Packed]:
    """Yield the scores and consensus of images with equally many methods, some thousand together.

    Parameters
    ----------
    scores : image -> protocol -> method -> score, or a tuple of ``n_values`` of them
    consensus : image -> ranking

    Raises
    ------
    MissingScore
        If a score of a ranked method is missing or not finite; names image, protocol and method.
    RankingError
        If a consensus is not a ranking.
    """
    by_size: dict[int, list[tuple[int, str, dict[str, int]]]] = {}
    for at, image in enumerate(sorted(consensus)):
        place = bucket_of(checked(consensus[image]))
        waiting = by_size.setdefault(len(place), [])
        waiting.append((at, image, place))
        if len(waiting) == _PACKED:
            yield _packed(waiting, scores, protocols, n_values)
            waiting.clear()
    for waiting in by_size.values():
        if waiting:
            yield _packed(waiting, scores, protocols, n_values)


def _packed(
    waiting: Sequence[tuple[int, str, dict[str, int]]],
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    protocols: Sequence[str],
    n_values: int,
) -> Packed:
    images = [image for _, image, _ in waiting]
    methods = [sorted(place) for _, _, place in waiting]
    shape = (len(images), len(protocols), len(methods[0]), n_values)
    try:
        values = np.array(
            [
                [[scores[image][protocol][method] for method in ranked] for protocol in protocols]
                for image, ranked in zip(images, methods, strict=True)
            ],
            dtype=np.float64,
        ).reshape(shape if n_values > 1 else shape[:-1])
        complete = bool(np.isfinite(values).all())
    except (KeyError, TypeError, ValueError):
        complete = False
    if not complete:
        for image, ranked in zip(images, methods, strict=True):
            _refuse(image, scores.get(image, {}), protocols, ranked, n_values)
    return Packed(
        images,
        methods,
        np.array([at for at, _, _ in waiting], dtype=np.intp),
        values,
        np.array([[place[name] for name in sorted(place)] for _, _, place in waiting]),
    )


def _refuse(
    image: str,
    of_protocol: Mapping[str, Mapping[str, Any]],
    protocols: Sequence[str],
    methods: Sequence[str],
    n_values: int,
) -> None:
    for protocol in protocols:
        for method in methods:
            found = of_protocol.get(protocol, {}).get(method)
            of_method = found if n_values > 1 and found is not None else [found]
            for value in of_method:
                _require_score(value, f"{image}, {protocol}: {method}")


def _require_score(score: float | None, name: str) -> None:
    if score is None or not math.isfinite(score):
        raise MissingScore(f"{name} has no score" if score is None else f"{name} scores {score}")


def protocols_of(scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the protocols that score any image, in order of name."""
    return sorted({protocol for of_protocol in scores.values() for protocol in of_protocol})


def places_from_scores(values: Floats, decimals: int | None) -> Places:
    """Return bucket numbers, 0 for the best, of scores along the last axis.

    Rounds as :func:`rankings.from_scores.ranking_from_scores` does, for many scores at once: only
    those near a half need decimal arithmetic.
    """
    if decimals is None:
        return dense_places(-values)
    scaled = values * 10.0**decimals
    units = np.rint(scaled)
    # Larger numbers leave too few digits behind the point for the shortcut.
    near = np.abs(np.abs(scaled - units) - 0.5) < _NEAR_HALF
    near |= np.abs(scaled) > 2.0**32
    if near.any():
        digit = Decimal(1).scaleb(-decimals)
        units[near] = [
            float(Decimal(repr(value)).quantize(digit, rounding=ROUND_HALF_EVEN).scaleb(decimals))
            for value in values[near].tolist()
        ]
    return dense_places(-units)


def require_decimals(decimals: int | None) -> None:
    """Raise RankingError unless scores can be rounded so."""
    if decimals is not None and not 0 <= decimals <= MAX_DECIMALS:
        raise RankingError(f"decimals must be None or in 0 .. {MAX_DECIMALS}, got {decimals}")


def require_distance(distance: str) -> None:
    """Raise RankingError unless there is such a distance."""
    if distance not in ("edit", "kemeny"):
        raise RankingError(f"distance must be edit or kemeny, got {distance!r}")
