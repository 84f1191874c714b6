"""The layout of an archive's lines: which numbers are coordinates, and the fields after them.

All lines of an archive are surveyed before any is read. If the numbers allow two readings, the user
has to choose; the likelier one is never taken silently.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from text_rankings.base.counts import counted

from ..containers.contents import Kind, LineFormat, Tail
from ..containers.limits import NOT_FINITE, NUMBER
from ..problems import Problems
from .rrc_lines import Rules, looks_like_confidence, n_leading_numbers, split_fields
from .uniform_lines import UsualFile, usual_numbers

# Names of languages and scripts in the multilingual competitions (MLT 2017, 2019; ArT).
SCRIPTS: Final = frozenset(
    (
        *("arabic", "latin", "chinese", "japanese", "korean", "bangla", "hindi", "devanagari"),
        *("symbols", "mixed", "none"),
    )
)
_MAX_LINE: Final = 2_000
# A quadrilateral with a transcription rarely has this many leading numbers.
_SURELY_POLYGON: Final = 13
# Maximum distance of a ring's further points from its first four, in sides of their box.
_RING_SIDES: Final = 2
_RING_PX: Final = 20
_NO_SHARE, _WHOLE_SHARE, _FRACTION = 0, 1, 2


_SHAPES: Final = {
    LineFormat.LTRB: "left,top,right,bottom",
    LineFormat.QUAD: "x1,y1,…,x4,y4",
    LineFormat.POLYGON: "x1,y1,…,xn,yn",
}
_TAILS: Final = {
    Tail.TEXT: ",{text}",
    Tail.SCRIPT: ",script,{text}",
    Tail.DIFFICULT: ",difficult,{text}",
    Tail.CLASS: ",class,difficult",
    Tail.CONFIDENCE: ",confidence,{text}",
    Tail.FIRST: ", after a confidence",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """Format of the lines of an archive."""

    line_format: LineFormat
    tail: Tail = Tail.TEXT

    @property
    def slug(self) -> str:
        """The format's name, a key of ``reading.FORMATS``."""
        if self.tail == Tail.TEXT:
            return self.line_format.value
        return f"{self.line_format.value}-{self.tail.value}"

    def words(self, kind: Kind) -> str:
        tail = _TAILS[self.tail].format(text="transcription" if kind == "truth" else "text")
        if kind == "results" and self.tail == Tail.TEXT:
            tail = ", then a confidence, a text or nothing"
        return f"{_SHAPES[self.line_format]}{tail}"


def layout_named(slug: str) -> Layout:
    """Return the layout of a format of lines, as in "quad-script"."""
    shape, _, tail = slug.partition("-")
    return Layout(LineFormat(shape), Tail(tail or "text"))


def rules_named(slug: str) -> Rules:
    """Return the rules for reading a format of lines, as in "quad-script" or "ltwh"."""
    if slug == "ltwh":
        return Rules(LineFormat.LTRB, sides=True)
    if slug == "quad-columns":
        return Rules(LineFormat.QUAD, columns=True)
    layout = layout_named(slug)
    return Rules(layout.line_format, tail=layout.tail)


class _Facts(NamedTuple):
    """Signature of a line: its number of leading numbers, and what some fields look like."""

    numbers: int
    # Whether a field that is not a number follows.
    has_more: bool
    # How the field after 4, 8 and all paired numbers looks: no confidence, whole, or a fraction.
    share_4: int
    share_8: int
    share_last: int
    script: bool
    # Whether the numbers after the eighth continue the ring of the first four points.
    is_ring: bool
    # Whether 0 or 1 and a text in quotes follow eight numbers.
    difficult: bool = False
    # Whether a word and 0 or 1 follow eight numbers, and no more.
    is_class: bool = False
    # How the field before four or eight pixels looks.
    share_first: int = _NO_SHARE

    def share(self, line_format: LineFormat) -> int:
        if line_format == LineFormat.LTRB:
            return self.share_4
        return self.share_8 if line_format == LineFormat.QUAD else self.share_last


