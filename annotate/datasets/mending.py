"""Corrections of the ground truth of one image; earlier versions stay, because answers were given on them."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.errors import Refusal
from annotate.names import refuse_unseen
from protocols.core.regions import Region, decode_regions, encode_regions

from .models import Dataset, EarlierTruth, Image, ImageFacts

MAX_REASON: Final = 300


class TruthRefused(Refusal):
    """Refusal to correct a ground truth; nothing was changed."""


def version_of(image: Image) -> int:
    """Return the number of the image's version of the ground truth, from 1."""
    return image.earlier_truths.count() + 1


def mended(dataset: Dataset) -> int:
    """Return how often a ground truth of the dataset was corrected."""
    return EarlierTruth.objects.filter(image__dataset=dataset).count()


def corrected_since(dataset: Dataset, at: datetime) -> list[int]:
    """Return the keys of the images whose ground truth was corrected since a time."""
    earlier = EarlierTruth.objects.filter(image__dataset=dataset, created__gte=at)
    return list(earlier.order_by().values_list("image", flat=True).distinct())


def corrected_at(images: Collection[int]) -> dict[int, list[datetime]]:
    """Return when the ground truth of each image was corrected, in order; all others have no entry."""
    found: dict[int, list[datetime]] = {}
    earlier = EarlierTruth.objects.filter(image__in=images).order_by("image", "version")
    for image, at in earlier.values_list("image", "created"):
        found.setdefault(image, []).append(at)
    return found


def version_at(corrected: Sequence[datetime], at: datetime) -> int:
    """Return the version of a ground truth at a time."""
    return 1 + bisect_right(corrected, at)


def truth_as_of(image: Image, version: int) -> tuple[Region, ...]:
    """Return a version of the ground truth. Raises EarlierTruth.DoesNotExist."""
    if version == version_of(image):
        return image.truth_regions
    return decode_regions(image.earlier_truths.get(version=version).truth)


def has_area(region: Region) -> bool:
    left, top, right, bottom = region.box
    return left < right and top < bottom


def changes(before: Sequence[Region], after: Sequence[Region]) -> tuple[int, int]:
    """Return how many regions are only in the first, and only in the second."""
    return sum(one not in after for one in before), sum(one not in before for one in after)


@transaction.atomic
def mend(
    *, image: Image, regions: Iterable[Region], version: int, reason: str, person: User | None
) -> EarlierTruth:
    """Replace the ground truth of an image; return the version that is kept.

    ``version`` is the one that was corrected. Raises TruthRefused if it is not the newest, if
    nothing differs, without a reason, and for a new region without an area.
    """
    Dataset.objects.select_for_update().get(pk=image.dataset_id)
    image = Image.objects.select_related("dataset").get(pk=image.pk)
    reason, after = reason.strip(), tuple(regions)
    refuse_unseen(reason, TruthRefused)
    if not reason or len(reason) > MAX_REASON:
        raise TruthRefused(_("Give a reason of at most {n} characters.").format(n=MAX_REASON))
    if version != version_of(image):
        raise TruthRefused(
            _("The ground truth of {image} was corrected meanwhile. Open the page again.").format(
                image=image.name
            )
        )
    if after == image.truth_regions:
        raise TruthRefused(_("Nothing was changed."))
    if any(region not in image.truth_regions and not has_area(region) for region in after):
        raise TruthRefused(_("The region has no area."))
    n_gone, n_new = changes(image.truth_regions, after)
    earlier = EarlierTruth.objects.create(
        image=image, version=version, truth=image.truth, reason=reason, person=person
    )
    image.truth = encode_regions(after)
    image.save(update_fields=["truth"])
    ImageFacts.objects.filter(image=image).delete()
    record(
        Act.TRUTH_MENDED,
        actor=person,
        what=image.dataset.name,
        details={
            "image": image.name,
            "version": version + 1,
            "removed": n_gone,
            "added": n_new,
            "reason": reason,
        },
    )
    return earlier
