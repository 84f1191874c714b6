"""Output of the load commands: problems, counts and durations."""

from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from annotate.datasets.models import Dataset
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Import
from protocols.formats.problems import Problem
from protocols.formats.summaries import summaries


class TellingProgress:
    """Progress of a piece of work, written about once a second."""

    def __init__(self, stdout: OutputWrapper) -> None:
        self._stdout = stdout
        self._last = 0.0

    def tell(self, done: int, total: int, doing: str = "") -> None:
        if total and (done == total or monotonic() - self._last > 1):
            self._last = monotonic()
            self._stdout.write(f"  {doing}: {done} of {total}")

    def require_permission(self) -> None:
        """Permit everything, as commands may do anything."""


class Countdown:
    """Progress of one stage with the time left; ``what`` names the counted things."""

    def __init__(self, stdout: OutputWrapper, stage: str, what: str) -> None:
        self._stdout = stdout
        self._stage = stage
        self._what = what
        self._started = monotonic()

    def tell(self, done: int, total: int, doing: str = "") -> None:
        if done and doing.startswith(self._stage) and (done % 100 == 0 or done == total):
            left = (monotonic() - self._started) / done * (total - done)
            self._stdout.write(f"  {done}/{total} {self._what}, about {left:.0f} s left")

    def require_permission(self) -> None:
        """Permit everything, as commands may do anything."""


def refused(stderr: OutputWrapper, refusal: NotLoaded) -> CommandError:
    """Write every fault and return the error that ends the command."""
    write_problems(stderr, refusal.problems)
    return CommandError(str(refusal), returncode=2)


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


def in_words(counts: Mapping[str, int], *names: str) -> str:
    """Return counts of a receipt in this order; a database may store them in another."""
    return ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in names)


def write_warnings(stderr: OutputWrapper, receipt: Import) -> None:
    for warning in receipt.warnings:
        stderr.write(f"warning: {warning}")


def dataset_named(slug: str) -> Dataset:
    """Return the dataset, or raise a CommandError that lists the existing ones."""
    dataset = Dataset.objects.filter(slug=slug).first()
    if dataset is None:
        known = ", ".join(Dataset.objects.values_list("slug", flat=True)) or "none is loaded"
        raise CommandError(f"There is no dataset {slug!r}; datasets: {known}.", returncode=2)
    return dataset
