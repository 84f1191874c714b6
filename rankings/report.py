"""Best / Worst / Score: how far each protocol's rankings lie from people's ([DPTF18]_, section IV)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from .consensus import CONSENSUS_METHODS, ConsensusMethod, consensus_of
from .distances import expected_kemeny_from_random_order, kemeny_distances
from .edit_distance import edit_distances, expected_from_random_order, places_of
from .errors import MissingScore, RankingError
from .from_scores import MAX_DECIMALS, f_beta, ranking_from_scores
from .orders import Ranking, checked, methods_of

ALL_TIED = "all tied"
RANDOM_ORDER = "random order"

RecallPrecision = tuple[float | None, float | None]
# image -> protocol -> method -> value
Scores = Mapping[str, Mapping[str, Mapping[str, float | None]]]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a report depends on beside its data.

    Attributes
    ----------
    decimals : int or None
        Scores are rounded to so many decimals before they are ranked; None: not rounded.
    distance : "edit" or "kemeny"
    consensus : "mean-rank", "kemeny" or "davidson"
    beta : float
        Preference is compared with the F-score of this beta.
    min_annotators : int
        An image counts once it has so many rankings.
    """

    decimals: int | None = 4
    distance: Literal["edit", "kemeny"] = "edit"
    consensus: ConsensusMethod = "mean-rank"
    beta: float = 1.0
    min_annotators: int = 3

    def __post_init__(self) -> None:
        if self.decimals is not None and not 0 <= self.decimals <= MAX_DECIMALS:
            raise RankingError(
                f"decimals must be None or in 0 .. {MAX_DECIMALS}, got {self.decimals}"
            )
        if self.distance not in ("edit", "kemeny"):
            raise RankingError(f"distance must be edit or kemeny, got {self.distance!r}")
        if self.consensus not in CONSENSUS_METHODS:
            raise RankingError(
                f"consensus must be {', '.join(CONSENSUS_METHODS)}, got {self.consensus!r}"
            )
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise RankingError(f"beta must be a positive number, got {self.beta}")
        if self.min_annotators < 1:
            raise RankingError(f"min_annotators must be at least 1, got {self.min_annotators}")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; a baseline takes no part in Best and Worst, and an empty table has no Score."""

    protocol: str
    best: int | None
    worst: int | None
    score: float | None


@dataclass(frozen=True, slots=True)
class CriterionReport:
    """One criterion's table and what it was made from."""

    rows: tuple[Row, ...]
    baselines: tuple[Row, ...]
    n_images: int
    n_rankings: int
    # (image, reason)
    left_out: tuple[tuple[str, str], ...]
    consensus: Mapping[str, Ranking]
    # image -> protocol or baseline -> distance to the consensus
    distances: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Report:
    """A table for each criterion."""

    settings: Settings
    criteria: Mapping[str, CriterionReport]

    def to_json(self) -> dict[str, Any]:
        """Return the whole report as JSON-able data, numbers in full precision."""
        return {
            "settings": asdict(self.settings),
            "criteria": {
                name: {
                    "rows": [asdict(row) for row in criterion.rows],
                    "baselines": [asdict(row) for row in criterion.baselines],
                    "n_images": criterion.n_images,
                    "n_rankings": criterion.n_rankings,
                    "left_out": [
                        {"image": image, "reason": reason} for image, reason in criterion.left_out
                    ],
                    "consensus": {
                        image: [list(bucket) for bucket in ranking]
                        for image, ranking in criterion.consensus.items()
                    },
                    "distances": {image: dict(row) for image, row in criterion.distances.items()},
                }
                for name, criterion in self.criteria.items()
            },
        }


def report_from_json(data: Mapping[str, Any]) -> Report:
    """Return the report that :meth:`Report.to_json` gave as data."""
    return Report(
        Settings(**data["settings"]),
        {
            name: CriterionReport(
                rows=tuple(Row(**row) for row in one["rows"]),
                baselines=tuple(Row(**row) for row in one["baselines"]),
                n_images=one["n_images"],
                n_rankings=one["n_rankings"],
                left_out=tuple((left["image"], left["reason"]) for left in one["left_out"]),
                consensus={
                    image: tuple(map(tuple, ranking)) for image, ranking in one["consensus"].items()
                },
                distances=one["distances"],
            )
            for name, one in data["criteria"].items()
        },
    )


def build_report(
    annotator_rankings: Mapping[str, Mapping[str, Sequence[Ranking]]],
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    settings: Settings | None = None,
) -> Report:
    """Score every protocol by how far its rankings lie from the annotators'.

    Recall is compared with R, precision with P, and every other criterion (preference) with
    F_beta of the two.

    Parameters
    ----------
    annotator_rankings : criterion -> image -> rankings, one for each annotator
    scores : image -> protocol -> method -> (recall, precision)
        Fractions in [0, 1]; None is undefined.
    """
    settings = settings or Settings()
    return Report(
        settings,
        {
            criterion: criterion_report(rankings, values_of(criterion, scores, settings), settings)
            for criterion, rankings in annotator_rankings.items()
        },
    )


