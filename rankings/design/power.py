"""Power of a study: the images and annotators that reveal a difference between two protocols.

The variance of the mean difference over I images and A annotators, r of them per image, is::

    v_image / I + v_annotator / A + v_rest / (I r)

The test is that of :mod:`.multi_reader`, with degrees of freedom computed from the components
themselves. Power is that of Student's t: the noncentral t of the difference in standard errors. With few
annotators it is the mean over their mean square (:mod:`.mean_squares`).

With groups of annotators or scenes of images, these are the units of the test: a design has as many
annotators in a group, and images in a scene, as the pilot had. Their components are those of the means of
groups and scenes times these numbers, so that the variance above stays as it is.

The degrees of freedom fall towards those of the annotators as images are added, and further if
annotators outnumber the images that several of them rank. So a larger design may find less than a
smaller one that it contains. A study can always use the smaller one: the power of a design is
therefore that of the best design within it, and never falls with images or annotators. Numbers of
images above 200 and of annotators above 100 are examined in steps of 1 %.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..inference.components import ZERO
from ..inference.moderation import ENOUGH_PROTOCOLS, Prior, most_prior, prior_of
from ..inference.moments import annotator_ratios, moments_of, raw_components
from ..inference.multi_reader import ONE_ANNOTATOR
from ..inference.personal_distances import PersonalDistances
from ..inference.significance import ALPHA
from .designs import Components, Design, times_too_large
from .mean_squares import FEW_DEGREES, FEWEST_IMAGES, Spreads, TestsOfFew, tests_of_few

POWER: Final = 0.8
# Designs with more images are not considered.
MOST_IMAGES: Final = 100_000
# Above this many standard errors only the noise of the variance matters, not that of the mean.
_MOST_ERRORS: Final = 1e4
# With more degrees of freedom, Student's t is the normal distribution.
_MOST_DEGREES: Final = 1e9
_MOST_ANNOTATORS: Final = 10_000
_STEP: Final = 1.01
# Units of which a variance can be estimated, but for rounding.
_TWO: Final = 2 - 1e-9
Floats = NDArray[np.float64]


def components_of(
    measured: PersonalDistances, tested: PersonalDistances | None = None
) -> Components:
    """Return the mean components of all pairs of protocols.

    The estimates are unbiased and may be negative; a mean below 0 counts as 0. ``tested`` is the same
    with groups and scenes as units (:func:`.clusters.clustered`), if there are any. Raises
    RankingError if there are fewer than two protocols, images or annotators.
    """
    tested = measured if tested is None else tested
    n_images, n_annotators = _n_units(tested)
    if len(measured.protocols) < 2:
        raise RankingError("components of variance need at least two protocols")
    if n_images < 2:
        raise RankingError("components of variance need at least two images")
    if n_annotators < 2:
        raise RankingError(f"{ONE_ANNOTATOR}: components of variance need at least two")
    parts, n_i, n_a = raw_components(tested)
    n = len(tested.images)
    of_i, of_a = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
    ratios, others = annotator_ratios(parts, (of_i, of_a), n)
    own = 1 / of_a - 1
    prior = prior_of(ratios, others, own, len(measured.protocols))
    prior_degrees = float(prior.degrees)
    is_most = prior_degrees >= most_prior(own, len(measured.protocols)) > 0
    image, annotator, rest = (float(part.mean()) for part in parts)
    is_apart = bool((n_i > 1).any())
    if not is_apart:
        image, rest = rest, 0.0
    elif not (n_a > 1).any():
        # One ranking per annotator: the rest includes the annotators' part, and is used for it.
        annotator, rest = rest, 0.0
    found = {"image": image, "annotator": annotator, "rest": rest}
    least = -ZERO * sum(map(abs, found.values()))
    negative = tuple(name for name, value in found.items() if value < least)
    known = {name: max(value, 0.0) for name, value in found.items()}
    of_each = [a / b for a, b in zip(_n_units(measured), (n_images, n_annotators), strict=True)]
    in_cell = len(measured.images) / n
    noise = known["rest" if is_apart else "image"] / n
    square = known["annotator"] * of_a + noise
    least = max(square * times_too_large(own + prior_degrees) - noise, 0.0) / of_a
    return Components(
        known["image"] * of_each[0],
        known["annotator"] * of_each[1],
        known["rest"] * in_cell,
        negative=negative,
        image_is_apart=is_apart,
        prior=None if is_most else prior_degrees,
        protocols=len(measured.protocols),
        degrees=_degrees_of(known, (of_i, of_a), n, prior_degrees),
        least_annotator=least * of_each[1],
        per_scene=of_each[0],
        per_group=of_each[1],
    )


def _n_units(measured: PersonalDistances) -> tuple[int, int]:
    """Return the numbers of images and annotators, or of scenes and groups."""
    return len(np.unique(measured.images)), len(np.unique(measured.annotators))


def _degrees_of(
    parts: Mapping[str, float], weights: tuple[float, float], n: int, prior: float
) -> float:
    """Return the degrees of freedom of a pilot's variance of the mean difference, at least 1."""
    arrays = (
        np.array([parts["image"]]),
        np.array([parts["annotator"]]),
        np.array([parts["rest"]]),
    )
    ratio, _ = annotator_ratios(arrays, weights, n)
    shared = Prior(np.maximum(ratio, 0), prior, True)
    degrees = moments_of(arrays, weights, n, max(n - 1, 1), shared).degrees_of_freedom
    return float(np.clip(degrees[0], 1, _MOST_DEGREES))


