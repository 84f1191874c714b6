"""What is odd or wrong in a file, said so that a person can find it and mend it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

_MAX_PER_CODE = 1000
_MAX_QUOTED = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where it is, what stands there, and what was expected.

    Codes: A1 not a readable archive, A2 unsafe entry, A3 too large; N1 a name that does not fit,
    N2 no such image, N3 two files for one image, N4 no file for an image; L1 wrong number of
    fields, L2 not a number, L3 not finite, L4 negative size, L5 self-crossing polygon, L6 outside
    the image, L7 corners not clockwise, L8 the same box twice, L9 unusual encoding or separators;
    S1 unknown method or image, S2 outside [0, 1], S3 missing value; P1 not a photograph.
    """

    severity: Literal["error", "warning"]
    code: str
    archive: str
    entry: str | None
    line: int | None
    found: str
    expected: str

    @property
    def place(self) -> str:
        where = self.archive if self.entry is None else f"{self.archive} > {self.entry}"
        return where if self.line is None else f"{where}, line {self.line}"

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}; expected {self.expected}."


@dataclass
class Problems:
    """Collects problems: all are counted, and the first of each code are kept."""

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
    ) -> None:
        self.add(Problem("error", code, self.archive, entry, line, found, expected))

    def warning(
        self,
        code: str,
        found: str,
        expected: str,
        entry: str | None = None,
        line: int | None = None,
    ) -> None:
        self.add(Problem("warning", code, self.archive, entry, line, found, expected))

    def add(self, problem: Problem) -> None:
        self.counts[problem.code] += 1
        if self.counts[problem.code] <= _MAX_PER_CODE:
            self.found.append(problem)

    @property
    def has_errors(self) -> bool:
        return any(problem.severity == "error" for problem in self.found)


def quoted(text: str) -> str:
    """Return a piece of a file as a message shows it: shortened, control characters visible."""
    shown = text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"
    return "“" + "".join(char if char.isprintable() else "�" for char in shown) + "”"


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
