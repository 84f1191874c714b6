"""Checks of a file against the known images: names, missing files, sizes."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

from text_rankings.base.i18n import Message, ngettext_noop

from ..problems import KEPT_AS_IT_IS, Nearest, Problem, Problems, pattern_of
from .contents import Archive

# Meaning of an image without a file of results; only a person can decide.
Meaning = Literal["empty", "not-evaluated"]
_MEANINGS: Final[Mapping[str, str]] = {
    "empty": Message("read as “no boxes”"),
    "not-evaluated": Message("left out as “not evaluated”"),
}


def unknown_images(archive: Archive, known: Collection[str]) -> list[Problem]:
    """Return an error (N2) for each image that is not among the known ones, with the nearest name.

    Parameters
    ----------
    archive : Archive
    known : collection of str
        The names of images.

    Examples
    --------
    >>> from protocols.formats.containers.contents import LineFormat
    >>> archive = Archive("a.zip", LineFormat.QUAD, {"img_1": (), "img_07": ()}, (), {})
    >>> [problem.expected for problem in unknown_images(archive, ["img_1", "img_7"])]
    ['an image of the dataset, which has img_1, img_7 (perhaps img_7)']
    """
    problems = Problems(archive.name)
    nearest = Nearest(known)
    unknown = [image for image in _images(archive) if image not in known]
    names = pattern_of(known) if unknown else ""
    for image in unknown:
        expected = Message(
            "an image of the dataset, which has {names}{hint}",
            names=names,
            hint=nearest.hint(image),
        )
        problems.error(
            "N2", "regions for {image}", expected, archive.entries.get(image), image=image
        )
    return problems.found


def missing_images(
    archive: Archive, known: Iterable[str], meaning: Meaning | None = None
) -> list[Problem]:
    """Return the finding (N4) about known images that the file does not name.

    Without ``meaning`` a question, with it a warning that states the consequence; for a file of
    several methods one for each.

    Parameters
    ----------
    archive : Archive
    known : iterable of str
        The names of images.
    meaning : "empty", "not-evaluated" or None

    Examples
    --------
    >>> from protocols.formats.containers.contents import LineFormat
    >>> archive = Archive("a.zip", LineFormat.QUAD, {"img_1": ()}, (), {})
    >>> [(of.severity, of.found) for of in missing_images(archive, ["img_1", "img_7"])]
    [('question', 'no file for 1 image (img_7)')]
    >>> [(of.severity, of.action) for of in missing_images(archive, ["img_1", "img_7"], "empty")]
    [('warning', 'read as “no boxes”')]
    """
    problems = Problems(archive.name)
    images = list(known)
    for method, regions in archive.by_method.items():
        lacking = [image for image in images if image not in regions]
        if not lacking:
            continue
        some = ", ".join(lacking[:3]) + (" …" if len(lacking) > 3 else "")
        absent = ngettext_noop("{n} image", "{n} images", len(lacking))
        found = Message("no file for {absent} ({some})", absent=absent, some=some)
        if method is not None:
            found = Message(
                "no file of {method} for {absent} ({some})", method=method, absent=absent, some=some
            )
        if meaning is None:
            expected = Message(
                "a file for each image, or that you say whether a missing one means "
                "“no boxes” or “not evaluated”"
            )
            problems.question("N4", found, expected)
        else:
            problems.warning("N4", found, "a file for each image", action=_MEANINGS[meaning])
    return problems.found


def outside_images(archive: Archive, sizes: Mapping[str, tuple[int, int]]) -> list[Problem]:
    """Return a warning (L6) for each region that reaches outside its image, by how many pixels.

    Parameters
    ----------
    archive : Archive
    sizes : mapping of str to (int, int)
        Width and height of images in pixels; those not in it are passed over.

    Examples
    --------
    >>> from protocols.core.regions import Region
    >>> from protocols.formats.containers.contents import LineFormat
    >>> archive = Archive("a.zip", LineFormat.QUAD, {"img_1": (Region.from_box(0, 0, 9, 4),)}, (), {})
    >>> [problem.found for problem in outside_images(archive, {"img_1": (5, 4)})]
    ['region 1 reaches 4 px outside img_1']
    """
    problems = Problems(archive.name)
    for images in archive.by_method.values():
        for image, regions in images.items():
            if image not in sizes:
                continue
            width, height = sizes[image]
            for at, region in enumerate(regions):
                left, top, right, bottom = region.box
                over = max(-left, -top, right - width, bottom - height)
                if over > 0:
                    lines = archive.lines.get(image)
                    problems.warning(
                        "L6",
                        "region {value} reaches {over:g} px outside {image}",
                        "coordinates within {width} x {height}",
                        archive.entries.get(image),
                        None if lines is None else lines[at],
                        action=KEPT_AS_IT_IS,
                        value=at + 1,
                        over=over,
                        image=image,
                        width=width,
                        height=height,
                    )
    return problems.found


def _images(archive: Archive) -> list[str]:
    return list(dict.fromkeys(name for of in archive.by_method.values() for name in of))
