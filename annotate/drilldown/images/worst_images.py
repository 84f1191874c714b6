"""The images on which a method does worst, alone or against another, by a run's scores or losses."""

from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import F, FilteredRelation, FloatField, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.datasets.drawing import Picture, picture
from annotate.datasets.models import Dataset, Image, Method
from annotate.scoring.models import ImageLoss, ProtocolRun, Score

# The credit and its divisor that a figure adds up over images.
_CREDITS = {"recall": ("recalled", "n_truth"), "precision": ("precise", "n_detections")}
# The result of another method on the image of a score.
_RIVAL: Final = "result__image__results"
# Differences below are rounding.
_LEAST: Final = 1e-9


@dataclass(frozen=True)
class Question:
    """A method's figure by a run, or one cause of its losses; a rival method; filters on images."""

    run: ProtocolRun
    figure: str
    method: Method
    against: Method | None = None
    cause: str = ""
    # Conditions on images, by their lookups.
    images: dict[str, Any] = field(default_factory=dict)


def heading(question: Question) -> str:
    values = {"a": question.method.name, "protocol": question.run.name}
    if question.against is None:
        words = _("Where %(a)s loses most by %(protocol)s") % values
    else:
        values["b"] = question.against.name
        words = _("Where %(a)s loses to %(b)s by %(protocol)s") % values
    return words + _(": ") + _(question.cause) if question.cause else words


def worst_rows(question: Question) -> QuerySet[Any]:
    """Return the scores or losses of the images on which the method loses something, worst first.

    Each has its ``cost`` and, against another method, that one's figure or loss ``other``; a score
    has its figure ``own``. Against another method the cost is the difference of the image's figures
    or losses. Alone, it is the credit that the image takes from the figure of the dataset: regions
    that were not found (recall), or detections that are not right (precision); for other figures
    and imported scores, 1 minus the figure of the image.
    """
    rows: QuerySet[Any] = _losses(question) if question.cause else _scores(question)
    conditions = {f"result__image__{lookup}": value for lookup, value in question.images.items()}
    return rows.filter(cost__gt=_LEAST, **conditions).order_by("-cost", "result")


def _scores(question: Question) -> QuerySet[Score]:
    scores = Score.objects.filter(run=question.run, result__method=question.method)
    own = F(question.figure)
    if question.against is not None:
        # One call, so that both conditions are about the same result.
        rivals = {f"{_RIVAL}__method": question.against, f"{_RIVAL}__scores__run": question.run}
        other = F(f"{_RIVAL}__scores__{question.figure}")
        return scores.filter(**rivals).annotate(own=own, other=other, cost=other - own)
    lost: Combinable = 1.0 - own
    if question.figure in _CREDITS:
        credit, divisor = _CREDITS[question.figure]
        lost = Coalesce(F(divisor) - F(credit), lost)
    return scores.annotate(own=own, other=Value(None, output_field=FloatField()), cost=lost)


def _losses(question: Question) -> QuerySet[ImageLoss]:
    own = ImageLoss.objects.filter(run=question.run, cause=question.cause, method=question.method)
    if question.against is None:
        return own.annotate(other=Value(None, output_field=FloatField()), cost=F("loss"))
    # Outer joins, because the other method may lose nothing where it was evaluated. A subquery would
    # be computed for each use of the cost: in the condition, in the order and in the row.
    own = own.filter(result__image__in=_images_of(question, question.against))
    rival = Q(**{f"{_RIVAL}__method": question.against})
    same = Q(
        rival__image_losses__run=question.run,
        rival__image_losses__method=question.against,
        rival__image_losses__cause=question.cause,
    )
    return own.annotate(
        rival=FilteredRelation(_RIVAL, condition=rival),
        of_rival=FilteredRelation("rival__image_losses", condition=same),
        other=Coalesce(F("of_rival__loss"), 0.0),
        cost=F("loss") - F("other"),
    )


def _images_of(question: Question, method: Method) -> QuerySet[Score, int]:
    """Return the keys of the images on which a method was evaluated by the run."""
    scores = Score.objects.filter(run=question.run, result__method=method)
    return scores.values_list("result__image", flat=True)


@dataclass(frozen=True)
class Evaluated:
    """How many of the images that are asked about have scores of the method, or of both methods."""

    n: int
    n_all: int

    @property
    def is_whole(self) -> bool:
        return self.n == self.n_all


def evaluated(question: Question) -> Evaluated:
    """Count the images that the filters leave, and those with scores of the compared methods."""
    images = shared = question.run.dataset.images.filter(**question.images)
    for method in (question.method, question.against):
        if method is not None:
            shared = shared.filter(pk__in=_images_of(question, method))
    return Evaluated(shared.count(), images.count())


@dataclass(frozen=True)
class Part:
    """Some of the images in order; the keys with which the parts before and after it begin."""

    rows: list[Any]
    before: int | None
    after: int | None


def part_of(
    question: Question, n: int, after: int | None = None, before: int | None = None
) -> Part:
    """Return the n rows after, or before, the row of a result's key; without either, the first n.

    A key that is unknown, or no longer among the images, is ignored.
    """
    rows = worst_rows(question)
    anchor = after or before
    at: Any = rows.filter(result=anchor).first() if anchor else None
    is_back = at is not None and not after
    if at is not None:
        rows = _preceding(rows, at) if is_back else _following(rows, at)
    found: list[Any] = list(rows.select_related("result__image")[: n + 1])
    is_more, found = len(found) > n, found[:n]
    if is_back:
        found.reverse()
    has_before, has_after = (is_more, True) if is_back else (at is not None, is_more)
    return Part(
        found,
        found[0].result_id if found and has_before else None,
        found[-1].result_id if found and has_after else None,
    )


def _following(rows: QuerySet[Any], at: Any) -> QuerySet[Any]:
    return rows.filter(Q(cost__lt=at.cost) | Q(cost=at.cost, result__gt=at.result_id))


def _preceding(rows: QuerySet[Any], at: Any) -> QuerySet[Any]:
    """Return the rows before one, the nearest first."""
    rows = rows.filter(Q(cost__gt=at.cost) | Q(cost=at.cost, result__lt=at.result_id))
    return rows.order_by("cost", "-result")


def drawn_result(row: Score | ImageLoss, dataset: Dataset) -> Picture:
    """Return the small photograph of a row's image with its ground truth and detections."""
    image, boxes = row.result.image, row.result.detections
    return picture(
        truth=image.truth_regions,
        boxes=boxes,
        convention=dataset.box_convention,
        url=reverse("datasets:small_image", args=[image.sha256]) if image.sha256 else "",
        size=image.size_to_draw(boxes),
    )


def around(question: Question, image: Image) -> tuple[str | None, str | None]:
    """Return the names of the images before and after an image in the order of the costs.

    After an image that is not among them comes the first.
    """
    rows = worst_rows(question)
    at = rows.filter(result__image=image).first()
    names = [rows.none(), rows] if at is None else [_preceding(rows, at), _following(rows, at)]
    previous, following = (
        one.values_list("result__image__name", flat=True).first() for one in names
    )
    return previous, following
