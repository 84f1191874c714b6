"""Photographs of a load: of its ground truth, or of images that were loaded without."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.datasets.models import Dataset, Image, ImageQuerySet
from annotate.datasets.photographs import Photograph, read_photographs
from annotate.studies.models import Study
from protocols.core.regions import decode_regions
from protocols.diagnostics.frames import truth_upright
from protocols.diagnostics.readings import STORED
from protocols.formats.containers.checking import outside_images
from protocols.formats.containers.contents import Archive, LineFormat
from protocols.formats.containers.frames import PictureSize
from protocols.formats.containers.image_sizes import picture_sizes
from protocols.formats.problems import LEFT_OUT, Nearest, Problems, pattern_of
from text_rankings.base.counts import some_of

from .reports import Checked
from .staging import Given, Progress

_BATCH: Final = 500
_SHOWN: Final = Q(assignments__screens__isnull=False)


def sizes_of(path: Path, reading: str) -> dict[str, PictureSize]:
    """Return the sizes of photographs before they are verified; ``reading`` is that of WebP."""
    return {
        image: PictureSize.of_stored(*size, size.asked)
        if reading == STORED and size.asked > 1
        else PictureSize(*size, size.orientation)
        for image, size in picture_sizes(path).items()
    }


def check(
    given: Given,
    truth: Iterable[Sequence[Any]],
    progress: Progress,
    held: Mapping[str, tuple[Collection[str], str]] | None = None,
) -> Checked:
    """Check photographs against ground truth, of which each row begins with an image.

    ``held`` are images that get no photograph: the hashes of the one they have, and the reason.
    Rows: image, hash, type, width, height, entry, orientation.
    """
    problems = Problems(given.file.name)
    regions = {image: None for image, *_truth in truth}
    held = held or {}
    nearest = Nearest([*regions, *held])
    place: dict[str, str] = {}
    found: dict[str, Photograph] = {}
    # By hash, the first image with the photograph.
    same: dict[str, str] = {}
    verified: list[Sequence[Any]] = []
    strange: list[str] = []
    turns_webp = given.file.reading == STORED
    for entry, photograph in read_photographs(given.source, problems, turns_webp=turns_webp):
        stem, path = Path(entry.name).stem, entry.path
        if stem in held:
            hashes, reason = held[stem]
            if photograph.sha256 not in hashes:
                problems.warning("N3", reason, _("an image without one"), path, action=LEFT_OUT)
        elif stem not in regions:
            strange.append(stem)
            told = _("a photograph without ground truth{hint}").format(hint=nearest.hint(stem))
            problems.warning(
                "N2",
                told,
                _("{pattern} for each").format(pattern="gt_NAME.txt"),
                path,
                action=_("left out"),
            )
        elif stem in place:
            told = _("a second photograph of {stem} (the other: {place})").format(
                stem=stem, place=place[stem]
            )
            problems.error("N3", told, _("one"), path)
        else:
            place[stem] = path
            size = photograph.width, photograph.height
            if (first := same.setdefault(photograph.sha256, stem)) != stem:
                told = _("the same photograph as that of {image}").format(image=first)
                action = _("loaded; people would judge one picture twice")
                problems.warning("P2", told, _("a photograph of its own"), path, action=action)
            row = [stem, photograph.sha256, photograph.content_type, *size, path]
            verified.append([*row, photograph.orientation])
            found[stem] = photograph
            progress(len(place), len(regions))
    if place or strange or not held:
        _tell_missing(problems, list(regions), place, strange)
    n_turned = _tell_turned(problems, found, given.file.reading)
    given.rows.write(iter(verified))
    return Checked(given.rows, problems, {"photographs": len(verified), "turned": n_turned})


def _tell_turned(problems: Problems, photographs: Mapping[str, Photograph], reading: str) -> int:
    """Report photographs that are stored upright, and ask about WebP; return how many are turned.

    A WebP is turned if ``reading`` says so.
    """
    turned = [of for of, photograph in photographs.items() if photograph.orientation > 1]
    asked = [of for of, photograph in photographs.items() if photograph.asked > 1]
    if turned:
        found = ngettext(
            "{n} photograph with an EXIF orientation ({some})",
            "{n} photographs with an EXIF orientation ({some})",
            len(turned),
        ).format(n=len(turned), some=some_of(turned))
        wanted, action = _("photographs that are stored upright"), _("turned upright")
        problems.warning("F8", found, wanted, action=action)
    if asked:
        found = ngettext(
            "{n} WebP photograph with an EXIF orientation ({some}), which browsers ignore",
            "{n} WebP photographs with an EXIF orientation ({some}), which browsers ignore",
            len(asked),
        ).format(n=len(asked), some=some_of(asked))
        if reading:
            wanted, action = _("photographs without it"), _("read as they are, as specified")
            problems.warning("F2", found, wanted, action=action)
        else:
            problems.question("F2", found, _("your choice of how to read the file"))
    return len(turned)


def _tell_missing(
    problems: Problems, images: Sequence[str], found: Collection[str], strange: Sequence[str]
) -> None:
    """Report missing photographs: an error if names are wrong or none is there, else a warning."""
    lacking = [image for image in images if image not in found]
    if not lacking:
        return
    without = _("no photograph of {n} of {images} ({some})").format(
        n=len(lacking),
        images=ngettext("{n} image", "{n} images", len(images)).format(n=len(images)),
        some=some_of(lacking),
    )
    if strange:
        told = ngettext(
            "{without}, and {n} photograph of no image ({names})",
            "{without}, and {n} photographs of no image ({names})",
            len(strange),
        ).format(without=without, n=len(strange), names=pattern_of(strange))
        expected = _("photographs named after the images, {names}").format(names=pattern_of(images))
        problems.error("N4", told, expected)
    elif found:
        expected = _("a photograph of each; those present have matching names")
        action = _("these images are loaded without; people rank better with photographs")
        problems.warning("N4", without, expected, action=action)
    else:
        problems.error("N4", _("no photograph at all"), _("photographs in a zip or a folder"))


def bare(dataset: Dataset) -> ImageQuerySet:
    """Return the images that may be given a photograph: they have none, and no pair was shown."""
    return dataset.images.filter(sha256="").exclude(pk__in=_shown(dataset))


def _shown(dataset: Dataset) -> QuerySet[Image, Any]:
    return dataset.images.filter(_SHOWN).values("pk")


def check_later(given: Given, dataset: Dataset, progress: Progress) -> Checked:
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
    checked = check(given, names, progress, held)
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
