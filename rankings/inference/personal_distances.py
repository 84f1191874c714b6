"""How far every protocol is from every annotator's own ranking of an image.

All that is inferred uses one loss, Kemeny's ([FKMSV06]_): of 100 pairs of methods, how many a protocol
orders differently from the annotator; a pair that only one of the two ties counts half. The paper's edit
distance rewards ties, so that a protocol that ties all methods comes near people. By this loss a random
order differs on 50, and all tied on half of the pairs that the annotator does not tie.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..orders.distances import distances_between
from ..orders.packed import Places
from ..orders.packed_scores import Floats
from .personal_rankings import PersonalGroup, PersonalRankings

# The loss of all that is inferred, as a report names it.
LOSS: Final = "of 100 pairs"
# Above, whole multiples of a loss are too large to be added exactly.
_MOST_SCALE: Final = 10**6
# A multiple that was divided and multiplied again differs from a whole number by less.
_NEARLY_WHOLE: Final = 1e-6
# Whole numbers below are exact as floating-point numbers.
_EXACT: Final = 2.0**53


@dataclass(frozen=True, slots=True)
class PersonalDistances:
    """The distance of every protocol to every annotator's own ranking, of shape (n, p).

    ``images`` and ``annotators`` of shape (n,) number those of each ranking; ``by_group``: annotators
    are groups of them (:mod:`.clusters`). ``scale`` times a distance is an integer, if it is not 0.
    """

    protocols: tuple[str, ...]
    images: NDArray[np.intp]
    annotators: NDArray[np.intp]
    distances: Floats
    by_group: bool = False
    scale: int = 0

    def in_order(self) -> "PersonalDistances":
        """Return the rankings by image, annotator and distances: sums are then rounded alike."""
        return self.at(self.order())

    def order(self) -> NDArray[np.intp]:
        """Return the numbers of the rankings by image, annotator and distances."""
        return np.lexsort((*self.distances.T[::-1], self.annotators, self.images))

    def integers(self) -> Floats | None:
        """Return distances times ``scale``, around a number near their mean, as whole numbers.

        None if they are no multiples, or so many that sums of squares would be rounded.
        """
        whole = self.whole()
        if whole is self.distances or not len(whole):
            return None
        whole = whole - np.rint(whole.mean(axis=0))
        most = float(np.abs(whole).max(initial=0))
        return whole if (2 * most * len(whole)) ** 2 < _EXACT else None

    def whole(self) -> Floats:
        """Return distances times ``scale`` as whole numbers; as they are if they are no multiples."""
        scaled = self.distances * (self.scale or 1)
        near = np.rint(scaled)
        is_whole = self.scale and np.abs(scaled - near).max(initial=0) <= _NEARLY_WHOLE
        return near if is_whole else self.distances

    def means(self) -> Floats:
        """Return the mean distance of each protocol, of shape (p,)."""
        whole = self.whole()
        if whole is self.distances:
            return np.asarray(whole.mean(axis=0))
        return np.asarray(whole.sum(axis=0) / (self.scale * len(whole)))

    def at(self, rows: NDArray[np.bool_ | np.intp]) -> "PersonalDistances":
        """Return some rankings, given by their numbers or by whether each is among them."""
        return replace(
            self,
            images=self.images[rows],
            annotators=self.annotators[rows],
            distances=self.distances[rows],
        )

    def of(self, protocols: Sequence[str]) -> "PersonalDistances":
        """Return the distances of some protocols, in this order."""
        columns = [self.protocols.index(name) for name in protocols]
        return replace(self, protocols=tuple(protocols), distances=self.distances[:, columns])


def personal_losses(rankings: PersonalRankings) -> PersonalDistances:
    """Return the loss of every protocol's ranking of every image for each annotator's own.

    In [0, 100]; 0 on an image with a single method, which has no pairs. There is a row for each
    ranking, by image and annotator in order of name.
    """
    return distances_by_ranking(rankings, rankings.protocols, losses_of)


def losses_of(group: PersonalGroup) -> Floats:
    """Return the losses of g images, k rankings each and p protocols, of shape (g, k, p)."""
    return losses_between(group.people[:, :, np.newaxis], group.protocols[:, np.newaxis])


def losses_between(a: Places, b: Places) -> Floats:
    """Return how many of 100 pairs are ordered differently, of shape (...).

    ``a`` and ``b`` of shape (..., n) are as for :func:`.distances_between`.
    """
    # Multiplied first, so that a loss of so many pairs is the nearest floating-point number.
    return 100 * distances_between(a, b, "kemeny") / max(n_pairs(a.shape[-1]), 1)


def n_pairs(n_methods: int) -> int:
    """Return the number of pairs of so many methods."""
    return n_methods * (n_methods - 1) // 2


def distances_by_ranking(
    rankings: PersonalRankings,
    protocols: Sequence[str],
    measure: Callable[[PersonalGroup], Floats],
) -> PersonalDistances:
    """Return the groups' measurements as one table, by image and annotator in order of name.

    ``measure`` takes a group of k rankings of each of g images and returns an array of shape (g, k, p).
    """
    n_of_image = np.zeros(len(rankings.images), dtype=np.intp)
    for group in rankings.groups:
        n_of_image[group.images] = group.annotators.shape[1]
    # The order of rows does not depend on the groups, so that sums are rounded alike.
    first_of_image = np.cumsum(n_of_image) - n_of_image
    annotators = np.empty(n_of_image.sum(), dtype=np.intp)
    distances = np.empty((len(annotators), len(protocols)))
    for group in rankings.groups:
        rows = first_of_image[group.images, np.newaxis] + np.arange(group.annotators.shape[1])
        annotators[rows] = group.annotators
        distances[rows] = measure(group)
    images = np.repeat(np.arange(len(n_of_image)), n_of_image)
    return PersonalDistances(
        tuple(protocols), images, annotators, distances, scale=_scale(rankings.groups)
    )


def _scale(groups: Sequence[PersonalGroup]) -> int:
    """Return a number whose product with every loss is whole; 0 if it is too large."""
    # A loss is a multiple of 50 / pairs.
    pairs = {max(n_pairs(group.people.shape[2]), 1) for group in groups}
    scale = math.lcm(*(n // math.gcd(n, 50) for n in pairs))
    return scale if scale <= _MOST_SCALE else 0
