"""The effect of confirming a load, its open questions, and the obstacles to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import Q

from annotate.datasets.models import Dataset, Method
from protocols.formats.problems import counted, quoted

from . import publishing
from .errors import NotLoaded
from .models import Draft, DraftFile, FileKind, Finding, Missing

# Questions whose answer is told as a warning: a missing file, scores that look like per cent.
_ASKED: Final = ("N4", "S2")
_MAX_NAMED: Final = 8


@dataclass(frozen=True)
class OpenQuestion:
    """Something only a person can say, and what they have said so far."""

    finding: Finding
    file: DraftFile

    @property
    def is_answered(self) -> bool:
        if self.finding.code == "N4":
            return self.file.missing != ""
        if self.finding.code == "F1":
            # An answer has the file read again, which then asks no more.
            return False
        return self.file.per_cent is not None


def questions(draft: Draft) -> list[OpenQuestion]:
    """Return what the check asks, with what was answered before it; answers may be changed."""
    asked = Q(severity=Finding.Severity.QUESTION)
    # Answered before the last check, which then only noted what was said.
    answered = Q(severity=Finding.Severity.WARNING, code__in=_ASKED)
    findings = draft.findings.filter(asked | answered).select_related("file")
    return [OpenQuestion(finding, finding.file) for finding in findings if finding.file is not None]


@dataclass
class Plan:
    """The effect of confirming and the obstacles to it, as sentences and parts of sentences."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    left_alone: list[str] = field(default_factory=list)
    # Empty if it may be loaded.
    obstacles: list[str] = field(default_factory=list)

    @property
    def needs_consent(self) -> bool:
        return bool(self.replaced)


def plan(draft: Draft) -> Plan:
    """Say what confirming this load would add, replace and leave alone."""
    planned = Plan()
    files = list(draft.files.all())
    for file in sorted(files, key=lambda file: file.kind != FileKind.TRUTH):
        if file.kind == FileKind.RESULTS:
            _plan_results(planned, draft.dataset, file)
        else:
            planned.added.append(_words_of(file, draft))
    if draft.dataset is not None:
        planned.left_alone += _left_alone(draft.dataset, files)
    planned.obstacles[:0] = _obstacles(draft, titles_of(files))
    return planned


def titles_of(files: Sequence[DraftFile]) -> list[str]:
    """Return the methods that checked files have results of."""
    return [title for file in files for title in file.counts.get("methods", {})]


def _words_of(file: DraftFile, draft: Draft) -> str:
    number = file.counts.get
    if file.kind == FileKind.TRUTH:
        return (
            f"the dataset {quoted(draft.name)}: {number('images', 0)} images with "
            f"{number('regions', 0)} regions, {number('ignored', 0)} of them ignored"
        )
    if file.kind == FileKind.PHOTOGRAPHS:
        return f"{number('photographs', 0)} photographs from {file.name}"
    if file.kind == FileKind.SCORES:
        return f"{number('scores', 0)} scores of {quoted(file.title)}"
    return f"{number('people', 0)} people from {file.name}"


def _plan_results(planned: Plan, dataset: Dataset | None, file: DraftFile) -> None:
    for title, counts in file.counts.get("methods", {}).items():
        words = _words_of_results(counts, file.missing)
        method = publishing.method_named(dataset, title) if dataset else None
        if method is None or not method.results.exists():
            planned.added.append(f"results of {quoted(title)}: {words}")
            continue
        planned.replaced.append(_words_of_replacement(method, words))
        studies = publishing.studies_with_answers_on(method)
        if studies:
            planned.obstacles.append(
                f"Answers refer to the results of {quoted(method.name)} "
                f"({', '.join(study.name for study in studies)}), so they cannot be replaced. "
                "Give the new results another name."
            )


def _words_of_results(counts: Mapping[str, int], missing: str) -> str:
    words = f"{counts['boxes']} boxes on {counts['results']} images"
    absent = counts["absent"]
    if absent and missing == Missing.EMPTY:
        words += f", and no boxes on {absent} more"
    elif absent and missing == Missing.NOT_EVALUATED:
        words += f", not evaluated on {absent}"
    return words


def _words_of_replacement(method: Method, words: str) -> str:
    runs = method.results.filter(scores__isnull=False).values("scores__run").distinct().count()
    scored = f"; what {runs} protocol runs say of them goes with them" if runs else ""
    return f"results of {quoted(method.name)}: {words}{scored}"


def _left_alone(dataset: Dataset, files: Sequence[DraftFile]) -> Iterator[str]:
    yield f"the {dataset.images.count()} images of {quoted(dataset.name)} and their ground truth"
    named = [publishing.method_named(dataset, title) for title in titles_of(files)]
    touched = {method.pk for method in named if method is not None}
    others = [method.name for method in dataset.methods.all() if method.pk not in touched]
    if others:
        some = ", ".join(others[:_MAX_NAMED]) + (" …" if len(others) > _MAX_NAMED else "")
        yield f"{counted(len(others), 'other method')}: {some}"
    if n_runs := dataset.runs.count():
        yield counted(n_runs, "protocol run")


def _obstacles(draft: Draft, titles: Sequence[str]) -> Iterator[str]:
    try:
        publishing.refuse_doubles(None, titles, replace=True)
    except NotLoaded as refusal:
        yield str(refusal)
    n_errors = draft.findings.filter(severity=Finding.Severity.ERROR).count()
    if n_errors:
        yield f"{counted(n_errors, 'fault')} must be mended in the files first."
    n_open = sum(not question.is_answered for question in questions(draft))
    if n_open:
        yield (
            f"{counted(n_open, 'question')} wait{'s' * (n_open == 1)} for an answer in the report."
        )
