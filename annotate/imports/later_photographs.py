"""Photographs for images of a dataset that were loaded without: checked, and taken away again."""

from collections.abc import Collection
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset, Image, ImageQuerySet
from annotate.studies.models import Study
from protocols.core.regions import decode_regions
from protocols.diagnostics.frames import truth_upright
from protocols.formats.containers.checking import outside_images
from protocols.formats.containers.contents import Archive, LineFormat
from protocols.formats.containers.frames import PictureSize
from protocols.formats.problems import Problems

from .checking import Checked, Given, Progress, check_photographs
from .staging import Rows

_BATCH: Final = 500
_SHOWN: Final = Q(assignments__screens__isnull=False)


def bare(dataset: Dataset) -> ImageQuerySet:
    """Return the images that may be given a photograph: they have none, and no pair was shown."""
    return dataset.images.filter(sha256="").exclude(pk__in=_shown(dataset))


def _shown(dataset: Dataset) -> QuerySet[Image, Any]:
    return dataset.images.filter(_SHOWN).values("pk")


def check(given: Given, dataset: Dataset, rows: Rows, progress: Progress) -> Checked:
    """Check photographs against the images of a dataset that have none."""
    held: dict[str, tuple[Collection[str], str]] = {}
    for name, *hashes in dataset.images.exclude(sha256="").values_list(
        "name", "sha256", "original_sha256"
    ):
        held[name] = hashes, _("another photograph of {image}, which has one").format(image=name)
    for image in dataset.images.filter(sha256="", pk__in=_shown(dataset)).only("name"):
        told = _("a photograph of {image}, whose results people have compared without one")
        held[image.name] = (), told.format(image=image.name)
    names = bare(dataset).in_order().values_list("name")
    checked = check_photographs(given, names, rows, progress, held)
    found = {image: row for image, *row in checked.rows}
    if not found and not checked.problems.has_errors:
        told = _("no photograph of an image that has none")
        checked.problems.error("N4", told, _("photographs in a zip or a folder"))
    _warn_of_known(checked.problems, dataset, {image: row[0] for image, row in found.items()})
    turned = {
        image: PictureSize(width, height, orientation)
        for image, (_sha256, _type, width, height, _entry, orientation) in found.items()
        if orientation > 1
    }
    _refuse_other_frame(checked.problems, dataset, turned)
    sizes = {image: (row[2], row[3]) for image, row in found.items()}
    images = list(sizes)
    for at in range(0, len(images), _BATCH):
        some = images[at : at + _BATCH]
        truth = _truth(dataset, some)
        checked.problems.merge(outside_images(truth, {name: sizes[name] for name in some}))
    return checked


def _truth(dataset: Dataset, names: Collection[str]) -> Archive:
    regions = {
        name: decode_regions(truth)
        for name, truth in dataset.images.filter(name__in=names).values_list("name", "truth")
    }
    return Archive(dataset.name, LineFormat.QUAD, regions, (), {})


def _warn_of_known(problems: Problems, dataset: Dataset, hashes: dict[str, str]) -> None:
    """Report photographs that other images of the dataset have."""
    known = Q(sha256__in=hashes.values()) | Q(original_sha256__in=hashes.values())
    rows = dataset.images.filter(known).values_list("name", "sha256", "original_sha256")
    names = {digest: name for name, *both in rows for digest in both if digest}
    for image, digest in hashes.items():
        if digest in names:
            told = _("a photograph of {image} that {other} has").format(
                image=image, other=names[digest]
            )
            action = _("loaded; people would judge one picture twice")
            problems.warning("P2", told, _("a photograph of its own"), action=action)


def _refuse_other_frame(
    problems: Problems, dataset: Dataset, turned: dict[str, PictureSize]
) -> None:
    """Refuse turned photographs unless the loaded boxes must be on the upright pixels."""
    truth = _truth(dataset, turned)
    read, _trial = truth_upright(truth, turned)
    if read.questions or read.regions is not truth.regions:
        found = read.questions[0].found if read.questions else read.warnings[-1].found
        expected = _(
            "photographs stored upright, or a new dataset of both, which asks on which pixels the "
            "boxes are"
        )
        problems.error("F8", found, expected)


def take_away(keys: Collection[int]) -> None:
    Image.objects.filter(pk__in=keys).update(
        sha256="", content_type="", width=None, height=None, orientation=1, original_sha256=""
    )


def obstacles(dataset: Dataset, keys: Collection[int]) -> list[str]:
    """Return why photographs of images cannot be taken away again, as sentences."""
    studies = Study.objects.filter(
        assignments__image__in=keys, assignments__screens__isnull=False, dataset=dataset
    ).distinct()
    return [
        _("People of the study {study} have compared results on them.").format(study=study.name)
        for study in studies
    ]
