"""The distance of every protocol to every annotator's own ranking of an image."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..orders.distances import Distance, distances_between, require_distance
from ..orders.packed_scores import Floats
from .personal_rankings import PersonalGroup, PersonalRankings

# Distances are multiples of a quarter.
_SCALE: Final = 4
# A multiple that was divided and multiplied again differs from a whole number by less.
_NEARLY_WHOLE: Final = 1e-6
# Whole numbers below are exact as floating-point numbers.
_EXACT: Final = 2.0**53


@dataclass(frozen=True, slots=True)
class PersonalDistances:
    """The distance of every protocol to every annotator's own ranking, of shape (n, p).

    ``images`` and ``annotators`` of shape (n,) number those of each ranking; ``by_group``: annotators
    are groups of them (:mod:`.clusters`). ``scale`` times a distance is an integer, if it is not 0:
    edit distances and Kemeny's are multiples of a quarter at least.
    """

    protocols: tuple[str, ...]
    images: NDArray[np.intp]
    annotators: NDArray[np.intp]
    distances: Floats
    by_group: bool = False
    scale: int = 0

    def in_order(self) -> "PersonalDistances":
        """Return the rankings by image, annotator and distances: sums are then rounded alike."""
        keys = *self.distances.T[::-1], self.annotators, self.images
        return self.at(np.lexsort(keys))

    def integers(self) -> Floats | None:
        """Return distances times ``scale``, around a number near their mean, as whole numbers.

        None if they are no multiples, or so many that sums of squares would be rounded.
        """
        if not self.scale or not len(self.distances):
            return None
        scaled = self.distances * self.scale
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max(initial=0) > _NEARLY_WHOLE:
            return None
        whole -= np.rint(whole.mean(axis=0))
        most = float(np.abs(whole).max(initial=0))
        return whole if (2 * most * len(whole)) ** 2 < _EXACT else None

    def means(self) -> Floats:
        """Return the mean distance of each protocol, of shape (p,)."""
        scaled = self.distances * (self.scale or 1)
        if self.scale and np.abs(scaled - np.rint(scaled)).max(initial=0) <= _NEARLY_WHOLE:
            return np.asarray(np.rint(scaled).sum(axis=0) / (self.scale * len(scaled)))
        return np.asarray(self.distances.mean(axis=0))

    def at(self, rows: NDArray[np.bool_ | np.intp]) -> "PersonalDistances":
        """Return some rankings, given by their numbers or by whether each is among them."""
        return replace(
            self,
            images=self.images[rows],
            annotators=self.annotators[rows],
            distances=self.distances[rows],
        )

    def only(self, at: int) -> "PersonalDistances":
        """Return the distances of one protocol, given by its number."""
        return replace(
            self, protocols=(self.protocols[at],), distances=self.distances[:, at : at + 1]
        )


def personal_distances(
    rankings: PersonalRankings, *, distance: Distance = "edit"
) -> PersonalDistances:
    """Measure the distance of every protocol's ranking of every image to each annotator's own.

    There is a row for each ranking, by image and annotator in order of name. Raises RankingError for an
    unknown distance.
    """
    require_distance(distance)

    def apart(group: PersonalGroup) -> Floats:
        people, protocols = group.people[:, :, np.newaxis], group.protocols[:, np.newaxis]
        return distances_between(people, protocols, distance)

    return distances_by_ranking(rankings, rankings.protocols, apart)


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
    return PersonalDistances(tuple(protocols), images, annotators, distances, scale=_SCALE)
