"""An archive under another reading, with changed regions and updated findings about shapes."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from protocols.formats.containers.contents import Archive, Unit
from protocols.formats.containers.limits import BATCH
from protocols.formats.containers.shapes import odd_shapes, tell_shape
from protocols.formats.problems import Problems

from .readings import (
    AS_NAMED,
    AS_READ,
    AS_WRITTEN,
    FRAMES,
    SHIFTS,
    Notation,
    Sizes,
    is_share,
    mover,
    read_so,
)

# Findings about shapes and borders that no longer apply.
_OF_SHAPES: Final = ("L5", "L6", "L7")
# Coordinates that have become pixels.
_OF_SHARES: Final = "F9"


def amended(archive: Archive, reading: str, *, sizes: Sizes, known: Collection[str]) -> Archive:
    """Return an archive under a reading.

    The readings "sides" and "columns" change nothing: the file was read so already. Relative
    coordinates need the sizes of images, width and height in pixels; ``known`` are the names of all
    images in counting order. Raises ReadingError as ``readings.read_so`` does.
    """
    if reading in (AS_READ, AS_NAMED, *AS_WRITTEN):
        return archive
    read_as = partial(
        read_so, reading=reading, sizes=sizes, known=known, notation=Notation.of(archive)
    )
    regions = read_as(archive.regions)
    methods = {method: read_as(of) for method, of in archive.methods.items()}
    if reading in SHIFTS:
        back = mover(reading, known, back=True)
        names = {image: back(image) or image for image in regions}
        return replace(
            archive,
            regions=regions,
            methods=methods,
            entries={
                image: archive.entries[old]
                for image, old in names.items()
                if old in archive.entries
            },
            lines={
                image: archive.lines[old] for image, old in names.items() if old in archive.lines
            },
        )
    explained = (*_OF_SHAPES, _OF_SHARES) if is_share(reading) else _OF_SHAPES
    problems = Problems(
        archive.name,
        [problem for problem in archive.problems if problem.code not in explained],
        Counter({code: n for code, n in archive.counts.items() if code not in explained}),
    )
    changed = replace(archive, regions=regions, methods=methods)
    if reading in FRAMES:
        parents = {
            image: dict(zip(of, read_as({image: tuple(of.values())})[image], strict=True))
            for image, of in archive.parents.items()
        }
        # The boxes are in the upright frame from now on.
        changed = replace(changed, parents=parents, units=dict.fromkeys(regions, Unit.DECIDED))
    _tell_shapes(changed, problems)
    return changed.with_problems(problems)


def _tell_shapes(archive: Archive, problems: Problems) -> None:
    for by_image in archive.by_method.values():
        placed = (
            (image, at, region)
            for image, regions in by_image.items()
            for at, region in enumerate(regions)
        )
        # In batches: a call for each image would cost more than all the rest.
        while batch := list(islice(placed, BATCH)):
            for index, code, repair in odd_shapes([region for _, _, region in batch], flat=True):
                image, at, region = batch[index]
                if code != "L7":
                    lines = archive.lines.get(image)
                    place = archive.entries.get(image), None if lines is None else lines[at], None
                    tell_shape(problems, code, region, repair, place)
