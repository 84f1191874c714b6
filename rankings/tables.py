"""A report as CSV, JSON, LaTeX and Markdown. Equal reports give equal bytes."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from .report import CriterionReport, Report, Row

_COLUMNS: Final = ("criterion", "kind", "protocol", "best", "worst", "score")
_LATEX_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)
_MARKDOWN_SPECIAL: Final = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#"})


def to_csv(report: Report, header: Mapping[str, str]) -> str:
    """Return one row per criterion and protocol or baseline, numbers in full precision.

    Where the tables come from stands above them in lines that start with ``# ``.
    """
    stream = io.StringIO()
    for name, value in _facts(report, header):
        stream.write(f"# {name}: {one_line(value)}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for criterion, kind, row in _all_rows(report):
        numbers = (row.best, row.worst, row.score)
        texts = ["" if number is None else repr(number) for number in numbers]
        writer.writerow([without_formula(criterion), kind, without_formula(row.protocol), *texts])
    return stream.getvalue()


def to_json(report: Report, header: Mapping[str, str]) -> str:
    """Return the whole report with its settings, counts, distances and where it comes from."""
    content = {"header": dict(header), **report.to_json()}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_latex(report: Report, header: Mapping[str, str]) -> str:
    """Return one booktabs table; where it comes from stands above it in comments."""
    lines = [f"% {name}: {one_line(value)}" for name, value in _facts(report, header)]
    lines += [r"% needs \usepackage{booktabs}", r"\begin{tabular}{lrrr}", r"\toprule"]
    lines.append(r"Protocol & Best & Worst & Score \\")
    for criterion, table in report.criteria.items():
        lines += [r"\midrule", rf"\multicolumn{{4}}{{l}}{{\emph{{{latex_text(criterion)}}}}} \\"]
        lines += [_latex_row(row) for row in table.rows]
        lines += [_latex_row(row, "baseline") for row in table.baselines]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _latex_row(row: Row, note: str = "") -> str:
    name = f"{latex_text(row.protocol)} ({note})" if note else latex_text(row.protocol)
    cells = (_count(row.best, "--"), _count(row.worst, "--"), _score(row.score, "--"))
    return " & ".join((name, *cells)) + r" \\"


def to_markdown(report: Report, header: Mapping[str, str]) -> str:
    """Return a table for each criterion under a list of where they come from."""
    lines = [
        f"- {markdown_text(name)}: {markdown_text(value)}" for name, value in _facts(report, header)
    ]
    for criterion, table in report.criteria.items():
        lines += ["", f"## {markdown_text(criterion).capitalize()}", ""]
        lines += ["| Protocol | Best | Worst | Score |", "| --- | ---: | ---: | ---: |"]
        lines += [_markdown_row(row) for row in table.rows]
        lines += [_markdown_row(row, " (baseline)") for row in table.baselines]
    return "\n".join(lines) + "\n"


def _markdown_row(row: Row, note: str = "") -> str:
    cells = (_count(row.best, "–"), _count(row.worst, "–"), _score(row.score, "–"))
    return f"| {markdown_text(row.protocol)}{note} | {' | '.join(cells)} |"


def _facts(report: Report, header: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from header.items()
    for name, value in asdict(report.settings).items():
        yield name, "not rounded" if value is None else str(value)
    for criterion, table in report.criteria.items():
        yield f"{criterion}, used", _used(table)
        if table.unproven:
            n_images = _counted(len(table.unproven), "image")
            yield f"{criterion}, consensus not proven to be the nearest", n_images


def _used(table: CriterionReport) -> str:
    used = f"{_counted(table.n_images, 'image')}, {_counted(table.n_rankings, 'ranking')}"
    return f"{used}; {_counted(len(table.left_out), 'image')} left out"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _all_rows(report: Report) -> Iterator[tuple[str, str, Row]]:
    for criterion, table in report.criteria.items():
        yield from ((criterion, "protocol", row) for row in table.rows)
        yield from ((criterion, "baseline", row) for row in table.baselines)


def _count(number: int | None, undefined: str) -> str:
    return undefined if number is None else str(number)


def _score(score: float | None, undefined: str) -> str:
    return undefined if score is None else f"{score:.2f}"


def one_line(text: str) -> str:
    return " ".join(text.split())


def without_formula(text: str) -> str:
    # A spreadsheet would run a cell that starts like this.
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def latex_text(text: str) -> str:
    return one_line(text).translate(_LATEX_SPECIAL)


def markdown_text(text: str) -> str:
    return one_line(text).translate(_MARKDOWN_SPECIAL)
