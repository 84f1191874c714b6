"""How the load commands say what happened."""

from collections import Counter
from collections.abc import Iterator, Sequence
from time import monotonic

from django.core.management.base import CommandError, OutputWrapper

from annotate.datasets.models import Dataset
from protocols.formats.problems import Problem

from .drafts import counted_findings
from .errors import NotLoaded
from .exports import as_problem
from .models import Draft, Import

_MAX_PER_CODE = 200


def progress_to(stdout: OutputWrapper, what: str):  # type: ignore[no-untyped-def]
    """Return a callable for the services that writes how far it is, and how long still."""
    started = monotonic()

    def progress(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            left = (monotonic() - started) / done * (total - done)
            stdout.write(f"  {done}/{total} {what}, about {left:.0f} s left")

    return progress


def refused(stderr: OutputWrapper, refusal: NotLoaded) -> CommandError:
    """Write every fault and return the error the command ends in."""
    for line in _lines(refusal.problems):
        stderr.write(line)
    return CommandError(str(refusal), returncode=2)


def _lines(problems: Sequence[Problem]) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for problem in sorted(problems, key=lambda problem: problem.severity):
        shown[problem.code] += 1
        if shown[problem.code] <= _MAX_PER_CODE:
            yield f"{problem.severity} {problem.code}: {problem}"
    for code, n in shown.items():
        if n > _MAX_PER_CODE:
            yield f"… and {n - _MAX_PER_CODE} more of {code}"


class TellingProgress:
    """Writes what a piece of work tells, about once a second."""

    def __init__(self, stdout: OutputWrapper) -> None:
        self._stdout = stdout
        self._last = 0.0

    def tell(self, done: int, total: int, doing: str = "") -> None:
        if total and (done == total or monotonic() - self._last > 1):
            self._last = monotonic()
            self._stdout.write(f"  {doing}: {done} of {total}")


def write_findings(stderr: OutputWrapper, draft: Draft) -> None:
    """Write the first findings of each code with their places, and how many more there are."""
    for row in counted_findings(draft.findings.all()):
        of_kind = draft.findings.filter(severity=row["severity"], code=row["code"])
        for finding in of_kind[:_MAX_PER_CODE]:
            stderr.write(f"{finding.severity} {finding.code}: {as_problem(finding)}")
        if row["n"] > _MAX_PER_CODE:
            stderr.write(f"… and {row['n'] - _MAX_PER_CODE} more of {row['code']}")


def write_warnings(stderr: OutputWrapper, receipt: Import) -> None:
    for warning in receipt.warnings:
        stderr.write(f"warning: {warning}")


def dataset_named(slug: str) -> Dataset:
    """Return the dataset; raise a CommandError that lists those there are."""
    found = Dataset.objects.filter(slug=slug).first()
    if found is None:
        known = ", ".join(Dataset.objects.values_list("slug", flat=True)) or "none is loaded"
        raise CommandError(f"There is no dataset {slug!r}; datasets: {known}.", returncode=2)
    return found
