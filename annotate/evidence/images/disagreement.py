"""The images on which a protocol and the annotators disagree, the farthest first."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.datasets.drawing import drawn
from annotate.datasets.models import Image
from annotate.reports.services import annotator_rankings, protocol_scores
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.orders import to_text
from rankings.report import Settings, build_report


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
class Disagreement:
    rows: Sequence[Apart]
    # (image, reason)
    left_out: Sequence[tuple[str, str]]
    mean: float | None


def disagreement(
    *,
    study: Study,
    run: ProtocolRun,
    criterion: str,
    settings: Settings,
    only: str = "",
    among: Sequence[ProtocolRun] = (),
) -> Disagreement:
    """Return the images by the distance of one protocol, largest first; equals as in the study.

    With ``only`` "best" or "worst" these are the images on which it is the nearest or the farthest
    of the protocols ``among`` which it stands, as the report counts them. Without, an image that
    lacks scores of another protocol only is here and not in the report's tables.
    """
    rankings = {criterion: annotator_rankings(study)[criterion]}
    runs = [*among, *([] if run in among else [run])] if only else [run]
    table = build_report(rankings, protocol_scores(study, runs), settings).criteria[criterion]
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
    return Disagreement(rows, table.left_out, mean)


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