def values_of(
    criterion: str,
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    settings: Settings,
) -> Scores:
    """Return the value of each score that a criterion is compared with."""

    def value(score: RecallPrecision) -> float | None:
        recall, precision = score
        if criterion == "recall":
            return recall
        if criterion == "precision":
            return precision
        if recall is None or precision is None:
            return None
        return f_beta(recall, precision, settings.beta)

    return {
        image: {
            protocol: {method: value(score) for method, score in of_method.items()}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in scores.items()
    }


def criterion_report(
    rankings: Mapping[str, Sequence[Ranking]], scores: Scores, settings: Settings
) -> CriterionReport:
    """Return the table of one criterion.

    Best and Worst count the images on which a protocol's distance is the smallest or largest of
    all protocols; every holder of the place counts. Score is the mean distance over the images, and
    rows are ordered by it. The baselines are a protocol that ties everything and the expected
    distance of a random strict order; they take no part in Best and Worst.

    An image is left out, for all protocols alike, when it has fewer than ``min_annotators``
    rankings, when its rankings are of different methods, and when a protocol lacks the score of a
    ranked method.
    """
    protocols = sorted({protocol for of_protocol in scores.values() for protocol in of_protocol})
    used: dict[str, tuple[Ranking, list[Ranking]]] = {}
    left_out = []
    n_rankings = 0
    for image, of_annotator in rankings.items():
        try:
            consensus = _consensus(of_annotator, settings)
            used[image] = (
                consensus,
                list(_protocol_rankings(image, consensus, protocols, scores, settings)),
            )
            n_rankings += len(of_annotator)
        except _LeftOut as reason:
            left_out.append((image, str(reason)))
    names = [*protocols, ALL_TIED, RANDOM_ORDER]
    table = np.array([_distances(*of_image, settings) for of_image in used.values()])
    table = table.reshape(len(used), len(names))
    return CriterionReport(
        rows=_rows(protocols, table[:, : len(protocols)]),
        baselines=tuple(
            Row(name, None, None, _mean(table[:, len(protocols) + at]))
            for at, name in enumerate((ALL_TIED, RANDOM_ORDER))
        ),
        n_images=len(used),
        n_rankings=n_rankings,
        left_out=tuple(left_out),
        consensus={image: consensus for image, (consensus, _) in used.items()},
        distances={
            image: dict(zip(names, map(float, row), strict=True))
            for image, row in zip(used, table, strict=True)
        },
    )


class _LeftOut(Exception):
    """An image does not count; the message is the reason."""


def _consensus(rankings: Sequence[Ranking], settings: Settings) -> Ranking:
    if len(rankings) < settings.min_annotators:
        raise _LeftOut(f"{len(rankings)} of {settings.min_annotators} annotators")
    of_annotator = [checked(ranking) for ranking in rankings]
    ranked = [methods_of(ranking) for ranking in of_annotator]
    differing = frozenset.union(*ranked) - frozenset.intersection(*ranked)
    if differing:
        raise _LeftOut(f"not ranked by every annotator: {', '.join(sorted(differing))}")
    return consensus_of(of_annotator, settings.consensus)


def _protocol_rankings(
    image: str, consensus: Ranking, protocols: Sequence[str], scores: Scores, settings: Settings
) -> Iterator[Ranking]:
    methods = sorted(methods_of(consensus))
    of_protocol = scores.get(image, {})
    for protocol in protocols:
        found = of_protocol.get(protocol, {})
        try:
            yield ranking_from_scores(
                {method: found.get(method) for method in methods}, settings.decimals
            )
        except MissingScore as missing:
            raise _LeftOut(f"{protocol}: {missing}") from missing


def _distances(
    consensus: Ranking, protocol_rankings: Sequence[Ranking], settings: Settings
) -> list[float]:
    """Return the distance of each protocol, of all tied and of a random order to the consensus."""
    all_tied = (tuple(sorted(methods_of(consensus))),)
    goal, *others = places_of([consensus, *protocol_rankings, all_tied])
    goals = np.broadcast_to(goal, (len(others), len(goal)))
    if settings.distance == "edit":
        return [*edit_distances(np.array(others), goals), expected_from_random_order(consensus)]
    return [
        *kemeny_distances(np.array(others), goals),
        expected_kemeny_from_random_order(consensus),
    ]


def _rows(
    protocols: Sequence[str], table: np.ndarray[Any, np.dtype[np.float64]]
) -> tuple[Row, ...]:
    if not len(table) or not protocols:
        return tuple(Row(protocol, 0, 0, None) for protocol in protocols)
    best = (table == table.min(axis=1, keepdims=True)).sum(axis=0)
    worst = (table == table.max(axis=1, keepdims=True)).sum(axis=0)
    rows = [
        Row(protocol, int(best[at]), int(worst[at]), _mean(table[:, at]))
        for at, protocol in enumerate(protocols)
    ]
    return tuple(sorted(rows, key=lambda row: (row.score, row.protocol)))


def _mean(column: np.ndarray[Any, np.dtype[np.float64]]) -> float | None:
    # Distances are multiples of a quarter: their sum is exact, and one division rounds.
    return float(column.sum()) / len(column) if len(column) else None
