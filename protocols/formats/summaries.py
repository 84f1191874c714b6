"""Summaries of problems of one kind: how many, where, some examples, and what to do."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from text_rankings.base.counts import counted

from .problems import ADVICE, CODES, MISREAD, Problem, Severity

MAX_EXAMPLES: Final = 3
# Parts that differ between problems of one kind: pieces of the file, names offered, numbers.
_DIFFERS: Final = re.compile(r" \(perhaps [^)]*\)|“[^”]*”|-?\d+(?:\.\d+)?")
_HINT: Final = re.compile(r" \(perhaps .*\)\Z")
# Warnings that say how a file is written, and nothing about its regions.
_NOTES: Final = ("L7", "L9")
_ORDER: Final[Mapping[Severity, int]] = {"error": 0, "question": 1, "warning": 2}

# Where a warning needs something else than an error or a question.
_OF_WARNINGS: Final = {
    "F1": "No action is needed if this is what the lines hold.",
    "F2": "No action is needed: the file is read as you chose.",
    "F7": "Look at the texts; if they are misread, save the files as UTF-8.",
    "L4": "No action is needed: they count as published programs count them.",
    "N2": (
        "No action is needed: a file is read for the image that its name fits, and a photograph of "
        "no image is left out."
    ),
}
# Where nothing can be chosen.
_OF_ERRORS: Final = {
    "F1": "Run the program that made the file again, as it is expected here.",
}
_NAMES_OF_WARNINGS: Final = {
    "F1": "How the lines are read",
    "F2": "How the file is read",
    "N2": "Other names than those of the images",
}


def name_of(code: str, severity: str) -> str:
    """Return the name of a kind of problems."""
    if severity == "warning" and code in _NAMES_OF_WARNINGS:
        return _NAMES_OF_WARNINGS[code]
    return CODES.get(code, code)


@dataclass
class Summary:
    """Problems of one kind in one file.

    ``n`` includes those counted and not kept; ``examples`` are the first of them; ``n_entries`` is
    the number of the archive's entries with the problem, 0 if not all of them were kept;
    ``expected`` is what all that were kept expect, "" if they differ.
    """

    severity: Severity
    code: str
    archive: str
    n: int = 0
    examples: list[Problem] = field(default_factory=list)
    n_entries: int = 0
    expected: str = ""

    @property
    def text(self) -> str:
        """One sentence: that of the problem if there is only one, else the kind and the number."""
        first = self.examples[0]
        if self.n == 1:
            return str(first)
        files = f" in {counted(self.n_entries, 'file')}" if self.n_entries else ""
        wanted = f"; expected {self.expected}" if self.expected else ""
        kind = name_of(self.code, self.severity)
        return f"{self.archive}: {kind}, {self.n} times{files}{wanted}."

    @property
    def advice(self) -> str:
        is_misread = self.examples[0].action == MISREAD
        if self.severity == "warning" and self.code in _OF_WARNINGS and not is_misread:
            return _OF_WARNINGS[self.code]
        if self.severity == "error" and self.code in _OF_ERRORS:
            return _OF_ERRORS[self.code]
        return ADVICE[self.code]

    def lines(self) -> list[str]:
        """Return the sentences of the whole summary: each problem, or the sentence and examples."""
        examples = [str(example) for example in self.examples]
        if self.n <= len(examples):
            return examples
        return [self.text, *(f"for example {example}" for example in examples)]


def summaries(problems: Iterable[Problem], counts: Mapping[str, int]) -> list[Summary]:
    """Return the problems of one file by kind, errors first, then in the order in which they came.

    ``problems`` are those that were kept, ``counts`` the number of all by code.
    """
    found: dict[tuple[str, ...], Summary] = {}
    entries: dict[tuple[str, ...], set[str]] = {}
    n_kept: dict[str, int] = {}
    for problem in problems:
        key = (
            *(problem.severity, problem.code, problem.archive),
            problem.action.partition(";")[0],
            _DIFFERS.sub("", problem.expected),
            # The text in ``found`` may differ, except where it names another kind of problem.
            _DIFFERS.sub("", problem.found) if problem.code in ("L9", "N4", "U1", "U2") else "",
        )
        of_kind = found.setdefault(key, Summary(problem.severity, problem.code, problem.archive))
        expected = _HINT.sub("", problem.expected)
        of_kind.expected = expected if of_kind.n == 0 or expected == of_kind.expected else ""
        of_kind.n += 1
        n_kept[problem.code] = n_kept.get(problem.code, 0) + 1
        if problem.entry is not None:
            entries.setdefault(key, set()).add(problem.entry)
            of_kind.n_entries = len(entries[key])
        if len(of_kind.examples) < MAX_EXAMPLES:
            of_kind.examples.append(problem)
    for code, n in counts.items():
        # Problems that were only counted are most probably of the most common kind.
        of_code = [summary for summary in found.values() if summary.code == code]
        if of_code:
            commonest = max(of_code, key=lambda summary: summary.n)
            if n > n_kept[code]:
                commonest.n += n - n_kept[code]
                commonest.n_entries = 0
    return sorted(found.values(), key=lambda summary: _ORDER[summary.severity])


def left_out(n: int) -> str:
    """Return how many broken lines of ignored text do not count."""
    return f"{n} broken line{'s' * (n > 1)} of ignored text left out"


def findings(problems: Iterable[Problem], counts: Mapping[str, int]) -> list[str]:
    """Return a sentence for each kind of warning that every door has to show."""
    told = [of for of in problems if of.severity == "warning" and of.code not in _NOTES]
    said = []
    for summary in summaries(told, counts):
        said.append(summary.text)
        if summary.code == "L4" and summary.n > 1:
            # These regions count in scores, so that people have to find them.
            said.append(f"for example {summary.examples[0]}")
    return said
