"""Fast reading of files of usual lines only: whole numbers, then a plain text or nothing.

A file with any other line, or with a fault, is left to the careful reader, so results are the same.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final

from protocols.core.regions import Region, plain_regions

from ..containers.contents import Kind
from .rrc_lines import Rules, unquoted_text

_WHOLE: Final = r" ?-?\d{1,9}"
# Starts of texts that may be more coordinates, or that have the mark of CTW-1500.
_ODD_TEXT: Final = r"\s*(?:####|[-+]?(?:[\d.]|[nN][aA][nN]|[iI][nN][fF]))"
_USUAL: Final = {"truth": f",(?!{_ODD_TEXT})[^,\\n]*\\Z", "results": r"\Z"}
# The same tests for many lines at once: of a single number, and of all their texts.
_IS_WHOLE: Final = re.compile(_WHOLE + r"\Z", re.ASCII)
_SOME_ODD_TEXT: Final = re.compile(f"^{_ODD_TEXT}", re.ASCII | re.MULTILINE)
# Maximum number of cached numbers.
_MAX_FLOATS: Final = 50_000


class _Floats(dict[str, float]):
    """A cache of whole numbers by their digits, since most coordinates recur."""

    def __missing__(self, digits: str) -> float:
        if not _IS_WHOLE.match(digits):
            raise ValueError(digits)
        self[digits] = value = float(digits)
        return value


_FLOATS: Final = _Floats()


@dataclass(frozen=True, slots=True)
class UsualFile:
    """The regions of a file, one a line, and how many coordinates each line has.

    ``is_plain`` says that no line could be read differently: no text contains a comma or starts
    with a number.
    """

    n_numbers: int
    regions: tuple[Region, ...]
    is_plain: bool


def usual_numbers(line: str, kind: Kind) -> int | None:
    """Return the number of coordinates in a usual line; None for any other line."""
    for n in (8, 4):
        if _usual(kind, n).match(line):
            return n
    return None


@cache
def _usual(kind: Kind, n: int) -> re.Pattern[str]:
    return re.compile(",".join([_WHOLE] * n) + _USUAL[kind], re.ASCII)


def read_usual(text: str, kind: Kind, rules: Rules) -> UsualFile | None:
    """Return the regions of a file, or None if the careful reader has to read it."""
    if (
        rules.crlf_only
        or rules.sides
        or rules.columns
        or not text
        or (kind == "results" and rules.confidences)
    ):
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            return None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    n_commas = {line.count(",") for line in lines}
    n, is_plain = min(n_commas) + (kind == "results"), len(n_commas) == 1
    if n not in (8, 4) or (kind == "results" and not is_plain):
        return None
    fields = [line.split(",", n) for line in lines]
    texts = None
    if kind == "truth":
        texts = [of.pop() for of in fields]
        is_plain = is_plain and not _SOME_ODD_TEXT.search("\n".join(texts))
        if '"' in text and not rules.keep_quotes:
            texts = [unquoted_text(of) if '"' in of else of for of in texts]
    points = _points(chain.from_iterable(fields), n, rules)
    return None if points is None else UsualFile(n, plain_regions(points, texts), is_plain)


def _points(numbers: Iterable[str], n: int, rules: Rules) -> list[tuple[float, ...]] | None:
    """Return the polygons, or None if one is invalid or duplicated."""
    if len(_FLOATS) > _MAX_FLOATS:
        _FLOATS.clear()
    values = map(_FLOATS.__getitem__, numbers)
    try:
        points: list[tuple[float, ...]] = list(zip(*[values] * n, strict=True))
    except ValueError:
        return None
    if n == 4:
        if any(right < left or bottom < top for left, top, right, bottom in points):
            return None
        if rules.strict and any(right < 0 or bottom < 0 for _, _, right, bottom in points):
            return None
        points = [(x1, y1, x2, y1, x2, y2, x1, y2) for x1, y1, x2, y2 in points]
    elif rules.strict and any(
        # As in ``turns_left``, which takes five times as long for four corners.
        (x2 - x1) * (y2 + y1)
        + (x3 - x2) * (y3 + y2)
        + (x4 - x3) * (y4 + y3)
        + (x1 - x4) * (y1 + y4)
        > 0
        for x1, y1, x2, y2, x3, y3, x4, y4 in points
    ):
        return None
    # In a strict reading, a duplicated box is not a fault.
    return points if rules.strict or len(set(points)) == len(points) else None
