"""Checks of a file against the known images: names, missing files, sizes."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final, Literal, TypeVar

from text_rankings.base.counts import counted, some_of

from ..names import fitted_names
from ..problems import KEPT_AS_IT_IS, PASSED_OVER, Nearest, Problem, Problems, pattern_of, quoted
from .contents import LEAST_OUTSIDE_PX, Archive

T = TypeVar("T")
# Formats whose own programs pass over results for images without ground truth.
_OTHERS_PASSED_OVER: Final = ("maptext",)
# Meaning of an image without a file of results; only a person can decide.
Meaning = Literal["empty", "not-evaluated"]
_MEANINGS: Final[Mapping[str, str]] = {
    "empty": "read as “no boxes”",
    "not-evaluated": "left out as “not evaluated”",
}


def with_known_names(archive: Archive, known: Collection[str]) -> tuple[Archive, list[Problem]]:
    """Return the archive under the names of known images, if each of its names then fits one.

    Names fit as ``fitted_names`` says, and a warning (N2) states it; else the archive is returned
    unchanged. Of a format whose programs pass over other images, these are left out, with a warning.
    """
    names = _images(archive)
    if all(name in known for name in names):
        return archive, []
    image_of = fitted_names(names, known)
    problems = Problems(archive.name)
    if image_of is None:
        image_of = {name: name for name in names if name in known}
        if archive.format not in _OTHERS_PASSED_OVER or not image_of:
            return archive, []
        others = [name for name in names if name not in known]
        found = f"{counted(len(others), 'image')} that the dataset lacks ({others[0]})"
        problems.warning("N2", found, "images of the dataset", action=PASSED_OVER)
        return _with_images(archive, image_of), problems.found
    changed = next((name, image) for name, image in image_of.items() if name != image)
    problems.warning(
        "N2",
        (
            "other names than those of the images, each read as the one image that it fits "
            f"({quoted(changed[0])} as {quoted(changed[1])})"
        ),
        "the names of the images",
        action="read as the images with the same numbers or letters, since every name fits",
    )

    return _with_images(archive, image_of), problems.found


def _with_images(archive: Archive, image_of: Mapping[str, str]) -> Archive:
    """Return the archive with these names in place of its own, and without other images."""

    def renamed(of: Mapping[str, T]) -> dict[str, T]:
        return {image_of[name]: value for name, value in of.items() if name in image_of}

    return replace(
        archive,
        regions=renamed(archive.regions),
        methods={method: renamed(of) for method, of in archive.methods.items()},
        sizes=renamed(archive.sizes),
        units=renamed(archive.units),
        entries=renamed(archive.entries),
        lines=renamed(archive.lines),
    )


def unknown_images(archive: Archive, known: Collection[str]) -> Problems:
    """Return an error (N2) for each image that is not among the known ones, with the nearest name."""
    problems = Problems(archive.name)
    unknown = [image for image in _images(archive) if image not in known]
    if not unknown:
        return problems
    nearest, names = Nearest(known), pattern_of(known)
    for image in unknown:
        expected = f"an image of the dataset, which has {names}{nearest.hint(image)}"
        problems.error("N2", f"regions for {image}", expected, archive.entries.get(image))
    return problems


def missing_images(
    archive: Archive, known: Iterable[str], meaning: Meaning | None = None
) -> list[Problem]:
    """Return the finding (N4) about known images that the file does not name.

    It is a question if ``meaning`` is None, else a warning that states the consequence; a file of
    several methods gets one for each.
    """
    problems = Problems(archive.name)
    images = list(known)
    for method, regions in archive.by_method.items():
        lacking = [image for image in images if image not in regions]
        if not lacking:
            continue
        some = some_of(lacking)
        absent = counted(len(lacking), "image")
        found = f"no entry for {absent} ({some})"
        if method is not None:
            found = f"no entry of {method} for {absent} ({some})"
        if meaning is None:
            expected = (
                "an entry for each image, or your choice of whether a missing one means “no boxes” "
                "or “not evaluated”"
            )
            problems.question("N4", found, expected)
        else:
            problems.warning("N4", found, "an entry for each image", action=_MEANINGS[meaning])
    return problems.found


def outside_images(archive: Archive, sizes: Mapping[str, tuple[int, int]]) -> Problems:
    """Return a warning (L6), with the distance in pixels, for each region that leaves its image.

    Sizes are width and height in pixels; images without one are skipped.
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
                if over >= LEAST_OUTSIDE_PX:
                    lines = archive.lines.get(image, ())
                    problems.warning(
                        "L6",
                        f"region {at + 1} reaches {round(over, 2):g} px outside {image}",
                        f"coordinates within {width} x {height}",
                        archive.entries.get(image),
                        lines[at] if len(lines) == len(regions) else None,
                        action=KEPT_AS_IT_IS,
                    )
    return problems


def _images(archive: Archive) -> list[str]:
    return list(dict.fromkeys(name for of in archive.by_method.values() for name in of))
