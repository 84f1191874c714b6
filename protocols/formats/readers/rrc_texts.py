"""Bytes of the competition's files as lines of text: encodings, line ends and semicolons."""

import re
from collections import Counter
from typing import Final

from text_rankings.base.counts import counted

from ..containers.documents import MARK, UTF_16, decoded
from ..problems import Problems, quoted
from .rrc_lines import Rules

# Lines of at least four numbers with semicolons; a semicolon after a number separates fields.
_SEMICOLONS: Final = re.compile(r"(?:\s*-?[\d.]+\s*;){3}")
_FIELD_END: Final = re.compile(r"[,;\r\n]")
_SEMICOLON: Final = re.compile(r"(?<=\d);|(?<=\d\s);")


class Texts:
    """A decoder of bytes into lines, which counts oddities."""

    def __init__(self, problems: Problems, rules: Rules) -> None:
        self._problems = problems
        self._crlf_only = rules.crlf_only
        self._strict = rules.strict
        self._unusual: Counter[str] = Counter()
        # A text in each encoding that was guessed.
        self._examples: dict[str, str] = {}
        self._guessed: set[str] = set()
        self._n_semicolons = 0

    def text(self, content: bytes, *, again: bool = False) -> str:
        """Return the text of an entry; oddities of one unpacked ``again`` are not counted twice."""
        counted_before = Counter(self._unusual) if again else self._unusual
        text = self._text(content)
        if "\0" in text:
            self._unusual["null characters (replaced)"] += 1
            text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        if not self._strict and "\r" in text and "\n" not in text:
            text = text.replace("\r", "\n")
        if not self._strict and "," not in text and _SEMICOLONS.match(text):
            self._n_semicolons += not again
            text = _SEMICOLON.sub(",", text)
        self._unusual = counted_before
        return text

    def lines(self, text: str) -> list[tuple[int, str]]:
        lines = text.split("\r\n" if self._crlf_only else "\n")
        return [
            (number, line.removesuffix("\r"))
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]

    def _text(self, content: bytes) -> str:
        text, encoding = decoded(content)
        if not encoding:
            return text
        if encoding == UTF_16:
            self._unusual[encoding] += 1
            return text
        if self._strict:
            self._unusual["bytes that are not UTF-8 (replaced)"] += 1
            return content.removeprefix(MARK).decode(errors="replace")
        example = next(part for part in _FIELD_END.split(text) if not part.isascii())
        shown = self._examples.setdefault(encoding, quoted(example.strip()))
        what = f"texts in {encoding}, such as {shown},"
        self._unusual[what] += 1
        self._guessed.add(what)
        return text

    def report(self) -> None:
        for what, n in self._unusual.items():
            if n:
                files = counted(n, "file")
                found = f"{what} in {files}"
                code = "F7" if what in self._guessed else "L9"
                self._problems.warning(code, found, "plain UTF-8")
        if self._n_semicolons:
            files = counted(self._n_semicolons, "file")
            found = f"semicolons between the fields in {files}"
            self._problems.warning("L9", found, "commas")
