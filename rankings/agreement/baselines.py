"""Baselines of a table of protocols: all tied, random order, and human.

For the human baseline, an annotator is left out and compared with the consensus of the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..consensus.rules import ConsensusMethod
from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.multi_reader import Comparisons, compare_clusters
from ..inference.personal_distances import (
    PersonalDistances,
    distances_by_ranking,
    losses_between,
    losses_of,
)
from ..inference.personal_rankings import PersonalGroup, PersonalRankings
from ..orders.buckets import Ranking
from ..orders.distances import distances_between
from ..orders.packed_scores import Floats
from .annotators import of_the_others
from .measures import mean_defined
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
        BaselineMeasures(ALL_TIED, mean_defined((pairs - tied) / 2), mean_defined(share)),
        BaselineMeasures(RANDOM_ORDER, mean_defined(pairs / 2), mean_defined((1 - share) / 2)),
        BaselineMeasures(A_PERSON, mean_defined(kemeny), mean_defined(agreed)),
    )


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


def against_silence(
    rankings: PersonalRankings,
    protocols: Sequence[str],
    sentinels: Sequence[str] = (),
    *,
    declared: Declared = NONE_DECLARED,
) -> dict[str, Comparisons]:
    """Compare the ``protocols`` with each ranking that knows nothing of the results, by its name.

    These are all tied, a random order, and the sentinels, which are among the protocols of the
    rankings. Each has a family of its own, and comes second in its pairs. Test and adjustment are those
    of :func:`.multi_reader.compare` with one protocol.
    """
    measured = with_baselines(rankings)
    return {
        name: compare_clusters(
            measured.of([*protocols, name]),
            rankings.images,
            rankings.annotators,
            declared,
            with_protocol=name,
        )
        for name in (ALL_TIED, RANDOM_ORDER, *sentinels)
    }


def with_baselines(rankings: PersonalRankings) -> PersonalDistances:
    """Return :func:`.personal_losses` with those of all tied and the expectation of a random order.

    A random strict order differs on half a pair from every pair, tied or not.
    """

    def losses(group: PersonalGroup) -> Floats:
        people = group.people[:, :, np.newaxis]
        tied = losses_between(people, np.zeros_like(people))
        drawn = np.full_like(tied, 50.0 if people.shape[-1] > 1 else 0.0)
        return np.concatenate([losses_of(group), tied, drawn], axis=2)

    return distances_by_ranking(rankings, (*rankings.protocols, ALL_TIED, RANDOM_ORDER), losses)


def losses_by_image(rankings: PersonalRankings) -> Floats:
    """Return the mean losses of each image of the rankings, of shape (images, protocols + 1).

    The last is that of all tied.
    """
    measured = with_baselines(rankings)
    table = np.zeros((len(rankings.images), len(rankings.protocols) + 1))
    np.add.at(table, measured.images, measured.distances[:, :-1])
    counts = np.bincount(measured.images, minlength=len(table))
    return np.asarray(table / np.maximum(counts, 1)[:, np.newaxis])
