"""YOLO: a text file for each image, boxes, oriented boxes or polygons as shares of the image's sides.

A line is a class, then a box (centre, width, height) or points, then perhaps a confidence, as in
Ultralytics' ``save_txt``. globox and Darknet write the confidence of a box before its centre.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, Literal

from protocols.core.regions import Region

from ..containers import checked
from ..containers.archives import Limits, Member, open_archive
from ..containers.collecting import Collector
from ..containers.contents import Archive, Kind, OnEntry, Unit
from ..containers.documents import PICTURES, Document, lines_of, text_of
from ..containers.files import Source, first_bytes, source_name
from ..containers.limits import MAX_POINTS
from ..problems import PASSED_OVER, Fault, Problems, quoted

# Files of class names, one a line, and of settings.
_CLASSES: Final = ("classes.txt", "obj.names")
_SETTINGS: Final = (".yaml", ".yml", ".data")
_BOX: Final = 4
_WANTED: Final = (
    "a class, then x, y, width and height, or three points or more, and perhaps a confidence"
)
# A track's number follows a box or points with a confidence, and no coordinate is a whole number above 1.
_N_TRACKED: Final = 6
# Fields of a line with a class, a box or four corners, a confidence and the number of a track.
_LIKE_TRACKS: Final = (7, 11)
_Order = Literal["last", "second"]
# The document of an image, and its lines.
_File = tuple[Document, list[tuple[int, str]]]
# Maximum distance of a region outside its image, as a share of the image's side.
_MAX_SHARE: Final = 2.0
# A box that reaches further outside its image was read in the wrong order.
_OUTSIDE: Final = 0.01
_MAX_FIELDS: Final = 2 * MAX_POINTS + 2
_FIRST_LINE: Final = 2_000
_ZIP_BEGINS: Final = (b"PK\x03\x04", b"PK\x05\x06")


def _read(
    source: Source,
    kind: Kind,
    name: str | None,
    limits: Limits,
    on_entry: OnEntry | None,
    *,
    order: _Order | None,
) -> Archive:
    """Read a zip of NAME.txt; pictures in it give the sizes of images.

    Coordinates stay shares, as in the file; ``image_sizes.in_pixels`` converts them to pixels.
    ``order`` is the place of the confidences of boxes; None finds it from all boxes.
    """
    problems = Problems(source_name(source, name))
    collector = Collector(problems, "yolo", kind)
    if not first_bytes(source, 4).startswith(_ZIP_BEGINS):
        problems.error("A1", "no zip", "a zip of NAME.txt, one for each image")
        return collector.archive()
    with open_archive(source, problems, limits) as archive:
        labelled = [member for member in archive.members if may_be_labels(member.name)]
        names: list[str] = []
        for member in archive.members:
            if member.name.lower() in _CLASSES:
                listed = Document(member.path, "", archive.content(member) or b"", problems)
                names = [line.strip() for line in text_of(listed).splitlines()]
            elif not member.name.lower().endswith((".txt", *PICTURES)):
                _tell_other(member, problems)
        files: list[_File] = []
        for done, member in enumerate(labelled, 1):
            content = archive.content(member)
            if content is not None and not lists_photographs(content):
                document = Document(member.path, member.name[:-4], content, problems)
                files.append((document, lines_of(document)))
            if on_entry is not None:
                on_entry(done, len(labelled))
        order = order or _found_order(files, problems)
        _tell_tracks(files, problems)
        for file in files:
            _read_image(file, names, order, collector)
        if not files and not problems.has_errors:
            problems.error("A1", "no .txt file in it", "NAME.txt, one for each image")
    return collector.archive()


read_yolo: Final = partial(_read, order=None)
read_last: Final = partial(_read, order="last")
read_second: Final = partial(_read, order="second")


def may_be_labels(name: str) -> bool:
    """Return whether a file is a text by name, and not of the names of classes."""
    return name.lower().endswith(".txt") and name.lower() not in _CLASSES


def lists_photographs(content: bytes) -> bool:
    """Return whether a text begins with the path of a photograph, as the list of a subset does."""
    first = content[:_FIRST_LINE].decode(errors="replace").partition("\n")[0]
    return first.strip().lower().endswith(PICTURES)


def _tell_other(member: Member, problems: Problems) -> None:
    is_settings = member.name.lower().endswith(_SETTINGS)
    expected = f"names of classes in {' or '.join(_CLASSES)}" if is_settings else "NAME.txt"
    found = f"the name {quoted(member.name)}"
    problems.warning("N1", found, expected, member.path, action=PASSED_OVER)


def _found_order(files: Iterable[_File], problems: Problems) -> _Order:
    """Return the place of the confidences of boxes: where all boxes lie inside their images.

    Asks the user if both places do, and warns if the unusual one is read.
    """
    fits = {"last": True, "second": True}
    first = None
    for document, lines in files:
        for number, line in lines:
            numbers = _numbers(line.split()[1:])
            if len(numbers) != _BOX + 1:
                continue
            first = first or (document.entry, number, line)
            fits["last"] &= _is_inside(numbers[:4])
            fits["second"] &= _is_inside(numbers[1:]) and 0 <= numbers[0] <= 1
    if first is None or not fits["second"]:
        return "last"
    entry, number, line = first
    if fits["last"]:
        found = "boxes with a confidence that may be the first or the last of five numbers"
        formats = "yolo-confidence-last or yolo-confidence-second"
        wanted = f"your choice of how to read the lines: {formats}"
        problems.question("F1", found, wanted, entry, number, text=line)
        return "last"
    problems.warning(
        "F1",
        "boxes that lie inside their images only if the confidence is the second field",
        "the confidence as the last field",
        entry,
        number,
        text=line,
        action="read as yolo-confidence-second",
    )
    return "second"


def _tell_tracks(files: Iterable[_File], problems: Problems) -> None:
    """Warn if all triangles or pentagons may be boxes, each with a confidence and a track's number 0 or 1."""
    lines = [(document.entry, *line) for document, of in files for line in of]
    found = [of for of in lines if len(of[2].split()) in _LIKE_TRACKS]
    if found and all(_may_be_track(text.split()[1:]) for _, _, text in found):
        entry, number, text = found[0]
        problems.warning(
            "F1",
            "lines that end in 0 or 1, which may be the number of a track after a confidence",
            "lines without the number of a track",
            entry,
            number,
            text=text,
            action="read as points",
        )


