"""Output of commands: problems and durations."""

from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from django.core.management.base import CommandError, OutputWrapper
from django.db.models import QuerySet

from annotate.datasets.models import Dataset
from annotate.studies.models import Study
from protocols.formats.problems import Problem
from protocols.formats.summaries import summaries

_Row = TypeVar("_Row", Dataset, Study)


class TellingProgress:
    """Progress of each stage with the time left, written about once a second."""

    def __init__(self, stdout: OutputWrapper) -> None:
        self._stdout = stdout
        self._done = self._total = self._first = 0
        self._started = self._last = 0.0

    def tell(self, done: int, total: int, doing: str = "") -> None:
        now = monotonic()
        # A stage may tell each of its steps by another name; its count goes on.
        if total != self._total or done < self._done:
            self._total, self._first, self._started = total, done, now
        self._done = done
        if done and (done == total or now - self._last > 1):
            self._last = now
            later = ""
            if self._first < done < total:
                left = (now - self._started) / (done - self._first) * (total - done)
                later = f", about {left:.0f} s left"
            self._stdout.write(f"  {doing}: {done} of {total}{later}")

    def require_permission(self) -> None:
        """Permit everything, as commands may do anything."""


def write_problems(stderr: OutputWrapper, problems: Iterable[Problem]) -> None:
    """Write problems by kind, errors first; frequent kinds with a number and some examples."""
    for of_kind in summaries(problems, {}):
        _write_kind(stderr, of_kind.severity, of_kind.code, of_kind.lines(), of_kind.advice)


def write_kinds(stderr: OutputWrapper, kinds: Iterable[Mapping[str, Any]]) -> None:
    """Write the kinds of findings that a draft's summary holds."""
    for of_kind in kinds:
        names = ("severity", "code", "lines", "advice")
        _write_kind(stderr, *(of_kind[name] for name in names))


def _write_kind(
    stderr: OutputWrapper, severity: str, code: str, lines: Sequence[str], advice: str
) -> None:
    for line in lines:
        stderr.write(f"{severity} {code}: {line}")
    stderr.write(f"  {advice}")


def dataset_named(slug: str) -> Dataset:
    return _named(Dataset.objects.all(), slug)


def study_named(slug: str) -> Study:
    return _named(Study.objects.select_related("dataset"), slug)


def _named(rows: QuerySet[_Row], slug: str) -> _Row:
    """Return the row of a slug, or raise a CommandError that lists the existing ones."""
    row = rows.filter(slug=slug).first()
    if row is None:
        kind, kinds = rows.model._meta.verbose_name, rows.model._meta.verbose_name_plural
        known = ", ".join(rows.values_list("slug", flat=True)) or "there is none yet"
        raise CommandError(f"There is no {kind} {slug!r}; {kinds}: {known}.", returncode=2)
    return row
