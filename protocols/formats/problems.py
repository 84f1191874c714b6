"""Faults of a file, described so that a person can find and correct them."""

import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from text_rankings.base.counts import some_of

Severity = Literal["error", "warning", "question"]
# Part of a text: from this character up to, not including, that one.
Span = tuple[int, int]

_LISTED: Final = json.loads(Path(__file__).with_name("problems.json").read_text(encoding="utf-8"))
# The name of each kind of problem, by code, and what to do about it.
CODES: Final[Mapping[str, str]] = {code: of["name"] for code, of in _LISTED.items()}
ADVICE: Final[Mapping[str, str]] = {code: of["advice"] for code, of in _LISTED.items()}
NOTHING_LOADED: Final = "nothing is loaded"
READ_ANYWAY: Final = "read anyway"
KEPT: Final = "kept"
KEPT_AS_IT_IS: Final = "kept as it is"
PASSED_OVER: Final = "skipped"
LEFT_OUT: Final = "left out"
MISREAD: Final = "read this way, although another way fits far better"
REORDERED: Final = "reordered"
ASKED: Final = "nothing is loaded until this is answered"
_ACTIONS: Final[Mapping[Severity, str]] = {
    "error": NOTHING_LOADED,
    "warning": READ_ANYWAY,
    "question": ASKED,
}

