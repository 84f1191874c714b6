"""Differences between annotators in their nearest protocols: components of variance, and taste.

Model: the loss of protocol p for annotator a's ranking of image i, minus the mean over the
protocols of the same loss, is ``mu_p + image_ip + taste_ap + rest_iap``, all effects
independent with mean 0. An effect on all protocols alike, such as a difficult image or a strict
annotator, does not separate protocols and cancels. The components are those of
:mod:`.multi_reader`, by the method of moments for unbalanced crossed effects ([GO17]_, section 3),
as the mean over all pairs of protocols: the variance of a pair's difference.

- *images*: protocols are good at different images;
- *taste*: a protocol is nearer to some annotators than to others, on all images alike;
- *rest*: the remainder of a single ranking: image and annotator in combination, and chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..orders.packed_scores import Floats
from .components import components, without_rounding
from .multi_reader import NOTHING, ONE_ANNOTATOR, ONE_IMAGE
from .personal_distances import PersonalDistances, personal_losses
from .personal_rankings import PersonalRankings
from .resampling import FEW_IMAGES, LEVEL

SOURCES = ("images", "taste", "rest")
FEW_ANNOTATORS = 3
# The most groups to leave out one at a time: single images or, in a large study, several together.
_IMAGE_GROUPS = 300
_ANNOTATOR_GROUPS = 20


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the variance of the difference of two protocols, mean over all pairs of them.

    Variances are in squared units of the loss; shares, with confidence limits, are those of the
    sum of the three. None if the component cannot be separated, and the share if nothing varies.
    """

    source: str
    variance: float | None = None
    share: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Taste:
    """The protocol that is nearer to one annotator than to others by the largest difference.

    ``difference`` is its loss for this annotator minus its mean loss for the others of the
    same image, both minus the mean over the protocols; mean over the ``n_images`` that this
    annotator and another have ranked. Limits hold for all protocols and annotators together, as it
    is selected.
    """

    annotator: str
    n_images: int
    protocol: str | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Disparity:
    """Components of variance and each annotator's taste; ``reason`` says why one is missing."""

    components: tuple[Component, ...]
    tastes: tuple[Taste, ...]
    n_images: int
    n_annotators: int
    n_rankings: int
    level: float
    reason: str | None


def disparity(rankings: PersonalRankings) -> Disparity:
    """Return how much annotators differ: :func:`disparity_of` the losses for each of them."""
    return disparity_of(personal_losses(rankings), rankings.annotators)


def disparity_of(measured: PersonalDistances, names: Sequence[str]) -> Disparity:
    """Return components of variance with intervals, and each annotator's taste.

    The intervals of the shares are jackknife intervals ([ET93]_, chapter 11) with images and
    annotators random: the variance of leaving out each image (or each of 300 groups of them) plus
    that of leaving out each annotator (or each of 20 groups), and Student's t with Satterthwaite's
    degrees of freedom. They need ten images and three annotators; with few annotators they are
    rightly wide. In simulations of 60 images and normal effects they contained the true share in at
    least 93 % of studies with seven protocols, and 80 % with two protocols and three annotators.

    An annotator's taste is measured on the images that another annotator ranked too, with Student's
    t over these images and Bonferroni's correction over all protocols and annotators. With fewer
    than two protocols, annotators or images, ``reason`` replaces the variances.
    """
    n_images = len(np.unique(measured.images))
    n_annotators = len(np.unique(measured.annotators))
    n_protocols = len(measured.protocols)
    reason = _lacking(n_protocols, n_images, n_annotators)
    # (rankings, protocols), each row with mean 0: the sum over pairs of squared differences is then
    # ``protocols`` times the sum of squares, and the mean over pairs 2 / (protocols - 1) times it.
    centred = measured.distances
    if n_protocols:
        means = centred.mean(axis=1, keepdims=True)
        centred = without_rounding(centred - means, np.abs(means))
    study = _Study(
        np.unique(measured.images, return_inverse=True)[1],
        np.unique(measured.annotators, return_inverse=True)[1],
        centred,
    )
    return Disparity(
        tuple(map(Component, SOURCES)) if reason else _components(study),
        _tastes(study, measured.protocols, [names[at] for at in np.unique(measured.annotators)]),
        n_images,
        n_annotators,
        len(measured.images),
        LEVEL,
        reason,
    )


