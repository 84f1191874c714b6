"""A report as CSV, JSON, LaTeX and Markdown. Equal reports give equal bytes."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from ..agreement.report import CriterionReport, Report, Row
from ..rounding import in_decimals
from .escaping import markdown_text, without_formula
from .latex import Look
from .latex_report import report_table
from .skips import COLUMN, n_lost

_COLUMNS: Final = ("criterion", "kind", "protocol", "best", "worst", "score")


def to_csv(report: Report, header: Mapping[str, str]) -> str:
    """Return one row per criterion and protocol or baseline, numbers in full precision.

    The first line names the columns.

    Parameters
    ----------
    report : Report
    header : mapping of str to str
        Of this only the number of rankings that are missing because pairs were skipped, in a column
        of its own if there are any. Where the numbers come from is in the JSON.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("b",), ("a",))] * 3}}, scores)
    >>> to_csv(report, {}).splitlines()[:2]
    ['criterion,kind,protocol,best,worst,score', 'recall,protocol,iou,1,1,1.0']
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    counts = n_lost(header)
    skipped = [] if counts is None else [repr(counts[0])]
    writer.writerow([*_COLUMNS, *([COLUMN] if skipped else [])])
    for criterion, kind, row in _all_rows(report):
        numbers = (row.best, row.worst, row.score)
        texts = ["" if number is None else repr(number) for number in numbers]
        names = without_formula(criterion), kind, without_formula(row.protocol)
        writer.writerow([*names, *texts, *skipped])
    return stream.getvalue()


def to_json(report: Report, header: Mapping[str, str]) -> str:
    """Return the whole report with its settings, counts, distances and where it comes from.

    Parameters
    ----------
    report : Report
    header : mapping of str to str

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> json.loads(to_json(build_report({}, {}), {"study": "signs"}))["header"]
    {'study': 'signs'}
    """
    content = {"header": dict(header), **report.to_json()}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


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
        Its layout and width, and whether with intervals.
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
    """Return a table for each criterion under a list of where they come from.

    Parameters
    ----------
    report : Report
    header : mapping of str to str

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("b",), ("a",))] * 3}}, scores)
    >>> next(line for line in to_markdown(report, {}).splitlines() if "iou" in line)
    '| iou | 1 | 1 | 1.00 |'
    """
    lines = [
        f"- {markdown_text(name)}: {markdown_text(value)}"
        for name, value in facts_of(report, header).items()
    ]
    for criterion, table in report.criteria.items():
        lines += ["", f"## {markdown_text(criterion).capitalize()}", ""]
        lines += ["| Protocol | Best | Worst | Score |", "| --- | ---: | ---: | ---: |"]
        lines += [_markdown_row(row) for row in table.rows]
        lines += [_markdown_row(row, " (baseline)") for row in table.baselines]
    return "\n".join(lines) + "\n"


def facts_of(report: Report, header: Mapping[str, str]) -> dict[str, str]:
    """Return where a report comes from, its settings, and how much each criterion rests on.

    Parameters
    ----------
    report : Report
    header : mapping of str to str

    Returns
    -------
    dict of str to str
        The header's entries first.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> found = facts_of(build_report({}, {}), {"study": "signs"})
    >>> found["study"], found["decimals"], found["distance"]
    ('signs', '4', 'edit')
    """
    facts = dict(header)
    for name, value in asdict(report.settings).items():
        facts[name] = "not rounded" if value is None else str(value)
    for criterion, table in report.criteria.items():
        facts[f"{criterion}, used"] = _used(table)
        if table.unproven:
            n_images = _counted(len(table.unproven), "image")
            facts[f"{criterion}, consensus not proven to be the nearest"] = n_images
    return facts


def _markdown_row(row: Row, note: str = "") -> str:
    score = "–" if row.score is None else in_decimals(row.score, 2)
    cells = (*("–" if count is None else str(count) for count in (row.best, row.worst)), score)
    return f"| {markdown_text(row.protocol)}{note} | {' | '.join(cells)} |"


def _used(table: CriterionReport) -> str:
    used = f"{_counted(table.n_images, 'image')}, {_counted(table.n_rankings, 'ranking')}"
    return f"{used}; {_counted(len(table.left_out), 'image')} left out"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _all_rows(report: Report) -> Iterator[tuple[str, str, Row]]:
    for criterion, table in report.criteria.items():
        yield from ((criterion, "protocol", row) for row in table.rows)
        yield from ((criterion, "baseline", row) for row in table.baselines)
