"""Output of the load commands: problems, counts and durations."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from time import monotonic

from django.core.management.base import CommandError, OutputWrapper

from annotate.datasets.models import Dataset
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Import
from protocols.formats.problems import Problem

_MAX_PER_CODE = 200


class TellingProgress:
    """Writes what a piece of work tells, about once a second."""

    def __init__(self, stdout: OutputWrapper) -> None:
        self._stdout = stdout
        self._last = 0.0

    def tell(self, done: int, total: int, doing: str = "") -> None:
        if total and (done == total or monotonic() - self._last > 1):
            self._last = monotonic()
            self._stdout.write(f"  {doing}: {done} of {total}")


class Countdown:
    """Writes how far one stage of the work is, and how long still; ``what`` is what is counted."""

    def __init__(self, stdout: OutputWrapper, stage: str, what: str) -> None:
        self._stdout = stdout
        self._stage = stage
        self._what = what
        self._started = monotonic()

    def tell(self, done: int, total: int, doing: str = "") -> None:
        if done and doing.startswith(self._stage) and (done % 100 == 0 or done == total):
            left = (monotonic() - self._started) / done * (total - done)
            self._stdout.write(f"  {done}/{total} {self._what}, about {left:.0f} s left")


def refused(stderr: OutputWrapper, refusal: NotLoaded) -> CommandError:
    """Write every fault and return the error the command ends in."""
    write_problems(stderr, refusal.problems)
    return CommandError(str(refusal), returncode=2)


def write_problems(stderr: OutputWrapper, problems: Iterable[Problem]) -> None:
    """Write the first problems of each code, errors first, and how many more there are."""
    ordered = sorted(problems, key=_kind_of)
    for (severity, code), group in groupby(ordered, key=_kind_of):
        of_kind = list(group)
        for problem in of_kind[:_MAX_PER_CODE]:
            stderr.write(f"{severity} {code}: {problem}")
        if len(of_kind) > _MAX_PER_CODE:
            stderr.write(f"… and {len(of_kind) - _MAX_PER_CODE} more of {code}")


def _kind_of(problem: Problem) -> tuple[str, str]:
    return problem.severity, problem.code


def in_words(counts: Mapping[str, int], *names: str) -> str:
    """Return counts of a receipt in this order: a database may keep them in another."""
    return ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in names)


def write_warnings(stderr: OutputWrapper, receipt: Import) -> None:
    for warning in receipt.warnings:
        stderr.write(f"warning: {warning}")


def dataset_named(slug: str) -> Dataset:
    """Return the dataset; raise a CommandError that lists those there are."""
    dataset = Dataset.objects.filter(slug=slug).first()
    if dataset is None:
        known = ", ".join(Dataset.objects.values_list("slug", flat=True)) or "none is loaded"
        raise CommandError(f"There is no dataset {slug!r}; datasets: {known}.", returncode=2)
    return dataset
