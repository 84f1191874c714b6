"""The images on which a method does worst, alone or against another, by a run's scores or losses."""

from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.datasets.drawing import Picture, picture
from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.scoring import figures_by_image
from annotate.scoring.models import ImageLoss, ProtocolRun
from rankings.detectors.worst_images import WorstImages, worst_images


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


@dataclass(frozen=True)
class Evaluated:
    """How many of the images that are asked about have scores of the method, or of both methods."""

    n: int
    n_all: int

    @property
    def is_whole(self) -> bool:
        return self.n == self.n_all


def worst_of(question: Question) -> tuple[WorstImages, Evaluated]:
    """Return the images on which the method loses something, worst first, and how many were looked at.

    Against another method the cost is the difference of the image's figures or losses. Alone, it is
    the credit that the image takes from the figure of the dataset: regions that were not found
    (recall), or detections that are not right (precision); for other figures and imported scores, 1
    minus the figure of the image.
    """
    methods = [method for method in (question.method, question.against) if method is not None]
    run = question.run
    compared = [figures_by_image.figures(run, method, question.figure) for method in methods]
    asked, images = run.dataset.images.all(), compared[0].images
    if question.images:
        chosen = list(asked.filter(**question.images).order_by("pk").values_list("pk", flat=True))
        n_all, images = len(chosen), compared[0].shared_with(chosen)
    else:
        n_all = asked.count()
    for others in compared[1:]:
        images = others.shared_with(images)
    if question.cause:
        # A method loses nothing by a cause where it was evaluated and has no row.
        lost = [figures_by_image.losses(run, method, question.cause) for method in methods]
        figures = [of_method.on(images, missing=0.0) for of_method in lost]
    else:
        figures = [of_method.on(images) for of_method in compared]
    worst = worst_images(*figures, are_losses=bool(question.cause))
    return worst, Evaluated(len(images), n_all)


@dataclass(frozen=True)
class Row:
    """An image on which the method loses something; both figures or losses, None if undefined."""

    result: Result
    cost: float
    own: float | None
    other: float | None
    # By the cause, if one is given.
    loss: ImageLoss | None


@dataclass(frozen=True)
class Part:
    """Some of the images in order; the keys with which the parts before and after it begin."""

    rows: list[Row]
    before: int | None
    after: int | None


def part_of(
    question: Question,
    worst: WorstImages,
    n: int,
    after: int | None = None,
    before: int | None = None,
) -> Part:
    """Return the n rows after, or before, an image's key; without either, the first n.

    A key that is unknown, or no longer among the images, is ignored.
    """
    anchor = after or before
    at = worst.place(anchor) if anchor else None
    first, last = 0, n
    if at is not None:
        first, last = (at + 1, at + 1 + n) if after else (max(0, at - n), at)
    shown = worst.rows(first, last)
    of_method = Result.objects.filter(method=question.method, image__in=[key for key, *_ in shown])
    results = {result.image_id: result for result in of_method.select_related("image")}
    losses: dict[int, ImageLoss] = {}
    if question.cause:
        rows = ImageLoss.objects.filter(run=question.run, cause=question.cause)
        losses = {loss.result_id: loss for loss in rows.filter(result__in=results.values())}
    return Part(
        [
            Row(results[key], cost, own, other, losses.get(results[key].pk))
            for key, cost, own, other in shown
        ],
        shown[0][0] if shown and first else None,
        shown[-1][0] if shown and last < len(worst) else None,
    )


def drawn_result(row: Row, dataset: Dataset) -> Picture:
    """Return the small photograph of a row's image with its ground truth and detections."""
    image, boxes = row.result.image, row.result.detections
    return picture(
        truth=image.truth_regions,
        boxes=boxes,
        convention=dataset.box_convention,
        url=reverse("datasets:small_image", args=[image.sha256]) if image.sha256 else "",
        size=image.size_to_draw(boxes),
    )


def around(worst: WorstImages, image: Image) -> tuple[str | None, str | None]:
    """Return the names of the images before and after an image in the order of the costs.

    After an image that is not among them comes the first.
    """
    at = worst.place(image.pk)
    first = 0 if at is None else at + 1
    before, after = worst.images[at - 1 : at] if at else [], worst.images[first : first + 1]
    names = dict(Image.objects.filter(pk__in=[*before, *after]).values_list("pk", "name"))
    previous, following = (next(map(names.get, keys), None) for keys in (before, after))
    return previous, following
