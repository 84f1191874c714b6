"""The findings of a report as a table."""

from collections.abc import Iterator

from django.db.models import QuerySet

from protocols.formats.problems import Problem, problems_as_csv

from .models import Finding


def findings_as_csv(findings: QuerySet[Finding]) -> Iterator[str]:
    """Yield the lines of a CSV of findings, safe to open in a spreadsheet, header first."""
    yield problems_as_csv([])
    for finding in findings.iterator():
        _, _, line = problems_as_csv([as_problem(finding)]).partition("\r\n")
        yield line


def as_problem(finding: Finding) -> Problem:
    is_placed = finding.span_start is not None and finding.span_end is not None
    return Problem(
        finding.severity,  # type: ignore[arg-type]
        finding.code,
        finding.archive,
        finding.entry or None,
        finding.line,
        finding.found,
        finding.expected,
        finding.column,
        finding.text or None,
        (finding.span_start, finding.span_end) if is_placed else None,  # type: ignore[arg-type]
        finding.action,
    )
