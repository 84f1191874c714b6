"""Whether a protocol, or a program that judges, differs from a person more than other people do.

For one ranking of an image, by person g: ``a`` is the loss (:mod:`.personal_distances`) between the
candidate and g, and ``b`` the mean loss between g and every other person of the image. The statement is
about ``D``, the mean over images of mean a minus mean b: on how many more pairs the candidate differs
from a person than another person does. It is the comparison of the alternative annotator test
([CRD25]_) with this loss.

The differences a - b of one image share people: each ranking is in everybody's difference. Their
pseudo-values, of a jackknife over people, do not::

    psi = a - c b + (c - 1) mean b        c = 2 (A - 1) / (A - 2)

with the mean of b over the image's people, and A people by their shares of the work, ``n^2 / sum
n_a^2``. Their mean over an image is that of a - b. They go through the model of :mod:`.multi_reader`,
each image with the same weight, with Hillis's degrees of freedom ([Hil07]_).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..orders.packed_scores import Floats
from .clusters import NONE_DECLARED, Declared
from .components import components, without_rounding
from .moderation import Prior
from .moments import Moments, mean_square, moments_of, squares_within
from .personal_distances import LOSS, losses_between, losses_of
from .personal_rankings import PersonalGroup, PersonalRankings
from .resampling import LEVEL
from .significance import holm
from .student import student_tests

NO_SECOND: Final = "no image was ranked by two annotators"
TWO_ANNOTATORS: Final = "two annotators do not show how much a third would differ from them"
ONE_IMAGE: Final = "one image says nothing about others"


@dataclass(frozen=True, slots=True)
class StandIn:
    """How much more a candidate differs from a person than another person does.

    ``difference`` is D, of 100 pairs; ``of_people`` the mean loss between two people. Limits and
    the two-sided ``p_value`` are of this candidate alone; adjusted ones of all candidates together,
    limits by Bonferroni's rule and p-values by Holm's. None without a test.
    """

    name: str
    difference: float | None = None
    of_people: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    adjusted_p_value: float | None = None
    degrees_of_freedom: float | None = None


@dataclass(frozen=True, slots=True)
class StandIns:
    """All candidates; ``reason`` says why there is no test, or is None.

    Declared groups and scenes are what ``n_annotators`` and ``n_images`` count.
    """

    candidates: tuple[StandIn, ...]
    n_images: int
    n_annotators: int
    level: float
    reason: str | None
    loss: str = LOSS


def stand_in(rankings: PersonalRankings, *, declared: Declared = NONE_DECLARED) -> StandIns:
    """Compare every protocol of the rankings, as a candidate, with the people who ranked.

    Images with one annotator, or with annotators of one group, do not count. With declared groups,
    ``b`` is over people of other groups, and a group's people of an image are one; pseudo-values are
    means over a scene. There is no test with fewer than two images or three annotators, then
    ``difference`` describes these people on these images.
    """
    return compared(rankings.protocols, _cells(rankings, declared), LEVEL)


def compared(names: Sequence[str], cells: "Cells | None", level: float) -> StandIns:
    """Return the statement about candidates from their cells; None: no image has two annotators."""
    if cells is None:
        return StandIns(tuple(map(StandIn, names)), 0, 0, level, NO_SECOND)
    images, annotators = (len(np.unique(of)) for of in (cells.images, cells.annotators))
    weights = cells.weights()
    of_two = float(weights @ cells.between)
    apart = weights @ cells.apart
    means = without_rounding(apart - of_two, apart + of_two)
    found = tuple(
        StandIn(name, mean, of_two) for name, mean in zip(names, means.tolist(), strict=True)
    )
    reason = None
    if annotators < 3 or cells.effective() <= 2:
        reason = TWO_ANNOTATORS
    elif images < 2:
        reason = ONE_IMAGE
    if reason is None and found:
        found = _tested(found, means, cells, level)
    return StandIns(found, images, annotators, level, reason)


@dataclass(frozen=True, slots=True)
class Cells:
    """One row for each image, or scene, and annotator, or group.

    ``apart`` of shape (n, candidates) is a, ``between`` of shape (n,) is b.
    """

    images: NDArray[np.intp]
    annotators: NDArray[np.intp]
    apart: Floats
    between: Floats

    def weights(self) -> Floats:
        """Return the weight of each row: every image has the same, shared by its annotators."""
        _, image_of, sizes = np.unique(self.images, return_inverse=True, return_counts=True)
        return np.asarray(1 / (len(sizes) * sizes[image_of]))

    def effective(self) -> float:
        """Return the number of annotators by their shares of the work."""
        counts = np.unique(self.annotators, return_counts=True)[1]
        return float(counts.sum() ** 2 / (counts**2).sum())

    def pseudo_values(self) -> Floats:
        """Return psi less its mean, of shape (n, candidates)."""
        most = self.effective()
        factor = 2 * (most - 1) / (most - 2)
        _, image_of, sizes = np.unique(self.images, return_inverse=True, return_counts=True)
        means = (np.bincount(image_of, self.between) / sizes)[image_of]
        of_people = factor * self.between - (factor - 1) * means
        values = self.apart - of_people[:, np.newaxis]
        size = np.abs(self.apart).mean(axis=0) + np.abs(of_people).mean()
        return without_rounding(values - values.mean(axis=0), size)

    def by_scene(self, scenes: NDArray[np.intp]) -> "Cells":
        """Return the means over scenes; ``scenes`` of shape (n,) numbers that of each row."""
        rows = np.stack([scenes, self.annotators], axis=1)
        different, values = averaged(rows, np.column_stack([self.apart, self.between]))
        return Cells(different[:, 0], different[:, 1], values[:, :-1], values[:, -1])


def _cells(rankings: PersonalRankings, declared: Declared) -> Cells | None:
    """Return the rows of all images with two annotators, or groups; None if there is none."""
    groups, scenes = declared.units(rankings.annotators, rankings.images)
    parts = [part for group in rankings.groups for part in _of_images(group, groups)]
    if not parts:
        return None
    images, annotators, apart, between = (np.concatenate(of) for of in zip(*parts, strict=True))
    cells = Cells(images, annotators, apart, between)
    return cells.by_scene(scenes[images])


def _of_images(
    group: PersonalGroup, group_of: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Floats, Floats]]:
    """Yield image, annotator (or group), a and b of the images, those alike together."""
    people = group.people
    # (g, k, k): the loss between every two people; (g, k): their groups.
    between = losses_between(people[:, :, np.newaxis], people[:, np.newaxis])
    own = group_of[group.annotators]
    others = own[:, :, np.newaxis] != own[:, np.newaxis]
    counts = others.sum(axis=2)
    counted = (counts > 0).all(axis=1)
    if not counted.any():
        return
    means = (between * others)[counted].sum(axis=2) / counts[counted]
    apart = losses_of(group)[counted]
    images = np.repeat(group.images[counted], people.shape[1])
    rows = np.stack([images, own[counted].ravel()], axis=1)
    (cells, values) = averaged(
        rows, np.column_stack([apart.reshape(len(rows), -1), means.reshape(-1)])
    )
    yield cells[:, 0], cells[:, 1], values[:, :-1], values[:, -1]


def averaged(rows: NDArray[np.intp], values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return each different row with the mean of its values.

    ``rows`` is of shape (n, 2), ``values`` of shape (n, columns).
    """
    cells, cell_of, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(cells), values.shape[1]))
    np.add.at(sums, cell_of.ravel(), values)
    return cells, sums / counts[:, np.newaxis]