def _may_be_track(fields: Sequence[str]) -> bool:
    numbers = _numbers(fields)
    is_whole = fields[-1].isdecimal() and not _is_above_one(fields[-1])
    if not numbers or not is_whole or not 0 <= numbers[-2] <= 1:
        return False
    if len(numbers) == _N_TRACKED:
        return _is_inside(numbers[:4])
    # Opposite corners of a turned rectangle have the same middle.
    return all(
        abs(numbers[at] + numbers[at + 4] - numbers[at + 2] - numbers[at + 6]) < _OUTSIDE
        for at in (0, 1)
    )


def _numbers(fields: Sequence[str]) -> list[float]:
    """Return the numbers of a line, or none if one is invalid."""
    try:
        return [checked.finite_in(field) for field in fields]
    except Fault:
        return []


def _is_inside(box: Sequence[float]) -> bool:
    x, y, width, height = box
    sides = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return min(width, height) >= 0 and min(sides) >= -_OUTSIDE and max(sides) <= 1 + _OUTSIDE


def _read_image(file: _File, names: list[str], order: _Order, collector: Collector) -> None:
    document, lines = file
    collector.entry = document.entry
    with collector.catching():
        collector.new_image(document.stem, unit=Unit.SHARES)
        for number, line in lines:
            with collector.catching(number, text=line):
                region = _region(line, names, order)
                collector.add(document.stem, region, line=number, text=line)


def _is_above_one(field: str) -> bool:
    return field.isdecimal() and field.lstrip("0") not in ("", "1")


def _region(line: str, names: list[str], order: _Order) -> Region:
    class_, *fields = line.split(maxsplit=_MAX_FIELDS)
    if len(fields) < _BOX or not class_.isascii() or not class_.isdecimal():
        raise Fault("L1", quoted(line), _WANTED)
    if len(fields) >= _N_TRACKED and len(fields) % 2 == 0 and _is_above_one(fields[-1]):
        raise Fault("L1", f"the number of a track in {quoted(line)}", _WANTED)
    values = [checked.finite_in(field) for field in fields]
    confidence = None
    if len(values) % 2 == 1:
        is_second = order == "second" and len(values) == _BOX + 1
        confidence = checked.confidence_of(values.pop(0 if is_second else -1))
    if any(abs(value) > _MAX_SHARE for value in values):
        raise Fault("L3", quoted(line), "shares of the image's width and height, from 0 to 1")
    at = int(class_[:9])
    label = names[at] if at < len(names) else class_[:9]
    if len(values) > _BOX:
        return Region(checked.points_of(values), confidence=confidence, label=label)
    x, y, width, height = values
    left, top = x - width / 2, y - height / 2
    return checked.box_region(left, top, width, height, confidence=confidence, label=label)
