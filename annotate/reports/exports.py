"""Reports as files, always in English."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils import translation

from rankings.agreement.report import Report, report_from_json
from rankings.agreement.settings import facts_of_settings
from rankings.output import report_files, table_files
from rankings.output.analysis_tables import tables_of
from rankings.output.detector_tables import detector_tables
from rankings.output.judge_tables import judge_tables
from rankings.output.latex import Look
from rankings.output.pair_tables import PAIR_TABLES, pair_tables
from rankings.output.skips import COLUMN, n_lost, skips_said
from rankings.output.table import Table, count

from .facts import Facts
from .models import KeptReport
from .services import StudyReport


@dataclass(frozen=True)
class Format:
    label: str
    content_type: str
    # Only LaTeX uses the look and the analysis.
    write: Callable[[Report, Mapping[str, str], Look, Mapping[str, Any]], str]


def _plain(
    write: Callable[[Report, Mapping[str, str], Mapping[str, Any]], str],
) -> Callable[[Report, Mapping[str, str], Look, Mapping[str, Any]], str]:
    return lambda report, header, look, analysis: write(report, header, analysis)


def _json(
    report: Report, header: Mapping[str, str], look: Look, analysis: Mapping[str, Any]
) -> str:
    return report_files.to_json(report, header)


FORMATS: Mapping[str, Format] = {
    "csv": Format("CSV", "text/csv; charset=utf-8", _plain(report_files.to_csv)),
    "json": Format("JSON", "application/json", _json),
    "tex": Format("LaTeX", "application/x-tex; charset=utf-8", report_files.to_latex),
    "md": Format("Markdown", "text/markdown; charset=utf-8", _plain(report_files.to_markdown)),
}

# The tables around Best / Worst / Score.
TABLE_WRITERS: Mapping[str, Callable[[Table, Mapping[str, str]], str]] = {
    "csv": table_files.to_csv,
    "json": table_files.to_json,
    "tex": table_files.to_latex,
    "md": table_files.to_markdown,
}


def export(
    report: StudyReport,
    extension: str,
    look: Look | None = None,
    analysis: Mapping[str, Any] | None = None,
) -> str:
    """Return the report in one of FORMATS; only LaTeX uses the look, and JSON no analysis."""
    write = FORMATS[extension].write
    with translation.override("en"):
        return write(report.report, report.header, look or Look(), analysis or {})


def kept_text(kept: KeptReport, extension: str, look: Look | None = None) -> str:
    """Return a kept report in one of FORMATS; as JSON, exactly the text that was checksummed."""
    if extension == "json":
        return kept.content
    data = kept.data
    write = FORMATS[extension].write
    with translation.override("en"):
        return write(report_from_json(data), data["header"], look or Look(), data["analysis"])


def table_text(
    data: Mapping[str, Any], header: Mapping[str, str], name: str, extension: str
) -> str | None:
    """Return a table other than Best / Worst / Score as a file, or None if there is no such table."""
    with translation.override("en"):
        table = next((table for table in tables_in(data) if table.slug == name), None)
        if table is None:
            return None
        return TABLE_WRITERS[extension](
            with_skips(table, header, extension), facts_of(data, header)
        )


def with_skips(table: Table, header: Mapping[str, str], extension: str) -> Table:
    """Return a table with the number of rankings that are missing because pairs were skipped.

    The number is in the note or, in CSV, which has no notes, in a column. Tables of pairs have
    their own.
    """
    counts = n_lost(header)
    if counts is None or table.slug in PAIR_TABLES:
        return table
    if extension == "csv":
        return replace(
            table,
            columns=(*table.columns, count(COLUMN)),
            rows=tuple((*row, counts[0]) for row in table.rows),
        )
    return replace(table, note=f"{table.note} {skips_said(header)}".strip())


def tables_in(data: Mapping[str, Any]) -> list[Table]:
    """Return the tables around Best / Worst / Score that have a row."""
    return [
        *(tables_of(data) if "analysis" in data else []),
        *(detector_tables(data["detectors"]) if "detectors" in data else []),
        *(pair_tables(data["pairs"]) if data.get("pairs") else []),
        *judge_tables(data),
    ]


def facts_of(data: Mapping[str, Any], header: Mapping[str, str]) -> dict[str, str]:
    return {**header, **facts_of_settings(data["settings"])}


def file_name(facts: Facts, extension: str) -> str:
    return f"{facts.study.slug}-{facts.created:%Y-%m-%d}.{extension}"
