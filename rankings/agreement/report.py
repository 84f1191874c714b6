"""Best / Worst / Score: each protocol's distance to people's rankings ([DPTF18]_, section IV)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..consensus.rules import (
    ConsensusMethod,
    consensus_by,
    consensus_places,
)
from ..elicitation.ordering import in_order
from ..errors import MissingScore
from ..orders.buckets import Ranking, checked, methods_of
from ..orders.distances import distances_between
from ..orders.edit_distance import expected_from_random_orders
from ..orders.from_scores import f_beta, f_betas, require_score
from ..orders.packed import Places, packed_rankings, rankings_of
from ..orders.packed_scores import Floats, packed_scores, protocols_of, rounded_scores
from .main_table import Row, baseline_rows, protocol_rows, row_from_json
from .packed_tables import images_of_table
from .settings import Settings as Settings

ALL_TIED = "all tied"
RANDOM_ORDER = "random order"

RecallPrecision = tuple[float | None, float | None]
# image -> protocol -> method -> value
Scores = Mapping[str, Mapping[str, Mapping[str, float | None]]]


@dataclass(frozen=True, slots=True)
class CriterionReport:
    """One criterion's table and the data behind it."""

    rows: tuple[Row, ...]
    baselines: tuple[Row, ...]
    n_images: int
    n_rankings: int
    # (image, reason)
    left_out: tuple[tuple[str, str], ...]
    consensus: Mapping[str, Ranking]
    # image -> protocol or baseline -> distance to the consensus
    distances: Mapping[str, Mapping[str, float]]
    # Images whose Kemeny consensus is the nearest ranking found, but not proven to be the nearest.
    unproven: tuple[str, ...] = ()

    def to_json(self, consensus: ConsensusMethod) -> dict[str, Any]:
        """Return the table as JSON-able data; for a Kemeny consensus, with the unproven images."""
        data: dict[str, Any] = {
            "rows": [row.to_json() for row in self.rows],
            "baselines": [row.to_json() for row in self.baselines],
            "n_images": self.n_images,
            "n_rankings": self.n_rankings,
            "left_out": [{"image": image, "reason": reason} for image, reason in self.left_out],
            "consensus": dict(self.consensus),
            "distances": dict(self.distances),
        }
        return data | ({"unproven": list(self.unproven)} if consensus == "kemeny" else {})


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
                name: criterion.to_json(self.settings.consensus)
                for name, criterion in self.criteria.items()
            },
        }


def report_from_json(data: Mapping[str, Any], *, images_of: str | None = None) -> Report:
    """Restore the report from the data of :meth:`Report.to_json`.

    Images take long in a report of many: ``images_of`` is the only criterion to restore with them.
    """
    return Report(
        Settings(**data["settings"]),
        {
            name: _table_from_json(table, with_images=images_of in (None, name))
            for name, table in data["criteria"].items()
        },
    )


def _table_from_json(table: Mapping[str, Any], *, with_images: bool) -> CriterionReport:
    consensus, distances = images_of_table(table) if with_images else ({}, {})
    return CriterionReport(
        rows=tuple(map(row_from_json, table["rows"])),
        baselines=tuple(map(row_from_json, table["baselines"])),
        n_images=table["n_images"],
        n_rankings=table["n_rankings"],
        left_out=tuple((left["image"], left["reason"]) for left in table["left_out"]),
        consensus=consensus,
        distances=distances,
        # Only tables of a Kemeny consensus have it.
        unproven=tuple(table.get("unproven", ())),
    )


def build_report(
    annotator_rankings: Mapping[str, Mapping[str, Sequence[Ranking]]],
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    settings: Settings | None = None,
) -> Report:
    """Score every protocol by how far its rankings are from the annotators'.

    Recall is compared with R, precision with P, and every other criterion (preference) with
    F_beta of the two.

    Best and Worst count the images on which a protocol's distance is the smallest or largest of all
    protocols; tied protocols all count. Score is the mean distance over the images, and
    rows are ordered by it. The baselines are a protocol that ties everything and the expected
    distance of a random strict order; they take no part in Best and Worst.

    An image is left out for all protocols if it has fewer than ``min_annotators`` rankings, if its
    rankings are of different methods, or if a protocol has no score for a ranked method.

    Parameters
    ----------
    annotator_rankings : criterion -> image -> rankings, one for each annotator
    scores : image -> protocol -> method -> (recall, precision)
        Fractions in [0, 1]; None is undefined.
    settings : Settings, optional

    Raises
    ------
    RankingError
        If a ranking is invalid.

    Examples
    --------
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> [row] = build_report({"recall": {"img_1": [ab, ab, ba]}}, scores).criteria["recall"].rows
    >>> row.protocol, row.score
    ('iou', 0.0)
    """
    settings = settings or Settings()
    return Report(
        settings,
        {
            criterion: _criterion_report(
                rankings, scores, settings, _OfPair(criterion, settings.beta)
            )
            for criterion, rankings in in_order(annotator_rankings).items()
        },
    )


@dataclass(frozen=True, slots=True)
class _OfPair:
    """The function from recall and precision to the value that a criterion is compared with."""

    criterion: str
    beta: float

    def value(self, score: RecallPrecision | None) -> float | None:
        if score is None:
            return None
        recall, precision = score
        if self.criterion == "recall":
            return recall
        if self.criterion == "precision":
            return precision
        if recall is None or precision is None:
            return None
        return f_beta(recall, precision, self.beta)

    def values(self, scores: Floats) -> Floats:
        recall, precision = scores[..., 0], scores[..., 1]
        if self.criterion == "recall":
            return recall
        if self.criterion == "precision":
            return precision
        return f_betas(recall, precision, self.beta)


