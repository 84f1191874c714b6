"""Photographs with an EXIF orientation in a load: their sizes, and what the report says of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from annotate.datasets.photographs import Photograph
from protocols.diagnostics.readings import STORED
from protocols.formats.containers.frames import PictureSize
from protocols.formats.containers.image_sizes import picture_sizes
from protocols.formats.problems import Problems
from text_rankings.base.i18n import gettext as _
from text_rankings.base.i18n import ngettext

_N_NAMED: Final = 3


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
        ).format(n=len(turned), some=_some(turned))
        wanted, action = _("photographs that are stored upright"), _("turned upright")
        problems.warning("F8", found, wanted, action=action)
    if asked:
        found = ngettext(
            "{n} WebP photograph with an EXIF orientation ({some}), which browsers ignore",
            "{n} WebP photographs with an EXIF orientation ({some}), which browsers ignore",
            len(asked),
        ).format(n=len(asked), some=_some(asked))
        if reading:
            wanted, action = _("photographs without it"), _("read as they are, as specified")
            problems.warning("F2", found, wanted, action=action)
        else:
            problems.question("F2", found, _("your choice of how to read the file"))
    return len(turned)


def _some(images: list[str]) -> str:
    return ", ".join(images[:_N_NAMED]) + (" …" if len(images) > _N_NAMED else "")