def _tested(
    found: Sequence[StandIn], means: Floats, cells: Cells, level: float
) -> tuple[StandIn, ...]:
    parts, free = _moments(cells)
    tests = student_tests(means, parts.of_mean, free, level)
    adjusted = holm(tests.p_values)
    compared = []
    for at, one in enumerate(found):
        low, high = tests.limits(at, tests.alone)
        adjusted_low, adjusted_high = tests.limits(at, tests.together)
        is_known = tests.p_values[at] is not None
        compared.append(
            replace(
                one,
                low=low,
                high=high,
                p_value=tests.p_values[at],
                adjusted_low=adjusted_low,
                adjusted_high=adjusted_high,
                adjusted_p_value=adjusted[at],
                degrees_of_freedom=float(tests.degrees[at]) if is_known else None,
            )
        )
    return tuple(compared)


def _moments(cells: Cells) -> tuple[Moments, Floats]:
    """Return the moments of the candidates' means, and Hillis's degrees of freedom of each."""
    _, image_of, n_i = np.unique(cells.images, return_inverse=True, return_counts=True)
    _, annotator_of, n_a = np.unique(cells.annotators, return_inverse=True, return_counts=True)
    values = cells.pseudo_values()
    parts = components(
        (values**2).sum(axis=0),
        squares_within(values, image_of, n_i, np.diag),
        squares_within(values, annotator_of, n_a, np.diag),
        *(n_i, n_a),
    )
    weights = cells.weights()
    of_images = float((np.bincount(image_of, weights) ** 2).sum())
    of_annotators = float((np.bincount(annotator_of, weights) ** 2).sum())
    n = 1 / float((weights**2).sum())
    found = moments_of(parts, (of_images, of_annotators), n, 1, Prior())
    squares = np.maximum(mean_square(parts, of_annotators, n), 0)
    below = squares**2 / (1 / of_annotators - 1)
    return found, np.divide(
        found.of_mean**2, below, out=np.full_like(below, np.inf), where=below > 0
    )
