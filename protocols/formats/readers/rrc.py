"""Robust Reading Competition files: zips of ``gt_*.txt`` and ``res_*.txt``, one region per line.

One reader serves the stand-alone command, which refuses the same input as the competition's scripts
(``Rules.strict``), and all doors, which read real submissions and report oddities.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final

from protocols.core.regions import Region
from text_rankings.base.counts import counted
from text_rankings.base.names import natural_order

from ..containers.archives import Limits, Member, OpenArchive, open_archive
from ..containers.contents import Archive, Kind, LineFormat, OnEntry, Tail
from ..containers.documents import image_name
from ..containers.files import Source, source_name
from ..containers.limits import BATCH, MAX_NAME
from ..containers.shapes import (
    is_flat,
    is_shown,
    may_be_shares,
    odd_shapes,
    refuse_shares,
    tell_shape,
    turned_round,
)
from ..problems import KEPT, PASSED_OVER, Fault, Problems, quoted
from .curved import Style, are_boxes_and_polygons, joined, style_of
from .fitting_lines import FORMATS_OF_LINES, fitting, with_fitting
from .layouts import Decision, Layout, Survey, asked_instead, decide
from .rrc_lines import LineReader, Rules, is_ignored_line, looks_like_confidence, telling
from .rrc_texts import Texts
from .uniform_lines import UsualFile, read_usual

# Maximum number of characters of an archive kept between surveying and reading its lines.
_MAX_HELD: Final = 64 * 1024 * 1024
_PLAIN_TAILS: Final = (None, Tail.TEXT)
_PREFIXED: Final = {
    "truth": re.compile(r"(?:poly_)?gt_(.+)\.txt\Z"),
    "results": re.compile(r"res_(.+)\.txt\Z"),
}
_PLAIN: Final = re.compile(r"(.+)\.txt\Z")
_DIGIT: Final = re.compile(r"\d")
# A text file with the wrong case, prefix or suffix.
_ALMOST: Final = re.compile(
    r"(?:poly_|pred_|det_|gt_|res_|result_|gt|res)?(.+?)(?:\.(?:jpe?g|png))?\.(?:txt|csv|text)\Z",
    re.IGNORECASE,
)


def read_archive(
    source: Source,
    *,
    kind: Kind,
    name: str | None = None,
    rules: Rules | None = None,
    limits: Limits | None = None,
    on_entry: OnEntry | None = None,
) -> Archive:
    """Read a ground truth or a result set; every fault becomes a problem of the archive.

    An image is named after its entry without ``gt_``, ``res_`` and ``.txt``; folders are ignored. A
    file without lines is an image without regions. Entries are unpacked one at a time, so that
    memory grows with the regions only. ``name`` is the name of the file in messages. ``on_entry``
    is called with the number of finished entries and of all; an exception ends the reading.
    """
    rules = rules or Rules()
    problems = Problems(source_name(source, name))
    texts = Texts(problems, rules)
    with open_archive(source, problems, limits or Limits()) as archive:
        named = list(_named(archive.members, kind, problems, is_lenient=not rules.strict))
        files = _Files(archive, texts, list(_held(archive, named, texts, (kind, rules), on_entry)))
        style, decision = _looked_at(files, kind, rules)
        formats: tuple[str, ...] = ()
        if decision.readings and not rules.strict:
            lines = files.all_lines(rules)
            decision = with_fitting(decision, lines, kind)
            formats = fitting(FORMATS_OF_LINES, lines, kind, least="best")
        if decision.readings or rules.tail is None:
            decision.tell(problems, kind)
        layout = decision.layout
        line_format = layout.line_format
        rules = replace(rules, tail=layout.tail)
        order = sorted((file.image for file in files.held), key=natural_order)
        reader = _Reader(kind, rules, line_format, problems, order, style)
        n_usual = line_format.n_numbers if layout.tail == Tail.TEXT else None
        for file in files.held:
            if file.usual is not None and file.usual.n_numbers == n_usual:
                reader.take(file, partial(files.lines, file))
            else:
                reader.read(file.image, file.member.path, files.lines(file))
        reader.finish()
        if not rules.strict:
            reader.refuse_shares()
    regions: Mapping[str, tuple[Region, ...]] = reader.regions
    if kind == "results" and rules.confidences is None and layout.tail == Tail.TEXT:
        regions = _with_confidences(regions)
    texts.report()
    return Archive(
        problems.archive,
        line_format,
        regions,
        tuple(problems.found),
        dict(problems.counts),
        format="ltwh" if rules.sides else "quad-columns" if rules.columns else layout.slug,
        entries=reader.entries,
        lines=reader.lines,
        reading=f"lines in the style of {style.value}" if style else _words(layout, kind, rules),
        formats=formats,
    )


def formats_that_fit(
    source: Source, kind: Kind, name: str | None, limits: Limits
) -> tuple[str, ...]:
    """Return the formats of lines in which a file can be read, as of ``fitting_lines.fitting``."""
    problems, rules = Problems(source_name(source, name)), Rules()
    with open_archive(source, problems, limits) as archive:
        texts = Texts(problems, rules)
        named = list(_named(archive.members, kind, problems, is_lenient=True))
        files = _Files(archive, texts, list(_held(archive, named, texts, (kind, rules), None)))
        return fitting(FORMATS_OF_LINES, files.all_lines(rules), kind)


def _words(layout: Layout, kind: Kind, rules: Rules) -> str:
    words = layout.words(kind)
    words = words.replace("x1,y1,…,x4,y4", "x1,…,x4,y1,…,y4") if rules.columns else words
    return words.replace("right,bottom", "width,height") if rules.sides else words


def _held(
    archive: OpenArchive,
    named: Sequence[tuple[str, Member]],
    texts: "Texts",
    meant: tuple[Kind, Rules],
    on_entry: OnEntry | None,
) -> Iterator["_Held"]:
    """Yield all entries unpacked, with at most ``_MAX_HELD`` characters of their texts."""
    n_chars = 0
    for done, (image, member) in enumerate(named, 1):
        content = archive.content(member)
        if content is not None:
            text = texts.text(content)
            n_chars += len(text)
            # Read before the layout is known: usual lines nearly always have the layout tried here.
            usual = read_usual(text, *meant)
            is_read = usual is not None and usual.is_plain
            kept = None if is_read or n_chars > _MAX_HELD else text
            yield _Held(image, member, kept, usual)
        if on_entry is not None:
            on_entry(done, len(named))


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of an open archive."""

    archive: OpenArchive
    texts: "Texts"
    held: Sequence["_Held"]

    def text(self, file: "_Held") -> str:
        """Return the text of a file, unpacked again if it was not kept."""
        if file.text is not None:
            return file.text
        return self.texts.text(self.archive.content(file.member) or b"", again=True)

    def lines(self, file: "_Held") -> list[tuple[int, str]]:
        return self.texts.lines(self.text(file))

    def all_lines(self, rules: Rules) -> list[str]:
        """Return the lines of all files that tell their format."""
        return [line for file in self.held for _, line in telling(self.lines(file), rules)]