_MAX_PER_CODE: Final = 1000
_MAX_QUOTED: Final = 60
_MAX_TEXT: Final = 160
# Comparing with all known names is slow; a file with more wrong names has another problem.
_MAX_SUGGESTIONS: Final = 100
_MAX_COMPARED: Final = 2000
_CSV_COLUMNS: Final = (
    *("severity", "code", "name", "archive", "entry", "line", "column"),
    *("text", "found", "expected", "action"),
)
# Leading characters that make a spreadsheet read a cell as a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: its place, the value found, the value expected, and the consequence.

    An error stops loading; a question does until a person answers; a warning does not. ``code`` is
    a key of ``CODES``, ``entry`` a file inside the archive, ``line`` and ``column`` (the character
    at which the fault begins) count from 1. ``found`` and ``expected`` are halves of the sentence
    "found ...; expected ...", ``action`` is its consequence: "nothing is loaded", "read anyway",
    "kept" ... ``text`` is the line, shortened around the fault, control characters made visible,
    and ``span`` the part of it that is at fault.
    """

    severity: Severity
    code: str
    archive: str
    entry: str | None
    line: int | None
    found: str
    expected: str
    column: int | None = None
    text: str | None = None
    span: Span | None = None
    action: str = ""

    @property
    def place(self) -> str:
        where = self.archive if self.entry is None else f"{self.archive} > {self.entry}"
        if self.line is None:
            return where
        return f"{where}, line {self.line}"

    @property
    def name(self) -> str:
        """The name of this kind of fault."""
        return CODES.get(self.code, self.code)

    def __str__(self) -> str:
        end = "" if self.expected.endswith("?") else "."
        return f"{self.place}: found {self.found}; expected {self.expected}{end}"


class Fault(Exception):
    """A line or element that cannot be used; the caller adds the place and makes a Problem."""

    def __init__(
        self,
        code: str,
        found: str,
        expected: str,
        span: Span | None = None,
        *,
        line: int | None = None,
    ) -> None:
        # Line and text, if the reader knows them and its caller does not.
        self.code, self.span, self.line = code, span, line
        self.text: str | None = None
        self.found, self.expected = found, expected
        super().__init__(found)


@dataclass
class Problems:
    """Collects problems: all are counted; the first of each code are kept, and its first error."""

    archive: str
    found: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def error(
        self,
        code: str,
        found: str,
        expected: str,
        entry: str | None = None,
        line: int | None = None,
        *,
        text: str | None = None,
        span: Span | None = None,
        action: str | None = None,
        severity: Severity = "error",
    ) -> None:
        if not self._is_kept(code, severity):
            return
        column = None if span is None else span[0] + 1
        shown, part = (None, None) if text is None else excerpt(text, span)
        self.found.append(
            Problem(
                severity,
                code,
                self.archive,
                None if entry is None else visible(entry),
                line,
                found,
                expected,
                column,
                shown,
                part,
                _ACTIONS[severity] if action is None else action,
            )
        )

    def warning(self, code: str, found: str, expected: str, *place: Any, **options: Any) -> None:
        self.error(code, found, expected, *place, severity="warning", **options)

    def question(self, code: str, found: str, expected: str, *place: Any, **options: Any) -> None:
        self.error(code, found, expected, *place, severity="question", **options)

    def fault(
        self,
        fault: Fault,
        entry: str | None = None,
        line: int | None = None,
        *,
        text: str | None = None,
        is_out: bool = False,
    ) -> None:
        """Add an error for input that a reader could not use, or a warning if it is left out."""
        given: dict[str, Any] = {"severity": "warning", "action": PASSED_OVER} if is_out else {}
        given |= {"text": fault.text if text is None else text, "span": fault.span}
        line = fault.line if line is None else line
        self.error(fault.code, fault.found, fault.expected, entry, line, **given)

    @contextmanager
    def catching(
        self, entry: str | None, line: int | None = None, *, text: str | None = None
    ) -> Iterator[None]:
        """Add an error for a Fault that is raised inside, and continue behind it."""
        try:
            yield
        except Fault as fault:
            self.fault(fault, entry, line, text=text)

    def add(self, problem: Problem) -> None:
        if self._is_kept(problem.code, problem.severity):
            self.found.append(problem)

    def _is_kept(self, code: str, severity: Severity) -> bool:
        """Count a problem; return whether it is among the first of its code, or its first error."""
        self.counts[code] += 1
        return self.counts[code] <= _MAX_PER_CODE or (
            severity != "warning"
            and not any((of.code, of.severity) == (code, severity) for of in self.found)
        )

    def merge(self, others: "Problems") -> None:
        """Add the problems of another collection, and those that it only counted."""
        only_counted = others.counts - Counter(problem.code for problem in others.found)
        for problem in others.found:
            self.add(problem)
        self.counts += only_counted

    def drop(self, code: str) -> None:
        """Remove the problems of a code, which others explain."""
        self.found = [problem for problem in self.found if problem.code != code]
        self.counts.pop(code, None)

    def ask(self, code: str, expected: str) -> None:
        """Make questions of the problems of a code."""
        asked: dict[str, Any] = {"severity": "question", "action": _ACTIONS["question"]}
        self.found = [
            replace(problem, expected=expected, **asked) if problem.code == code else problem
            for problem in self.found
        ]

    def is_full(self, code: str) -> bool:
        """Return whether a further problem of this code would only be counted."""
        return self.counts[code] >= _MAX_PER_CODE

    @property
    def has_errors(self) -> bool:
        return any(problem.severity == "error" for problem in self.found)


def visible(text: str) -> str:
    """Return a text with each unprintable character replaced by a visible one."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def quoted(text: str) -> str:
    """Return a piece of a file for a message: shortened, with visible control characters."""
    shown = text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"
    return f"“{visible(shown)}”"


