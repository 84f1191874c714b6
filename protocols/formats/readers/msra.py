"""MSRA-TD500 and HUST-TR400: NAME.gt with turned boxes of lines."""

from typing import Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, text_of
from ..problems import Fault, Problems, quoted

_WANTED: Final = "index, difficult, left, top, width, height and angle in radians"


def _read_lines(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    name = image_name(document.stem)
    if name in collector:
        raise collector.second(name)
    collector.image(name, entry=document.entry)
    for number, line in enumerate(text_of(document, problems).split("\n"), 1):
        if line.strip():
            with problems.catching(document.entry, number, text=line):
                region = _region(line)
                collector.add(name, region, entry=document.entry, line=number, text=line)


read_lines: Final = reader_of("msra-td500", (".gt", ".txt"), _read_lines)


def _region(line: str) -> Region:
    fields = line.split()
    if len(fields) != 7 or fields[1] not in ("0", "1"):
        raise Fault("L1", quoted(line), _WANTED)
    left, top, width, height, angle = map(checked.finite_in, fields[2:])
    box = checked.box_region(left, top, width, height)
    points = checked.turned_about_centre(box.points, angle)
    return Region(points, ignored=fields[1] == "1", id=fields[0])
