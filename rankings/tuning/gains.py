"""Gains: how much nearer to people changed protocols are than the unchanged ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..inference.multi_reader import compare
from ..inference.personal_distances import PersonalDistances
from ..inference.resampling import FEW_IMAGES
from ..inference.significance import holm
from ..orders.packed_scores import Floats
from .cross_validation import fold_numbers, folds, nearest


@dataclass(frozen=True, slots=True)
class Gain:
    """The mean loss of a protocol for single annotators (:func:`.personal_losses`), and its change.

    ``difference`` is below 0 if the change brings the protocol nearer to people. Limits and
    p-values have annotators and images random (:func:`.multi_reader.compare`); Holm's is corrected
    over all gains of a table. They are None for fewer than ten images, for one annotator, and if
    the difference is the same everywhere.
    """

    protocol: str
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    holm_p_value: float | None = None
    n_images: int = 0


def gain(name: str, before: PersonalDistances, after: Floats) -> Gain:
    """Compare a protocol with its changed version, of losses of shape (n,) for the same rankings."""
    both = np.stack([before.distances[:, 0], after], axis=1)
    measured = replace(before, protocols=("before", "after"), distances=both)
    tested = compare(measured)
    [pair] = tested.pairs
    first, second = tested.means
    if pair.difference is None:
        return Gain(name)
    is_sure = tested.n_images >= FEW_IMAGES and pair.low is not None and pair.high is not None
    return Gain(
        name,
        first,
        second,
        # Avoids a negative zero.
        0.0 - pair.difference,
        0.0 - pair.high if is_sure and pair.high is not None else None,
        0.0 - pair.low if is_sure and pair.low is not None else None,
        pair.p_value if is_sure else None,
        None,
        tested.n_images,
    )


def corrected(gains: Sequence[Gain]) -> tuple[Gain, ...]:
    """Return the gains with p-values corrected by Holm's rule over all of them."""
    p_values = holm([one.p_value for one in gains])
    return tuple(replace(one, holm_p_value=p) for one, p in zip(gains, p_values, strict=True))


@dataclass(frozen=True, slots=True)
class Choice:
    """The variant of a protocol that is nearest to people, with cross-validated losses.

    ``chosen`` has the smallest mean loss on all images, the first of equals; ``fold_choices``
    are best outside each fold. ``held_out`` of shape (n,) has for each ranking the loss of the
    candidate that is best outside the fold of its image: none is judged on an image it was chosen
    on.
    """

    chosen: int | None
    fold_choices: tuple[int, ...]
    held_out: Floats


def choose(measured: PersonalDistances) -> Choice | None:
    """Choose one of the candidates, the columns, with cross-validation over images.

    None if there are fewer than two images, or no candidates.
    """
    numbers, image_of = np.unique(measured.images, return_inverse=True)
    if len(numbers) < 2 or not measured.protocols:
        return None
    parts = folds(len(numbers))
    fold_of = fold_numbers(parts, len(numbers))[image_of]
    # (folds, candidates); of whole numbers where losses have a scale, so that equal sums are equal.
    whole = measured.whole()
    sums = np.stack([whole[fold_of == at].sum(axis=0) for at in range(len(parts))])
    chosen, outside = nearest(sums)
    held_out = measured.distances[np.arange(len(fold_of)), np.array(outside)[fold_of]]
    return Choice(chosen, tuple(outside), held_out)