def excerpt(line: str, span: Span | None = None) -> tuple[str, Span | None]:
    """Return a line shortened around its fault, and the position of the fault in it.

    At most 160 characters are left, with an ellipsis at each end that was cut; ``span`` is the
    start and end of the fault.
    """
    start, end = (0, 0) if span is None else (max(span[0], 0), min(span[1], len(line)))
    if len(line) <= _MAX_TEXT:
        first, last = 0, len(line)
    else:
        first = max(0, min(start - _MAX_TEXT // 4, len(line) - _MAX_TEXT))
        last = first + _MAX_TEXT
    before, after = "…" if first else "", "…" if last < len(line) else ""
    shown = f"{before}{visible(line[first:last])}{after}"
    if span is None or end < start:
        return shown, None
    moved = len(before) - first
    return shown, (start + moved, min(end, last) + moved)


class Nearest:
    """Suggests the known name most similar to a wrong one, comparing numbers first.

    A name with other numbers belongs to another image, however similar it looks: img_90 is no help
    for img_0. Comparing words is slow, so it is done for the first hundred wrong names only.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = list(known)
        self._plain = {_plain(name): name for name in self._known}
        self._n_left = _MAX_SUGGESTIONS
        self._by_numbers: dict[tuple[int, ...], list[str]] = {}
        for name in self._known:
            self._by_numbers.setdefault(_numbers(name), []).append(name)

    def only(self, name: str) -> str | None:
        """Return the one known name with the same numbers and letters, or None.

        Prefixes of files (res, gt, pred, det), capitals, punctuation and leading zeros do not count;
        a name of numbers alone fits any letters, any letters fit a known name of numbers alone, and
        a name that contains three known letters or more fits those (net_img_1.jpg).
        """
        letters = _letters(name)
        alike = self._by_numbers.get(_numbers(name), []) if _numbers(name) else []
        fitting = [known for known in alike if not letters or _contains(letters, _letters(known))]
        fitting = fitting or [known for known in alike if not _letters(known)]
        return fitting[0] if len(fitting) == 1 else self._plain.get(_plain(name))

    def to(self, name: str) -> str | None:
        same = self._plain.get(_plain(name))
        if same is not None or self._n_left == 0 or len(name) > _MAX_TEXT:
            return same
        alike = self._by_numbers.get(_numbers(name), [])
        if len(alike) == 1 and _numbers(name):
            return alike[0]
        self._n_left -= 1
        # Only for faults, as csv below: the stand-alone call does not wait for it.
        import difflib

        alike = [known for known in alike if abs(len(known) - len(name)) <= 3]
        near = difflib.get_close_matches(name, alike[:_MAX_COMPARED], n=1, cutoff=0.5)
        return near[0] if near else None

    def hint(self, name: str) -> str:
        """Return " (perhaps NAME)", or an empty text."""
        near = self.to(name)
        return "" if near is None else f" (perhaps {near})"


def pattern_of(names: Iterable[str]) -> str:
    """Return the most common pattern of names, as in "img_1 to img_500"; or some of the names."""
    names = list(names)
    patterns = Counter(re.sub(r"\d+", "#", name) for name in names)
    if not names:
        return "no names"
    pattern, n = patterns.most_common(1)[0]
    if pattern.count("#") != 1 or 2 * n < len(names) or n < 3:
        return some_of(names)
    alike = [name for name in names if re.sub(r"\d+", "#", name) == pattern]
    alike.sort(key=_numbers)
    return f"{alike[0]} to {alike[-1]}"


def _letters(name: str) -> str:
    bare = re.sub(r"\A(?:pred|det|gt|res|result)s?[_-]", "", name, flags=re.IGNORECASE)
    return re.sub(r"[\W\d_]+", "", bare).casefold()


def _contains(letters: str, known: str) -> bool:
    return letters == known or (len(known) >= 3 and known in letters)


def _numbers(name: str) -> tuple[int, ...]:
    # A number of more than 18 digits is not a real count, and is slow to convert.
    return tuple(int(digits[-18:]) for digits in re.findall(r"[0-9]+", name))


def _plain(name: str) -> str:
    """Return a key shared by names that differ only in case, separators, zeros or accents."""
    name = unicodedata.normalize("NFKC", name).casefold()
    words = re.findall(r"0*(\d+)|([^\W\d_]+)", name)
    return " ".join(digits or letters for digits, letters in words)


def problems_as_csv(problems: Iterable[Problem]) -> str:
    """Return problems as CSV with a header line; safe to open in a spreadsheet."""
    import csv

    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(_CSV_COLUMNS)
    for problem in problems:
        writer.writerow(_cell(getattr(problem, column)) for column in _CSV_COLUMNS)
    return stream.getvalue()


def _cell(value: str | int | None) -> str:
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
