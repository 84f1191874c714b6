"""The numbers that a study's figures show, each fetched or computed when a figure asks for it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from threading import Lock
from typing import Any, Final

from django.db.models import Count, Max, Q
from django.db.models.functions import TruncDate

from annotate.judging.models import Assignment
from annotate.reports.models import KeptReport
from annotate.reports.services import (
    AnnotatorRankings,
    ProtocolScores,
    counted_assignments,
    report_of,
)
from annotate.reports.services import annotator_rankings as rankings_of
from annotate.reports.services import protocol_scores as scores_of
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings import __version__ as software_version
from rankings.distances import kemeny_distances
from rankings.edit_distance import edit_distances, places_of
from rankings.from_scores import f_beta
from rankings.orders import Ranking, methods_of
from rankings.report import CriterionReport, Report, Settings, build_report, report_from_json
from rankings.resampling import distance_table
from rankings.significance import critical_difference, friedman_test
from rankings.tuning import beta_search

from . import drawings as figures
from .drawings import Figure

_N_KEPT: Final = 12
_built: dict[str, dict[str, Figure]] = {}
_lock = Lock()
# annotator -> image -> ranking
Rankings = Mapping[str, Mapping[str, Ranking]]


@dataclass(frozen=True)
class FigureData:
    """A study under one criterion and a report's settings, or a report that was kept."""

    study: Study
    runs: Sequence[ProtocolRun]
    settings: Settings
    criterion: str
    # What it holds goes before what the study is now.
    kept: KeptReport | None = None

    @cached_property
    def rankings(self) -> AnnotatorRankings:
        return rankings_of(self.study)

    @cached_property
    def scores(self) -> ProtocolScores:
        return scores_of(self.study, self.runs)

    @cached_property
    def table(self) -> CriterionReport:
        return self._report(self.criterion)

    @cached_property
    def preference(self) -> CriterionReport:
        return self.table if self.criterion == "preference" else self._report("preference")

    def _report(self, criterion: str) -> CriterionReport:
        if self.kept is not None:
            return self._kept_report.criteria[criterion]
        rankings = {criterion: self.rankings[criterion]}
        return build_report(rankings, self.scores, self.settings).criteria[criterion]

    @cached_property
    def _kept_report(self) -> Report:
        if self.kept is None:
            raise ValueError("this study's report was not kept")
        return report_from_json(self.kept.data)

    @property
    def kept_betas(self) -> Sequence[Mapping[str, Any]] | None:
        """The search for the best beta that a kept report holds."""
        if self.kept is None:
            return None
        return self.kept.data["analysis"].get("preference", {}).get("betas")

    @cached_property
    def key(self) -> str:
        """Equal keys, equal figures: what is drawn, and how far the study's log has come."""
        progress = self.study.assignments.aggregate(
            begun=Count("pk"),
            complete=Count("pk", filter=Q(state=Assignment.State.COMPLETE)),
            finished=Max("finished"),
        )
        position = (
            sorted(progress.items()),
            self.study.exclusions.count(),
            sorted(self.study.methods.values_list("pk", "name")),
            self.study.study_images.count(),
        )
        parts = (
            software_version,
            (self.study.pk, self.study.created),
            [(run.pk, run.created) for run in self.runs],
            self.settings,
            self.criterion,
            self.kept and self.kept.checksum,
            position,
        )
        return f"figures-{sha256(repr(parts).encode()).hexdigest()}"

    @property
    def protocols(self) -> list[str]:
        """The protocols in the order of the report's table."""
        return [row.protocol for row in self.table.rows]

    @cached_property
    def facts(self) -> dict[str, str]:
        """What an export says about where it comes from."""
        if self.kept is not None:
            header = {**self.kept.data["header"], "kept report": f"SHA-256 {self.kept.checksum}"}
        else:
            header = self._header()
        return header | {
            "criterion": self.criterion,
            **{name: _setting(value) for name, value in asdict(self.settings).items()},
        }

    def _header(self) -> dict[str, str]:
        return report_of(
            study=self.study,
            settings=self.settings,
            runs=self.runs,
            report=Report(self.settings, {}),
        ).header

    @cached_property
    def of_annotator(self) -> Rankings:
        """Every annotator's complete rankings by the criterion, under short pseudonyms."""
        names = pseudonyms(self.study)
        name_of = dict(self.study.dataset.methods.values_list("pk", "name"))
        rows = (
            counted_assignments(self.study)
            .order_by("annotator", "image__position", "image")
            .values_list("annotator", "image__name", "rankings")
        )
        found: dict[str, dict[str, Ranking]] = {}
        for annotator, image, of_criterion in rows.iterator():
            label = names[annotator].replace("annotator-", "A")
            found.setdefault(label, {})[image] = tuple(
                tuple(name_of[method] for method in bucket)
                for bucket in of_criterion[self.criterion]
            )
        return {name: found[name] for name in sorted(found, key=lambda name: (len(name), name))}