def spread(parts: Components, design: Design) -> tuple[float, float]:
    """Return the variance of the mean difference, and the degrees of freedom of its test.

    Both are of this design, not of the best one within it.
    """
    found = _spreads(parts, design, np.array([design.n_images]), np.array([design.n_annotators]))
    return float(found.variances[0]), float(found.degrees[0])


def _spreads(
    parts: Components, sharing: Design, i: NDArray[np.int64], a: NDArray[np.int64]
) -> Spreads:
    """Return the variances and degrees of freedom of designs with i images and a annotators each."""
    n_often = np.ceil(sharing.repeated * i - 1e-9).astype(np.int64)
    n = i * sharing.per_image + n_often * (sharing.repeats - sharing.per_image)
    # Numbers of rankings per annotator are as equal as possible.
    low, more = np.divmod(n, a)
    of_a = (more * (low + 1) ** 2 + (a - more) * low**2) / n**2
    of_i = ((i - n_often) * sharing.per_image**2 + n_often * sharing.repeats**2) / n**2
    # Groups, scenes and their cells, which are the annotators, images and rankings without any.
    scenes, groups = i / parts.per_scene, a / parts.per_group
    of_i, of_a = np.minimum(of_i * parts.per_scene, 0.5), np.minimum(of_a * parts.per_group, 0.5)
    cells = np.minimum(n, scenes * groups)
    image, rest = parts.image / parts.per_scene, parts.rest * cells / n
    if sharing.most_of_an_image == 1 and parts.per_scene == 1:
        # With one ranking per image, the test cannot separate the two.
        image, rest = 0.0, image + rest
    free = np.maximum(cells - scenes - np.minimum(groups, cells) + 1, 1)
    arrays = np.array([image]), np.array([parts.annotator / parts.per_group]), np.array(rest)
    ratio, others = annotator_ratios(arrays, (of_i, of_a), cells)
    most = most_prior(1 / of_a - 1, parts.protocols)
    is_common = (parts.prior_degrees >= most) & (parts.protocols >= ENOUGH_PROTOCOLS)
    prior = Prior(np.maximum(ratio, 0), np.minimum(parts.prior_degrees, most), True)
    found = moments_of(arrays, (of_i, of_a), cells, free, prior)
    own = 1 / of_a - 1 + prior.degrees
    is_limited = (parts.per_group > 1) | ((np.asarray(prior.degrees) > 0) & ~is_common)
    # One group, or scene, has no variance.
    is_tested = np.minimum(scenes, groups) >= _TWO
    return Spreads(
        *np.broadcast_arrays(
            np.where(is_tested, found.of_mean, np.inf),
            np.where(is_tested, found.degrees_of_freedom, 1.0),
            np.maximum(ratio, 0) * others,
            own,
            np.where(is_limited, own, np.inf),
        )
    )