def _looked_at(files: "_Files", kind: Kind, rules: Rules) -> tuple[Style | None, Decision]:
    """Survey all lines of an archive; return their style, if they have one, and their layout."""
    if (
        not rules.strict
        and rules.line_format in (None, LineFormat.POLYGON)
        and rules.tail in _PLAIN_TAILS
    ):
        style = _style(files)
        if style is not None:
            return style, Decision(Layout(LineFormat.POLYGON))
    # Without texts, numbers cannot be mistaken for anything else.
    is_bare = rules.strict and kind == "results" and (rules.confidences or not rules.transcriptions)
    if rules.line_format is not None and (rules.tail is not None or is_bare):
        return None, Decision(Layout(rules.line_format, rules.tail or Tail.TEXT))
    survey = Survey()
    for file in files.held:
        if file.usual is not None and file.usual.is_plain:
            survey.add_usual(file.usual, partial(files.text, file), kind, file.member.path)
        else:
            lines = telling(files.lines(file), rules)
            survey.add(lines, kind, file.member.path)
    numbers = [facts.numbers for facts in survey.facts]
    may_mix = not rules.strict and rules.line_format in (None, LineFormat.POLYGON)
    may_mix = may_mix and min(numbers, default=0) < 6 <= max(numbers, default=0)
    if may_mix and are_boxes_and_polygons(files.all_lines(rules)):
        return Style.BOXES_AND_POLYGONS, Decision(Layout(LineFormat.POLYGON))
    decision = decide(survey, kind, rules.line_format)
    if rules.strict:
        decision = asked_instead(decision, survey, kind)
    if rules.tail is not None:
        return None, replace(decision, layout=replace(decision.layout, tail=rules.tail))
    return None, decision


def _style(files: "_Files") -> Style | None:
    """Return the style of the lines of all files, or None if there is no common one."""
    style = None
    if any(file.usual is not None and file.usual.is_plain for file in files.held):
        return None
    for file in files.held:
        lines = [line for _, line in files.lines(file)]
        if not lines:
            continue
        of_file = style_of(lines)
        if of_file is None or of_file != (style or of_file):
            return None
        if of_file == Style.TOTAL_TEXT:
            return of_file
        style = of_file
    return style