@dataclass(frozen=True, slots=True)
class _Study:
    """Centred distances (n, protocols), with the numbers of image and annotator of each row."""

    images: NDArray[np.intp]
    annotators: NDArray[np.intp]
    centred: Floats

    def without(self, is_left_out: NDArray[np.bool_]) -> "_Study":
        stay = ~is_left_out
        return _Study(self.images[stay], self.annotators[stay], self.centred[stay])


def _lacking(n_protocols: int, n_images: int, n_annotators: int) -> str | None:
    if not n_images:
        return NOTHING
    if n_protocols < 2:
        return "one protocol has no other to differ from"
    if n_annotators < 2:
        return ONE_ANNOTATOR
    return ONE_IMAGE if n_images < 2 else None


def _components(study: _Study) -> tuple[Component, ...]:
    estimated = _variances(study)
    # A part below 0 by chance counts as 0; intervals are around the estimates themselves.
    variances = np.maximum(estimated, 0)
    shares, around = _shares(variances), _shares(estimated)
    limits = _limits(study, around) if around is not None else None
    return tuple(
        Component(
            source,
            float(variances[at]),
            None if shares is None else float(shares[at]),
            *((None, None) if limits is None else limits[at]),
        )
        for at, source in enumerate(SOURCES)
    )


def _variances(study: _Study) -> Floats:
    """Return the components of images, taste and rest, of which the first two may be below 0."""
    images = np.bincount(study.images)
    annotators = np.bincount(study.annotators)
    raw = float((study.centred**2).sum())
    of_images = _squared(_sums(study.centred, study.images, len(images)), images)
    of_annotators = _squared(_sums(study.centred, study.annotators, len(annotators)), annotators)
    mean = study.centred.sum(axis=0)
    return _variances_of(
        (raw, float(of_images.sum()), float(of_annotators.sum())), mean, images, annotators
    )


def _variances_of(
    squares: tuple[float, float, float],
    sums: Floats,
    n_i: NDArray[np.integer[Any]],
    n_a: NDArray[np.integer[Any]],
) -> Floats:
    """Return the components from sums over the rankings, of shape (protocols,).

    ``n_i`` and ``n_a`` are numbers of rankings of each image and annotator; zeros do not count.
    With fewer than two images or annotators all components are 0.
    """
    raw, of_images, of_annotators = squares
    n = int(n_i.sum())
    if np.count_nonzero(n_i) < 2 or np.count_nonzero(n_a) < 2:
        return np.zeros(len(SOURCES))
    found = components(
        np.asarray(raw - float((sums**2).sum()) / n),
        np.asarray(raw - of_images),
        np.asarray(raw - of_annotators),
        n_i[n_i > 0],
        n_a[n_a > 0],
    )
    variances = np.array(found, dtype=np.float64) * 2 / (len(sums) - 1)
    return without_rounding(variances, raw / n)


def _squared(sums: Floats, n: NDArray[np.integer[Any]]) -> Floats:
    """Return each group's squared sums divided by its number of rankings; 0 if it has none."""
    return np.asarray((sums**2).sum(axis=-1) / np.maximum(n, 1))


def _sums(table: Floats, group_of: NDArray[np.intp], n_groups: int) -> Floats:
    """Return the sum of each group's rows: (n_groups, columns)."""
    sums = np.empty((n_groups, table.shape[1]))
    for at, column in enumerate(table.T):
        sums[:, at] = np.bincount(group_of, column, n_groups)
    return sums


def _shares(variances: Floats) -> Floats | None:
    total = variances.sum()
    return variances / total if total > 0 else None


def _limits(study: _Study, shares: Floats) -> list[tuple[float, float]] | None:
    """Return the limits of each share, or None if there are too few images or annotators."""
    from scipy.special import stdtrit

    n_images, n_annotators = study.images.max() + 1, study.annotators.max() + 1
    if n_images < FEW_IMAGES or n_annotators < FEW_ANNOTATORS:
        return None
    found = _without_images(study), _without_annotators(study)
    spreads = [_jackknifed(list(map(_shares, variances))) for variances in found]
    if None in spreads:
        return None
    (from_images, free_i), (from_annotators, free_a) = [one for one in spreads if one]
    variance = from_images + from_annotators
    below = from_images**2 / free_i + from_annotators**2 / free_a
    degrees = np.divide(variance**2, below, out=np.full_like(below, free_a), where=below > 0)
    half = stdtrit(np.maximum(degrees, 1), (1 + LEVEL) / 2) * np.sqrt(variance)
    return [
        (max(0.0, float(share - around)), max(0.0, min(1.0, float(share + around))))
        for share, around in zip(shares, half, strict=True)
    ]


