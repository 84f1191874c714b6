"""How a file is read at every door: in its format, or in doubt as the ground truth is."""

from typing import Any

from ..diagnostics.readings import AS_WRITTEN, SIDES
from ..formats.containers.contents import Archive, Kind, LineFormat
from ..formats.containers.files import Source
from ..formats.recognition.reading import LINES, read


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
    archive = read(source, kind=kind, format=format, **options)
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