def _named(
    members: Sequence[Member], kind: Kind, problems: Problems, *, is_lenient: bool
) -> Iterator[tuple[str, Member]]:
    """Yield each entry with its image; names that do not fit and duplicates become problems.

    With ``is_lenient``, names may differ in capitals, prefix and suffix if all of them do.
    """
    almost = [_ALMOST.match(member.name) for member in members]
    if is_lenient and not any(_PLAIN.match(member.name) for member in members) and all(almost):
        images = [match[1] for match in almost if match]
        if len(set(images)) == len(images) and max(map(len, images), default=0) <= MAX_NAME:
            yield from zip(images, members, strict=True)
            return
    prefixed = any(_PREFIXED[kind].match(member.name) for member in members)
    pattern = _PREFIXED[kind] if prefixed else _PLAIN
    prefix = ("gt_" if kind == "truth" else "res_") if prefixed else ""
    expected = f"{prefix}NAME.txt"
    other = _PREFIXED["results" if kind == "truth" else "truth"]
    fitting = [match[1] for member in members if (match := pattern.match(member.name))]
    are_numbered = bool(fitting) and all(map(_DIGIT.search, fitting))
    seen: dict[str, str] = {}
    n_other = 0 if prefixed else sum(bool(other.match(member.name)) for member in members)
    if n_other > 1 and n_other == len(members):
        named, what = ("res", "results are") if kind == "truth" else ("gt", "ground truth is")
        problems.error(
            "N1",
            f"{counted(n_other, 'file')} named {named}_NAME.txt",
            f"{expected}; files are named like this if {what} in them, which is another kind of file",
        )
        return
    for member in members:
        name = member.name
        match = pattern.match(name)
        if match is None or (not prefixed and other.match(name)):
            # The competition ignores unknown files in ground truth and refuses them in results; a load
            # ignores photographs.
            found = f"the name {quoted(name)}"
            is_photograph = is_lenient and image_name(name) != name
            if (kind == "truth" and prefixed) or is_photograph:
                problems.warning("N1", found, expected, member.path, action=PASSED_OVER)
            else:
                near = _renamed(name, prefix, are_numbered=are_numbered)
                hint = f" (perhaps {near})" if near else ""
                problems.error("N1", found, f"{prefix}NAME.txt{hint}", member.path)
        elif len(match[1]) > MAX_NAME:
            wanted = f"at most {MAX_NAME} characters"
            problems.error("N1", f"the name {quoted(name)}", wanted, member.path)
        elif match[1] in seen:
            found = f"a second file for {match[1]} (the other: {seen[match[1]]})"
            expected = "one; folders are not part of names, so rename one of the two"
            problems.error("N3", found, expected, member.path)
        else:
            seen[match[1]] = member.path
            yield match[1], member


def _renamed(name: str, prefix: str, *, are_numbered: bool) -> str | None:
    """Return the most probable correct name of a misnamed text file, or None.

    If the files that fit are numbered, a text without a number is a note, such as ``log.txt``.
    """
    match = _ALMOST.match(name)
    if match is None or (are_numbered and not _DIGIT.search(match[1])):
        return None
    return f"{prefix}{match[1]}.txt"


@dataclass(frozen=True, slots=True)
class _Held:
    image: str
    member: Member
    # None if its lines are read and plain, or the archive is too large to keep all texts.
    text: str | None
    # Its regions, if all lines are usual.
    usual: UsualFile | None


@dataclass(frozen=True, slots=True)
class _Waiting:
    image: str
    path: str
    # Returns the numbered line of each region.
    lines: Callable[[], list[tuple[int, str]]]


