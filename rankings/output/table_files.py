"""A table of an analysis as CSV, JSON, LaTeX and Markdown. Equal tables give equal bytes."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any, Final

from . import latex
from .escaping import latex_text, markdown_text, without_formula
from .signature import SIGNATURE
from .table import CRITERION, Cell, Table

# A table with more rows goes over several pages.
_ROWS_OF_A_PAGE: Final = 35
# Wider columns of text are wrapped; none asks for more than the second width. Both are in em.
_SHORT_TEXT, _MOST_TEXT = 6.5, 30.0
_LEAST_TEXT: Final = 4.5


def to_csv(table: Table, header: Mapping[str, str]) -> str:
    """Return the table in full precision; of the header, each row has the signature alone."""
    signed = [SIGNATURE] if SIGNATURE in header else []
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*(column.name for column in table.columns), *signed])
    for row in table.rows:
        writer.writerow([*map(_full, row), *(header[name] for name in signed)])
    return stream.getvalue()


def _full(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return without_formula(cell) if isinstance(cell, str) else repr(cell)


def to_json(table: Table, header: Mapping[str, str]) -> str:
    """Return header and table, a list of rows by the columns' names, in full precision."""
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    return json_text(header, {"table": table.title, "note": table.note, "rows": rows})


def json_text(header: Mapping[str, str], content: Mapping[str, Any]) -> str:
    """Return content as JSON after its header, which says where the numbers come from."""
    whole = {"header": dict(header), **content}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_markdown(table: Table, header: Mapping[str, str]) -> str:
    """Return the table in Markdown, below a list of facts about its origin."""
    lines = [*markdown_facts(header), "", f"## {markdown_text(table.title)}", ""]
    return "\n".join([*lines, markdown_text(table.note), "", *markdown_rows(table), ""])


def markdown_facts(facts: Mapping[str, str]) -> list[str]:
    """Return a list of facts about the origin of numbers, as lines of Markdown."""
    return [f"- {markdown_text(name)}: {markdown_text(value)}" for name, value in facts.items()]


def markdown_rows(table: Table) -> list[str]:
    """Return the head and the rows of a table as lines of Markdown."""
    rows = [
        [markdown_text(column.name) for column in table.columns],
        ["---:" if column.is_number else "---" for column in table.columns],
        *(list(map(markdown_text, row)) for row in table.shown),
    ]
    return [f"| {' | '.join(row)} |" for row in rows]


def to_latex(table: Table, header: Mapping[str, str]) -> str:
    r"""Return a booktabs table with caption and label, as wide as the page at most.

    If the first column is the criterion, its names are headings above their rows. Columns that do
    not fit follow in another table, and a long table spans several pages, in one-column text.
    Comments give the provenance, the ``header``; its "study" is in the label.
    """
    title, note = latex_text(table.title), latex_text(table.note)
    caption = f"{title}{'' if title.endswith('?') else '.'} {note}".rstrip()
    label = latex.label_of(header.get("study", ""), table.slug)
    columns, headings = list(_columns(table)), None
    if table.columns[0] == CRITERION and len(columns) > 1:
        columns, headings = columns[1:], [str(criterion) for criterion, *_ in table.rows]
    parts = []
    for number, some in enumerate(_that_fit(columns), 1):
        tabular = _tabular(some, headings)
        # The rule below the head is no row.
        is_long = len(tabular.body) > _ROWS_OF_A_PAGE + 1
        around = tabular.over_pages if is_long else tabular.in_float
        if number == 1:
            parts.append(around(caption, label, header))
        else:
            parts.append(around(f"{title} (other columns)", f"{label}-{number}", header))
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as it is shown, with its widths in em.

    ``wide`` if no text is wrapped; ``kept`` in a narrow table: of short texts, or of numbers, with
    the head wrapped; None if the texts themselves are wrapped.
    """

    head: str
    is_number: bool
    texts: Sequence[str]
    wide: float
    kept: float | None


def _columns(table: Table) -> Iterator[_Column]:
    shown = table.shown
    for at, column in enumerate(table.columns):
        texts = [row[at] for row in shown]
        if column.is_number:
            # A minus is as long as a dash.
            texts = [text.replace("-", "–") for text in texts]
        wide = max(map(latex.em_of, (column.name, *texts)))
        kept = wide if wide <= _SHORT_TEXT else None
        if column.is_number:
            words = column.name.replace("-", "- ").split()
            kept = max(map(latex.em_of, (*words, *texts)))
        yield _Column(column.name, column.is_number, texts, wide, kept)


def _that_fit(columns: Sequence[_Column]) -> list[Sequence[_Column]]:
    """Divide the columns into parts that fit the page; each begins with the first columns of text."""
    n_keys = len(list(takewhile(lambda column: not column.is_number, columns)))
    keys, others = columns[:n_keys], columns[n_keys:]
    widths = [_LEAST_TEXT if column.kept is None else column.kept for column in columns]
    if len(others) < 2 or latex.fits(widths, "page", latex.NARROW_GAP_PT):
        return [columns]
    half = (len(others) + 1) // 2
    parts = ([*keys, *others[:half]], [*keys, *others[half:]])
    return [fitting for part in parts for fitting in _that_fit(part)]


def _tabular(columns: Sequence[_Column], headings: Sequence[str] | None) -> latex.Tabular:
    """Return columns as LaTeX; consecutive rows with equal headings are put under one."""
    types, writers, gap_pt = _types(columns)

    def row(texts: Sequence[str]) -> str:
        return latex.row([write(text) for write, text in zip(writers, texts, strict=True)])

    rows = list(map(row, zip(*(column.texts for column in columns), strict=True)))
    sections = [rows]
    if headings is not None:
        sections = [
            [latex.heading(name, len(columns)), *(row for _, row in named)]
            for name, named in groupby(zip(headings, rows, strict=True), itemgetter(0))
        ]
    return latex.Tabular(types, [row([column.head for column in columns])], sections, gap_pt)


def _types(columns: Sequence[_Column]) -> tuple[str, Sequence[latex.Writer], int]:
    """Return the types of the columns, how each writes its texts to fit, and the gap."""
    if latex.fits([column.wide for column in columns], "page"):
        types = ["r" if column.is_number else "l" for column in columns]
        return "".join(types), [latex_text] * len(types), latex.GAP_PT
    widths = [column.kept + 0.1 for column in columns if column.kept is not None]
    asked = sum(min(column.wide, _MOST_TEXT) for column in columns if column.kept is None)
    types = []
    writers: list[latex.Writer] = []
    for column in columns:
        if column.kept is None:
            type_, write = latex.rest_of_line(
                widths,
                len(columns),
                "page",
                latex.NARROW_GAP_PT,
                min(column.wide, _MOST_TEXT) / asked,
            )
        else:
            side = r"\raggedleft" if column.is_number else r"\raggedright"
            type_, write = rf">{{{side}\arraybackslash}}p{{{column.kept + 0.05:.1f}em}}", latex_text
        types.append(type_)
        writers.append(write)
    return "".join(types), writers, latex.NARROW_GAP_PT
