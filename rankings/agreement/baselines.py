"""Baselines of a table of protocols: all tied, random order, and human.

For the human baseline, an annotator is left out and compared with the consensus of the others; to
compare a protocol with a person, its distance to that same consensus is measured, too. The idea is
that of the alternative annotator test ([CRD25]_): whether a protocol could replace an annotator.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..consensus.rules import ConsensusMethod
from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.multi_reader import Comparisons, compare
from ..inference.personal_distances import PersonalDistances, distances_by_ranking
from ..inference.personal_rankings import PersonalGroup, PersonalRankings
from ..orders.buckets import Ranking
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.packed_scores import Floats
from .annotators import of_the_others
from .report import ALL_TIED, RANDOM_ORDER

A_PERSON = "a person"
BASELINES: Final = frozenset({ALL_TIED, RANDOM_ORDER, A_PERSON})


@dataclass(frozen=True, slots=True)
class BaselineMeasures:
    """Measures of a baseline in addition to the Score: means over images, or None if undefined.

    Expected values for the random order; for the person means over the annotators, each left out.
    """

    baseline: str
    kemeny_distance: float | None
    pairwise_accuracy: float | None


def baseline_measures(
    rankings: PersonalRankings,
    consensus: Mapping[str, Ranking],
    *,
    consensus_method: ConsensusMethod = "mean-rank",
) -> tuple[BaselineMeasures, ...]:
    """Return the Kemeny distance and the share of agreed pairs of all tied, random order and human.

    If t of the n (n - 1) / 2 pairs of an image's consensus are tied, the ranking that ties all
    agrees on these and is half a pair away on each of the others; a random order agrees on half of
    the others, and is on average half a pair away on every pair. For the person, images with one
    annotator do not count. Measures are None if there is no pair or second annotator.
    """
    # For each bucket of each consensus, its size and the number of its image.
    sizes = np.array([len(of) for ranking in consensus.values() for of in ranking], dtype=np.intp)
    n_buckets = np.array([len(ranking) for ranking in consensus.values()], dtype=np.intp)
    image_of = np.repeat(np.arange(len(consensus)), n_buckets)
    n = np.bincount(image_of, sizes, len(consensus))
    pairs = n * (n - 1) / 2
    tied = np.bincount(image_of, sizes * (sizes - 1) / 2, len(consensus))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(pairs > 0, tied / pairs, np.nan)
    kemeny, agreed = _of_persons(rankings, consensus_method)
    return (
        BaselineMeasures(ALL_TIED, _mean((pairs - tied) / 2), _mean(share)),
        BaselineMeasures(RANDOM_ORDER, _mean(pairs / 2), _mean((1 - share) / 2)),
        BaselineMeasures(A_PERSON, _mean(kemeny), _mean(agreed)),
    )


def _mean(values: Floats) -> float | None:
    defined = values[~np.isnan(values)]
    # Exactly rounded: the same in any order of the images.
    return math.fsum(defined) / len(defined) if len(defined) else None


def _of_persons(rankings: PersonalRankings, method: ConsensusMethod) -> tuple[Floats, Floats]:
    """Return the Kemeny distance and the share of agreed pairs of left-out annotators, by image."""
    kemeny, agreed = [np.empty(0)], [np.empty(0)]
    for people in (group.people for group in rankings.groups if group.people.shape[1] > 1):
        others = of_the_others(people, method)
        kemeny.append(distances_between(people, others, "kemeny").mean(axis=1))
        first, second = np.triu_indices(people.shape[2], 1)
        if len(first):
            own, goal = (np.sign(side[..., first] - side[..., second]) for side in (people, others))
            agreed.append((own == goal).mean(axis=(1, 2)))
    return np.concatenate(kemeny), np.concatenate(agreed)


def against_a_person(
    rankings: PersonalRankings,
    *,
    distance: Distance = "edit",
    consensus: ConsensusMethod = "mean-rank",
    declared: Declared = NONE_DECLARED,
) -> Comparisons:
    """Compare every protocol with a person, who comes second, with annotators and images random.

    For every annotator and image: the distance of the protocol's ranking to the consensus of all
    other annotators, minus that of this annotator's own ranking. Images with one annotator do not
    count. The test is that of :func:`.multi_reader.compare`, with p-values adjusted over the
    protocols; declared groups and scenes are its units. Raises RankingError for an unknown
    distance.
    """
    require_distance(distance)
    measured = _to_the_others(rankings, distance, consensus)
    clustered = declared.of(measured, rankings.images, rankings.annotators)
    return compare(clustered, with_protocol=A_PERSON)


def _to_the_others(
    rankings: PersonalRankings, distance: Distance, consensus: ConsensusMethod
) -> PersonalDistances:
    """Return how far protocols and annotator are from the others' consensus, for every ranking."""

    def apart(group: PersonalGroup) -> Floats:
        others = of_the_others(group.people, consensus)[:, :, np.newaxis]
        # (images, annotators, protocols) and (images, annotators, the annotator)
        protocols = distances_between(group.protocols[:, np.newaxis], others, distance)
        person = distances_between(group.people[:, :, np.newaxis], others, distance)
        return np.concatenate([protocols, person], axis=2)

    several = tuple(group for group in rankings.groups if group.people.shape[1] > 1)
    return distances_by_ranking(
        replace(rankings, groups=several), (*rankings.protocols, A_PERSON), apart
    )
