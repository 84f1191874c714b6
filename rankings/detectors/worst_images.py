"""The images on which a detector loses something, worst first, alone or against another one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import compress, decompress

import numpy as np
from numpy.typing import NDArray

# Differences below are rounding.
_LEAST: Final = 1e-9
_Keys = NDArray[np.int64]
_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """A detector's figure on each image, and what the image takes from the figure of the dataset.

    Images are keys in ascending order; NaN is undefined.
    """

    images: _Keys
    values: _Numbers
    lost: _Numbers

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, float | None, float | None]]) -> "Figures":
        """Return the figures of rows (image, figure, lost), each image once, in any order."""
        table = np.array(list(rows), dtype=np.float64).reshape(-1, 3)
        return cls._of_table(table[np.argsort(table[:, 0])].T)

    @classmethod
    def _of_table(cls, table: _Numbers) -> "Figures":
        return cls(table[0].astype(np.int64), *table[1:].copy())

    def packed(self) -> bytes:
        """Return the figures as bytes, a fifth to two thirds of their size."""
        return compress(np.stack([self.images, self.values, self.lost]).tobytes(), 1)

    @classmethod
    def unpacked(cls, content: bytes) -> "Figures":
        """Return the figures that were packed."""
        return cls._of_table(np.frombuffer(decompress(content)).reshape(3, -1))

    def shared_with(self, images: Sequence[int] | _Keys) -> _Keys:
        """Return those of other images that are known, in their order."""
        others = np.asarray(images, np.int64)
        return others[np.isin(others, self.images)]

    def on(self, images: _Keys, missing: float = np.nan) -> "Figures":
        """Return the figures on other images; one that is not known is ``missing``."""
        are_shared = np.isin(self.images, images)
        columns = np.full((2, len(images)), missing)
        places = np.searchsorted(images, self.images[are_shared])
        columns[:, places] = self.values[are_shared], self.lost[are_shared]
        return Figures(images, *columns)


@dataclass(frozen=True)
class WorstImages:
    """Images in the order of their costs, the greatest first, with both detectors' figures."""

    images: list[int]
    costs: _Numbers
    own: _Numbers
    other: _Numbers

    def __len__(self) -> int:
        return len(self.images)

    def place(self, image: int) -> int | None:
        """Return the place of an image, from 0; None if it is not among them."""
        return self.images.index(image) if image in self.images else None

    def rows(self, first: int, last: int) -> list[tuple[int, float, float | None, float | None]]:
        """Return image, cost, own and other figure of some places; None is undefined."""
        numbers = [
            [None if np.isnan(value) else float(value) for value in column[first:last]]
            for column in (self.own, self.other)
        ]
        costs = self.costs[first:last].tolist()
        return list(zip(self.images[first:last], costs, *numbers, strict=True))


def worst_images(own: Figures, other: Figures | None = None, *, are_losses: bool) -> WorstImages:
    """Return the images on which a detector loses something; of equal costs, the lower key first.

    Against another detector, on the same images, the cost is the difference: of losses what it loses
    more, of figures what it has less.
    """
    others = np.full(len(own.images), np.nan) if other is None else other.values
    costs = own.lost
    if other is not None:
        costs = own.values - others if are_losses else others - own.values
    some = np.flatnonzero(costs > _LEAST)
    some = some[np.argsort(-costs[some], kind="stable")]
    return WorstImages(own.images[some].tolist(), costs[some], own.values[some], others[some])