def _axis(all_up_to: int, most: int) -> NDArray[np.int64]:
    """Return the numbers of images or annotators of designs: all small ones, then steps of 1 %."""
    n_steps = math.ceil(math.log(most / all_up_to) / math.log(_STEP))
    steps = np.round(all_up_to * _STEP ** np.arange(1, n_steps)).astype(np.int64)
    return np.concatenate([np.arange(2, all_up_to + 1), steps, [most]])


_IMAGES: Final = _axis(200, MOST_IMAGES)
_ANNOTATORS: Final = _axis(100, _MOST_ANNOTATORS)


@lru_cache(maxsize=64)
def _all_spreads(
    parts: Components, per_image: int, repeated: float, repeats: int, most_annotators: int
) -> Spreads:
    """Return the variances and degrees of freedom of all designs, images by annotators.

    Variances are infinite if there are fewer annotators than an image needs.
    """
    sharing = Design(1, _MOST_ANNOTATORS, per_image, repeated, repeats)
    annotators = _ANNOTATORS[: _n_within(_ANNOTATORS, most_annotators)]
    found = _spreads(parts, sharing, _IMAGES[:, np.newaxis], annotators)
    too_few = annotators < sharing.most_of_an_image
    variances = np.where(too_few, np.inf, found.variances)
    variances.flags.writeable = False
    return replace(found, variances=variances, free=np.where(too_few, 1.0, found.free))


def _n_within(axis: NDArray[np.int64], most: int) -> int:
    return int(np.searchsorted(axis, most, side="right"))


def _few(own: Floats, parts: Components, sharing: Design) -> tuple[int, int]:
    """Return the first row and the number of columns of designs by few annotators.

    Without an images' component, degrees of freedom do not follow the annotators' mean square.
    """
    is_crossed = parts.image > 0 and (sharing.most_of_an_image > 1 or parts.per_scene > 1)
    n_few = int((own.max(axis=0) <= FEW_DEGREES).sum()) if is_crossed else 0
    return int(np.searchsorted(_IMAGES, FEWEST_IMAGES * parts.per_scene)), n_few


def _within(parts: Components, design: Design) -> Spreads:
    """Return the designs within one, images by annotators; those of :func:`_power_of_few` find nothing.

    With few annotators and fewer images, degrees of freedom are at most those of the annotators.
    """
    found = _all_spreads(
        *(parts, design.per_image, design.repeated, design.repeats, design.n_annotators)
    )
    row, n_few = _few(found.own, parts, design)
    variances, most = found.variances.copy(), found.most.copy()
    variances[row:, :n_few] = np.inf
    most[:row, :n_few] = found.own[:row, :n_few]
    found = replace(found, variances=variances, most=most)
    return found.at(np.s_[: _n_within(_IMAGES, design.n_images)])


def _power_of_few(
    parts: Components, design: Design, difference: float, alpha: float
) -> tuple[NDArray[np.int64], Floats]:
    """Return numbers of images up to the design's, and the greatest power of few annotators within it."""
    images, tests = _tests_of_few(parts, design.per_image, design.repeated, design.repeats, alpha)
    tests = tests.up_to(_n_within(_ANNOTATORS, design.n_annotators))
    found = tests.power(difference, parts.scales).max(axis=1, initial=alpha)
    n = _n_within(images, design.n_images)
    return images[:n], found[:n]


@lru_cache(maxsize=16)
def _tests_of_few(
    parts: Components, per_image: int, repeated: float, repeats: int, alpha: float
) -> tuple[NDArray[np.int64], TestsOfFew]:
    """Return every third number of images, and the tests of few annotators with so many."""
    enough = math.ceil((FEW_DEGREES + 2) * parts.per_group)
    every = _all_spreads(parts, per_image, repeated, repeats, enough)
    row, n_few = _few(every.own, parts, Design(1, _MOST_ANNOTATORS, per_image, repeated, repeats))
    return _IMAGES[row::3], tests_of_few(every.at(np.s_[row::3, :n_few]), alpha)