# A line of only integer coordinates has no confidence, though one of them may look like one.
_USUAL: Final = {
    (kind, n): _Facts(n, kind == "truth", _NO_SHARE, _NO_SHARE, _NO_SHARE, False, True)
    for kind in ("truth", "results")
    for n in (4, 8)
}
_Place = tuple[str | None, int | None, str]
_Rule = Callable[[_Facts], bool]


@dataclass
class Survey:
    """Counts of the signatures of an archive's lines, with the first occurrence of each."""

    facts: Counter[_Facts] = field(default_factory=Counter)
    places: dict[_Facts, _Place] = field(default_factory=dict)

    def add(self, lines: Iterable[tuple[int, str]], kind: Kind, path: str | None = None) -> None:
        for number, line in lines:
            n = usual_numbers(line, kind)
            facts = _facts_of(line) if n is None else _USUAL[kind, n]
            self.facts[facts] += 1
            if facts not in self.places:
                self.places[facts] = path, number, line

    def add_usual(self, file: UsualFile, text: Callable[[], str], kind: Kind, path: str) -> None:
        """Count the lines of a file that was read as a whole."""
        facts = _USUAL[kind, file.n_numbers]
        self.facts[facts] += len(file.regions)
        if facts not in self.places:
            self.places[facts] = path, 1, text().partition("\n")[0].removesuffix("\r")


@dataclass(frozen=True, slots=True)
class Decision:
    """The layout for reading lines, and the remaining doubt.

    ``readings`` are the formats from which the user has to choose; empty if there is no doubt.
    """

    layout: Layout
    readings: tuple[str, ...] = ()
    found: str = ""
    place: _Place | None = None

    def tell(self, problems: Problems, kind: Kind) -> None:
        """Ask the user about a doubt, or warn of an unusual layout."""
        if self.readings:
            path, line, text = self.place or (None, None, "")
            expected = f"your choice of how to read the lines: {' or '.join(self.readings)}"
            problems.question("F1", self.found, expected, path, line, text=text or None)
        elif self.layout.tail != Tail.TEXT:
            problems.warning(
                "F1",
                f"lines of {self.layout.words(kind)}",
                "coordinates and a transcription",
                action=f"read as {self.layout.slug}",
            )


def asked_instead(decision: Decision, survey: Survey, kind: Kind) -> Decision:
    """Return the decision, as a question if it differs from how the competition's scripts read.

    The survey is of all lines of the archive.
    """
    layout = decision.layout
    if decision.readings or layout.tail == Tail.TEXT:
        return decision
    plain = Layout(layout.line_format)
    place = next(iter(survey.places.values()))
    return Decision(plain, (plain.slug, layout.slug), f"lines of {layout.words(kind)}", place)


def _facts_of(line: str) -> _Facts:
    fields = split_fields(line[:_MAX_LINE])
    n = n_leading_numbers(fields)
    last = n - 1 if n % 2 else n - 2
    return _Facts(
        n,
        len(fields) > n,
        _share(fields, n, 4),
        _share(fields, n, 8),
        _share(fields, n, last) if last >= 6 else _NO_SHARE,
        n == 8 and len(fields) > 9 and fields[8].strip().casefold() in SCRIPTS,
        n < 10 or n >= _SURELY_POLYGON or _goes_on(fields[:n]),
        n == 9
        and fields[8].strip() in ("0", "1")
        and "".join(fields[9:10]).lstrip().startswith('"'),
        n == 8 and len(fields) == 10 and fields[9].strip() in ("0", "1"),
        _share(fields, n, 0) if n in (5, 9) and max(map(float, fields[1:n])) > 2 else _NO_SHARE,
    )


def _share(fields: Sequence[str], n: int, at: int) -> int:
    if not 0 <= at < n or not looks_like_confidence(fields[at]):
        return _NO_SHARE
    return _FRACTION if "." in fields[at] or "e" in fields[at].lower() else _WHOLE_SHARE


def _goes_on(fields: Sequence[str]) -> bool:
    """Return whether the points after the fourth are close to the first four."""
    if any(NOT_FINITE.match(part) or not NUMBER.match(part) for part in fields):
        return False
    values = [float(part) for part in fields]
    if len(values) % 2:
        values.pop()
    xs, ys = values[0:8:2], values[1:8:2]
    reach = _RING_PX + _RING_SIDES * max(max(xs) - min(xs), max(ys) - min(ys))
    near_x = all(min(xs) - reach <= x <= max(xs) + reach for x in values[8::2])
    near_y = all(min(ys) - reach <= y <= max(ys) + reach for y in values[9::2])
    return near_x and near_y


