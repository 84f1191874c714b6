"""Export of the findings of a load's report."""

from collections.abc import Iterator

from django.db.models import QuerySet

from protocols.formats.problems import problems_as_csv

from .models import Finding


def findings_as_csv(findings: QuerySet[Finding]) -> Iterator[str]:
    """Yield the lines of a CSV of findings, safe to open in a spreadsheet, header first."""
    yield problems_as_csv([])
    for finding in findings.iterator():
        _, _, line = problems_as_csv([finding.as_problem()]).partition("\r\n")
        yield line
