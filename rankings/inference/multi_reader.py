"""Tests of which of two protocols is nearer to annotators and images like those of a study.

Model: the difference d of two protocols' losses (:mod:`.personal_distances`) for annotator a's
ranking of image i is
``mu + image_i + annotator_a + rest_ia``, all effects independent with mean 0, images and
annotators drawn from larger populations. mu is estimated by the mean over all rankings, the
three variances by the method of moments for unbalanced crossed effects ([GO17]_, section 3),
which on balanced data are those of the analysis of variance. Then::

    var(mean) = v_image sum n_i^2 / n^2 + v_annotator sum n_a^2 / n^2 + v_rest / n

for n_i rankings of image i, n_a of annotator a and n in all. A negative component counts as 0.
The test is Student's t with Satterthwaite's degrees of freedom ([Sat46]_) on the mean squares of
images, annotators and rest; an unbalanced design counts as ``n^2 / sum n_a^2`` annotators and
``n^2 / sum n_i^2`` images. Where few people rank an image, the annotators' mean square holds part of the
images' component, which counts with its degrees of freedom. Hillis's degrees of freedom treat the images'
part as known, so they are never fewer and the test errs more often, by up to half a point in our simulations.

A few annotators may agree by chance on one of many pairs, where their mean square is then near 0, and
A - 1 degrees of freedom let only very large differences be found. So with three protocols or more
each pair's mean square, relative to its other components, is shrunk to the one that all pairs share
(:mod:`.moderation`), which with five protocols or more may fall as these components grow, and is not
below that of the rest. Where the pairs' ratios differ by more than
chance, as with copies of one protocol, Satterthwaite's degrees of freedom are not more than those of
the shrunk mean square. With five annotators and more p-values are adjusted by Shaffer's step-down
rule ([Sha86]_), which finds more than Bonferroni's; with fewer, where it errs too often in studies of two
groups of equal protocols far from each other, by Bonferroni's (figures: ``docs/explanation/verdicts.md``).
Simultaneous intervals are by Bonferroni's, so they may be wider than the test: a pair whose interval does
not contain 0 differs significantly, and others may, too.

Protocols that order the methods of all images alike count as one (:func:`compare_protocols`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from .clusters import NONE_DECLARED, Declared
from .components import without_rounding
from .moments import Moments, moments, moments_of_means
from .personal_distances import LOSS, PersonalDistances, personal_losses
from .personal_rankings import PersonalRankings, protocols_alike
from .resampling import LEVEL
from .significance import bonferroni, clusters, compact_letters, holm, shaffer
from .student import student_tests

# From so many annotators, or groups of them, on p-values are adjusted step by step.
STEPS_FROM: Final = 5
ONE_ANNOTATOR = "one annotator says nothing about others"
ONE_IMAGE = "one image says nothing about others"
NOTHING = "no ranking"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of the mean losses of two protocols, with annotators and images random.

    ``difference`` is the mean loss of ``first`` for single annotators' rankings, which all have
    the same weight, minus that of ``second``; below 0 if ``first`` is nearer to people. Limits and
    the two-sided ``p_value`` are of this pair alone. Of all pairs together are adjusted limits, by
    Bonferroni's rule, and the adjusted p-value, by Shaffer's or, with fewer than five annotators,
    Bonferroni's. ``rest_variance`` includes the components of images or annotators that the design cannot
    separate from it.
    """

    first: str
    second: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    adjusted_p_value: float | None = None
    degrees_of_freedom: float | None = None
    image_variance: float | None = None
    annotator_variance: float | None = None
    rest_variance: float | None = None


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pairs of protocols; ``reason`` says why there is no test, or is None.

    ``means`` are the protocols' mean losses for single annotators' rankings, with equal weight
    for each ranking; None if there are no rankings. ``mean_limits`` are limits of each mean alone,
    annotators and images random, None if there is no test. ``n_groups`` and ``n_scenes`` count declared
    clusters (:mod:`.clusters`), which then are what ``n_annotators`` and ``n_images`` count; else 0.
    Each of ``equal`` are protocols that order all images alike, of which ``pairs`` have the first.
    """

    protocols: tuple[str, ...]
    means: tuple[float | None, ...]
    pairs: tuple[Comparison, ...]
    n_images: int
    n_annotators: int
    n_rankings: int
    level: float
    reason: str | None
    mean_limits: tuple[tuple[float | None, float | None], ...] = ()
    n_groups: int = 0
    n_scenes: int = 0
    equal: tuple[tuple[str, ...], ...] = ()
    # The unit of the means. Older kept reports have no such field: their means are distances.
    loss: str = LOSS

    def adjusted_p_values(self) -> tuple[tuple[float | None, ...], ...]:
        """Return the adjusted p-values as a symmetric table, None on the diagonal."""
        number = {name: at for at, name in enumerate(self.protocols)}
        alike = {same[0]: same for same in self.equal}
        table: list[list[float | None]] = [[None] * len(number) for _ in number]
        for pair in self.pairs:
            for a in map(number.__getitem__, alike.get(pair.first, [pair.first])):
                for b in map(number.__getitem__, alike.get(pair.second, [pair.second])):
                    table[a][b] = table[b][a] = pair.adjusted_p_value
        return tuple(map(tuple, table))


def compare_protocols(
    rankings: PersonalRankings, *, declared: Declared = NONE_DECLARED
) -> Comparisons:
    """Compare every two protocols: :func:`compare` of :func:`personal_losses`.

    Protocols that order all images alike are one in the pairs, the moderation and the correction.
    Declared groups and scenes are the units of the test, and the means are those of their cells.
    """
    measured = personal_losses(rankings)
    alike = protocols_alike(rankings)
    first_of = {name: same[0] for same in alike for name in same}
    different = list(dict.fromkeys(first_of[name] for name in rankings.protocols))
    found = compare_clusters(measured.of(different), rankings.images, rankings.annotators, declared)
    at = [different.index(first_of[name]) for name in rankings.protocols]
    return replace(
        found,
        protocols=rankings.protocols,
        means=tuple(found.means[one] for one in at),
        mean_limits=tuple(found.mean_limits[one] for one in at),
        equal=tuple(same for same in alike if len(same) > 1),
    )


def compare_clusters(
    measured: PersonalDistances,
    images: Sequence[str],
    annotators: Sequence[str],
    declared: Declared,
    *,
    with_protocol: str | None = None,
    is_outside: bool = False,
) -> Comparisons:
    """Return :func:`compare` with declared groups and scenes, if any, as units; names are in order."""
    units = declared.of(measured, images, annotators)
    found = compare(units, with_protocol=with_protocol, is_outside=is_outside)
    n_groups, n_scenes = declared.counts(images, annotators)
    return replace(found, n_groups=n_groups, n_scenes=n_scenes)


def compare(
    measured: PersonalDistances,
    *,
    with_protocol: str | None = None,
    is_outside: bool = False,
) -> Comparisons:
    """Test every pair of protocols as a multi-reader multi-case study ([DBM92]_, [Hil07]_).

    The docstring of the module describes the model and the test.

    Losses are bounded and not normal; the t-test relies on means of many. With one ranking per
    image, the components of images and rest cannot be separated and need not be. Time grows with
    rankings x protocols^2; no pair is computed ranking by ranking.

    ``with_protocol`` compares with this protocol only; Holm's rule then takes the place of Shaffer's. If it
    ``is_outside``, as a judge is, its pairs are moderated by those of the other protocols alone. Pairs
    are in the order of the protocols. p is 1 if two protocols never differ; p and limits are None for
    pairs that differ by the same amount everywhere, and for all pairs if there are fewer than two
    annotators or images: see ``reason``. Raises RankingError if a loss is not finite.
    """
    if not np.isfinite(measured.distances).all():
        raise RankingError("a distance is not a finite number")
    measured, protocols = measured.in_order(), measured.protocols
    n_images, n_annotators = _n_different(measured.images), _n_different(measured.annotators)
    reason = None
    if n_annotators < 2 or n_images < 2:
        reason = ONE_ANNOTATOR if n_annotators == 1 else ONE_IMAGE
        reason = reason if len(measured.images) else NOTHING
    means = measured.means().tolist() if len(measured.images) else None
    named = [*combinations(range(len(protocols)), 2)]
    chosen = [
        number
        for number, pair in enumerate(named)
        if with_protocol is None or with_protocol in [protocols[at] for at in pair]
    ]
    pairs = [
        Comparison(protocols[a], protocols[b], means and _difference(means[a], means[b]))
        for a, b in (named[number] for number in chosen)
    ]
    if not reason and pairs:
        parts = moments(measured, chosen, is_outside=is_outside)
        pairs = _tested(parts, pairs, n_annotators)
    return Comparisons(
        protocols,
        tuple(means or [None] * len(protocols)),
        tuple(pairs),
        n_images,
        n_annotators,
        len(measured.images),
        LEVEL,
        reason,
        tuple(
            _mean_limits(measured, means)
            if means and not reason
            else [(None, None)] * len(protocols)
        ),
    )


def _difference(a: float, b: float) -> float:
    return float(without_rounding(a - b, abs(a) + abs(b)))


def _mean_limits(
    measured: PersonalDistances, means: Sequence[float]
) -> Iterator[tuple[float, float]]:
    from scipy.special import stdtrit

    parts = moments_of_means(measured)
    degrees = np.clip(parts.degrees_of_freedom, 1, 1e9)
    half = stdtrit(degrees, (1 + LEVEL) / 2) * np.sqrt(np.maximum(parts.of_mean, 0))
    for mean, own in zip(means, half.tolist(), strict=True):
        # A loss is never below 0 or above 100; weighted ones may be.
        yield max(mean - own, 0.0), max(min(mean + own, 100.0), mean)


def _tested(parts: Moments, pairs: Sequence[Comparison], n_annotators: int) -> list[Comparison]:
    differences = np.array([pair.difference for pair in pairs])
    tests = student_tests(differences, parts.of_mean, parts.degrees_of_freedom, LEVEL)
    known = tests.p_values
    adjusted = _adjusted(known, pairs) if n_annotators >= STEPS_FROM else bonferroni(known)
    tested = []
    for at, pair in enumerate(pairs):
        low, high = tests.limits(at, tests.alone)
        adjusted_low, adjusted_high = tests.limits(at, tests.together)
        tested.append(
            replace(
                pair,
                low=low,
                high=high,
                p_value=known[at],
                adjusted_low=adjusted_low,
                adjusted_high=adjusted_high,
                adjusted_p_value=adjusted[at],
                degrees_of_freedom=float(tests.degrees[at]) if parts.of_mean[at] > 0 else None,
                image_variance=float(parts.image[at]),
                annotator_variance=float(parts.annotator[at]),
                rest_variance=float(parts.rest[at]),
            )
        )
    return tested


def _adjusted(
    p_values: Sequence[float | None], pairs: Sequence[Comparison]
) -> tuple[float | None, ...]:
    n = len({name for pair in pairs for name in (pair.first, pair.second)})
    return shaffer(p_values, n) if 2 * len(pairs) == n * (n - 1) else holm(p_values)


def told_apart(
    tested: Comparisons,
) -> tuple[dict[str, int | None], dict[str, str | None]]:
    """Return each protocol's cluster and its letters, by the mean losses and adjusted p-values.

    Both are None if there is no test: then protocols are known neither to differ nor to be equal.
    Letters are None too if there are too many (:func:`.significance.compact_letters`).
    """
    p_values = tested.adjusted_p_values()
    means = [None if tested.reason else mean for mean in tested.means]
    order = sorted((mean, at) for at, mean in enumerate(means) if mean is not None)
    letters = compact_letters([at for _, at in order], p_values) if order else None
    return (
        dict(zip(tested.protocols, clusters(means, p_values), strict=True)),
        dict(zip(tested.protocols, letters or [None] * len(means), strict=True)),
    )


def _n_different(numbers: NDArray[np.intp]) -> int:
    return len(np.unique(numbers))