class _Reader:
    """A reader of the files of one archive, with fixed rules."""

    def __init__(
        self,
        kind: Kind,
        rules: Rules,
        line_format: LineFormat,
        problems: Problems,
        images: Sequence[str],
        style: Style | None = None,
    ) -> None:
        self._style = style
        self._rules = rules
        self._drops = kind == "truth" and rules.drop_broken_ignored
        self._format = line_format
        self._problems = problems
        self._line_reader = LineReader(kind, rules, line_format, style)
        # In the order of the images, whatever the order of the files.
        self.regions: dict[str, tuple[Region, ...]] = dict.fromkeys(images, ())
        self.entries = dict.fromkeys(images, "")
        self.lines: dict[str, tuple[int, ...]] = dict.fromkeys(images, ())
        # Shared by the files with as many lines.
        self._numbers: dict[int, tuple[int, ...]] = {}
        # The place of the first region of the archive.
        self._first: tuple[str, int] | None = None
        # The files whose shapes are still to be checked, and their number of regions.
        self._waiting: list[_Waiting] = []
        self._n_waiting = 0

    def take(self, file: "_Held", lines: Callable[[], list[tuple[int, str]]]) -> None:
        """Take the regions of a file of usual lines; ``lines`` is called only if a shape is odd."""
        regions = file.usual.regions if file.usual else ()
        n = len(regions)
        numbers = self._numbers.setdefault(n, tuple(range(1, n + 1)))
        self._add(file.image, file.member.path, regions, numbers, lines)

    def read(self, image: str, path: str, records: list[tuple[int, str]]) -> None:
        """Read the numbered lines of a file."""
        regions = []
        lines = []
        seen: dict[tuple[float, ...], int] = {}
        records = joined(records) if self._style == Style.TOTAL_TEXT else records
        for number, line in records:
            try:
                region = self._line_reader.region(line)
            except Fault as fault:
                is_out = self._drops and is_ignored_line(line)
                self._problems.fault(fault, path, number, text=line, is_out=is_out)
                continue
            if region.points in seen and not self._rules.strict:
                self._problems.warning(
                    "L8",
                    f"the box of line {seen[region.points]} again",
                    "each box once",
                    path,
                    number,
                    text=line,
                    action=KEPT,
                )
            seen.setdefault(region.points, number)
            regions.append(region)
            lines.append((number, line))
        numbers = tuple(number for number, _ in lines)
        self._add(image, path, tuple(regions), numbers, lambda: lines)

    def _add(
        self,
        image: str,
        path: str,
        regions: tuple[Region, ...],
        numbers: tuple[int, ...],
        lines: Callable[[], list[tuple[int, str]]],
    ) -> None:
        self.regions[image] = regions
        self.entries[image] = path
        self.lines[image] = numbers
        if self._first is None and numbers:
            self._first = path, numbers[0]
        # A box of four numbers cannot cross itself or run the wrong way.
        may_be_odd = self._format != LineFormat.LTRB or any(map(is_flat, regions))
        if may_be_odd and regions:
            self._waiting.append(_Waiting(image, path, lines))
            self._n_waiting += len(regions)
            if self._n_waiting >= BATCH:
                self._look_at_shapes()

    def finish(self) -> None:
        """Check the remaining shapes, and report findings about the whole archive."""
        self._look_at_shapes()
        if self._style is not None:
            self._problems.warning(
                "L9", f"lines in the style of {self._style.value}", "coordinates"
            )
        n_spaced = self._line_reader.n_spaced
        if n_spaced and not self._rules.strict:
            lines = counted(n_spaced, "line")
            found = f"blanks between the fields of {lines}"
            self._problems.warning("L9", found, "commas")

    def refuse_shares(self) -> None:
        """Refuse coordinates that all lie from 0 to 1, and are none of pixels."""
        found = chain.from_iterable(self.regions.values())
        if self._first is not None and all(may_be_shares(region.points) for region in found):
            refuse_shares(self._problems, sum(map(len, self.regions.values())), self._first)

    def _look_at_shapes(self) -> None:
        files, self._waiting, self._n_waiting = self._waiting, [], 0
        regions = [region for file in files for region in self.regions[file.image]]
        if not regions:
            return
        places = [(file, at) for file in files for at in range(len(self.regions[file.image]))]
        turned: dict[str, list[Region]] = {}
        for at, code, repair in odd_shapes(regions, flat=not self._rules.strict):
            if code == "L7" and self._rules.strict:
                continue
            file, index = places[at]
            # A text that was not kept is unpacked again, but not for a problem that is only counted.
            line = file.lines()[index] if is_shown(self._problems, code, repair) else (None, None)
            tell_shape(self._problems, code, regions[at], repair, (file.path, *line))
            if code == "L7":
                of_image = turned.setdefault(file.image, list(self.regions[file.image]))
                of_image[index] = turned_round(regions[at])
        self.regions.update((image, tuple(of)) for image, of in turned.items())


def _with_confidences(
    regions: Mapping[str, tuple[Region, ...]],
) -> Mapping[str, tuple[Region, ...]]:
    """Return the regions, with texts as confidences if all in the archive look like one."""
    texts = [region.text for of_image in regions.values() for region in of_image if region.text]
    if not texts or not all(map(looks_like_confidence, texts)):
        return regions
    return {
        image: tuple(
            replace(region, text=None, confidence=float(region.text)) if region.text else region
            for region in of_image
        )
        for image, of_image in regions.items()
    }
