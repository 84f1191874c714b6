"""The order of steps from a file to what is loaded, the same at every door: read, then looked at."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..diagnostics.empty_results import images_with_text, look_over
from ..diagnostics.frames import truth_upright
from ..diagnostics.inspection import Against, Noticed, look
from ..diagnostics.levels import outlines_against_texts
from ..diagnostics.readings import AS_NAMED, AS_READ, AS_WRITTEN, SIDES, Sizes
from ..diagnostics.truths import impossible, without_regions
from ..formats.containers.checking import (
    Meaning,
    missing_images,
    outside_images,
    unknown_images,
    with_known_names,
)
from ..formats.containers.contents import Archive, Kind, LineFormat
from ..formats.containers.files import Source
from ..formats.containers.frames import turned_images
from ..formats.problems import Problem
from ..formats.readers.coco import with_ids_of
from ..formats.recognition.reading import LINES, read


@dataclass(frozen=True, slots=True)
class Truth:
    """The images of a load, and the ground truth that results are compared with.

    ``images`` are in counting order, with width and height in pixels, or None if they are unknown;
    ``photographs`` are the sizes beyond which a region is reported. ``with_text`` are the images whose
    ground truth has a region that counts. ``ids`` is the ground truth of the load, with or without its
    regions, for the ids of its images and labels; ``shape`` the notation of coordinates of its lines.
    """

    images: Mapping[str, tuple[int, int] | None] = field(default_factory=dict)
    photographs: Sizes = field(default_factory=dict)
    against: Against = field(default_factory=Against)
    with_text: Collection[str] = frozenset()
    ids: Archive | None = None
    shape: str = ""

    @classmethod
    def of(
        cls, truth: Archive, sizes: Sizes | None = None, photographs: Sizes | None = None
    ) -> "Truth":
        """Return a ground truth as results are compared with it; ``sizes`` are by default its own."""
        sizes = truth.sizes if sizes is None else sizes
        regions = truth.regions
        return cls(
            {image: sizes.get(image) for image in regions},
            photographs or {},
            Against.of(
                list(regions),
                lambda names: {name: regions[name] for name in names},
                turned_images(sizes),
            ),
            images_with_text(regions.items()),
            truth,
            shape_of(truth.format, truth.line_format),
        )

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """The sizes of the images whose size is known."""
        return {image: size for image, size in self.images.items() if size is not None}


def shape_of(format: str, line_format: str) -> str:
    """Return the notation of coordinates of lines, as a format; empty for another format."""
    if format not in LINES:
        return ""
    return format if format == AS_WRITTEN[SIDES] else line_format


def opened(
    source: Source,
    kind: Kind,
    format: str | None = None,
    *,
    reading: str = "",
    shape: str = "",
    **options: Any,
) -> Archive:
    """Read a file as every door does; ``options`` are further ones of ``reading.read``.

    A ``reading`` may be a format. Without a format, lines of results are read by themselves; in doubt,
    and if a person said that the ground truth has boxes by their sides, in the ``shape`` of its lines.
    """
    format = AS_WRITTEN.get(reading, format)
    archive = read(source, kind=kind, format=format or None, **options)
    if format or not shape or archive.format not in LINES:
        return archive
    is_by_sides = shape == AS_WRITTEN[SIDES] and archive.line_format == LineFormat.LTRB
    is_doubtful = archive.errors or archive.questions
    if not (is_by_sides or is_doubtful or (shape == LineFormat.QUAD and _may_be_quads(archive))):
        return archive
    like_truth = read(source, kind=kind, shape=shape, **options)
    return archive if like_truth.errors else like_truth


def _may_be_quads(archive: Archive) -> bool:
    """Return whether lines taken for polygons may be quadrilaterals with a text of numbers."""
    if archive.line_format != LineFormat.POLYGON:
        return False
    regions = [of for regions in archive.regions.values() for of in regions]
    # With five or six points, the text would start with two or four numbers; rarely with more.
    return any(of.text for of in regions) and any(of.n_points in (5, 6) for of in regions)


def look_alone(
    archive: Archive, photographs: Sizes | None = None, reading: str = "", kind: Kind = "truth"
) -> Noticed:
    """Return a file in the upright frame, with all findings; a frame that nothing tells is a question.

    ``photographs`` are the sizes beyond which a region is reported, ``reading`` is the answer to the
    question.
    """
    sizes = {**archive.sizes, **(photographs or {})}
    upright, trial = truth_upright(archive, sizes, reading)
    if upright.regions is not archive.regions:
        upright = replace(upright, sizes={of: sizes[of] for of in upright.regions if of in sizes})
    problems = upright.collected()
    if kind == "truth" and archive.methods:
        problems.error(
            "N3", "regions of several methods", "ground truth, of which an image has only one"
        )
    for fault in impossible(upright, kind):
        problems.add(fault)
    for fault in without_regions(upright) if kind == "truth" else ():
        problems.add(fault)
    for fault in outlines_against_texts(upright):
        problems.add(fault)
    # The reader has compared regions in pixels with the sizes that the file gives.
    is_as_read = upright.regions is archive.regions
    compared = archive.sizes.keys() - archive.units.keys() if is_as_read else ()
    others = {
        image: size
        for image, size in (photographs or {}).items()
        if image not in compared or archive.sizes[image] != size
    }
    problems.merge(outside_images(upright, others))
    return Noticed(upright.with_problems(problems), trial=trial)


def look_at_results(
    archive: Archive,
    known: Truth,
    reading: str = "",
    missing: Meaning | None = None,
    *,
    asks: bool = False,
    source: Source | None = None,
    read_as: Callable[[str], Archive] | None = None,
) -> Noticed:
    """Return results under the names and in the frame of the ground truth, with all findings.

    If ``asks``, another reading that fits far better, and images without results whose meaning is not
    given, are questions; else such results are kept as they are read, and such images are not
    mentioned. ``reading`` is the one that a person named, ``source`` the file, and ``read_as`` reads it
    again in a format.
    """

    def named(archive: Archive) -> tuple[Archive, list[Problem]]:
        if known.ids is not None and source is not None:
            archive = with_ids_of(known.ids, archive, source)
        return with_known_names(archive, () if reading == AS_NAMED else known.images)

    archive, renamed = named(archive)
    if not reading or reading in AS_WRITTEN:
        decided, _ = truth_upright(archive, {**archive.sizes, **known.sizes})
        archive = archive if decided.questions else decided
    read_how = reading or ("" if asks else AS_READ)
    again = None if read_as is None else lambda format: named(read_as(format))[0]
    noticed = look(archive, known.against, known.images, read_how, again)
    archive = noticed.archive
    problems = archive.collected()
    unknown = unknown_images(archive, known.images)
    # A file with an unknown name is most probably that of a missing image.
    is_unread = archive.errors or unknown.found or (archive.questions and not archive.regions)
    is_told = not is_unread and (asks or missing is not None)
    lacking = missing_images(archive, known.images, missing) if is_told else []
    for fault in (*renamed, *impossible(archive, "results")):
        problems.add(fault)
    if read_how or not noticed.is_of_other_images:
        problems.merge(unknown)
        for fault in lacking:
            problems.add(fault)
    # If errors or questions remain, another reading may find other boxes.
    is_settled = not archive.errors and not archive.questions
    with_text = known.with_text if is_settled else ()
    look_over(problems, archive, with_text, known.photographs, missing)
    noticed.archive = archive.with_problems(problems)
    return noticed
