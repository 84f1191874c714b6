"""Sums of protocols over images, and the figures of a whole dataset that follow from them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.from_scores import f_betas
from ..orders.packed_scores import Floats

# Recall credit and its divisor, precision credit and its divisor.
N_PARTS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The parts of every protocol's figures, for each method on each image.

    A figure of a dataset is a sum over images divided by a sum: official figures add credits and
    numbers of regions. A mean over the images with a defined score is of the same kind: its parts
    are the score and 1. ``sums`` of shape (images, protocols, methods, 4) are recall credit and its
    divisor, precision credit and its divisor; 0 if there is no score. ``is_scored`` is false if the
    protocol has not scored the method's result; a score may be undefined.
    """

    images: tuple[str, ...]
    protocols: tuple[str, ...]
    methods: tuple[str, ...]
    sums: Floats
    is_scored: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = (len(self.images), len(self.protocols), len(self.methods), N_PARTS)
        if self.sums.shape != shape:
            raise RankingError(f"expected sums of shape {shape}, got {self.sums.shape}")
        if self.is_scored.shape != shape[:3]:
            raise RankingError(f"expected scores of shape {shape[:3]}, got {self.is_scored.shape}")
        for kind in ("images", "protocols", "methods"):
            names = getattr(self, kind)
            if len(set(names)) < len(names):
                raise RankingError(f"one of the {kind} stands twice in {', '.join(names)}")
        wrong = np.argwhere(~np.isfinite(self.sums))
        if len(wrong):
            image, protocol, method, _ = wrong[0]
            raise RankingError(
                f"{self.images[image]}, {self.protocols[protocol]}: {self.methods[method]} "
                "has a sum that is not a finite number"
            )

    def of(
        self, images: Sequence[str], protocols: Sequence[str], methods: Sequence[str]
    ) -> "Tallies":
        """Return the tallies of some images, protocols and methods; unknown ones have no score."""
        wanted = (tuple(images), tuple(protocols), tuple(methods))
        if wanted == (self.images, self.protocols, self.methods):
            return self
        to_images, of_images = _shared(wanted[0], self.images)
        to_methods, of_methods = _shared(wanted[2], self.methods)
        shape = tuple(map(len, wanted))
        sums, is_scored = np.zeros((*shape, N_PARTS)), np.zeros(shape, dtype=bool)
        # Protocol by protocol, to avoid a second copy of everything.
        for at, own in zip(*_shared(wanted[1], self.protocols), strict=True):
            to, of = np.ix_(to_images, to_methods), np.ix_(of_images, of_methods)
            sums[:, at][to] = self.sums[:, own][of]
            is_scored[:, at][to] = self.is_scored[:, own][of]
        return Tallies(*wanted, sums, is_scored)

    def scored_by(self, protocol: str) -> list[str]:
        """Return the methods that a protocol has scored on any image; none if it is unknown."""
        own = self.of(self.images, [protocol], self.methods).is_scored[:, 0]
        return [method for at, method in enumerate(self.methods) if own[:, at].any()]


