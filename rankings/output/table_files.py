"""A table around Best / Worst / Score as CSV, JSON, LaTeX and Markdown. Equal tables give equal bytes."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Final

from . import latex
from .escaping import latex_text, markdown_text, without_formula
from .table import CRITERION, Cell, Column, Table

# More rows go over several pages.
_ROWS_OF_A_PAGE: Final = 35
# A column of text that is wider goes over lines; one that is wider still asks for no more room.
_SHORT_TEXT, _MOST_TEXT = 6.5, 30.0
_LEAST_TEXT: Final = 4.5


def to_csv(table: Table, header: Mapping[str, str]) -> str:
    """Return the table in full precision; the first line names the columns.

    Parameters
    ----------
    table : Table
    header : mapping of str to str
        Not in this format: where the numbers come from is in the JSON.

    Examples
    --------
    >>> from rankings.output.table import PROTOCOL, number
    >>> table = Table("scores", "Scores", "", (PROTOCOL, number("Score")), (("iou", 1 / 3),))
    >>> print(to_csv(table, {}), end="")
    Protocol,Score
    iou,0.3333333333333333
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(column.name for column in table.columns)
    for row in table.rows:
        writer.writerow([_full(cell) for cell in row])
    return stream.getvalue()


def to_json(table: Table, header: Mapping[str, str]) -> str:
    """Return the table as a list of rows by the columns' names, in full precision.

    Parameters
    ----------
    table : Table
    header : mapping of str to str
        Where the numbers come from.

    Examples
    --------
    >>> from rankings.output.table import PROTOCOL, number
    >>> table = Table("scores", "Scores", "", (PROTOCOL, number("Score")), (("iou", None),))
    >>> json.loads(to_json(table, {"study": "signs"}))["rows"]
    [{'Protocol': 'iou', 'Score': None}]
    """
    names = [column.name for column in table.columns]
    content = {
        "header": dict(header),
        "table": table.title,
        "note": table.note,
        "rows": [dict(zip(names, row, strict=True)) for row in table.rows],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_latex(table: Table, header: Mapping[str, str]) -> str:
    r"""Return a booktabs table with caption and label, as wide as the page at most.

    If the first column is the criterion, its names are headings above their rows. Columns that do
    not fit follow in another table, and a long table spans several pages, in one-column text.
    Comments give the provenance.

    Parameters
    ----------
    table : Table
    header : mapping of str to str
        Where the numbers come from; "study" is in the label.

    Examples
    --------
    >>> from rankings.output.table import PROTOCOL, number
    >>> table = Table("scores", "Scores", "", (PROTOCOL, number("Score")), (("iou", 1 / 3),))
    >>> text = to_latex(table, {"study": "signs"})
    >>> [line.strip() for line in text.splitlines() if "iou" in line or "label" in line]
    ['\\label{tab:signs-scores}', 'iou & 0.33 \\\\']
    """
    title, note = latex_text(table.title), latex_text(table.note)
    caption = f"{title}{'' if title.endswith('?') else '.'} {note}".rstrip()
    label = f"tab:{latex.label_of(header.get('study', ''))}-{table.slug}"
    first, *others = _that_fit(_without_criterion(table))
    parts = [_latex_part(first, table, header, caption, label)]
    for number, other in enumerate(others, 2):
        words = f"{title} (other columns)"
        parts.append(_latex_part(other, table, header, words, f"{label}-{number}"))
    return "\n".join(parts)


def _latex_part(
    own: Table, whole: Table, header: Mapping[str, str], caption: str, label: str
) -> str:
    types, writers, gap_pt = _columns(own)
    head = latex.row(
        [write(column.name) for write, column in zip(writers, own.columns, strict=True)]
    )
    rows = list(_latex_rows(own, whole, writers))
    tabular = f"@{{}}{types}@{{}}"
    if len(rows) <= _ROWS_OF_A_PAGE:
        body = [
            rf"\begin{{tabular}}{{{tabular}}}",
            *(r"\toprule", head, r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}",
        ]
        return latex.as_float(
            body, caption=caption, label=label, width="page", facts=header, gap_pt=gap_pt
        )
    lines = [
        r"\begingroup",
        *latex.small(gap_pt),
        rf"\begin{{longtable}}{{{tabular}}}",
        rf"\caption{{{caption}}}\label{{{label}}}\\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *rows,
        *(r"\end{longtable}", r"\endgroup"),
    ]
    needs = latex.comments(header, lines, "array,booktabs,longtable")
    return "\n".join([*needs, "% needs text of one column", *lines]) + "\n"


def _latex_rows(own: Table, whole: Table, writers: Sequence[Callable[[str], str]]) -> Iterator[str]:
    has_criteria = _has_criteria(whole)
    criterion = None
    for cells, (first, *_) in zip(_texts(own), whole.rows, strict=True):
        if has_criteria and first != criterion:
            if criterion is not None:
                yield r"\midrule"
            criterion = first
            name = rf"\emph{{{latex_text(str(criterion)).capitalize()}}}"
            yield latex.row([rf"\multicolumn{{{len(own.columns)}}}{{@{{}}l@{{}}}}{{{name}}}"])
        yield latex.row([write(text) for write, text in zip(writers, cells, strict=True)])


def _has_criteria(table: Table) -> bool:
    return table.columns[0] == CRITERION and len(table.columns) > 1


def _that_fit(table: Table) -> list[Table]:
    """Return the table, or several that share its first columns of text, each no wider than the page."""
    fixed, n_long = _fixed(table), len(table.columns)
    n_long -= len(fixed)
    widths = [*fixed.values(), *([_LEAST_TEXT] * n_long)]
    keys = list(takewhile(lambda at: not table.columns[at].is_number, range(len(table.columns))))
    others = [at for at in range(len(table.columns)) if at not in keys]
    if len(others) < 2 or latex.total_em(widths, latex.NARROW_GAP_PT) <= latex.LEAST_EM["page"]:
        return [table]
    half = (len(others) + 1) // 2
    parts = ([*keys, *others[:half]], [*keys, *others[half:]])
    return [fitting for part in parts for fitting in _that_fit(_only(table, part))]


def _only(table: Table, places: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[at] for at in places),
        rows=tuple(tuple(row[at] for at in places) for row in table.rows),
    )


