"""The images on which annotators disagree with a protocol or a baseline, the farthest first."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Image
from annotate.datasets.thumbnails import Thumbnail, thumbnail_of
from annotate.reports.included import images_of, ranked_images
from annotate.reports.inputs import named_rankings, protocol_scores
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.annotators import left_out_distances
from rankings.agreement.baselines import A_PERSON
from rankings.agreement.report import (
    ALL_TIED,
    RANDOM_ORDER,
    CriterionReport,
    Settings,
    build_report,
)
from rankings.orders.buckets import Ranking, to_text

# Baselines, the rows below the protocols of a report, with sentences about their distances.
BASELINES: Final = {
    ALL_TIED: gettext_lazy("The distance is that of a ranking that ties all methods."),
    RANDOM_ORDER: gettext_lazy("The distance is the mean over all orders without ties."),
    A_PERSON: gettext_lazy(
        "The distance is the mean over annotators of each one to the consensus of the others."
    ),
}
_MOST_KEPT: Final = 1000


@dataclass(frozen=True, slots=True)
class Apart:
    """An image and the chosen protocol's distance to its consensus."""

    name: str
    distance: float
    consensus: str
    n_methods: int

    @property
    def most(self) -> float:
        """The largest distance that this number of methods allows."""
        return self.n_methods * (self.n_methods - 1) / 2


@dataclass(frozen=True, slots=True)
class Question:
    """The protocol and the criterion to compare, under a report's settings.

    If ``only`` is "best" or "worst": the images on which the protocol is the nearest or the
    farthest of the protocols in ``among``. A baseline has no run, and uses the images that count
    for the protocols in ``among``.
    """

    run: ProtocolRun | None
    criterion: str
    settings: Settings
    only: str = ""
    among: Sequence[ProtocolRun] = ()
    # The query string of the page.
    query: str = ""
    # One of BASELINES if there is no run.
    baseline: str = ""

    @property
    def name(self) -> str:
        return self.run.name if self.run else self.baseline

    @property
    def asked(self) -> dict[str, Any]:
        """The question as plain values: the cache key of its answer."""
        return {
            "run": self.run and self.run.pk,
            "baseline": self.baseline,
            "criterion": self.criterion,
            "settings": asdict(self.settings),
            "only": self.only,
            "among": sorted(run.pk for run in self.among) if self.only or self.baseline else [],
            "query": self.query,
        }


def asked_for(study: Study, asked: Mapping[str, Any]) -> Question | None:
    """Restore the question from plain values; None if a run was deleted."""
    runs = ProtocolRun.objects.filter(dataset=study.dataset_id)
    keys = {*([] if asked["run"] is None else [asked["run"]]), *asked["among"]}
    by_key = runs.in_bulk(keys)
    if by_key.keys() != keys:
        return None
    return Question(
        run=by_key.get(asked["run"]),
        baseline=asked["baseline"],
        criterion=asked["criterion"],
        settings=Settings(**asked["settings"]),
        only=asked["only"],
        among=[by_key[key] for key in asked["among"]],
        query=asked["query"],
    )


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The images (perhaps shortened to the first ones), and their total number."""

    rows: Sequence[Apart]
    # (image, reason)
    left_out: Sequence[tuple[str, str]]
    mean: float | None
    n_rows: int
    n_left_out: int

    def shortened(self) -> "Disagreement":
        """Return a copy limited to the first images, small enough to store."""
        return replace(self, rows=self.rows[:_MOST_KEPT], left_out=self.left_out[:_MOST_KEPT])


def disagreement(study: Study, question: Question) -> Disagreement:
    """Return the images by the distance of one protocol, largest first; ties in study order.

    If all images are requested, an image without scores of another protocol is included here, but
    not in the report's tables.
    """
    run, only, among = question.run, question.only, question.among
    if run is None:
        return _of_baseline(study, question)
    runs = [*among, *([] if run in among else [run])] if only else [run]
    _, table, n_more = _report_of_ranked(study, question, runs)
    pick = {"best": min, "worst": max}.get(only)
    names = [rival.name for rival in runs]
    return _farthest_first(
        {
            image: of_protocol[run.name]
            for image, of_protocol in table.distances.items()
            if pick is None or of_protocol[run.name] == pick(of_protocol[name] for name in names)
        },
        table,
        n_more,
    )


def _report_of_ranked(
    study: Study, question: Question, runs: Sequence[ProtocolRun]
) -> tuple[Mapping[str, Mapping[str, Ranking]], CriterionReport, int]:
    """Return rankings by image and annotator, the report, and the number of images not examined.

    Of the images without a ranking, perhaps almost all, only the first ones are examined.
    """
    ranked = ranked_images(study)
    is_ranked = Q(pk__in=ranked.order_by().values("pk"))
    listed = images_of(study).exclude(is_ranked).values("pk")[:_MOST_KEPT]
    people = named_rankings(study, images_of(study).filter(is_ranked | Q(pk__in=listed)))[
        question.criterion
    ]
    unnamed = {image: list(by_name.values()) for image, by_name in people.items()}
    report = build_report(
        {question.criterion: unnamed}, protocol_scores(study, runs, ranked), question.settings
    )
    n_more = study.study_images.count() - len(people)
    return people, report.criteria[question.criterion], n_more


def _of_baseline(study: Study, question: Question) -> Disagreement:
    """Return the images that count in the report, by the baseline's distance in the report."""
    settings = question.settings
    people, table, n_more = _report_of_ranked(study, question, question.among)
    if question.baseline != A_PERSON:
        apart = {image: row[question.baseline] for image, row in table.distances.items()}
        return _farthest_first(apart, table, n_more)
    of_person = left_out_distances(
        {image: people[image] for image in table.consensus},
        distance=settings.distance,
        consensus=settings.consensus,
    )
    means = {image: sum(row.values()) / len(row) for image, row in of_person.items()}
    return _farthest_first(means, table, n_more)


def _farthest_first(
    apart: Mapping[str, float], table: CriterionReport, n_more: int
) -> Disagreement:
    rows = [
        Apart(
            image, distance, to_text(table.consensus[image]), sum(map(len, table.consensus[image]))
        )
        for image, distance in apart.items()
    ]
    rows.sort(key=lambda row: -row.distance)
    mean = sum(row.distance for row in rows) / len(rows) if rows else None
    return Disagreement(rows, table.left_out, mean, len(rows), len(table.left_out) + n_more)


def thumbnails(study: Study, names: Sequence[str]) -> dict[str, Thumbnail]:
    images = Image.objects.filter(dataset=study.dataset_id, name__in=names)
    return {image.name: thumbnail_of(image, study.dataset.box_convention) for image in images}
