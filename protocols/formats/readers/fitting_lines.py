"""The formats in which lines can be read without coordinates left over in their texts."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Literal

from ..containers.contents import Kind, LineFormat
from ..problems import Fault
from .layouts import Decision, layout_named, rules_named
from .rrc_lines import LineReader, n_leading_numbers, split_fields

# The formats of lines, as ``recognition/formats.json`` lists them.
FORMATS_OF_LINES: Final = (
    *("ltrb", "ltwh", "quad", "quad-columns", "polygon"),
    *("quad-script", "quad-difficult", "quad-class-difficult"),
    *("ltrb-confidence", "quad-confidence", "polygon-confidence"),
    *("ltrb-confidence-first", "quad-confidence-first"),
)
# Texts of results that all begin with two points, and of ground truth with two numbers, are none.
_MIN_LEFT_OVER: Final = 4
_NUMBERS: Final = re.compile(r"\s*(?:-?\d+(?:\.\d+)?\s*,\s*){2}")
# Fewer texts of ground truth may be so by chance.
_MIN_TEXTS: Final = 5


def fitting(
    slugs: Iterable[str],
    lines: Sequence[str],
    kind: Kind,
    *,
    least: Literal["most", "half", "best"] = "most",
) -> tuple[str, ...]:
    """Return the formats that read most of the lines, at least half, or no fewer than any other.

    Lines of eight numbers are no boxes, although their first four numbers may be read as one: formats
    that leave coordinates over do not fit.

    Examples
    --------
    >>> fitting(["ltrb", "quad"], ["10,10,90,10,90,50,10,50"], "results")
    ('quad',)
    """
    n_faults = {slug: _n_faults(slug, lines, kind) for slug in slugs}
    counted = {slug: n for slug, n in n_faults.items() if n is not None}
    most = {
        "most": (len(lines) - 1) // 2,
        "half": len(lines) // 2,
        "best": min(counted.values(), default=0),
    }[least]
    return tuple(slug for slug, n in counted.items() if n <= most)


def are_left_over(texts: Sequence[str | None], kind: Kind) -> bool:
    """Return whether all texts begin with numbers that are coordinates in another format."""
    if texts and all(_n_numbers(text) >= _MIN_LEFT_OVER for text in texts):
        return True
    if kind == "results":
        return False
    read = [text for text in texts if text]
    return len(read) >= _MIN_TEXTS and all(map(_NUMBERS.match, read))


def _n_numbers(text: str | None) -> int:
    return n_leading_numbers(split_fields(text)) if text else 0


def _n_faults(slug: str, lines: Sequence[str], kind: Kind) -> int | None:
    """Count the lines with a fault; None if coordinates are left over in the texts of all others."""
    rules = rules_named(slug)
    reader = LineReader(kind, rules, rules.line_format or LineFormat.POLYGON)
    texts: list[str | None] = []
    for line in lines:
        with suppress(Fault):
            texts.append(reader.region(line).text)
    return None if are_left_over(texts, kind) else len(lines) - len(texts)


def with_fitting(decision: Decision, lines: Sequence[str], kind: Kind) -> Decision:
    """Return a decision whose doubt is between formats that fit the lines; all if none does."""
    readings = fitting(decision.readings, lines, kind, least="half")
    if not readings or readings == decision.readings:
        return decision
    layout = decision.layout
    if layout.slug not in readings:
        layout = layout_named(readings[0])
    return replace(decision, layout=layout, readings=readings)
