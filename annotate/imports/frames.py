"""Photographs of a load: sizes, EXIF orientations, and what the report says of those that are missing."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.datasets.photographs import Photograph
from protocols.diagnostics.readings import STORED
from protocols.formats.containers.frames import PictureSize
from protocols.formats.containers.image_sizes import picture_sizes
from protocols.formats.problems import Problems, pattern_of
from text_rankings.base.counts import some_of


def sizes_of_photographs(path: Path, reading: str) -> dict[str, PictureSize]:
    """Return the sizes of photographs before they are verified; ``reading`` is that of WebP."""
    return {
        image: PictureSize.of_stored(*size, size.asked)
        if reading == STORED and size.asked > 1
        else PictureSize(*size, size.orientation)
        for image, size in picture_sizes(path).items()
    }


def tell_turned(problems: Problems, photographs: Mapping[str, Photograph], reading: str) -> int:
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


def tell_missing_photographs(
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
