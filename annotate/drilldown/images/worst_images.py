"""The images on which a method does worst, alone or against another, by a run's scores."""

from dataclasses import dataclass

from django.db.models import F, FloatField, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.urls import reverse

from annotate.datasets.drawing import Picture, picture
from annotate.datasets.models import Dataset, Image, Method
from annotate.scoring.models import ProtocolRun, Score

# The credit and its divisor that a figure adds up over images.
_CREDITS = {"recall": ("recalled", "n_truth"), "precision": ("precise", "n_detections")}


@dataclass(frozen=True)
class Question:
    """A method's figure by a run, and the method it is compared with, if any."""

    run: ProtocolRun
    figure: str
    method: Method
    against: Method | None = None
    name: str = ""


def worst_scores(question: Question) -> QuerySet[Score]:
    """Return the scores of the images on which the method loses something, the worst first.

    Each has its figure ``own``, the ``loss`` and, against another method, that one's figure
    ``other``. Against another method the
    loss is the difference of the image's figures. Alone, it is the credit that the image takes from
    the figure of the data set: regions that were not found (recall), or detections that are not
    right (precision); for other figures and imported scores, 1 minus the figure of the image.
    """
    scores = Score.objects.filter(run=question.run, result__method=question.method)
    scores = scores.annotate(own=F(question.figure))
    if question.name:
        scores = scores.filter(result__image__name__icontains=question.name)
    if question.against is not None:
        other = Score.objects.filter(
            run=question.run,
            result__method=question.against,
            result__image=OuterRef("result__image"),
        )
        scores = scores.annotate(
            other=Subquery(other.values(question.figure)[:1], output_field=FloatField())
        ).annotate(loss=F("other") - F(question.figure))
    else:
        lost: Combinable = 1.0 - F(question.figure)
        if question.figure in _CREDITS:
            credit, divisor = _CREDITS[question.figure]
            lost = Coalesce(F(divisor) - F(credit), lost)
        scores = scores.annotate(other=Value(None, output_field=FloatField()), loss=lost)
    return scores.filter(loss__gt=1e-9).order_by(
        "-loss", "result__image__position", "result__image"
    )


def drawn_result(score: Score, dataset: Dataset) -> Picture:
    """Return the small photograph of a score's image with its ground truth and detections."""
    image, boxes = score.result.image, score.result.detections
    return picture(
        truth=image.truth_regions,
        boxes=boxes,
        convention=dataset.box_convention,
        url=reverse("datasets:small_image", args=[image.sha256]) if image.sha256 else "",
        size=image.size_to_draw(boxes),
    )


def around(question: Question, image: Image) -> tuple[str | None, str | None]:
    """Return the names of the images before and after an image in the order of the losses."""
    names = list(worst_scores(question).values_list("result__image__name", flat=True))
    if image.name not in names:
        return None, names[0] if names else None
    at = names.index(image.name)
    return names[at - 1] if at else None, names[at + 1] if at + 1 < len(names) else None
