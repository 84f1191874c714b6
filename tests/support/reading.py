"""Shared files as scenes."""

from functools import lru_cache

from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.formats.containers.contents import LineFormat
from protocols.formats.readers.rrc import read_archive
from protocols.formats.readers.rrc_lines import Rules
from tests.support.shared import shared_path


# The same files are read for many protocols; no test changes them.
@lru_cache(maxsize=32)
def regions_of(data: str, name: str, kind: str, line_format: LineFormat, **rules):
    path = shared_path("data", data, f"{name}.zip")
    archive = read_archive(path, kind=kind, rules=Rules(line_format=line_format, **rules))
    assert not archive.errors
    return archive.regions


def as_box(region: Region) -> Region:
    """Return the bounding box as the reference values define it: not left of or above the image."""
    left, top, right, bottom = region.box
    return Region.from_box(max(0, left), max(0, top), right, bottom, ignored=region.ignored)


FORMATS = {"icdar2013": LineFormat.LTRB, "ctw1500": LineFormat.POLYGON}


def scenes_of(data: str, method: str, *, boxes: bool = False, **rules) -> list[Scene]:
    line_format = FORMATS.get(data, LineFormat.QUAD)
    truth = regions_of(data, "gt", "truth", line_format, **rules)
    results = regions_of(data, method, "results", line_format, **rules)

    def shaped(regions):
        if regions is None or not boxes:
            return regions
        return tuple(as_box(region) for region in regions)

    return [
        Scene(shaped(regions), shaped(results.get(image)), image.removeprefix("img_"))
        for image, regions in truth.items()
    ]
