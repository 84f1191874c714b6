"""MSRA-TD500 and HUST-TR400: NAME.gt with turned boxes of lines."""

from typing import Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.documents import Document, image_name, lines_of
from ..problems import Fault, quoted

_WANTED: Final = "index, difficult, left, top, width, height and angle in radians"


def read_lines(document: Document, collector: Collector) -> None:
    """Read the boxes of an image, one a line."""
    name = image_name(document.stem)
    collector.new_image(name)
    for number, line in lines_of(document):
        with collector.catching(number, text=line):
            collector.add(name, _region(line), line=number, text=line)


def _region(line: str) -> Region:
    fields = line.split()
    if len(fields) != 7 or fields[1] not in ("0", "1"):
        raise Fault("L1", quoted(line), _WANTED)
    left, top, width, height, angle = map(checked.finite_in, fields[2:])
    box = checked.box_region(left, top, width, height)
    points = checked.turned_about_centre(box.points, angle)
    return Region(points, ignored=fields[1] == "1", id=fields[0])