def _best(spreads: Spreads) -> tuple[Floats, Floats]:
    """Return the designs that no other beats in both variance and degrees of freedom."""
    variances, degrees = spreads.variances.ravel(), spreads.degrees.ravel()
    order = np.lexsort((-degrees, variances))
    variances, degrees = variances[order], degrees[order]
    before = np.concatenate([[-np.inf], np.maximum.accumulate(degrees)[:-1]])
    return variances[degrees > before], degrees[degrees > before]


def power(parts: Components, design: Design, difference: float, *, alpha: float = ALPHA) -> float:
    """Return the probability of finding a true difference, for the best design within ``design``.

    ``difference`` is that of the mean distances, in the unit of the components' square roots.
    Raises RankingError if ``alpha`` is not between 0 and 1, or there are fewer than two images or
    annotators.
    """
    _check(design.n_annotators, alpha)
    if design.n_images < 2:
        raise RankingError("a test needs at least two images")
    if not difference:
        return alpha
    variances, degrees = _best(_within(parts, design))
    found = _power(_errors(difference, variances), degrees, alpha, parts.scales)
    _, of_few = _power_of_few(parts, design, difference, alpha)
    return float(max(found.max(), of_few.max(initial=alpha)))


def least_difference(
    parts: Components, design: Design, *, share: float = POWER, alpha: float = ALPHA
) -> float:
    """Return the smallest true difference that the test finds with a power of ``share``.

    In the unit of the components' square roots; 0 if nothing varies, infinite
    if the annotators are one group or the images one scene. Raises RankingError as :func:`power`,
    or if ``share`` is not between 0 and 1.
    """
    _check(design.n_annotators, alpha, share)
    variances, degrees = _best(_within(parts, design))
    if not variances.min():
        return 0.0
    errors = _needed_errors(degrees, alpha, share, parts.scales)
    least = float((errors * np.sqrt(variances)).min())

    def beyond(difference: float) -> float:
        return float(_power_of_few(parts, design, difference, alpha)[1].max(initial=0)) - share

    high = min(least, 1.0)
    while (is_short := beyond(high) < 0) and high < min(least, _MOST_ERRORS):
        high = min(2 * high, least)
    if is_short or beyond(0.0) >= 0:
        return least
    from scipy.optimize import brentq

    return float(brentq(beyond, 0.0, high, xtol=1e-12 * high))


def needed_images(
    parts: Components,
    design: Design,
    difference: float,
    *,
    share: float = POWER,
    alpha: float = ALPHA,
) -> int | None:
    """Return the fewest images of a design that find a difference with a power of ``share``.

    The number of images of ``design`` is ignored. None if :data:`MOST_IMAGES` do not suffice: then
    there are too few annotators. Raises RankingError if the difference is not above 0, or ``share``
    or ``alpha`` not between 0 and 1.
    """
    _check(design.n_annotators, alpha, share)
    if not difference > 0:
        raise RankingError(f"the difference must be above 0, got {difference}")

    largest = replace(design, n_images=MOST_IMAGES)
    others = _within(parts, largest)
    errors = _errors(difference, others.variances)
    enough = _suffice(errors, others.degrees, alpha, share, parts.scales).any(axis=1)
    images, of_few = _power_of_few(parts, largest, difference, alpha)
    if of_few.max(initial=0) >= share:
        enough |= images[(of_few >= share).argmax()] <= _IMAGES
    # At least as many rankings as annotators.
    enough &= design.n_annotators / design.per_image <= _IMAGES
    return int(_IMAGES[enough.argmax()]) if enough.any() else None


def _check(n_annotators: int, alpha: float, share: float = POWER) -> None:
    if n_annotators < 2:
        raise RankingError(f"{ONE_ANNOTATOR}: a test needs at least two annotators")
    for name, value in (("alpha", alpha), ("power", share)):
        if not 0 < value < 1:
            raise RankingError(f"{name} must be between 0 and 1, got {value}")


