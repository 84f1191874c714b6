"""A report as CSV, JSON, LaTeX and Markdown. Equal reports give equal bytes."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..agreement.main_table import MEASURES
from ..agreement.report import CriterionReport, Report
from ..agreement.settings import facts_of_settings
from . import table_files
from .escaping import markdown_text
from .latex import Look
from .latex_report import report_table
from .skips import COLUMN, n_lost
from .table import Column, Table, main_columns


def to_csv(report: Report, header: Mapping[str, str]) -> str:
    """Return one row per criterion and protocol or baseline, numbers in full precision.

    The first line names the columns.

    Parameters
    ----------
    report : Report
    header : mapping of str to str
        Only the number of rankings missing because pairs were skipped is used, in a column of its
        own if there are any. The JSON says where the numbers come from.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("b",), ("a",))] * 3}}, scores)
    >>> to_csv(report, {}).splitlines()[1].split(",")[:6]
    ['recall', 'protocol', 'iou', '1', '1', '1.0']
    """
    counts = n_lost(header)
    more, skipped = ((), ()) if counts is None else ((COLUMN,), counts[:1])
    names = ("criterion", "kind", "protocol", *(measure.name for measure in MEASURES), *more)
    rows = (
        (criterion, kind, *row.cells, *skipped)
        for criterion, table in report.criteria.items()
        for kind, some in (("protocol", table.rows), ("baseline", table.baselines))
        for row in some
    )
    return table_files.to_csv(Table("", "", "", tuple(map(Column, names)), tuple(rows)), header)


def to_json(report: Report, header: Mapping[str, str]) -> str:
    """Return the whole report with its settings, counts, distances and where it comes from.

    Parameters
    ----------
    report : Report
    header : mapping of str to str

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> print(to_json(build_report({}, {}), {"study": "signs"}).splitlines()[2].strip())
    "study": "signs"
    """
    return table_files.json_text(header, report.to_json())


def to_latex(
    report: Report,
    header: Mapping[str, str],
    look: Look | None = None,
    analysis: Mapping[str, Any] | None = None,
) -> str:
    """Return the criteria as one table for a paper; comments above it give the provenance.

    Parameters
    ----------
    report : Report
    header : mapping of str to str
    look : Look, optional
        Layout and width of the table, and whether it shows intervals.
    analysis : mapping, optional
        "analysis" of :meth:`.Analysis.to_json`, for intervals and the baseline of a person.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> to_latex(build_report({}, {}), {"study": "signs"}).splitlines()[0]
    '% study: signs'
    """
    return report_table(report, facts_of(report, header), look or Look(), analysis or {})


def to_markdown(report: Report, header: Mapping[str, str]) -> str:
    """Return a Markdown table for each criterion, below a list of facts about their origin.

    Parameters
    ----------
    report : Report
    header : mapping of str to str

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("b",), ("a",))] * 3}}, scores)
    >>> "| iou | 1 | 1 | 1.00 |" in to_markdown(report, {})
    True
    """
    lines = table_files.markdown_facts(facts_of(report, header))
    for criterion, table in report.criteria.items():
        lines += ["", f"## {markdown_text(criterion).capitalize()}", ""]
        rows = [row.cells for row in table.rows]
        rows += [(f"{row.protocol} (baseline)", *row.cells[1:]) for row in table.baselines]
        lines += table_files.markdown_rows(Table("", "", "", main_columns(), tuple(rows)))
    return "\n".join(lines) + "\n"


def facts_of(report: Report, header: Mapping[str, str]) -> dict[str, str]:
    """Return the header, a report's settings, and the amount of data by criterion."""
    facts = {**header, **facts_of_settings(asdict(report.settings))}
    for criterion, table in report.criteria.items():
        facts[f"{criterion}, used"] = _used(table)
        if table.unproven:
            n_images = _counted(len(table.unproven), "image")
            facts[f"{criterion}, consensus not proven to be the nearest"] = n_images
    return facts


def _used(table: CriterionReport) -> str:
    used = f"{_counted(table.n_images, 'image')}, {_counted(table.n_rankings, 'ranking')}"
    return f"{used}; {_counted(len(table.left_out), 'image')} left out"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