def _shared(wanted: Sequence[str], known: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the positions, in each of the two sequences, of the names that both have."""
    number_of = {name: at for at, name in enumerate(known)}
    places = [at for at, name in enumerate(wanted) if name in number_of]
    return places, [number_of[wanted[at]] for at in places]


# Numbers of image, protocol and method; recall, precision and the four sums, None if undefined.
ScoreRow = tuple[int, int, int, float | None, float | None, *tuple[float | None, ...]]


def tallies_of_rows(
    images: Mapping[int, str],
    protocols: Mapping[int, str],
    methods: Mapping[int, str],
    batches: Iterable[Sequence[ScoreRow]],
    *,
    means: Collection[int] = (),
) -> Tallies:
    """Return the sums of many rows, read in batches.

    Names by number are in the order of the result. Figures of the protocols ``means`` are means
    over images, even if their rows have sums.
    """
    shape = len(images), len(protocols), len(methods)
    sums, is_scored = np.zeros((*shape, N_PARTS)), np.zeros(shape, dtype=bool)
    is_mean = np.array([number in means for number in protocols], dtype=bool)
    for batch in batches:
        # None becomes NaN.
        table = np.array(batch, dtype=np.float64)
        at = tuple(
            _numbers(table[:, column], names)
            for column, names in enumerate((images, protocols, methods))
        )
        scores, parts = table[:, 3:5], table[:, 5:]
        of_means = np.zeros((len(table), N_PARTS))
        of_means[:, 0::2], of_means[:, 1::2] = np.nan_to_num(scores), ~np.isnan(scores)
        takes_means = is_mean[at[1]]
        sums[at] = np.where(takes_means[:, np.newaxis], of_means, np.nan_to_num(parts))
        is_scored[at] = True
    names = [tuple(of.values()) for of in (images, protocols, methods)]
    return Tallies(names[0], names[1], names[2], sums, is_scored)


def _numbers(keys: Floats, names: Mapping[int, str]) -> NDArray[np.intp]:
    """Return the position of each key among the names."""
    known = np.array(list(names), dtype=np.float64)
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(known, keys, sorter=order)], dtype=np.intp)


def evaluated(tallies: Tallies, cells: Iterable[tuple[str, str]]) -> NDArray[np.bool_]:
    """Return whether image and method are one of the cells, of shape (images, methods)."""
    image_of, method_of = (
        {name: at for at, name in enumerate(names)} for names in (tallies.images, tallies.methods)
    )
    found = np.zeros((len(image_of), len(method_of)), dtype=bool)
    for image, method in cells:
        if image in image_of and method in method_of:
            found[image_of[image], method_of[method]] = True
    return found


def parts_of_score(
    recall: float | None, precision: float | None
) -> tuple[float, float, float, float]:
    """Return the parts of a mean over images: each score and 1, or 0 and 0 if it is undefined."""
    return (
        *((0.0, 0.0) if recall is None else (recall, 1.0)),
        *((0.0, 0.0) if precision is None else (precision, 1.0)),
    )


def figures(sums: Floats, criterion: str, beta: float) -> Floats:
    """Return the figure of a criterion: recall, precision, or F_beta of the two for any other.

    ``sums`` of shape (..., 4) are as in :class:`Tallies`, added over images. Figures are in [0, 1],
    0 if the divisor is 0, as in official figures: no truth at all, or a method that found nothing.
    """
    if criterion == "recall":
        return _quotients(sums[..., 0], sums[..., 1])
    if criterion == "precision":
        return _quotients(sums[..., 2], sums[..., 3])
    return f_betas(
        _quotients(sums[..., 0], sums[..., 1]), _quotients(sums[..., 2], sums[..., 3]), beta
    )


def slopes(sums: Floats, criterion: str, beta: float) -> Floats:
    """Return the derivatives of :func:`figures` by each of the four sums, of the same shape.

    0 if the divisor is 0.
    """
    slope = np.zeros(sums.shape)
    recall, precision = (_quotients(sums[..., at], sums[..., at + 1]) for at in (0, 2))
    by_recall = np.full(recall.shape, float(criterion == "recall"))
    by_precision = np.full(recall.shape, float(criterion == "precision"))
    if criterion not in ("recall", "precision"):
        below = (beta**2 * precision + recall) ** 2
        above = (1 + beta**2) * beta**2 * precision**2
        by_recall = np.divide(above, below, out=by_recall, where=below > 0)
        above = (1 + beta**2) * recall**2
        by_precision = np.divide(above, below, out=by_precision, where=below > 0)
    for at, share, by in ((0, recall, by_recall), (2, precision, by_precision)):
        divisor = sums[..., at + 1]
        np.divide(by, divisor, out=slope[..., at], where=divisor > 0)
        slope[..., at + 1] = -share * slope[..., at]
    return slope


def _quotients(above: Floats, below: Floats) -> Floats:
    return np.clip(np.divide(above, below, out=np.zeros_like(above), where=below > 0), 0, 1)
