"""Losses on parts of a study: images with small text, many words, or very different methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..inference.resampling import FEW_IMAGES, LEVEL, checked_table
from ..orders.packed_scores import Floats

N_SLICES = 3


@dataclass(frozen=True, slots=True)
class ImageProperty:
    """A number by which images are put into slices, None if an image has none; a unit, or ""."""

    name: str
    unit: str
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class SliceScore:
    """The mean loss of one protocol on a slice; limits are None below ten images."""

    protocol: str
    score: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Slice:
    """Images with a property from ``least`` to ``most``, both included.

    Both are None for images without the property.
    """

    by: str
    unit: str
    least: float | None
    most: float | None
    n_images: int
    scores: tuple[SliceScore, ...]

    @property
    def label(self) -> str:
        return slice_label(self.least, self.most, self.unit)


def slice_label(least: float | None, most: float | None, unit: str) -> str:
    """Return the slice's range in words."""
    if least is None or most is None:
        return "not known"
    low, high = f"{least:.3g}", f"{most:.3g}"
    words = low if low == high else f"{low} to {high}"
    return f"{words} {unit}" if unit else words


def slices(
    table: Floats,
    images: Sequence[str],
    protocols: Sequence[str],
    properties: Sequence[ImageProperty],
) -> tuple[Slice, ...]:
    """Return every protocol's mean loss on thirds of the images, by each property.

    Thirds are cut at the quantiles of the images that have the property; images with equal numbers
    are in one slice, so there may be only two slices or one, of unequal sizes. Limits are Student's
    t over the images of the slice, annotators fixed, not corrected for the number of slices.

    Slices differ in more than the property, so protocols should be compared within a slice.

    ``table`` of shape (images, protocols) has the losses, means over annotators. By property, from
    small to large, images without a value last. Raises RankingError if the table does not fit
    images and protocols.
    """
    table = checked_table(table, protocols)
    if len(images) != len(table):
        raise RankingError(f"expected {len(images)} rows of losses, got {len(table)}")
    return tuple(cut for one in properties for cut in _slices_by(one, table, images, protocols))


def _slices_by(
    by: ImageProperty, table: Floats, images: Sequence[str], protocols: Sequence[str]
) -> list[Slice]:
    numbers = np.array([by.values.get(image) for image in images], dtype=np.float64)
    has = np.isfinite(numbers)
    parts = [(numbers >= low) & (numbers <= high) for low, high in _cuts(numbers[has])]
    found = [
        Slice(
            by.name,
            by.unit,
            float(numbers[part].min()),
            float(numbers[part].max()),
            *_scored(table[part], protocols),
        )
        for part in parts
    ]
    if len(images) and not has.all():
        found.append(Slice(by.name, by.unit, None, None, *_scored(table[~has], protocols)))
    return found


def _cuts(numbers: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Return the smallest and the largest number of each slice."""
    if not len(numbers):
        return []
    ordered = np.sort(numbers)
    at = [len(ordered) * part // N_SLICES for part in range(1, N_SLICES)]
    # A slice ends with the largest number of its third, and includes all equal numbers.
    ends = sorted({float(ordered[max(end - 1, 0)]) for end in at} | {float(ordered[-1])})
    cuts, after = [], float(ordered[0])
    for end in ends:
        inside = ordered[(ordered >= after) & (ordered <= end)]
        cuts.append((float(inside[0]), float(inside[-1])))
        after = float(np.nextafter(end, np.inf))
    return cuts


def _scored(table: Floats, protocols: Sequence[str]) -> tuple[int, tuple[SliceScore, ...]]:
    """Return the number of images and every protocol's mean on them, with limits."""
    n = len(table)
    means = table.mean(axis=0)
    half: Floats | None = None
    if n >= FEW_IMAGES:
        # Imported here, because scipy's functions take a second to load.
        from scipy.special import stdtrit

        half = stdtrit(n - 1, (1 + LEVEL) / 2) * table.std(axis=0, ddof=1) / np.sqrt(n)
    return n, tuple(
        SliceScore(
            name,
            float(means[at]),
            None if half is None else float(means[at] - half[at]),
            None if half is None else float(means[at] + half[at]),
        )
        for at, name in enumerate(protocols)
    )
