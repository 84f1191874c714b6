"""Groups of annotators and scenes of images, whose members resemble each other.

Annotators of one laboratory share habits, and images of one walk share content. Then a group, or a
scene, is what was drawn from a population, and the test counts groups and scenes: the rankings of a
group's annotators of a scene's images are one cell, their mean, in the crossed design of
:mod:`.multi_reader`. Two groups have one degree of freedom, so they hardly ever show what holds for
other groups; a report says so.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from .personal_distances import PersonalDistances

Numbers = NDArray[np.intp]
# Means of cells of very different sizes are multiples of too small a fraction.
_MOST_SCALE: Final = 10**6


@dataclass(frozen=True, slots=True)
class Declared:
    """Groups of annotators and scenes of images, by name; who has none is one by itself."""

    groups: Mapping[str, str] = field(default_factory=dict)
    scenes: Mapping[str, str] = field(default_factory=dict)

    def of(
        self, measured: PersonalDistances, images: Sequence[str], annotators: Sequence[str]
    ) -> PersonalDistances:
        """Return distances with groups and scenes as the units of a test; names are in order."""
        return clustered(measured, *self.numbers(measured, images, annotators))

    def numbers(
        self, measured: PersonalDistances, images: Sequence[str], annotators: Sequence[str]
    ) -> tuple[Numbers | None, Numbers | None]:
        """Return the numbers of each ranking's group and scene, None if none are declared."""
        groups = _numbers(self.groups, annotators)
        scenes = _numbers(self.scenes, images)
        return (
            None if groups is None else groups[measured.annotators],
            None if scenes is None else scenes[measured.images],
        )

    def units(self, annotators: Sequence[str], images: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Return the number of each annotator's group and of each image's scene.

        One group or scene of all counts as none declared: each is then by itself.
        """
        found = []
        for numbers, names in (
            (_numbers(self.groups, annotators), annotators),
            (_numbers(self.scenes, images), images),
        ):
            several = _several(numbers)
            found.append(np.arange(len(names)) if several is None else several)
        return found[0], found[1]

    def counts(self, images: Sequence[str], annotators: Sequence[str]) -> tuple[int, int]:
        """Return the numbers of groups and of scenes; 0 if none are declared."""
        groups, scenes = _numbers(self.groups, annotators), _numbers(self.scenes, images)
        n_groups, n_scenes = (0 if of is None else len({*of.tolist()}) for of in (groups, scenes))
        return n_groups, n_scenes


NONE_DECLARED: Final = Declared()


def _numbers(cluster_of: Mapping[str, str], names: Sequence[str]) -> Numbers | None:
    if not cluster_of:
        return None
    # A pair, so that no name of a cluster equals that of a member without one.
    own = [(name in cluster_of, cluster_of.get(name, name)) for name in names]
    number = {cluster: at for at, cluster in enumerate(dict.fromkeys(own))}
    return np.array([number[cluster] for cluster in own], dtype=np.intp)


def clustered(
    measured: PersonalDistances, groups: Numbers | None = None, scenes: Numbers | None = None
) -> PersonalDistances:
    """Return distances whose images are scenes and whose annotators are groups.

    ``groups`` and ``scenes`` of shape (n,) number the annotator's group and the image's scene of each
    ranking. There is a row for each combination that occurs, with the mean of its rankings. One group
    or scene counts as none declared. Raises RankingError if there is not one number for each
    ranking.
    """
    for numbers in (groups, scenes):
        if numbers is not None and len(numbers) != len(measured.images):
            raise RankingError(f"expected {len(measured.images)} numbers, got {len(numbers)}")
    images = _several(scenes)
    annotators = _several(groups)
    if images is None and annotators is None:
        return measured
    by_group = annotators is not None
    # Sums of any order of rows are rounded alike.
    order = measured.order()
    images = (measured.images if images is None else images)[order]
    annotators = (measured.annotators if annotators is None else annotators)[order]
    cells = np.stack([images, annotators], axis=1)
    different, cell_of = np.unique(cells, axis=0, return_inverse=True)
    sums = np.zeros((len(different), measured.distances.shape[1]))
    np.add.at(sums, cell_of.ravel(), measured.distances[order])
    sizes = np.bincount(cell_of.ravel())
    # Means of so many numbers are multiples of one fraction.
    scale = measured.scale * math.lcm(*set(sizes.tolist())) if len(sizes) else 0
    return replace(
        measured,
        images=different[:, 0],
        annotators=different[:, 1],
        distances=sums / sizes[:, np.newaxis],
        by_group=by_group,
        scale=scale if scale <= _MOST_SCALE else 0,
    )


def _several(numbers: Numbers | None) -> Numbers | None:
    return None if numbers is None or len(np.unique(numbers)) < 2 else numbers