def values_of(
    criterion: str,
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    settings: Settings,
) -> Scores:
    """Return, for each score (recall, precision), the value that a criterion is compared with.

    "recall", "precision" or any other for the F-score, by the beta of the settings; None if its
    input is undefined.
    """
    value = _OfPair(criterion, settings.beta).value
    return {
        image: {
            protocol: {method: value(score) for method, score in of_method.items()}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in scores.items()
    }


def _criterion_report(
    rankings: Mapping[str, Sequence[Ranking]],
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    settings: Settings,
    compared: _OfPair,
) -> CriterionReport:
    protocols = protocols_of(scores)
    names = [*protocols, ALL_TIED, RANDOM_ORDER]
    images = list(rankings)
    # Images are numbered; these are the reasons to leave some out, by their numbers.
    reasons = {
        at: f"{len(of_image)} of {settings.min_annotators} annotators"
        for at, of_image in enumerate(rankings.values())
        if len(of_image) < settings.min_annotators
    }
    enough = [() if at in reasons else of_image for at, of_image in enumerate(rankings.values())]
    consensus: dict[int, Ranking] = {}
    unproven: set[int] = set()
    # (images, protocols and baselines); the rows of images left out are never read.
    table = np.empty((len(images), len(names)))

    def leave_out(at: int) -> None:
        reasons[at] = _difference(enough[at])

    for group in packed_rankings(enough, leave_out):
        of_images = [images[at] for at in group.rows.tolist()]
        given = packed_scores(scores, of_images, group.methods, protocols, n_values=2)
        values = compared.values(given)
        is_complete = np.isfinite(values).all(axis=(1, 2))
        for at in np.flatnonzero(~is_complete).tolist():
            of_protocol = scores.get(of_images[at], {})
            reason = lacking(of_protocol, protocols, group.methods[at], compared.value)
            reasons[int(group.rows[at])] = reason
        rows = group.rows[is_complete]
        methods = [group.methods[at] for at in np.flatnonzero(is_complete).tolist()]
        people = (
            (images[at], ranked, enough[at])
            for at, ranked in zip(rows.tolist(), methods, strict=True)
        )
        find = consensus_by(settings.consensus)
        goals, is_proven = consensus_places(find, group.places[is_complete], people)
        unproven.update(rows[~is_proven].tolist())
        table[rows] = _distances(values[is_complete], goals, settings)
        consensus.update(zip(rows.tolist(), rankings_of(goals, methods), strict=True))
    used = sorted(consensus)
    return CriterionReport(
        rows=protocol_rows(protocols, table[used, : len(protocols)]),
        baselines=baseline_rows((ALL_TIED, RANDOM_ORDER), table[used, len(protocols) :]),
        n_images=len(used),
        n_rankings=sum(len(enough[at]) for at in used),
        left_out=tuple((images[at], reasons[at]) for at in sorted(reasons)),
        consensus={images[at]: consensus[at] for at in used},
        distances={
            images[at]: dict(zip(names, row, strict=True))
            for at, row in zip(used, _as_lists(table[used]), strict=True)
        },
        unproven=tuple(images[at] for at in sorted(unproven)),
    )


def _difference(rankings: Sequence[Ranking]) -> str:
    ranked = [methods_of(checked(ranking)) for ranking in rankings]
    differing = frozenset.union(*ranked) - frozenset.intersection(*ranked)
    return f"not ranked by every annotator: {', '.join(sorted(differing))}"


def lacking(
    of_protocol: Mapping[str, Mapping[str, Any]],
    protocols: Sequence[str],
    methods: Sequence[str],
    value: Callable[[Any], float | None] = lambda score: score,
) -> str:
    """Return the reason to leave an image out: the first score without a value; "" if none is."""
    for protocol in protocols:
        scores = of_protocol.get(protocol, {})
        for method in methods:
            try:
                require_score(value(scores.get(method)), method)
            except MissingScore as missing:
                return f"{protocol}: {missing}"
    return ""


def _distances(values: Floats, goals: Places, settings: Settings) -> Floats:
    """Return the distances to the consensus of each protocol, of all tied and of a random order.

    ``values`` are of shape (g, protocols, n), ``goals`` (bucket numbers of the consensus) of shape
    (g, n), the result of shape (g, protocols + 2).
    """
    n_images, n_protocols, n = values.shape
    table = np.empty((n_images, n_protocols + 2))
    rounded = rounded_scores(values, settings.decimals)
    table[:, :-2] = distances_between(rounded, goals[:, np.newaxis], settings.distance)
    table[:, -2] = distances_between(np.zeros_like(goals), goals, settings.distance)
    if settings.distance == "edit":
        table[:, -1] = expected_from_random_orders(goals)
    else:
        table[:, -1] = n * (n - 1) / 4
    return table


def _as_lists(table: Floats) -> list[list[float]]:
    """Return the rows; equal numbers share one object, as few numbers fill many cells."""
    numbers, number_of = np.unique(table, return_inverse=True)
    objects = np.array(numbers.tolist(), dtype=object)
    rows: list[list[float]] = objects[number_of].reshape(table.shape).tolist()
    return rows
