"""A study's report: its annotators' rankings against the rankings its protocols' scores give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from annotate.judging.models import Assignment
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study
from rankings import __version__ as software_version
from rankings.elicitation import CRITERIA
from rankings.orders import Ranking
from rankings.report import Report, Settings, build_report

# criterion -> image -> one ranking per annotator
AnnotatorRankings = Mapping[str, Mapping[str, Sequence[Ranking]]]
# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, tuple[float | None, float | None]]]]


@dataclass(frozen=True)
class StudyReport:
    """The report and everything a reader needs to trust and repeat it."""

    study: Study
    runs: Sequence[ProtocolRun]
    settings: Settings
    report: Report
    created: datetime
    n_images: int
    n_rankings: int
    n_annotators: int

    @property
    def header(self) -> dict[str, str]:
        """What every export of the report says about where it comes from."""
        return {
            "study": self.study.name,
            "dataset": self.study.dataset.name,
            "date": f"{self.created:%Y-%m-%d}",
            "software": f"text-detection-rankings {software_version}",
            "methods": ", ".join(method.name for method in self.study.methods.all()),
            "protocols": "; ".join(map(_described, self.runs)) or "none",
            "annotators": str(self.n_annotators),
            "complete rankings": str(self.n_rankings),
            "images of the study": str(self.n_images),
        }


def _described(run: ProtocolRun) -> str:
    if run.origin == ProtocolRun.Origin.IMPORTED:
        return f"{run.name} (imported {run.created:%Y-%m-%d})"
    parameters = ", ".join(f"{name}={value}" for name, value in run.parameters.items())
    return f"{run.name} {run.version} ({parameters})"


def available_runs(study: Study) -> list[ProtocolRun]:
    """The newest run of each protocol on the study's dataset."""
    return list(study.dataset.runs.latest_of_each_protocol())


def study_report(
    *, study: Study, settings: Settings, runs: Sequence[ProtocolRun] | None = None
) -> StudyReport:
    """Build the report of a study from its complete rankings and its protocols' scores.

    Without ``runs`` the newest run of each protocol takes part.
    """
    runs = available_runs(study) if runs is None else list(runs)
    complete = Assignment.objects.filter(study=study, state=Assignment.State.COMPLETE)
    rankings = annotator_rankings(study)
    return StudyReport(
        study=study,
        runs=runs,
        settings=settings,
        report=build_report(rankings, protocol_scores(study, runs), settings),
        created=timezone.now(),
        n_images=study.study_images.count(),
        n_rankings=complete.count(),
        n_annotators=complete.values("annotator").distinct().count(),
    )


def annotator_rankings(study: Study) -> AnnotatorRankings:
    """Return each image's complete rankings by method name, annotators in a fixed order.

    Images that nobody has ranked are there too, so that a report can say that it leaves them out.
    """
    name_of = dict(study.dataset.methods.values_list("pk", "name"))
    images = list(study.images.in_order().values_list("name", flat=True))
    rankings: dict[str, dict[str, list[Ranking]]] = {
        criterion: {image: [] for image in images} for criterion in CRITERIA
    }
    rows = (
        Assignment.objects.filter(study=study, state=Assignment.State.COMPLETE)
        .order_by("image__position", "image", "annotator")
        .values_list("image__name", "rankings")
    )
    for image, of_criterion in rows.iterator():
        for criterion in CRITERIA:
            rankings[criterion][image].append(
                tuple(
                    tuple(sorted(name_of[method] for method in bucket))
                    for bucket in of_criterion[criterion]
                )
            )
    return rankings


def protocol_scores(study: Study, runs: Sequence[ProtocolRun]) -> ProtocolScores:
    """Return the scores of the study's methods on its images, by the runs' names."""
    name_of_run = {run.pk: run.name for run in runs}
    # An image without any score still names the protocols, so that the report can say what lacks.
    scores: dict[str, dict[str, dict[str, tuple[float | None, float | None]]]] = {
        image: {name: {} for name in name_of_run.values()}
        for image in study.images.values_list("name", flat=True)
    }
    rows = Score.objects.filter(
        run__in=list(name_of_run),
        result__method__in=study.methods.all(),
        result__image__in=study.images.all(),
    ).values_list("run", "result__image__name", "result__method__name", "recall", "precision")
    for run, image, method, recall, precision in rows.iterator():
        scores[image][name_of_run[run]][method] = (recall, precision)
    return scores