def decide(survey: Survey, kind: Kind, line_format: LineFormat | None = None) -> Decision:
    """Return the layout that fits all lines, with a doubt if several do.

    The survey is of all lines of the archive; ``line_format`` is the format of coordinates, if
    known.
    """
    facts = survey.facts
    if not facts:
        return Decision(Layout(line_format or LineFormat.LTRB))
    doubts: tuple[str, ...] = ()
    if line_format is None:
        line_format, doubts = _shape(facts, kind)
    if doubts:
        return _doubt(survey, Layout(line_format), doubts, _begins_with_numbers(LineFormat.QUAD))
    if kind == "truth":
        return _tail_of_truth(survey, line_format)
    return _tail_of_results(survey, line_format)


def _shape(facts: Counter[_Facts], kind: Kind) -> tuple[LineFormat, tuple[str, ...]]:
    """Return the format of the coordinates, and the possible readings if it is in doubt."""
    runs: Counter[int] = Counter()
    for of_line, n in facts.items():
        runs[of_line.numbers] += n
    total, run = runs.total(), runs.most_common(1)[0][0]
    has_texts = any(of_line.has_more for of_line in facts)
    if kind == "results" and has_texts:
        for line_format in (LineFormat.QUAD, LineFormat.LTRB):
            if all(of_line.share(line_format) == _FRACTION for of_line in facts):
                return line_format, ()
    if run < 8:
        # Triangles, or boxes followed by two more numbers, such as a class or a text.
        if min(runs) < 6:
            return LineFormat.LTRB, ()
        sure = kind == "results" and all(of_line.share_4 for of_line in facts)
        return LineFormat.POLYGON, ("polygon", "ltrb", *(["ltrb-confidence"] if sure else []))
    n_long = sum(n for numbers, n in runs.items() if numbers >= 10)
    if not n_long:
        return LineFormat.QUAD, ()
    if min(runs) >= _SURELY_POLYGON - 1:
        return LineFormat.POLYGON, ()
    without_texts = kind == "results" and not has_texts
    # If transcriptions follow, a last number may be a transcription or a coordinate.
    rings = all(
        of_line.is_ring
        and (without_texts or of_line.has_more or of_line.numbers % 2 or of_line.numbers < 10)
        for of_line in facts
    )
    has_triangles = any(of_line.numbers in (6, 7) for of_line in facts)
    if rings and (without_texts or has_triangles or 10 * n_long >= total):
        return LineFormat.POLYGON, ()
    likelier = LineFormat.POLYGON if 2 * n_long > total else LineFormat.QUAD
    readings = ["polygon", "quad"]
    if kind == "results" and all(of_line.share_8 for of_line in facts):
        readings.append("quad-confidence")
    return likelier, tuple(readings)


def _tail_of_truth(survey: Survey, line_format: LineFormat) -> Decision:
    total = survey.facts.total()
    if line_format == LineFormat.QUAD:
        n_scripts = sum(n for of_line, n in survey.facts.items() if of_line.script)
        if n_scripts == total:
            return Decision(Layout(line_format, Tail.SCRIPT))
        if 2 * n_scripts > total:
            return _doubt_of_scripts(survey, n_scripts)
        if all(of_line.difficult for of_line in survey.facts):
            return Decision(Layout(line_format, Tail.DIFFICULT))
        if all(of_line.is_class for of_line in survey.facts):
            found = "a word, and 0 or 1, behind the coordinates of all lines"
            readings = ("quad", "quad-class-difficult")
            return Decision(
                Layout(line_format), readings, found, next(iter(survey.places.values()))
            )
        if any(of_line.difficult for of_line in survey.facts):
            readings = ("quad", "quad-difficult")
            return _doubt(survey, Layout(line_format), readings, lambda of: of.difficult)
    return _plain(survey, line_format)


