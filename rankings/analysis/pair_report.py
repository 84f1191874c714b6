"""Losses of protocols estimated from pairs, by criterion: which protocols differ, and on which data.

Visits that asked some methods and whole rankings, which asked all for certain, count side by side.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from text_rankings.base.i18n import gettext_noop

from ..agreement.report import OF_PROTOCOL, RecallPrecision, Scores, Settings, values_of
from ..errors import MissingScore
from ..inference.multi_reader import told_apart
from ..inference.pair_estimates import LostVisit, Visit, compare_by_pairs, loss_limits
from ..orders.buckets import Ranking
from ..orders.from_scores import require_score
from ..orders.packed_scores import protocols_of, rankings_from_scores
from .analysis import plain

_NOTHING: Final = gettext_noop("no scores")
_AnyVisit = TypeVar("_AnyVisit", Visit, LostVisit)


def pair_report(
    visits: Mapping[str, Sequence[Visit]],
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    settings: Settings,
    lost: Mapping[str, Sequence[LostVisit]] | None = None,
) -> dict[str, Any]:
    """Return every protocol's mean loss per pair and its comparison with the others, as JSON-able data.

    Parameters
    ----------
    visits : criterion -> visits
    scores : image -> protocol -> method -> (recall, precision)
        Visits to every image. Visits of another day than the draw are equally valid.
    settings : Settings
        Decimals and beta count; distance, consensus and ``min_annotators`` do not.
    lost : criterion -> lost visits, optional
        Visits without a ranking because a pair was skipped; ``scores`` has their images, too.

    Returns
    -------
    dict
        For each criterion ``comparisons`` (:class:`.Comparisons`), ``clusters`` and ``letters``, the
        numbers of visits, whole rankings and pairs asked, ``skipped`` (:class:`.LossLimits`), and
        ``left_out``: images on which a protocol has no score, left out for all alike.

    Raises
    ------
    RankingError
        As :func:`.pair_estimates.pair_losses` does.

    Examples
    --------
    >>> visits = {"recall": [Visit("img_1", "ann", (("b",), ("a",)), None)]}
    >>> found = pair_report(visits, {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}, Settings())
    >>> found["criteria"]["recall"]["comparisons"]["means"]
    [1.0]
    """
    return {
        "settings": plain(settings),
        "criteria": {
            criterion: _of_criterion(
                own,
                (lost or {}).get(criterion, ()),
                values_of(criterion, scores, settings),
                settings,
            )
            for criterion, own in visits.items()
        },
    }


@dataclass(frozen=True, slots=True)
class Comparable(Generic[_AnyVisit]):
    """Visits to images on which every protocol ranks all methods, these rankings, and the excluded images."""

    visits: Sequence[_AnyVisit]
    rankings: Mapping[str, Mapping[str, Ranking]]
    left_out: Sequence[Mapping[str, str]]


def comparable(
    visits: Sequence[_AnyVisit], values: Scores, protocols: Sequence[str], decimals: int | None
) -> Comparable[_AnyVisit]:
    """Return the comparable part of some visits by one criterion.

    Parameters
    ----------
    visits : sequence of Visit or of LostVisit
    values : image -> protocol -> method -> value
        All visited images; an image is left out for all protocols if one protocol has no score there.
    protocols : sequence of str
    decimals : int or None
        To which values are rounded before they are ranked.

    Returns
    -------
    Comparable

    Examples
    --------
    >>> visits = [Visit("img_1", "ann", (("a",), ("b",)), None)]
    >>> found = comparable(visits, {"img_1": {"iou": {"a": 0.9, "b": None}}}, ["iou"], 4)
    >>> found.visits, [left["image"] for left in found.left_out]
    ([], ['img_1'])
    """
    methods: dict[str, list[str]] = {}
    left_out = []
    for image in sorted({visit.image for visit in visits}):
        scored = sorted({method for of_method in values[image].values() for method in of_method})
        reason = _lacking(values[image], protocols, scored)
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
    visits: Sequence[Visit], lost: Sequence[LostVisit], values: Scores, settings: Settings
) -> dict[str, Any]:
    protocols = protocols_of(values)
    found = comparable(visits, values, protocols, settings.decimals)
    without = comparable(lost, values, protocols, settings.decimals)
    rankings = {**found.rankings, **without.rankings}
    left_out = {left["image"]: left for left in (*found.left_out, *without.left_out)}
    tested = compare_by_pairs(found.visits, found.rankings, protocols)
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
        "n_pairs": sum(_n_pairs(visit) for visit in found.visits),
        "skipped": plain(loss_limits(found.visits, without.visits, rankings, protocols)),
        "left_out": [left_out[image] for image in sorted(left_out)],
    }


def _lacking(
    of_image: Mapping[str, Mapping[str, float | None]],
    protocols: Sequence[str],
    methods: Sequence[str],
) -> str:
    """Return which score is missing first; empty where all are there."""
    if not methods:
        return _NOTHING
    for protocol in protocols:
        for method in methods:
            try:
                require_score(of_image.get(protocol, {}).get(method), method)
            except MissingScore as missing:
                return OF_PROTOCOL.format(protocol=protocol, reason=missing)
    return ""


def _n_pairs(visit: Visit) -> int:
    n = sum(map(len, visit.ranking))
    return n * (n - 1) // 2
