"""The images on which a protocol and the annotators disagree, the farthest first."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from annotate.datasets.drawing import drawn
from annotate.datasets.models import Image
from annotate.reports.services import annotator_rankings, protocol_scores
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.orders import to_text
from rankings.report import Settings, build_report

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
        """The largest distance that so many methods allow."""
        return self.n_methods * (self.n_methods - 1) / 2


@dataclass(frozen=True, slots=True)
class Question:
    """The protocol and the criterion to compare, under a report's settings.

    With ``only`` "best" or "worst" it is about the images on which the protocol is the nearest or
    the farthest of those ``among`` which it stands, as the report counts them.
    """

    run: ProtocolRun
    criterion: str
    settings: Settings
    only: str = ""
    among: Sequence[ProtocolRun] = ()
    # The address of the page that asks it.
    query: str = ""

    @property
    def asked(self) -> dict[str, Any]:
        """The question as plain values, by which its answer is kept."""
        return {
            "run": self.run.pk,
            "criterion": self.criterion,
            "settings": asdict(self.settings),
            "only": self.only,
            "among": sorted(run.pk for run in self.among) if self.only else [],
            "query": self.query,
        }


def asked_for(study: Study, asked: Mapping[str, Any]) -> Question | None:
    """Return the question of plain values; None where a run is gone."""
    runs = ProtocolRun.objects.filter(dataset=study.dataset_id)
    by_key = runs.in_bulk([asked["run"], *asked["among"]])
    if by_key.keys() != {asked["run"], *asked["among"]}:
        return None
    return Question(
        run=by_key[asked["run"]],
        criterion=asked["criterion"],
        settings=Settings(**asked["settings"]),
        only=asked["only"],
        among=[by_key[key] for key in asked["among"]],
        query=asked["query"],
    )


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The images, of which the first may be kept alone, and how many there are."""

    rows: Sequence[Apart]
    # (image, reason)
    left_out: Sequence[tuple[str, str]]
    mean: float | None
    n_rows: int
    n_left_out: int

    def shortened(self) -> "Disagreement":
        """Return it with as many images as people look at, so that it can be kept."""
        return replace(self, rows=self.rows[:_MOST_KEPT], left_out=self.left_out[:_MOST_KEPT])


def disagreement(study: Study, question: Question) -> Disagreement:
    """Return the images by the distance of one protocol, largest first; equals as in the study.

    Where all images are asked for, one that lacks scores of another protocol only is here and not
    in the report's tables.
    """
    run, criterion, only, among = question.run, question.criterion, question.only, question.among
    rankings = {criterion: annotator_rankings(study)[criterion]}
    runs = [*among, *([] if run in among else [run])] if only else [run]
    table = build_report(rankings, protocol_scores(study, runs), question.settings).criteria[
        criterion
    ]
    pick = {"best": min, "worst": max}.get(only)
    names = [rival.name for rival in runs]
    rows = [
        Apart(
            image,
            of_protocol[run.name],
            to_text(table.consensus[image]),
            sum(map(len, table.consensus[image])),
        )
        for image, of_protocol in table.distances.items()
        if pick is None or of_protocol[run.name] == pick(of_protocol[name] for name in names)
    ]
    rows.sort(key=lambda row: -row.distance)
    mean = sum(row.distance for row in rows) / len(rows) if rows else None
    return Disagreement(rows, table.left_out, mean, len(rows), len(table.left_out))


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """An image in small: its photograph, or without one the boxes of its ground truth."""

    sha256: str
    width: int
    height: int
    polygons: Sequence[str]


def thumbnails(study: Study, names: Sequence[str]) -> dict[str, Thumbnail]:
    images = Image.objects.filter(dataset=study.dataset_id, name__in=names)
    return {image.name: _thumbnail(image, study.dataset.box_convention) for image in images}


def _thumbnail(image: Image, convention: str) -> Thumbnail:
    width, height = image.size_to_draw([])
    polygons = [] if image.sha256 else drawn(image.truth_regions, convention)
    return Thumbnail(image.sha256, width, height, polygons)
