"""Baselines of a table of protocols: all tied, random order, and human.

The human baseline is an annotator who is left out and compared with the consensus of the others; so
that a protocol can be compared with a person, its distance is measured to that same consensus, too.
The idea is that of the alternative annotator test ([CRD25]_): whether a protocol could replace one
of the annotators.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from text_rankings.base.i18n import gettext, gettext_noop

from ..consensus.rules import ConsensusMethod
from ..inference.multi_reader import Comparisons, PersonalDistances, compare, distances_by_ranking
from ..inference.personal_rankings import PersonalGroup, PersonalRankings
from ..inference.significance import holm
from ..orders.buckets import Ranking
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.packed_scores import Floats
from .annotators import of_the_others
from .report import ALL_TIED, RANDOM_ORDER

A_PERSON = gettext_noop("a person")
BASELINES: Final = frozenset({ALL_TIED, RANDOM_ORDER, A_PERSON})


def said_of_row(name: str) -> str:
    """Return a baseline in the reader's language; names of protocols are the same in all of them.

    Parameters
    ----------
    name
        As a report's row has it.

    Examples
    --------
    >>> said_of_row("CLEval"), said_of_row(RANDOM_ORDER)
    ('CLEval', 'random order')
    """
    return gettext(name) if name in BASELINES else name


@dataclass(frozen=True, slots=True)
class BaselineMeasures:
    """Measures of a baseline in addition to the Score: means over the images, or None without an image.

    Attributes
    ----------
    kemeny_distance, pairwise_accuracy : float or None
        As of a protocol; expected values of the random order, and means over the annotators who are
        left out one after the other of the person.
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
    """Return the Kemeny distance and the share of pairs agreed of all tied, random order and a person.

    With t of the n (n - 1) / 2 pairs of an image's consensus tied, the ranking that ties all agrees
    on these and is half a pair away on each other one; a random order agrees on half of the others,
    and is half a pair away on all on average.

    Parameters
    ----------
    rankings : PersonalRankings
        Rankings of the images that count; others are ignored.
    consensus : image -> ranking
    consensus_method : "mean-rank", "kemeny" or "davidson"
        Method of the consensus of the others.

    Returns
    -------
    tuple of BaselineMeasures
        All tied, random order, human; None if there is no pair or no second annotator.

    Examples
    --------
    >>> from rankings.inference.personal_rankings import personal_rankings
    >>> ab = (("a",), ("b",))
    >>> people = personal_rankings({"img_1": {"ann": ab, "ben": ab}}, {"img_1": {}}, [])
    >>> found = baseline_measures(people, {"img_1": ab})
    >>> [(one.baseline, one.kemeny_distance, one.pairwise_accuracy) for one in found]
    [('all tied', 0.5, 0.0), ('random order', 0.5, 0.5), ('a person', 0.0, 1.0)]
    """
    # For each bucket of each consensus its size and its image.
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
    # Exactly rounded: the same however the images were put together.
    return math.fsum(defined) / len(defined) if len(defined) else None


def _of_persons(rankings: PersonalRankings, method: ConsensusMethod) -> tuple[Floats, Floats]:
    """Return the Kemeny distance and the share of pairs agreed of left-out annotators, by image."""
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
) -> Comparisons:
    """Compare every protocol with a person, annotators and images random.

    For every annotator and image: the distance of the protocol's ranking to the consensus of all other
    annotators, minus that of this annotator's own. The test is that of :func:`.multi_reader.compare`,
    with p-values adjusted over the protocols.

    Parameters
    ----------
    rankings : PersonalRankings
        Images with one annotator do not count.
    distance : "edit" or "kemeny"
    consensus : "mean-rank", "kemeny" or "davidson"
        Method that merges the rankings of the others.

    Returns
    -------
    Comparisons
        One pair for each protocol, a person second.

    Raises
    ------
    RankingError
        If the distance is neither.

    Examples
    --------
    >>> from rankings.inference.personal_rankings import personal_rankings
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> people = dict.fromkeys(["img_1", "img_2"], {"ann": ab, "ben": ab})
    >>> rankings = personal_rankings(people, dict.fromkeys(people, {"iou": ba}), ["iou"])
    >>> against_a_person(rankings).pairs[0].difference  # always one swap farther
    1.0
    """
    require_distance(distance)
    tested = compare(_to_the_others(rankings, distance, consensus))
    pairs = [pair for pair in tested.pairs if pair.second == A_PERSON]
    corrected = holm([pair.p_value for pair in pairs])
    return replace(
        tested,
        pairs=tuple(
            replace(pair, holm_p_value=p) for pair, p in zip(pairs, corrected, strict=True)
        ),
    )


def _to_the_others(
    rankings: PersonalRankings, distance: Distance, consensus: ConsensusMethod
) -> PersonalDistances:
    """Return for every ranking the distances of protocols and annotator to the consensus of the others."""

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