def _without_criterion(table: Table) -> Table:
    return _only(table, range(1, len(table.columns))) if _has_criteria(table) else table


def _texts(table: Table) -> list[list[str]]:
    """Return the cells as they are shown; a number's minus is as long as a dash."""
    return [
        [text.replace("-", "–") if is_number else text for text, is_number in cells]
        for cells in table.shown
    ]


def to_markdown(table: Table, header: Mapping[str, str]) -> str:
    """Return the table under a list of where it comes from.

    Parameters
    ----------
    table : Table
    header : mapping of str to str

    Examples
    --------
    >>> from rankings.output.table import PROTOCOL, number
    >>> table = Table("scores", "Scores", "", (PROTOCOL, number("Score")), (("iou", 1 / 3),))
    >>> to_markdown(table, {"study": "signs"}).splitlines()[::8]
    ['- study: signs', '| iou | 0.33 |']
    """
    lines = [f"- {markdown_text(name)}: {markdown_text(value)}" for name, value in header.items()]
    lines += ["", f"## {markdown_text(table.title)}", "", markdown_text(table.note), ""]
    lines.append(_markdown_row([markdown_text(column.name) for column in table.columns]))
    lines.append(_markdown_row(["---:" if column.is_number else "---" for column in table.columns]))
    lines += [_markdown_row([markdown_text(text) for text, _ in row]) for row in table.shown]
    return "\n".join(lines) + "\n"


def _columns(table: Table) -> tuple[str, Sequence[Callable[[str], str]], int]:
    """Return the types of a table's columns, how each writes its texts to fit, and the gap."""
    cells = list(zip(*_texts(table), strict=True))
    natural = [
        max(latex.em_of(text) for text in (column.name, *texts))
        for column, texts in zip(table.columns, cells, strict=True)
    ]
    if latex.fits(natural, "page"):
        types = ["r" if column.is_number else "l" for column in table.columns]
        return "".join(types), [latex_text] * len(types), latex.GAP_PT
    fixed = _fixed(table)
    long = {at: min(wide, _MOST_TEXT) for at, wide in enumerate(natural) if at not in fixed}
    widths, n_columns, gap_pt = (
        [wide + 0.1 for wide in fixed.values()],
        len(natural),
        latex.NARROW_GAP_PT,
    )
    room = latex.room_beside(widths, n_columns, "page", gap_pt)
    made: list[str] = []
    writers: list[Callable[[str], str]] = []
    for at, column in enumerate(table.columns):
        if at in long:
            share = long[at] / sum(long.values())
            made.append(latex.rest_of_line(widths, n_columns, share))
            writers.append(partial(latex.breakable, room_em=room * share))
        else:
            side = r"\raggedleft" if column.is_number else r"\raggedright"
            made.append(rf">{{{side}\arraybackslash}}p{{{fixed[at] + 0.05:.1f}em}}")
            writers.append(latex_text)
    return "".join(made), writers, gap_pt


def _fixed(table: Table) -> dict[int, float]:
    """Return the columns that keep their width: numbers, whose heads go over lines, and short texts."""
    cells = list(zip(*_texts(table), strict=True))
    widths: dict[int, float] = {}
    for at, column in enumerate(table.columns):
        if column.is_number:
            widths[at] = max(latex.em_of(text) for text in (*_words(column), *cells[at]))
        else:
            natural = max(latex.em_of(text) for text in (column.name, *cells[at]))
            if natural <= _SHORT_TEXT:
                widths[at] = natural
    return widths


def _words(column: Column) -> Sequence[str]:
    return column.name.replace("-", "- ").split()


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _full(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return without_formula(cell) if isinstance(cell, str) else repr(cell)