def _doubt_of_scripts(survey: Survey, n_scripts: int) -> Decision:
    place = next(place for of_line, place in survey.places.items() if of_line.script)
    total = survey.facts.total()
    found = f"a script before the text of {n_scripts} of {total} lines"
    return Decision(Layout(LineFormat.QUAD), ("quad", "quad-script"), found, place)


def _tail_of_results(survey: Survey, line_format: LineFormat) -> Decision:
    facts = survey.facts
    firsts = {of_line.share_first for of_line in facts}
    if _FRACTION in firsts and _NO_SHARE not in firsts and len({of.numbers for of in facts}) == 1:
        place = next(iter(survey.places.values()))
        first = Layout(line_format, Tail.FIRST)
        found = "a number from 0 to 1 before the coordinates of all lines"
        return Decision(first, (first.slug, line_format.value), found, place)
    plain, sure = Layout(line_format), Layout(line_format, Tail.CONFIDENCE)
    n = line_format.n_numbers
    shares = {of_line.share(line_format) for of_line in facts}
    n_scripts = sum(n for of_line, n in facts.items() if of_line.script)
    if line_format == LineFormat.QUAD and 2 * n_scripts > facts.total():
        return _doubt_of_scripts(survey, n_scripts)
    has_texts = any(of_line.has_more or (n and of_line.numbers > n + 1) for of_line in facts)
    if has_texts and _NO_SHARE not in shares:
        if _FRACTION in shares and any(of_line.has_more for of_line in facts):
            return Decision(sure)
        return _doubt(survey, plain, (plain.slug, sure.slug), lambda of: True)
    if not has_texts and n is None:
        odd = {of for of in facts if of.numbers % 2 and not of.share_last}
        if odd:
            return _doubt(survey, plain, (plain.slug,), lambda of: of in odd)
    if has_texts and n is None:
        # Among lines with texts, a fifth or sixth point may be a text of numbers.
        few = {of for of in facts if 10 <= of.numbers < _SURELY_POLYGON and not of.has_more}
        few = {of for of in few if of.numbers % 2 == 0}
        if few:
            return _doubt(survey, plain, (plain.slug, "quad"), lambda of: of in few)
    if not has_texts and n:
        # A number after the coordinates that is not a confidence: a class, a percentage, a text.
        odd = {of for of in facts if of.numbers == n + 1 and not of.share(line_format)}
        if odd:
            n_odd = sum(facts[of_line] for of_line in odd)
            found = (
                f"a number that is not a confidence (0 to 1) at the end of {counted(n_odd, 'line')}"
            )
            place = survey.places[next(iter(odd))]
            return Decision(plain, (plain.slug,), found, place)
    return _plain(survey, line_format)


def _plain(survey: Survey, line_format: LineFormat) -> Decision:
    """Return the plain layout, with a doubt if a text would start with numbers."""
    layout, n = Layout(line_format), line_format.n_numbers
    asked = _begins_with_numbers(line_format)
    if not any(map(asked, survey.facts)):
        return Decision(layout)
    numbers = [of_line.numbers for of_line in survey.facts]
    others: tuple[str, ...] = ()
    if n == 4 and min(numbers) >= 8 and max(numbers) < 10:
        others = ("quad",)
    elif n is not None and min(numbers) >= 6 and (n == 4 or max(numbers) >= 10):
        others = ("polygon",)
    return _doubt(survey, layout, (layout.slug, *others), asked)


def _begins_with_numbers(line_format: LineFormat) -> _Rule:
    """Return a test of whether a text starts with a number and continues after a comma."""
    n = line_format.n_numbers

    def is_asked(of: _Facts) -> bool:
        if n is None:
            return bool(of.numbers % 2 and of.has_more)
        return of.numbers > n + (not of.has_more)

    return is_asked


def _doubt(survey: Survey, layout: Layout, readings: tuple[str, ...], asked: _Rule) -> Decision:
    odd = [of_line for of_line in survey.facts if asked(of_line)] or list(survey.facts)
    n_odd = sum(survey.facts[of_line] for of_line in odd)
    found = f"{n_odd} of {survey.facts.total()} lines with numbers where a text may begin"
    return Decision(layout, readings, found, survey.places[odd[0]])
