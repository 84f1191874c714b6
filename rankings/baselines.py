"""What stands beside the protocols of a table: all tied, random order, and a person.

A person is an annotator who is left out, compared with the consensus of the others; so that a protocol
can be compared with a person, its distance is measured to that very consensus, too. The idea is that of
the alternative annotator test ([CRD25]_): whether a protocol could stand in for one of the annotators.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.words import gettext_noop, retold

from .agreement import StudyRankings, of_the_others
from .consensus import ConsensusMethod
from .distances import Distance, distances_between, require_distance
from .errors import RankingError
from .multi_reader import Comparisons, PersonalDistances, compare
from .orders import Ranking
from .packed import packed_rankings
from .packed_scores import Floats
from .report import ALL_TIED, RANDOM_ORDER
from .significance import holm

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
    return retold(name) if name in BASELINES else name


@dataclass(frozen=True, slots=True)
class BaselineMeasures:
    """The measures beside the Score of a baseline: means over the images; None without one.

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
    study: StudyRankings,
    consensus: Mapping[str, Ranking],
    *,
    consensus_method: ConsensusMethod = "mean-rank",
) -> tuple[BaselineMeasures, ...]:
    """Return the Kemeny distance and the share of pairs agreed of all tied, random order and a person.

    With t of the n (n - 1) / 2 pairs of an image's consensus tied, the ranking that ties all agrees on
    these and is half a pair away on each other one; a random order agrees on half of the others, and is
    half a pair away on all in the mean.

    Parameters
    ----------
    study : image -> annotator -> ranking
        The images that count.
    consensus : image -> ranking
    consensus_method : "mean-rank", "kemeny" or "davidson"
        Of a person's consensus of the others.

    Returns
    -------
    tuple of BaselineMeasures
        All tied, random order, a person; None where there is no pair or no second annotator.

    Examples
    --------
    >>> ab = (("a",), ("b",))
    >>> found = baseline_measures({"img_1": {"ann": ab, "ben": ab}}, {"img_1": ab})
    >>> [(one.baseline, one.kemeny_distance, one.pairwise_accuracy) for one in found]
    [('all tied', 0.5, 0.0), ('random order', 0.5, 0.5), ('a person', 0.0, 1.0)]
    """
    tied, pairs = [], []
    for ranking in consensus.values():
        n = sum(map(len, ranking))
        pairs.append(n * (n - 1) / 2)
        tied.append(sum(len(bucket) * (len(bucket) - 1) / 2 for bucket in ranking))
    t, of_all = np.array(tied), np.array(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(of_all > 0, t / of_all, np.nan)
    kemeny, agreed = _of_persons(study, consensus_method)
    return (
        BaselineMeasures(ALL_TIED, _mean((of_all - t) / 2), _mean(share)),
        BaselineMeasures(RANDOM_ORDER, _mean(of_all / 2), _mean((1 - share) / 2)),
        BaselineMeasures(A_PERSON, _mean(kemeny), _mean(agreed)),
    )


def _mean(values: Floats) -> float | None:
    defined = values[~np.isnan(values)]
    # Exactly rounded: the same however the images were put together.
    return math.fsum(defined) / len(defined) if len(defined) else None


def _of_persons(study: StudyRankings, method: ConsensusMethod) -> tuple[Floats, Floats]:
    """Return the Kemeny distance and the share of pairs agreed of left-out annotators, by image."""
    kemeny, agreed = [np.empty(0)], [np.empty(0)]
    for group in packed_rankings([list(row.values()) for row in study.values()], _refuse(study)):
        if group.places.shape[1] < 2:
            continue
        others = of_the_others(group.places, method)
        kemeny.append(distances_between(group.places, others, "kemeny").mean(axis=1))
        first, second = np.triu_indices(group.places.shape[2], 1)
        if len(first):
            own, goal = (
                np.sign(side[..., first].astype(np.int64) - side[..., second])
                for side in (group.places, others)
            )
            agreed.append((own == goal).mean(axis=(1, 2)))
    return np.concatenate(kemeny), np.concatenate(agreed)


def _refuse(study: Iterable[str]) -> Callable[[int], None]:
    images = list(study)

    def refuse(at: int) -> None:
        raise RankingError(f"{images[at]}: rankings are of different methods")

    return refuse


def against_a_person(
    study: StudyRankings,
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
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
    study : image -> annotator -> ranking
        Images with one ranking do not count.
    protocol_rankings : image -> protocol -> ranking
    protocols : sequence of str
    distance : "edit" or "kemeny"
    consensus : "mean-rank", "kemeny" or "davidson"
        How the rankings of the others are merged.

    Returns
    -------
    Comparisons
        One pair for each protocol, a person second.

    Raises
    ------
    RankingError
        If the rankings of an image are of different methods, or the distance is neither.

    Examples
    --------
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> study = dict.fromkeys(["img_1", "img_2"], {"ann": ab, "ben": ab})
    >>> own = dict.fromkeys(study, {"iou": ba})
    >>> against_a_person(study, own, ["iou"]).pairs[0].difference  # always one swap farther
    1.0
    """
    require_distance(distance)
    measured = _to_the_others(study, protocol_rankings, protocols, distance, consensus)
    tested = compare(measured)
    pairs = [pair for pair in tested.pairs if pair.second == A_PERSON]
    corrected = holm([pair.p_value for pair in pairs])
    return replace(
        tested,
        pairs=tuple(
            replace(pair, holm_p_value=p) for pair, p in zip(pairs, corrected, strict=True)
        ),
    )


def _to_the_others(
    study: StudyRankings,
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
    distance: Distance,
    consensus: ConsensusMethod,
) -> PersonalDistances:
    """Return for every ranking the distances of protocols and annotator to the consensus of the others."""
    images = [image for image in sorted(study) if len(study[image]) > 1]
    names = sorted({name for image in images for name in study[image]})
    number = {name: at for at, name in enumerate(names)}
    rankings = [
        [
            *(protocol_rankings[image][protocol] for protocol in protocols),
            *(ranking for _, ranking in sorted(study[image].items())),
        ]
        for image in images
    ]
    parts = [np.empty((0, len(protocols) + 1))]
    of_image, of_annotator = [], []
    for group in packed_rankings(rankings, _refuse(images)):
        people = group.places[:, len(protocols) :]
        others = of_the_others(people, consensus)
        # (images, annotators, protocols and the annotator)
        own = np.broadcast_to(
            group.places[:, np.newaxis, : len(protocols)],
            (*people.shape[:2], len(protocols), people.shape[2]),
        )
        both = np.concatenate([own, people[:, :, np.newaxis]], axis=2)
        apart = distances_between(both, others[:, :, np.newaxis], distance)
        parts.append(apart.reshape(-1, len(protocols) + 1))
        of_image.append(np.repeat(group.rows, people.shape[1]))
        of_annotator += [
            number[name] for row in group.rows.tolist() for name in sorted(study[images[row]])
        ]
    images_of = np.concatenate([np.empty(0, dtype=np.intp), *of_image])
    annotators_of = np.array(of_annotator, dtype=np.intp)
    order = np.lexsort((annotators_of, images_of))
    return PersonalDistances(
        (*protocols, A_PERSON), images_of[order], annotators_of[order], np.concatenate(parts)[order]
    )
