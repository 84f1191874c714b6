"""Cross-validation over images: the folds, and the candidate that is best outside each."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..inference.resampling import SEED

N_FOLDS: Final = 5


def folds(n: int) -> list[NDArray[np.intp]]:
    """Divide n images at random into five folds whose sizes differ by at most one.

    With fewer images than folds, each image is a fold; with fewer than two, there is no fold. Each
    fold has the ascending numbers of its images, of shape (m,).
    """
    if n < 2:
        return []
    shuffled = np.random.default_rng(SEED).permutation(n)
    return [np.sort(part) for part in np.array_split(shuffled, min(n, N_FOLDS))]


def fold_numbers(parts: Sequence[NDArray[np.intp]], n: int) -> NDArray[np.integer[Any]]:
    """Return the number of each image's fold, of shape (n,); 0 for all if there is no fold."""
    fold_of = np.zeros(n, dtype=np.min_scalar_type(len(parts)))
    for number, part in enumerate(parts):
        fold_of[part] = number
    return fold_of


def nearest(sums: NDArray[np.float64]) -> tuple[int, list[int]]:
    """Return the candidate with the smallest sum of distances over all, and outside each fold.

    ``sums`` of shape (folds, candidates) are over the images of each fold; of equal sums the first
    candidate is taken. Raises RankingError without a candidate.
    """
    if not sums.shape[1]:
        raise RankingError("there is no candidate to choose from")
    # The sums outside a fold are those of all folds less its own: no second search.
    of_all = sums.sum(axis=0)
    return int(np.argmin(of_all)), np.argmin(of_all - sums, axis=1).tolist()
