"""YOLO: a text file for each image, boxes or oriented boxes as shares of the image's sides."""

from typing import Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers import checked
from ..containers.archives import Limits, Source, first_bytes, open_archive, source_name
from ..containers.collecting import Collector
from ..containers.contents import Archive, Kind, OnEntry, Unit
from ..containers.documents import PICTURES, Document, text_of
from ..problems import PASSED_OVER, Fault, Problems, quoted

_CLASSES: Final = "classes.txt"
# How many numbers follow the class: a box or an oriented box, with or without a confidence.
_COUNTS: Final = (4, 5, 8, 9)
_WANTED: Final = Message(
    "a class, then x, y, width and height, or four corners, and perhaps a confidence"
)
# Maximum distance of a region outside its image, as a share of the image's side.
_MAX_SHARE: Final = 2.0
_ZIP_BEGINS: Final = (b"PK\x03\x04", b"PK\x05\x06")


def read_yolo(
    source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
) -> Archive:
    """Read a zip of NAME.txt; pictures in it give the sizes of images.

    Coordinates stay shares, as in the file; ``image_sizes.in_pixels`` converts them to pixels.
    """
    problems = Problems(source_name(source, name))
    collector = Collector(problems, "yolo")
    if not first_bytes(source, 4).startswith(_ZIP_BEGINS):
        problems.error("A1", "no zip", "a zip of NAME.txt, one for each image")
        return collector.archive()
    with open_archive(source, problems, limits) as archive:
        texts = [member for member in archive.members if member.name.lower().endswith(".txt")]
        names: list[str] = []
        for member in archive.members:
            is_known = member.name.lower().endswith((".txt", ".yaml", *PICTURES))
            if not is_known:
                found = Message("the name {name}", name=quoted(member.name))
                problems.warning("N1", found, "NAME.txt", member.path, action=PASSED_OVER)
            if member.name.lower() == _CLASSES:
                content = archive.content(member) or b""
                names = text_of(Document(member.path, "", content), problems).split()
        labelled = [member for member in texts if member.name.lower() != _CLASSES]
        for done, member in enumerate(labelled, 1):
            found_content = archive.content(member)
            if found_content is not None:
                document = Document(member.path, member.name[:-4], found_content)
                _read_image(document, names, collector, problems)
            if on_entry is not None:
                on_entry(done, len(labelled))
        if not labelled and not problems.has_errors:
            problems.error("A1", "no .txt file in it", "NAME.txt, one for each image")
    return collector.archive()


def _read_image(
    document: Document, names: list[str], collector: Collector, problems: Problems
) -> None:
    image, entry = document.stem, document.entry
    try:
        if image in collector:
            raise collector.second(image)
        collector.image(image, unit=Unit.SHARES, entry=entry)
    except Fault as fault:
        problems.fault(fault, entry)
        return
    for number, line in enumerate(text_of(document, problems).split("\n"), 1):
        if line.strip():
            with problems.catching(entry, number, text=line):
                collector.add(image, _region(line, names), entry=entry, line=number, text=line)


def _region(line: str, names: list[str]) -> Region:
    class_, *fields = line.split()[:12]
    if len(fields) not in _COUNTS or not class_.isascii() or not class_.isdecimal():
        raise Fault("L1", quoted(line), _WANTED)
    values = [checked.finite_in(field) for field in fields]
    has_confidence = len(values) % 2 == 1
    confidence = checked.confidence_of(values.pop()) if has_confidence else None
    if any(abs(value) > _MAX_SHARE for value in values):
        raise Fault("L3", quoted(line), "shares of the image's width and height, from 0 to 1")
    at = int(class_[:9])
    label = names[at] if at < len(names) else class_[:9]
    if len(values) == 8:
        return Region(tuple(values), confidence=confidence, label=label)
    x, y, width, height = values
    if width <= 0 or height <= 0:
        raise Fault("L4", quoted(line), "a width and a height above 0")
    left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
    return Region.from_box(left, top, right, bottom, confidence=confidence, label=label)
