"""A report as a file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankings import analysis_tables, tables
from rankings.report import Report
from rankings.table_parts import Table

from .services import StudyReport


@dataclass(frozen=True)
class Format:
    label: str
    content_type: str
    write: Callable[[Report, Mapping[str, str]], str]


FORMATS: Mapping[str, Format] = {
    "csv": Format("CSV", "text/csv; charset=utf-8", tables.to_csv),
    "json": Format("JSON", "application/json", tables.to_json),
    "tex": Format("LaTeX", "application/x-tex; charset=utf-8", tables.to_latex),
    "md": Format("Markdown", "text/markdown; charset=utf-8", tables.to_markdown),
}

# The tables around Best / Worst / Score.
TABLE_WRITERS: Mapping[str, Callable[[Table, Mapping[str, str]], str]] = {
    "csv": analysis_tables.to_csv,
    "json": analysis_tables.to_json,
    "tex": analysis_tables.to_latex,
    "md": analysis_tables.to_markdown,
}


def export(report: StudyReport, extension: str) -> str:
    """Return the report in one of FORMATS, with where it comes from."""
    return FORMATS[extension].write(report.report, report.header)


def file_name(report: StudyReport, extension: str) -> str:
    return f"{report.study.slug}-{report.created:%Y-%m-%d}.{extension}"
