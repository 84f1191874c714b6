"""Lines of the Robust Reading Competition: coordinates, then a transcription or a confidence."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .contents import Kind, LineFormat
from .curved import IGNORED_TEXT
from .problems import Span

MIN_NUMBERS: Final = 4


MAX_LINE: Final = 200_000
MAX_POINTS: Final = 10_000
# Beyond this areas lose their last digits, and no photograph is a thousand kilometres wide.
MAX_COORDINATE: Final = 1e9


FORMAT_NAMES: Final = {"ltrb": "left,top,right,bottom", "quad": "a quadrilateral"}
# Possessive, so that no line, however long, takes more than one pass.
NUMBER: Final = re.compile(r"\s*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*+\Z", re.ASCII)
INTEGER: Final = re.compile(r"\s*+-?\d++\s*+\Z", re.ASCII)
NOT_FINITE: Final = re.compile(r"\s*+[+-]?(?:nan|inf|infinity)\s*+\Z", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"\s*+(?:[01]?+\.?+\d*+|\d(?:\.\d*+)?+[eE]-\d++)\s*+\Z", re.ASCII)
STRICT_CONFIDENCE: Final = re.compile(r"\s*+[01].?\d*\s*\Z", re.ASCII)
_WORD: Final = re.compile(r"\S+")


# A line as nearly all are: so many whole numbers, and for ground truth the rest of the line.
_WHOLE: Final = r" ?(-?\d{1,9})"
USUAL: Final = {
    (kind, n): re.compile(",".join([_WHOLE] * n) + rest, re.ASCII)
    for kind, rest in (("truth", r",(.*)\Z"), ("results", r"\Z"))
    for n in (4, 8)
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What is read as it is, and what is refused.

    Attributes
    ----------
    line_format : LineFormat or None
        None: guessed for the whole archive.
    strict : bool
        Refuse what the competition's scripts refuse: fractions, negative right and bottom sides,
        corners that do not run clockwise, missing transcriptions, unexpected confidences.
    confidences : bool or None
        Whether a number follows the coordinates of results; None: guessed.
    transcriptions : bool
        Whether what follows the coordinates of results is a text, where lines are read strictly.
    crlf_only : bool
        Cut lines at CRLF only.
    keep_quotes : bool
        Leave double quotes around a transcription, as PopEval's own files have them.
    loading : bool
        What the site does when it loads files: turn rings that run counter-clockwise (L7), refuse
        figures without area (L4) and coordinates beyond any image (L3), tell CRLF (L9).
    """

    line_format: LineFormat | None = None
    strict: bool = False
    confidences: bool | None = None
    transcriptions: bool = False
    crlf_only: bool = False
    keep_quotes: bool = False
    loading: bool = False


def guess_line_format(lines: Iterable[str], kind: Kind = "truth") -> LineFormat:
    """Guess the format from lines: by how many numbers most of them begin with."""
    fields = [split_fields(line[:MAX_LINE]) for line in lines]
    leading = list(map(n_leading_numbers, fields))
    runs = Counter(leading)
    if not runs:
        return LineFormat.LTRB
    run = runs.most_common(1)[0][0]
    if run < 8:
        return LineFormat.LTRB
    # A quadrilateral has one number more, its confidence. Longer lines are polygons, even where most
    # have four corners; but where there are words, they may be words of digits and commas.
    if kind == "results" and leading == list(map(len, fields)):
        run = max(runs)
    return LineFormat.QUAD if run < 10 else LineFormat.POLYGON


def split_fields(line: str) -> list[str]:
    return line.split(",") if "," in line else line.split()


def n_leading_numbers(fields: Sequence[str]) -> int:
    for at, part in enumerate(fields):
        if not NUMBER.match(part) and not NOT_FINITE.match(part):
            return at
    return len(fields)


def span_of(line: str, first: int, last: int | None = None) -> Span:
    """Return where the fields from one to another stand in a line."""
    last = first if last is None else last
    if "," not in line:
        words = [word.span() for word in _WORD.finditer(line)]
        return words[first][0], words[min(last, len(words) - 1)][1]
    starts = [0, *(at + 1 for at, char in enumerate(line) if char == ","), len(line) + 1]
    start, end = starts[first], starts[min(last + 1, len(starts) - 1)] - 1
    part = line[start:end]
    blanks = len(part) - len(part.lstrip())
    return (
        (start + blanks, end - (len(part) - len(part.rstrip()))) if part.strip() else (start, end)
    )


def turns_left(points: Sequence[float]) -> bool:
    """Say whether a ring runs counter-clockwise on screen, as the competition's scripts test it."""
    xs, ys = points[::2], points[1::2]
    return sum((xs[at] - xs[at - 1]) * (ys[at] + ys[at - 1]) for at in range(len(xs))) > 0


def unquoted_text(text: str) -> str:
    stripped = text.strip()
    if len(stripped) >= 2 and stripped.startswith('"') and stripped.endswith('"'):
        return stripped[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return text


def is_share(text: str) -> bool:
    try:
        return 0 <= float(text) < 2
    except ValueError:
        return False


def looks_like_confidence(text: str) -> bool:
    """Say whether a text at the end of a line would be read as a confidence."""
    return _CONFIDENCE.match(text) is not None and is_share(text)


def quoted_text(text: str) -> str:
    """Return a transcription as ground truth has it: in quotes, what is inside them escaped."""
    if text == IGNORED_TEXT:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