def _without_images(study: _Study) -> list[Floats]:
    """Return the variances without each group of images: all sums minus the group's own."""
    n_images, n_annotators = int(study.images.max()) + 1, int(study.annotators.max()) + 1
    n_groups = min(n_images, _IMAGE_GROUPS)
    group_of_image = np.arange(n_images) % n_groups
    n_i = np.bincount(study.images)
    of_images = _squared(_sums(study.centred, study.images, n_images), n_i)
    group_of = group_of_image[study.images]
    raw = np.bincount(group_of, (study.centred**2).sum(axis=1), n_groups)
    images = np.bincount(group_of_image, of_images, n_groups)
    # One cell for each (group, annotator); then each cell's number of rankings, and their sums.
    cell_of, n_cells = group_of * n_annotators + study.annotators, n_groups * n_annotators
    n_a = np.bincount(cell_of, minlength=n_cells).reshape(n_groups, n_annotators)
    sums = _sums(study.centred, cell_of, n_cells).reshape(n_groups, n_annotators, -1)
    n_left, sums_left = n_a.sum(axis=0) - n_a, sums.sum(axis=0) - sums
    annotators = _squared(sums_left, n_left).sum(axis=1)
    return [
        _variances_of(
            (float(raw.sum() - raw[at]), float(images.sum() - images[at]), float(annotators[at])),
            sums_left[at].sum(axis=0),
            np.where(group_of_image == at, 0, n_i),
            n_left[at],
        )
        for at in range(n_groups)
    ]


def _without_annotators(study: _Study) -> list[Floats]:
    group_of = study.annotators % _ANNOTATOR_GROUPS
    return [_variances(study.without(group_of == group)) for group in np.unique(group_of)]


def _jackknifed(found: Sequence[Floats | None]) -> tuple[Floats, int] | None:
    """Return the variance of the shares and its degrees of freedom; None if shares are missing."""
    defined = [shares for shares in found if shares is not None]
    if len(defined) < len(found):
        return None
    without = np.array(defined)
    g = len(without)
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray((g - 1) / g * spread), g - 1


def _tastes(study: _Study, protocols: Sequence[str], names: Sequence[str]) -> tuple[Taste, ...]:
    """Return each annotator's taste, in the order of the names."""
    from scipy.special import stdtrit

    if not names:
        return ()
    n_images = study.images.max() + 1
    n_i = np.bincount(study.images, minlength=n_images)[study.images]
    shared = study.without(n_i < 2)
    others = n_i[n_i > 1, np.newaxis] - 1.0
    sums = _sums(shared.centred, shared.images, n_images)[shared.images]
    # (rankings, protocols): a ranking's distances minus the mean of the others' of the same image.
    apart = shared.centred - (sums - shared.centred) / others
    n = np.bincount(shared.annotators, minlength=len(names))
    counted = np.maximum(n, 1)[:, np.newaxis]
    means = _sums(apart, shared.annotators, len(names)) / counted
    squares = _sums((apart - means[shared.annotators]) ** 2, shared.annotators, len(names))
    spread = np.sqrt(squares / np.maximum(counted - 1, 1) / counted)
    n_asked = max(1, len(protocols) * int(np.count_nonzero(n)))
    tastes = []
    for at, name in enumerate(names):
        if not n[at] or len(protocols) < 2:
            tastes.append(Taste(name, int(n[at])))
            continue
        nearest = int(np.argmin(means[at]))
        mean = float(means[at, nearest])
        limits: tuple[float | None, float | None] = None, None
        if n[at] >= FEW_IMAGES:
            half = stdtrit(n[at] - 1, 1 - (1 - LEVEL) / 2 / n_asked) * float(spread[at, nearest])
            limits = mean - float(half), mean + float(half)
        tastes.append(Taste(name, int(n[at]), protocols[nearest], mean, *limits))
    return tuple(tastes)