def _errors(difference: float, variances: Floats) -> Floats:
    """Return a difference in standard errors; infinite if nothing varies."""
    with np.errstate(divide="ignore"):
        return np.asarray(abs(difference) / np.sqrt(variances))


def _power(
    errors: Floats, degrees: Floats, alpha: float, scales: tuple[float, ...] = (1.0,)
) -> Floats:
    """Return the mean power over scales of the variance; ``errors`` are for a scale of 1."""
    found = [_power_of(errors / math.sqrt(scale), degrees, alpha) for scale in scales]
    return np.asarray(sum(found) / len(scales))


def _power_of(errors: Floats, degrees: Floats, alpha: float) -> Floats:
    """Return the power of a two-sided t-test of differences in standard errors.

    The square of the noncentral t is the noncentral F. The two tails of t are not added, because
    scipy 1.17 returns NaN for the far one.
    """
    from scipy.special import chdtr, ncfdtr, stdtrit

    degrees = np.minimum(degrees, _MOST_DEGREES)
    limit = stdtrit(degrees, alpha / 2) ** 2
    found = 1 - ncfdtr(1.0, degrees, np.minimum(errors, _MOST_ERRORS) ** 2, limit)
    # If the difference is far larger than the noise of the mean, it is missed only if its standard
    # error is estimated far too large. In this case scipy's noncentral F may also be NaN.
    with np.errstate(over="ignore"):
        drowned = chdtr(degrees, degrees * errors**2 / limit)
    return np.asarray(np.where((errors > _MOST_ERRORS) | np.isnan(found), drowned, found))


def _needed_errors(
    degrees: Floats, alpha: float, share: float, scales: tuple[float, ...]
) -> Floats:
    """Return the smallest differences, in standard errors, found with a power of ``share``."""
    from scipy.special import ndtri

    def beyond(errors: Floats) -> Floats:
        # As a normal quantile, power is nearly a line.
        found = np.clip(_power(errors, degrees, alpha, scales), 1e-15, 1 - 1e-15)
        return np.asarray(ndtri(found) - ndtri(share))

    low, high = np.zeros_like(degrees), np.ones_like(degrees)
    at_low, at_high = beyond(low), beyond(high)
    while (short := at_high < 0).any():
        low, at_low = np.where(short, high, low), np.where(short, at_high, at_low)
        high = np.where(short, 2 * high, high)
        at_high = beyond(high)
    # Regula falsi, in which an end that stays counts half (the Illinois method).
    while (abs(at_high) > 1e-10).any():
        step = np.divide(
            high - low, at_high - at_low, where=at_high != at_low, out=np.zeros_like(low)
        )
        middle = high - at_high * step
        found = beyond(middle)
        crosses = found * at_high < 0
        low = np.where(crosses, high, low)
        at_low = np.where(crosses, at_high, at_low / 2)
        high, at_high = middle, found
    return high


# Degrees of freedom between which the needed differences are interpolated.
_KNOTS: Final = np.geomspace(0.5, 1e9, 200)


@lru_cache(maxsize=64)
def _needed_at_knots(
    alpha: float, share: float, scales: tuple[float, ...]
) -> Callable[[Floats], Floats]:
    """Return the logarithm of the needed difference as a function of that of the degrees of freedom."""
    from scipy.interpolate import CubicSpline

    needed = np.log(_needed_errors(_KNOTS, alpha, share, scales))
    found: Callable[[Floats], Floats] = CubicSpline(np.log(_KNOTS), needed)
    return found


def _suffice(
    errors: Floats, degrees: Floats, alpha: float, share: float, scales: tuple[float, ...]
) -> NDArray[np.bool_]:
    """Return which differences are found with a power of ``share``.

    Interpolation decides clear cases; for the others, the power is computed.
    """
    needed = np.exp(
        _needed_at_knots(alpha, share, scales)(np.log(np.clip(degrees, *_KNOTS[[0, -1]])))
    )
    enough = np.asarray(errors > needed)
    in_doubt = abs(errors - needed) < 1e-3 * needed
    enough[in_doubt] = _power(errors[in_doubt], degrees[in_doubt], alpha, scales) >= share
    return enough
