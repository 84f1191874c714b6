"""YOLO: a text file for each image, boxes or oriented boxes as shares of the image's sides."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message, ngettext_noop

from ..containers.archives import Limits, Source, first_bytes, open_archive, source_name
from ..containers.collecting import Collector, confidence_of, finite_in
from ..containers.contents import Archive, Kind, OnEntry
from ..containers.documents import Document, text_of
from ..containers.image_sizes import PICTURES, picture_sizes
from ..problems import PASSED_OVER, Fault, Problems, quoted

Sizes = Mapping[str, tuple[int, int]]
_CLASSES: Final = "classes.txt"
# Numbers behind the class: a box, an oriented box, each with or without a confidence.
_COUNTS: Final = (4, 5, 8, 9)
_WANTED: Final = Message(
    "a class, then x, y, width and height, or four corners, and perhaps a confidence"
)
# Maximum distance of a region outside its image, in sides of the image.
_MAX_SHARE: Final = 2.0
_ZIP_BEGINS: Final = (b"PK\x03\x04", b"PK\x05\x06")


def read_yolo(
    source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
) -> Archive:
    """Read a zip of NAME.txt; pictures in it say the sizes of images.

    Coordinates stay the shares that the file has; ``in_pixels`` makes pixels of them.

    Parameters
    ----------
    source, kind, name, limits, on_entry
        As every reader has them, see ``Format.read``.

    Examples
    --------
    >>> from io import BytesIO
    >>> from zipfile import ZipFile
    >>> with ZipFile(file := BytesIO(), "w") as made:
    ...     made.writestr("img_1.txt", "0 0.5 0.5 0.5 0.25 0.9")
    >>> [word] = read_yolo(file, "results", "a.zip", Limits(), None).regions["img_1"]
    >>> word.box, word.confidence
    ((0.25, 0.375, 0.75, 0.625), 0.9)
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
            raise Fault("N3", "a second file for {image}", "each image once", image=quoted(image))
        collector.image(image, entry=entry)
    except Fault as fault:
        problems.fault(fault, entry)
        return
    for number, line in enumerate(text_of(document, problems).split("\n"), 1):
        if line.strip():
            try:
                collector.add(image, _region(line, names), entry=entry, line=number, text=line)
            except Fault as fault:
                problems.fault(fault, entry, number, text=line)


def _region(line: str, names: list[str]) -> Region:
    class_, *fields = line.split()[:12]
    if len(fields) not in _COUNTS or not class_.isascii() or not class_.isdecimal():
        raise Fault("L1", quoted(line), _WANTED)
    values = [finite_in(field) for field in fields]
    has_confidence = len(values) % 2 == 1
    confidence = confidence_of(values.pop()) if has_confidence else None
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


def in_pixels(archive: Archive, source: Source, sizes_known: Callable[[], Sizes] | None) -> Archive:
    """Return the archive in pixels; images of unknown size are a fault.

    Parameters
    ----------
    archive : Archive
        With shares of the sides of images.
    source : path or binary file
        The file; pictures in it say the sizes of images.
    sizes_known : callable or None
        Called for the sizes, width and height in pixels, of images of which it has no picture.

    Examples
    --------
    >>> from io import BytesIO
    >>> from protocols.formats.containers.contents import LineFormat
    >>> word = Region.from_box(0.25, 0.5, 0.75, 1.0)
    >>> archive = Archive("a.zip", LineFormat.QUAD, {"img_1": (word,)}, (), {})
    >>> in_pixels(archive, BytesIO(), lambda: {"img_1": (200, 100)}).regions["img_1"][0].box
    (50.0, 50.0, 150.0, 100.0)
    """
    if not archive.n_regions:
        return archive
    sizes = picture_sizes(source) | dict(sizes_known() if sizes_known is not None else {})
    problems = Problems(archive.name, list(archive.problems), Counter(archive.counts))
    regions: dict[str, tuple[Region, ...]] = {}
    unknown = [image for image, of in archive.regions.items() if of and image not in sizes]
    for image, of_image in archive.regions.items():
        if image in unknown:
            regions[image] = ()
            continue
        width, height = sizes.get(image, (1, 1))
        regions[image] = tuple(
            replace(
                region,
                points=tuple(
                    value * (height if at % 2 else width) for at, value in enumerate(region.points)
                ),
            )
            for region in of_image
        )
    if unknown:
        some = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
        found = Message(
            "shares of {value} whose size is not known ({some})",
            value=ngettext_noop("{n} image", "{n} images", len(unknown)),
            some=some,
        )
        problems.error("S3", found, "the photographs, in the same load or in the zip itself")
    known = {image: sizes[image] for image in regions if image in sizes}
    lines = {image: of for image, of in archive.lines.items() if regions.get(image)}
    return replace(
        archive,
        regions=regions,
        lines=lines,
        sizes=known,
        problems=tuple(problems.found),
        counts=dict(problems.counts),
    )
