"""The numbers that a study's figures show, each fetched or computed on first use."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, Max, Q
from django.db.models.functions import TruncDate
from django.utils.translation import gettext_lazy

from annotate.judging.models import Assignment
from annotate.recruiting.models import Outcome
from annotate.recruiting.selectors import Figures, figures_of
from annotate.reports.cache import Asked
from annotate.reports.facts import facts_of
from annotate.reports.included import counted_visits
from annotate.reports.inputs import (
    AnnotatorRankings,
    ProtocolScores,
    counted_rankings,
    named_rankings,
)
from annotate.reports.inputs import annotator_rankings as rankings_of
from annotate.reports.inputs import protocol_scores as scores_of
from annotate.reports.models import KeptReport
from annotate.reports.properties import image_properties
from annotate.reports.services import (
    MAX_IMAGES_ANALYSED_AT_ONCE,
    analysed_report,
    available_runs,
    detectors_report,
    study_report,
)
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings.agreement.report import CriterionReport, Report, report_from_json, values_of
from rankings.agreement.settings import facts_of_settings
from rankings.analysis.analysis import plain
from rankings.inference.personal_rankings import personal_rankings_from_scores
from rankings.orders.buckets import Ranking
from rankings.tuning.open_questions import open_questions

from .figure import Figure
from .numbers import Rankings

# Above this, drawing takes too long for a page; a job can still write all figures.
MAX_IMAGES_DRAWN_AT_ONCE: Final = 500
# Above this many scores of images, a page shows one figure and fetches the others.
MAX_SCORES_DRAWN_TOGETHER: Final = 300
_FROM_THE_STUDY: Final = gettext_lazy(
    "The kept report does not hold these numbers: this is the study as it is now, under the report's "
    "settings."
)


@dataclass(frozen=True)
class Flow:
    """Entrances with people by their outcomes; of all, how many count in reports."""

    entrances: Sequence[Figures]
    n_counted: int
    n_left_out: int

    @property
    def n_finished(self) -> int:
        return self.n_of(Outcome.COMPLETED)

    def n_of(self, outcome: str) -> int:
        return sum(one.by_outcome[outcome] for one in self.entrances)


@dataclass(frozen=True)
class FigureData(Asked):
    """The input of figures: a report by one criterion, live or kept."""

    criterion: str
    # Its content takes precedence over the study's current state.
    kept: KeptReport | None = None
    # The study's report with its analysis as JSON, if a page already has it.
    analysed: Mapping[str, Any] | None = None

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
    def around(self) -> Mapping[str, Any] | None:
        """Intervals, tests and measures that go with the table (`CriterionAnalysis` as JSON).

        None if computing them takes too long for a page, or there is no protocol.
        """
        if self.kept is not None:
            kept: Mapping[str, Any] | None = self.kept.data["analysis"].get(self.criterion)
            return kept
        data = self.analysed
        if data is None:
            n_images = self.study.study_images.count()
            if not self.runs or n_images > MAX_IMAGES_ANALYSED_AT_ONCE:
                return None
            _, data = analysed_report(self)
        live: Mapping[str, Any] = data["analysis"][self.criterion]
        return live

    @cached_property
    def preference(self) -> CriterionReport:
        return self.table if self.criterion == "preference" else self._report("preference")

    def _report(self, criterion: str) -> CriterionReport:
        if self.kept is not None:
            return report_from_json(self.kept.data, images_of=criterion).criteria[criterion]
        return self._current_report.criteria[criterion]

    @cached_property
    def _current_report(self) -> Report:
        """The study's current report, which all pages share."""
        if self.analysed is not None:
            return report_from_json(self.analysed)
        return study_report(self).report

    @cached_property
    def questions(self) -> Mapping[str, Any]:
        """The answers to the open questions as JSON-able data (:class:`.OpenQuestions`).

        From the kept report if it has them, otherwise from the study as it is now.
        """
        if self.kept is not None and self.holds_questions:
            answers: Mapping[str, Any] = self.kept.data["analysis"][self.criterion]["questions"]
            return answers
        table = self.table
        values = values_of(self.criterion, self.scores, self.settings)
        of_all = named_rankings(self.study)[self.criterion]
        people = {image: of_all[image] for image in table.consensus}
        found = open_questions(
            people,
            table.consensus,
            values,
            personal_rankings_from_scores(people, values, self.protocols, self.settings.decimals),
            self.settings,
            properties=image_properties(self.study),
        )
        live: Mapping[str, Any] = plain(found)
        return live

    @property
    def holds_questions(self) -> bool:
        """Return whether the answers are those of the shown report rather than newer ones."""
        return self.kept is None or self.criterion in self.kept.data["analysis"]

    @cached_property
    def detectors(self) -> Mapping[str, Any]:
        """Return the standings of the detectors by the criterion, kept or current."""
        kept = self.kept
        found = detectors_report(self) if kept is None else kept.data["detectors"]
        own: Mapping[str, Any] = found["criteria"][self.criterion]
        return own

    @property
    def kept_betas(self) -> Sequence[Mapping[str, Any]] | None:
        """The search for the best beta in a kept report, or None if it has none."""
        if self.kept is None:
            return None
        betas: Sequence[Mapping[str, Any]] | None = (
            self.kept.data["analysis"].get("preference", {}).get("betas")
        )
        return betas

    @cached_property
    def flow(self) -> "Flow":
        """The people who came by entrances, by their outcomes in the study as it is now."""
        entrances = figures_of(self.study)
        if not entrances:
            return Flow((), 0, 0)
        came = set(self.study.arrivals.values_list("person", flat=True))
        counted = counted_visits(self.study).filter(annotator__in=came)
        return Flow(
            entrances,
            n_counted=counted.values("annotator").distinct().count(),
            n_left_out=len(came & set(left_out(self.study))),
        )

    @cached_property
    def key(self) -> str:
        """Return a key of the input and the study's progress; equal keys mean equal figures."""
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
            [(one.n_began, one.by_outcome, one.n_turned_away) for one in self.flow.entrances],
        )
        parts = (
            settings.PROGRAM,
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
        """The facts about the data's origin that every file of a figure contains."""
        if self.kept is not None:
            header = {**self.kept.data["header"], "kept report": f"SHA-256 {self.kept.checksum}"}
        else:
            header = facts_of(self).header
        return header | {
            "criterion": self.criterion,
            **facts_of_settings(asdict(self.settings)),
        }

    @cached_property
    def of_annotator(self) -> Rankings:
        """Every annotator's complete rankings by the criterion, under short pseudonyms."""
        names = pseudonyms(self.study)
        name_of = dict(self.study.dataset.methods.values_list("pk", "name"))
        rankings: dict[str, dict[str, Ranking]] = {}
        order = ("annotator", "image__position", "image")
        for image, annotator, buckets_by_criterion in counted_rankings(self.study, *order):
            if self.criterion not in buckets_by_criterion:
                continue  # answers from elsewhere may be by some criteria only
            label = names[annotator].replace("annotator-", "A")
            rankings.setdefault(label, {})[image] = tuple(
                tuple(name_of[method] for method in bucket)
                for bucket in buckets_by_criterion[self.criterion]
            )
        in_order = sorted(rankings, key=lambda name: (len(name), name))
        return {name: rankings[name] for name in in_order}


def data_of_kept(study: Study, kept: KeptReport, criterion: str) -> FigureData:
    """Return the input of a kept report's figures, under one criterion."""
    report = report_from_json(kept.data, images_of="")
    # Runs replaced since then are in the report only by name.
    names = {row.protocol for table in report.criteria.values() for row in table.rows}
    runs = [run for run in available_runs(study) if run.name in names]
    return FigureData(study, report.settings, runs, criterion, kept)


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
    """Return a figure with a note if it shows data that the kept report does not contain."""
    if data.kept is None:
        return figure
    return replace(figure, notes=(*figure.notes, str(_FROM_THE_STUDY)))
