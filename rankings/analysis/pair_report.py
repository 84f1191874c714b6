"""Losses of protocols estimated from pairs, by criterion, and the differences between protocols.

Visits that asked for some methods, drawn at random, are combined with rankings of all methods.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from ..agreement.report import RecallPrecision, Scores, Settings, lacking, values_of
from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.multi_reader import told_apart
from ..inference.pair_estimates import LostVisit, Visit, compare_by_pairs, loss_limits
from ..orders.buckets import Ranking
from ..orders.packed_scores import protocols_of, rankings_from_scores
from .analysis import plain

_NOTHING: Final = "no scores"
_AnyVisit = TypeVar("_AnyVisit", Visit, LostVisit)


def pair_report(
    visits: Mapping[str, Sequence[Visit]],
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    settings: Settings,
    lost: Mapping[str, Sequence[LostVisit]] | None = None,
    declared: Declared = NONE_DECLARED,
) -> dict[str, Any]:
    """Return each protocol's mean loss per pair, and comparisons of protocols, as JSON-able data.

    For each criterion ``comparisons`` (:class:`.Comparisons`), ``clusters`` and ``letters``, the
    numbers of visits, whole rankings, images, annotators and pairs asked, ``skipped``
    (:class:`.LossLimits`), and ``left_out``: images without a score of some protocol, left out for
    all. Scores (recall, precision) of every visited image need not be those by which the pairs were
    drawn. Of the settings, decimals and beta are used. Visits that are ``lost`` because a pair was
    skipped enter the losses if they have other answers. The tests count ``declared`` groups and
    scenes.

    Raises RankingError as :func:`.pair_estimates.pair_losses` does.
    """
    # Answers from elsewhere may be by some criteria only.
    asked = {name: own for name, own in visits.items() if own or (lost or {}).get(name)}
    return {
        "settings": plain(settings),
        "criteria": {
            criterion: _of_criterion(
                own,
                (lost or {}).get(criterion, ()),
                values_of(criterion, scores, settings),
                settings,
                declared,
            )
            for criterion, own in (asked or visits).items()
        },
    }


@dataclass(frozen=True, slots=True)
class Comparable(Generic[_AnyVisit]):
    """Visits to images that all protocols score fully, protocols' rankings, and other images."""

    visits: Sequence[_AnyVisit]
    rankings: Mapping[str, Mapping[str, Ranking]]
    left_out: Sequence[Mapping[str, str]]


def comparable(
    visits: Sequence[_AnyVisit], values: Scores, protocols: Sequence[str], decimals: int | None
) -> Comparable[_AnyVisit]:
    """Return the comparable part of some visits by one criterion; values are rounded first.

    An image is left out for all protocols if one has no value there.
    """
    methods: dict[str, list[str]] = {}
    left_out = []
    for image in sorted({visit.image for visit in visits}):
        scored = sorted({method for of_method in values[image].values() for method in of_method})
        reason = lacking(values[image], protocols, scored) if scored else _NOTHING
        if reason:
            left_out.append({"image": image, "reason": reason})
        else:
            methods[image] = scored
    return Comparable(
        [visit for visit in visits if visit.image in methods],
        rankings_from_scores(values, methods, protocols, decimals),
        left_out,
    )


def _of_criterion(
    visits: Sequence[Visit],
    lost: Sequence[LostVisit],
    values: Scores,
    settings: Settings,
    declared: Declared,
) -> dict[str, Any]:
    protocols = protocols_of(values)
    found = comparable(visits, values, protocols, settings.decimals)
    without = comparable(lost, values, protocols, settings.decimals)
    rankings = {**found.rankings, **without.rankings}
    left_out = {left["image"]: left for left in (*found.left_out, *without.left_out)}
    kept = [visit for visit in without.visits if visit.has_answers]
    tested = compare_by_pairs([*found.visits, *kept], rankings, protocols, declared=declared)
    clusters, letters = told_apart(tested)
    asked: dict[bool, int] = defaultdict(int)
    for visit in found.visits:
        asked[visit.probabilities is None] += 1
    return {
        "comparisons": plain(tested),
        "clusters": clusters,
        "letters": letters,
        "n_visits": asked[False],
        "n_rankings": asked[True],
        "n_images": len({visit.image for visit in found.visits}),
        "n_annotators": len({visit.annotator for visit in found.visits}),
        "n_pairs": sum(_n_pairs(visit) for visit in found.visits),
        "skipped": plain(loss_limits(found.visits, without.visits, rankings, protocols)),
        "left_out": [left_out[image] for image in sorted(left_out)],
    }


def _n_pairs(visit: Visit) -> int:
    n = sum(map(len, visit.ranking))
    return n * (n - 1) // 2
