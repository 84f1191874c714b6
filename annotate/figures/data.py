"""The numbers that a study's figures show, each fetched or computed when a figure asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from django.db.models import Count, Max, Q
from django.db.models.functions import TruncDate

from annotate.judging.models import Assignment
from annotate.reports.models import KeptReport
from annotate.reports.services import (
    AnnotatorRankings,
    ProtocolScores,
    counted_rankings,
    report_of,
    study_report,
)
from annotate.reports.services import annotator_rankings as rankings_of
from annotate.reports.services import protocol_scores as scores_of
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings import __version__ as software_version
from rankings.orders import Ranking
from rankings.report import CriterionReport, Report, Settings, report_from_json

from .figure import Figure
from .numbers import Rankings

_FROM_THE_STUDY: Final = (
    "The kept report does not hold these numbers: this is the study as it is now, under the report's "
    "settings."
)


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
        return self._whole_report.criteria[criterion]

    @cached_property
    def _whole_report(self) -> Report:
        """The kept report, or that of the study as it is, which is computed once for all pages."""
        if self.kept is not None:
            return report_from_json(self.kept.data)
        return study_report(study=self.study, settings=self.settings, runs=self.runs).report

    @property
    def kept_betas(self) -> Sequence[Mapping[str, Any]] | None:
        """The search for the best beta that a kept report holds."""
        if self.kept is None:
            return None
        betas: Sequence[Mapping[str, Any]] | None = (
            self.kept.data["analysis"].get("preference", {}).get("betas")
        )
        return betas

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
            sorted(self.study.study_images.aggregate(n=Count("pk"), last=Max("pk")).items()),
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
        """The facts about its origin that every file of a figure carries."""
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
        rankings: dict[str, dict[str, Ranking]] = {}
        order = ("annotator", "image__position", "image")
        for image, annotator, buckets_by_criterion in counted_rankings(self.study, *order):
            label = names[annotator].replace("annotator-", "A")
            rankings.setdefault(label, {})[image] = tuple(
                tuple(name_of[method] for method in bucket)
                for bucket in buckets_by_criterion[self.criterion]
            )
        in_order = sorted(rankings, key=lambda name: (len(name), name))
        return {name: rankings[name] for name in in_order}


def _setting(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


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


def noted_as_live(figure: Figure, data: FigureData) -> Figure:
    """Return a figure with a note, where it shows what the kept report does not hold."""
    if data.kept is None:
        return figure
    return replace(figure, notes=(*figure.notes, _FROM_THE_STUDY))