def _setting(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def mean_distances(of_annotator: Rankings, distance: str) -> dict[tuple[str, str], float | None]:
    """Return the mean distance of each two annotators over the images both ranked; None without.

    Two rankings of different methods are not compared: a method may have joined in between.
    """
    sums = {pair: [0.0, 0] for pair in combinations(of_annotator, 2)}
    images = dict.fromkeys(image for rankings in of_annotator.values() for image in rankings)
    measure = edit_distances if distance == "edit" else kemeny_distances
    for image in images:
        alike: dict[frozenset[str], list[str]] = {}
        for name, rankings in of_annotator.items():
            if image in rankings:
                alike.setdefault(methods_of(rankings[image]), []).append(name)
        for names in alike.values():
            pairs = list(combinations(range(len(names)), 2))
            if not pairs:
                continue
            places = places_of([of_annotator[name][image] for name in names])
            firsts, seconds = (list(ends) for ends in zip(*pairs, strict=True))
            found = measure(places[firsts], places[seconds])
            for (first, second), value in zip(pairs, found, strict=True):
                entry = sums[names[first], names[second]]
                entry[0] += float(value)
                entry[1] += 1
    return {pair: total / n if n else None for pair, (total, n) in sums.items()}


def build(data: FigureData, names: Collection[str]) -> dict[str, Figure]:
    """Return the figures of some of NAMES.

    A page and the files on it ask one after the other, so a process keeps what it has built last:
    until the study's log, its runs or the settings are others.
    """
    key = data.key
    with _lock:
        found = dict(_built.get(key, {}))
    missing = [name for name in names if name not in found]
    if missing:
        found |= {name: _build(data, name) for name in missing}
        with _lock:
            _built.pop(key, None)
            _built[key] = found
            while len(_built) > _N_KEPT:
                del _built[next(iter(_built))]
    return {name: found[name] for name in names}


def _build(data: FigureData, name: str) -> Figure:
    figure = _BUILDERS[name](data)
    if data.kept is None or name in _HELD or (name == "beta" and data.kept_betas):
        return figure
    return replace(figure, notes=(*figure.notes, _FROM_THE_STUDY))


def _distances(data: FigureData) -> Figure:
    table = data.table
    return figures.distance_distribution(
        table.distances,
        data.protocols,
        baselines=[row.protocol for row in table.baselines],
        distance=data.settings.distance,
        criterion=data.criterion,
        left_out=table.left_out,
    )


def _scores(data: FigureData) -> Figure:
    def value(recall: float | None, precision: float | None) -> float | None:
        if data.criterion == "recall":
            return recall
        if data.criterion == "precision":
            return precision
        if recall is None or precision is None:
            return None
        return f_beta(recall, precision, data.settings.beta)

    scores = {
        image: {
            protocol: {method: value(*score) for method, score in of_method.items()}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in data.scores.items()
    }
    return figures.score_by_rank(
        scores,
        data.table.consensus,
        data.protocols,
        criterion=data.criterion,
        left_out=data.table.left_out,
    )


def _wins(data: FigureData) -> Figure:
    return figures.win_matrix(
        data.table.distances,
        data.protocols,
        criterion=data.criterion,
        left_out=data.table.left_out,
    )


def _agreement(data: FigureData) -> Figure:
    annotators = list(data.of_annotator)
    found = mean_distances(data.of_annotator, data.settings.distance)
    means = [
        [found.get((row, column), found.get((column, row))) for column in annotators]
        for row in annotators
    ]
    return figures.annotator_agreement(
        means,
        annotators,
        distance=data.settings.distance,
        criterion=data.criterion,
        constant=[
            name
            for name, rankings in data.of_annotator.items()
            if all(len(ranking) == 1 for ranking in rankings.values())
        ],
    )


def _beta(data: FigureData) -> Figure:
    table = data.preference
    if data.kept_betas:
        return figures.beta_curves(
            {one["protocol"]: tuple(map(tuple, one["curve"])) for one in data.kept_betas},
            {
                one["protocol"]: (one["beta"], one["score"])
                for one in data.kept_betas
                if one["beta"] is not None and one["score"] is not None
            },
            distance=data.settings.distance,
            n_images=table.n_images,
            left_out=table.left_out,
        )
    searched = beta_search(
        data.scores,
        table.consensus,
        decimals=data.settings.decimals,
        distance=data.settings.distance,
    )
    return figures.beta_curves(
        {found.protocol: found.curve for found in searched},
        {
            found.protocol: (found.beta, found.score)
            for found in searched
            if found.beta is not None and found.score is not None
        },
        distance=data.settings.distance,
        n_images=table.n_images,
        left_out=table.left_out,
    )


def _critical_difference(data: FigureData) -> Figure:
    table = distance_table(data.table.distances, data.protocols)
    return figures.critical_difference(
        critical_difference(table, data.protocols),
        criterion=data.criterion,
        p_value=friedman_test(table, data.protocols).p_value,
        left_out=data.table.left_out,
    )


def _progress(data: FigureData) -> Figure:
    return figures.progress_over_time(completed_per_day(data.study))


def completed_per_day(study: Study) -> list[tuple[date, int]]:
    return list(
        Assignment.objects.filter(
            study=study, state=Assignment.State.COMPLETE, finished__isnull=False
        )
        .annotate(day=TruncDate("finished"))
        .values("day")
        .annotate(n=Count("pk"))
        .order_by("day")
        .values_list("day", "n")
    )


_BUILDERS: Final[Mapping[str, Callable[[FigureData], Figure]]] = {
    "distances": _distances,
    "wins": _wins,
    "critical-difference": _critical_difference,
    "scores": _scores,
    "beta": _beta,
    "agreement": _agreement,
    "progress": _progress,
}
NAMES: Final = tuple(_BUILDERS)
# A kept report has all that these show.
_HELD: Final = ("distances", "wins", "critical-difference")
_FROM_THE_STUDY: Final = (
    "The kept report does not hold these numbers: this is the study as it is now, under the report's "
    "settings."
)
