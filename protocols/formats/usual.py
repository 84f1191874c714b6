"""Files whose lines are all as nearly all are, read at once: whole numbers, then a plain text or nothing.

A file with any other line, or with a fault, is left to the careful reader, so that both give the same.
"""

import re
from dataclasses import dataclass
from typing import Final

from protocols.core.regions import Region, plain_regions

from .contents import Kind
from .rrc_lines import Rules, unquoted_text

_WHOLE: Final = r" ?-?\d{1,9}"
# How a text begins that may be more coordinates, or has the mark of CTW-1500.
_ODD_TEXT: Final = r"\s*(?:####|[-+]?(?:[\d.]|[nN][aA][nN]|[iI][nN][fF]))"
_USUAL: Final = {
    (kind, n): re.compile(",".join([_WHOLE] * n) + rest, re.ASCII)
    for kind, rest in (("truth", f",(?!{_ODD_TEXT})[^,\\n]*\\Z"), ("results", r"\Z"))
    for n in (8, 4)
}
# The same of many lines: all their numbers, and all their texts.
_ALL_WHOLE: Final = re.compile(f"(?:{_WHOLE},)*+{_WHOLE}\\Z", re.ASCII)
_SOME_ODD_TEXT: Final = re.compile(f"^{_ODD_TEXT}", re.ASCII | re.MULTILINE)
# So many different numbers are kept at once.
_MAX_FLOATS: Final = 50_000


class _Floats(dict[str, float]):
    """Each number once: most coordinates come again and again, and half of a region is its numbers."""

    def __missing__(self, digits: str) -> float:
        self[digits] = value = float(digits)
        return value


_FLOATS: Final = _Floats()


@dataclass(frozen=True, slots=True)
class UsualFile:
    """The regions of a file of usual lines, one a line, and how many coordinates each line has."""

    n_numbers: int
    regions: tuple[Region, ...]


def usual_numbers(line: str, kind: Kind) -> int | None:
    """Return how many coordinates a usual line has; None for any other line.

    Parameters
    ----------
    line : str
    kind : "truth" or "results"

    Examples
    --------
    >>> usual_numbers("0,0,9,4,EXIT", "truth"), usual_numbers("0,0,9.5,4,EXIT", "truth")
    (4, None)
    """
    for n in (8, 4):
        if _USUAL[kind, n].match(line):
            return n
    return None


def read_usual(text: str, kind: Kind, rules: Rules) -> UsualFile | None:
    """Return the regions of a file; None where the careful reader has to look at it.

    Parameters
    ----------
    text : str
        The whole file.
    kind : "truth" or "results"
    rules : Rules

    Examples
    --------
    >>> file = read_usual("0,0,9,4,EXIT", "truth", Rules())
    >>> file.n_numbers, file.regions[0].text
    (4, 'EXIT')
    """
    if rules.crlf_only or rules.sides or not text or (kind == "results" and rules.confidences):
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            return None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    n_commas = {line.count(",") for line in lines}
    has_texts = kind == "truth"
    if n_commas not in ({8 if has_texts else 7}, {4 if has_texts else 3}):
        return None
    n = n_commas.pop() + (not has_texts)
    if has_texts:
        cut = [line.rpartition(",") for line in lines]
        texts = [text for _, _, text in cut]
        numbers = ",".join([before for before, _, _ in cut])
        if _SOME_ODD_TEXT.search("\n".join(texts)):
            return None
        if not rules.keep_quotes:
            texts = [unquoted_text(text) if '"' in text else text for text in texts]
    else:
        texts, numbers = None, ",".join(lines)
    points = _points(numbers, n, rules)
    return None if points is None else UsualFile(n, plain_regions(points, texts))


def _points(numbers: str, n: int, rules: Rules) -> list[tuple[float, ...]] | None:
    """Return the points of regions; None where one is a fault, or a box stands there twice."""
    if not _ALL_WHOLE.match(numbers):
        return None
    if len(_FLOATS) > _MAX_FLOATS:
        _FLOATS.clear()
    values = map(_FLOATS.__getitem__, numbers.split(","))
    points: list[tuple[float, ...]] = list(zip(*[values] * n, strict=True))
    if n == 4:
        if any(right < left or bottom < top for left, top, right, bottom in points):
            return None
        if rules.strict and any(right < 0 or bottom < 0 for _, _, right, bottom in points):
            return None
        points = [(x1, y1, x2, y1, x2, y2, x1, y2) for x1, y1, x2, y2 in points]
    elif rules.strict and any(
        # As ``turns_left`` has it, which takes five times as long for four corners.
        (x2 - x1) * (y2 + y1)
        + (x3 - x2) * (y3 + y2)
        + (x4 - x3) * (y4 + y3)
        + (x1 - x4) * (y1 + y4)
        > 0
        for x1, y1, x2, y2, x3, y3, x4, y4 in points
    ):
        return None
    return points if len(set(points)) == len(points) else None
