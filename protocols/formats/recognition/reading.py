"""Reading of ground truth and results in any known format, by one function."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from protocols.core.errors import ProtocolError
from protocols.core.regions import Region
from text_rankings.base.counts import counted
from text_rankings.base.suggestions import did_you_mean

from ..containers.archives import Limits, opened_once
from ..containers.contents import Archive, Kind, LineFormat, OnEntry
from ..containers.encodings import ENCODINGS, in_utf8, possible_encodings
from ..containers.files import Source, first_bytes, read_whole, source_name
from ..containers.folders import unfolded
from ..containers.image_sizes import in_pixels
from ..containers.shapes import is_flat
from ..problems import Problems, Severity
from ..readers.layouts import rules_named
from ..readers.rrc import formats_that_fit
from ..readers.rrc_lines import Rules
from .guessing import NO_REGIONS, guess
from .known_formats import BOTH, FORMATS, LINES, Format, broken_plugins, lines_as

__all__ = [
    "ENCODINGS",
    "FORMATS",
    "LINES",
    "Format",
    "UnknownFormat",
    "broken_plugins",
    "named_formats",
    "read",
    "with_names",
]

_SLUG: Final = re.compile(r"[a-z][a-z0-9-]*")
# The formats that a problem offers in what it expects.
_OFFERED: Final = re.compile(r"(?:your choice of [^:]*|another format): ([^(;]*)")
_MIN_WRONG: Final = 5
_MIN_LABELS: Final = 2
# Formats whose files may be an empty list.
_OF_NOTHING: Final = ("easyocr", "coco-json")


class UnknownFormat(ProtocolError, LookupError):
    """A format that does not exist or does not hold this kind of file."""


def read(
    source: Source,
    *,
    kind: Kind,
    format: str | None = None,
    name: str | None = None,
    shape: str | None = None,
    limits: Limits | None = None,
    on_entry: OnEntry | None = None,
    sizes: Callable[[], Mapping[str, tuple[int, int]]] | None = None,
    encoding: str | None = None,
    drop_broken_ignored: bool = False,
) -> Archive:
    r"""Read a ground truth or results; every fault becomes a problem of the archive.

    Parameters
    ----------
    source : path or binary file
        A path may be that of a folder, which is read as a zip of its files.
    kind : "truth" or "results"
    format : str, optional
        A key of ``FORMATS``, in upper or lower case; by default it is guessed, and lines that allow
        two readings lead to a question.
    name : str, optional
        Name of the file in messages; by default its own name.
    shape : str, optional
        A format of lines, if only the fields after their coordinates are to be guessed.
    limits : Limits, optional
    on_entry : callable, optional
        Called with the number of finished entries and of all; an exception ends the reading and
        reaches the caller.
    sizes : callable, optional
        Returns width and height of images; called only for formats with relative coordinates.
    encoding : str, optional
        A key of ``ENCODINGS``, for texts that are not UTF-8; by default it is guessed, and texts that
        are probable in several encodings lead to a question.
    drop_broken_ignored : bool
        Leave invalid lines of ignored text out of a ground truth, with a warning.

    Returns
    -------
    Archive
        Regions of each image; unreadable lines become problems. If a file has several methods,
        their regions are in ``methods``.

    Raises
    ------
    UnknownFormat
        If there is no such format or encoding, or the format does not hold this kind.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO(b"image,left,top,right,bottom,text\nimg_1,38,43,126,60,CARE\n")
    >>> archive = read(file, kind="truth", name="gt.csv")
    >>> archive.format, archive.regions["img_1"][0].text, archive.problems
    ('csv', 'CARE', ())
    """
    format = format.lower() if format else None
    if encoding is not None and encoding not in ENCODINGS:
        known = ", ".join(ENCODINGS)
        raise UnknownFormat(f"no encoding {encoding}; known: {known}")
    # A folder keeps its photographs, which give the sizes of images.
    given, name, packed = source, source_name(source, name), unfolded(source)
    with ExitStack() as open_files:
        source = opened = open_files.enter_context(opened_once(packed))
        guessed = None if format else guess(source, name)
        slug = guessed.format if guessed else format
        if guessed is not None and guessed.looks_like == NO_REGIONS:
            return _asked_of_nothing(name)
        if guessed is not None and guessed.looks_like is not None:
            return _not_read(guessed.looks_like, name)
        begin = first_bytes(source, 1000)
        if guessed is not None and not begin and read_whole(source, Problems(name), 0, "") == b"":
            wanted = "a file with regions, or a zip of the files of all images"
            return _without_regions(name, "A1", "an empty file", wanted)
        if guessed is not None and slug is None and begin and not begin.startswith(b"PK"):
            return _unknown(begin, name)
        limits = limits or Limits()
        rules = replace(_rules(format, shape), drop_broken_ignored=drop_broken_ignored)
        chosen = _chosen(kind, format, slug, rules)
        archive = chosen.read(source, kind, name, limits, on_entry)
        if archive.counts.get("F7") and (possible := possible_encodings(source, limits)):
            copy = in_utf8(source, encoding or next(iter(possible)), limits)
            source = open_files.enter_context(opened_once(copy))
            archive = chosen.read(source, kind, name, limits, on_entry)
            archive = _of_encoding(archive, possible, encoding)
        is_named = slug in LINES and bool(format or shape)
        if is_named and any(problem.code in ("L1", "L4") for problem in archive.errors):
            guessed_lines = lines_as(
                replace(rules, line_format=None, tail=None, sides=False, columns=False)
            )(source, kind, name, limits, on_entry)
            fitting = formats_that_fit(source, kind, name, limits)
            return _other_format(archive, guessed_lines, fitting)
        if slug == "labelme" and format is None:
            return _asked_of_labels(archive)
        if slug is not None and slug in _OTHER_WAY and format is None:
            archive = _asked_of_numbers(archive, slug)
        if not archive.units:
            return archive
        return in_pixels(archive, opened if packed is given else given, sizes)


def _of_encoding(archive: Archive, possible: Mapping[str, str], encoding: str | None) -> Archive:
    """Return the archive with the encoding in which its texts were read, or the question of it."""
    problems = archive.collected()
    if encoding is None and len(possible) > 1:
        choices = (f"{slug} ({ENCODINGS[slug]}: {text})" for slug, text in possible.items())
        problems.question(
            "F7", "texts that are not UTF-8", f"your choice of their encoding: {', '.join(choices)}"
        )
    else:
        slug = encoding or next(iter(possible))
        problems.warning(
            "F7", f"texts in {ENCODINGS[slug]}, such as {possible.get(slug, '')}", "plain UTF-8"
        )
    return replace(archive.with_problems(problems), encodings=possible)


def _asked_of_labels(archive: Archive) -> Archive:
    """Return LabelMe files with a question if nearly each shape has another label, and none a text."""
    regions = [region for of_image in archive.regions.values() for region in of_image]
    labels = {region.label for region in regions if region.label}
    has_texts = any(region.text for region in regions)
    if has_texts or len(labels) < _MIN_LABELS or 2 * len(labels) <= len(regions):
        return archive
    problems = archive.collected()
    problems.question(
        "F1",
        f"{len(labels)} different labels and no descriptions",
        "your choice of what the labels are: labelme if they are kinds, labelme-text if they are texts",
    )
    return _with(archive, problems, ("labelme", "labelme-text"))


def _asked_of_numbers(archive: Archive, slug: str) -> Archive:
    """Return an archive with a question if its numbers may also be meant in another way."""
    other, found, is_possible, choices = _OTHER_WAY[slug]
    regions = [region for of_image in archive.regions.values() for region in of_image]
    if not regions or not is_possible(regions):
        return archive
    problems = archive.collected()
    problems.question("F1", found, f"your choice of how they are counted: {choices}")
    return _with(archive, problems, (slug, other))


def _up_to_1000(regions: Sequence[Region]) -> bool:
    return all(max(region.points) <= 1000 for region in regions)


def _not_from_1(regions: Sequence[Region]) -> bool:
    """Return whether a pixel before the first, or a part of one, is among the coordinates."""
    return any(min(of.points) < 0 or any(value % 1 for value in of.points) for of in regions)


# By format: the other one, what was found, when to ask, and what to choose.
_OTHER_WAY: Final[Mapping[str, tuple[str, str, Callable[[Sequence[Region]], bool], str]]] = {
    "bbox-2d": (
        "bbox-2d-1000",
        "no coordinate above 1000",
        _up_to_1000,
        "bbox-2d if they are pixels, bbox-2d-1000 if they are thousandths of the image's sides",
    ),
    "voc-xml": (
        "voc-xml-0",
        "pixels that are not counted from 1",
        _not_from_1,
        "voc-xml-0 if the first pixel is 0, voc-xml if it is 1",
    ),
}


def _with(archive: Archive, problems: Problems, formats: tuple[str, ...]) -> Archive:
    """Return an archive with its problems, and the formats from which a person may choose."""
    return replace(archive.with_problems(problems), formats=formats)


def _rules(format: str | None, shape: str | None) -> Rules:
    """Return the rules for lines: of a format, of the coordinates of a shape, or of any lines."""
    if format in LINES:
        return rules_named(format)
    return replace(rules_named(shape), tail=None) if shape else Rules()


def _chosen(kind: Kind, format: str | None, slug: str | None, rules: Rules) -> Format:
    lines = Format("", "", "", BOTH, lines_as(rules))
    chosen = lines if slug in LINES else FORMATS.get(slug or "")
    if format is None:
        # A file of no known format is reported as an invalid zip of text files.
        chosen = chosen or lines
    if chosen is None or kind not in chosen.kinds:
        known = ", ".join(of.slug for of in FORMATS.values() if kind in of.kinds)
        meant = did_you_mean(slug or "", FORMATS) if chosen is None else ""
        raise UnknownFormat(f"{kind} are not read as {format!r}{meant}; formats: {known}")
    return chosen


def _other_format(archive: Archive, guessed: Archive, fitting: tuple[str, ...]) -> Archive:
    """Return the archive, or, if most lines fit another format, that reading with a question.

    ``fitting`` are the formats that fit the lines.
    """
    # Lines of eight numbers are read as boxes, mostly broken ones, if that format is named.
    is_box = archive.line_format == LineFormat.LTRB != guessed.line_format
    is_wider = is_box and archive.format not in fitting
    codes = ("L1", "L4") if is_wider else ("L1",)
    n_flat = sum(is_flat(region) for of in archive.regions.values() for region in of)
    # Boxes without an area are read, and are no broken lines.
    n_wrong = sum(archive.counts.get(code, 0) for code in codes) - (n_flat if is_wider else 0)
    # A few lines say little about their format.
    is_most = n_wrong >= _MIN_WRONG and n_wrong > archive.n_regions
    # Boxes given by their sides also parse as lines of corners, mostly with this fault.
    n_others = sum(problem.code != "L4" for problem in guessed.errors)
    if not (is_most or is_wider) or guessed.counts.get("L1") or 10 * n_others > n_wrong:
        return archive
    problems = guessed.collected()
    wrong = next(problem for problem in archive.errors if problem.code in codes)
    expected = (
        f"your choice of how to read the lines: {guessed.format} fits them ({guessed.reading})"
    )
    if any(problem.code == "L4" for problem in guessed.errors):
        # Boxes by their sides; they are faults only if they are read by their corners.
        problems.drop("L4")
        offered = [slug for slug in (guessed.format, "ltwh") if slug in fitting]
        expected = f"your choice of how to read the lines: {' or '.join(offered)}"
    problems.question(
        "F1",
        f"{counted(n_wrong, 'line')} with other than {wrong.expected}",
        expected,
        wrong.entry,
        wrong.line,
        text=wrong.text,
    )
    return _with(guessed, problems, fitting)


def named_formats(expected: str) -> list[str]:
    """Return the formats that a problem offers in what it expects.

    Examples
    --------
    >>> named_formats("your choice of how to read the lines: ltrb or quad (not csv)")
    ['ltrb', 'quad']
    """
    offered = _OFFERED.search(expected)
    return [of for of in _SLUG.findall(offered[1]) if of in FORMATS] if offered else []


def with_names(sentence: str) -> str:
    """Replace the formats that a sentence offers by their display names."""

    def named(slug: re.Match[str]) -> str:
        return FORMATS[slug[0]].name if slug[0] in FORMATS else slug[0]

    return _OFFERED.sub(lambda of: of[0].replace(of[1], _SLUG.sub(named, of[1])), sentence)


def _unknown(begin: bytes, name: str) -> Archive:
    """Refuse a single file of no known format, with what to do."""
    look = "text of no known format"
    if b"\0" in begin.replace(b"\r", b"")[:1000] and not begin.startswith(
        (b"\xff\xfe", b"\xfe\xff")
    ):
        look = "a file of no known format, which is not text"
    elif name.lower().endswith(".txt"):
        look = "the text of one image; all such files belong in one zip"
    elif begin.lstrip().startswith((b"{", b"[")):
        look = "JSON of no known format"
    return _not_read(look, name)


def _asked_of_nothing(name: str) -> Archive:
    """Ask for the format of files that have no region, and nothing else that tells it."""
    found = "no region, and nothing that tells the format"
    wanted = f"your choice of how to read the file: {' or '.join(_OF_NOTHING)}"
    return replace(_without_regions(name, "F1", found, wanted, "question"), formats=_OF_NOTHING)


def _not_read(look: str, name: str) -> Archive:
    wanted = (
        f"one of the {len(FORMATS)} formats that are read, or csv with the columns "
        "image,left,top,right,bottom,text,confidence"
    )
    return _without_regions(name, "A1", f"what looks like {look}", wanted)


def _without_regions(
    name: str, code: str, found: str, wanted: str, severity: Severity = "error"
) -> Archive:
    problems = Problems(name)
    problems.error(code, found, wanted, severity=severity)
    return Archive(name, LineFormat.QUAD, {}, (), {}).with_problems(problems)
