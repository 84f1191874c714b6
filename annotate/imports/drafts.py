"""A load, step by step: collect files, check them, answer what is asked, confirm, or discard.

Each step is stored, so that it can be left and come back to. Pages and the API call this; what a
command loads at once is in `services.py`.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotate.datasets.models import Dataset, Method
from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from annotate.studies.models import Study
from protocols.formats.problems import quoted

from . import guessing, publishing, services, staging
from .errors import NotLoaded
from .models import Draft, DraftFile, FileKind, Finding, Import, Missing

MAX_FILES: Final = 200
_OVER: Final = (Draft.State.LOADED, Draft.State.DISCARDED)
# Faults that are a question until somebody answers: a missing file, scores that look like per cent.
_ASKED: Final = ("N4", "S2")
_DAY: Final = 24 * 3600
# What somebody may change of a file.
_FIELDS: Final = ("kind", "format", "title", "missing", "per_cent")


@dataclass(frozen=True)
class Earlier:
    """A load that brought a file of the same content."""

    receipt: Import
    name: str


def open_draft(
    *,
    person: User | None,
    dataset: Dataset | None = None,
    name: str = "",
    provenance: str = "",
    licence: str = "",
) -> Draft:
    """Begin a load into a dataset, or of a new one whose name may be given later."""
    return Draft.objects.create(
        person=person, dataset=dataset, name=name, provenance=provenance, licence=licence
    )


def describe(
    *,
    draft: Draft,
    name: str | None = None,
    provenance: str | None = None,
    licence: str | None = None,
) -> None:
    """Say what the new dataset is called and where it comes from."""
    with _changing(draft) as locked:
        for field, value in (("name", name), ("provenance", provenance), ("licence", licence)):
            if value is not None:
                setattr(locked, field, value)
        locked.save()
    draft.refresh_from_db()


def add_file(*, draft: Draft, stream: BinaryIO, name: str) -> DraftFile:
    """Keep an uploaded file and guess what it is.

    Raises NotLoaded if it is too large, is in this load already, or the load is under way.
    """
    name = Path(name.replace("\\", "/")).name[:255] or "file"
    sha256, size = staging.keep(stream, name)
    try:
        with _changing(draft) as locked:
            if locked.files.count() >= MAX_FILES:
                raise NotLoaded(f"A load takes {MAX_FILES} files at most.")
            same = locked.files.filter(sha256=sha256).first()
            if same is not None:
                raise NotLoaded(f"{name} is the same file as {same.name}.")
            guess = guessing.guess_file(staging.path_of(sha256), name)
            return locked.files.create(
                name=name,
                bytes=size,
                sha256=sha256,
                kind=guess.kind,
                format=guess.format,
                title=guess.title,
                reason=guess.reason,
            )
    except BaseException:
        _forget_unused([sha256])
        raise


def change_file(*, file: DraftFile, **fields: Any) -> None:
    """Correct what was guessed: kind, format, title (method or protocol), missing, per_cent."""
    unknown = set(fields) - set(_FIELDS)
    if unknown:
        raise TypeError(f"not a field of a file: {', '.join(sorted(unknown))}")
    changed = [name for name, value in fields.items() if getattr(file, name) != value]
    if not changed:
        return
    with _changing(file.draft):
        for name in changed:
            setattr(file, name, fields[name])
        file.save(update_fields=changed)


def remove_file(*, file: DraftFile) -> None:
    with _changing(file.draft):
        file.delete()
    _forget_unused([file.sha256])


def earlier_loads(draft: Draft) -> dict[int, Earlier]:
    """Of each file whose content was loaded before: by which receipt, and under which name."""
    by_hash: dict[str, Earlier] = {}
    for receipt in Import.objects.filter(undone__isnull=True).select_related("person", "dataset"):
        for file in receipt.files:
            by_hash.setdefault(file["sha256"], Earlier(receipt, file["name"]))
    return {file.pk: by_hash[file.sha256] for file in draft.files.all() if file.sha256 in by_hash}


def start_check(*, draft: Draft, person: User | None = None) -> Job:
    """Read the files in the background and say what is wrong; nothing is written to the data.

    Raises NotLoaded for a load without files, without a target, or already under way.
    """
    with transaction.atomic():
        arguments = begin_check(draft=draft)
        job = jobs.start(kind="imports.check", person=person, **arguments)
        _remember_job(draft, job)
    draft.refresh_from_db()
    return job


@transaction.atomic
def begin_check(*, draft: Draft) -> dict[str, Any]:
    """Put a draft into its check; return what the work is to be told."""
    locked = _locked(draft)
    _refuse_unless(locked, Draft.State.OPEN, Draft.State.CHECKED)
    _refuse_incomplete(locked, list(locked.files.all()))
    locked.revision += 1
    locked.state = Draft.State.CHECKING
    locked.save()
    return {"draft": locked.pk, "revision": locked.revision}


def answer(*, draft: Draft, answers: Mapping[int, Mapping[str, Any]]) -> bool:
    """Answer the questions of a report: of files by their key {"missing": ..., "per_cent": ...}.

    Returns whether the files must be read again for it; then the check is to be started.
    """
    reads_again = False
    with transaction.atomic():
        locked = _locked(draft)
        _refuse_unless(locked, Draft.State.CHECKED)
        for file in locked.files.filter(pk__in=answers):
            given = answers[file.pk]
            if "missing" in given and given["missing"] != file.missing:
                file.missing = Missing(given["missing"]).value if given["missing"] else ""
            if "per_cent" in given and given["per_cent"] != file.per_cent:
                file.per_cent = given["per_cent"]
                reads_again = True
            file.save(update_fields=["missing", "per_cent"])
        # Which results there are decides which scores there may be.
        reads_again |= locked.files.filter(kind=FileKind.SCORES).exists() and any(
            "missing" in given for given in answers.values()
        )
    draft.refresh_from_db()
    return reads_again


@dataclass(frozen=True)
class OpenQuestion:
    """Something only a person can say, and what they have said so far."""

    finding: Finding
    answer: str | bool | None

    @property
    def is_answered(self) -> bool:
        return self.answer not in ("", None)


def questions(draft: Draft) -> list[OpenQuestion]:
    asked = Q(severity=Finding.Severity.QUESTION)
    # Answered before the last check, which then only noted what was said; it may be changed.
    answered = Q(severity=Finding.Severity.WARNING, code__in=_ASKED)
    found = draft.findings.filter(asked | answered, file__isnull=False).select_related("file")
    return [
        OpenQuestion(
            finding, finding.file.missing if finding.code == "N4" else finding.file.per_cent
        )
        for finding in found
    ]


@dataclass(frozen=True)
class Plan:
    """What confirming would do, and what stands against it."""

    added: Sequence[str]
    replaced: Sequence[str]
    left_alone: Sequence[str]
    # Sentences; empty if it may be loaded.
    obstacles: Sequence[str]
    # (method, studies whose answers refer to its results)
    refused: Sequence[tuple[Method, Sequence[Study]]]

    @property
    def needs_consent(self) -> bool:
        return bool(self.replaced)


def plan(draft: Draft) -> Plan:
    """Say what confirming this load would add, replace and leave alone."""
    files = list(draft.files.all())
    added, replaced, left, obstacles = [], [], [], []
    refused = []
    dataset = draft.dataset
    truth = [file for file in files if file.kind == FileKind.TRUTH]
    if truth:
        counts = truth[0].counts
        added.append(
            f"the dataset {quoted(draft.name)}: {counts.get('images', 0)} images with "
            f"{counts.get('regions', 0)} regions, {counts.get('ignored', 0)} of them ignored"
        )
    for file in files:
        if file.kind == FileKind.PHOTOGRAPHS:
            added.append(f"{file.counts.get('photographs', 0)} photographs from {file.name}")
        elif file.kind == FileKind.RESULTS:
            for title, counts in file.counts.get("methods", {}).items():
                words = _words_of_results(counts, file.missing)
                method = publishing.method_named(dataset, title) if dataset else None
                if method is None or not method.results.exists():
                    added.append(f"results of {quoted(title)}: {words}")
                    continue
                replaced.append(_words_of_replacement(method, words))
                studies = list(publishing.studies_with_answers_on(method))
                if studies:
                    refused.append((method, studies))
        elif file.kind == FileKind.SCORES:
            added.append(f"{file.counts.get('scores', 0)} scores of {quoted(file.title)}")
        elif file.kind == FileKind.USERS:
            added.append(f"{file.counts.get('people', 0)} people from {file.name}")
    if dataset is not None:
        left = _left_alone(dataset, files)
    try:
        services.refuse_doubles(None, _titles(files), replace=True)
    except NotLoaded as refusal:
        obstacles.append(str(refusal))
    n_errors = draft.findings.filter(severity=Finding.Severity.ERROR).count()
    if n_errors:
        obstacles.append(
            f"{n_errors} fault{'s' * (n_errors != 1)} must be mended in the files first."
        )
    n_open = sum(not question.is_answered for question in questions(draft))
    if n_open:
        obstacles.append(
            f"{n_open} question{'s wait' if n_open != 1 else ' waits'} for an answer in the report."
        )
    obstacles += [
        f"Answers refer to the results of {quoted(method.name)} "
        f"({', '.join(study.name for study in studies)}), so they cannot be replaced. "
        "Give the new results another name."
        for method, studies in refused
    ]
    return Plan(added, replaced, left, obstacles, refused)


def _titles(files: Sequence[DraftFile]) -> list[str]:
    return [title for file in files for title in file.counts.get("methods", {})]


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


def _left_alone(dataset: Dataset, files: Sequence[DraftFile]) -> list[str]:
    n_images = dataset.images.count()
    touched = {
        method.pk
        for title in _titles(files)
        if (method := publishing.method_named(dataset, title)) is not None
    }
    others = [method.name for method in dataset.methods.all() if method.pk not in touched]
    left = [f"the {n_images} images of {quoted(dataset.name)} and their ground truth"]
    if others:
        some = ", ".join(others[:8]) + (" …" if len(others) > 8 else "")
        left.append(f"{len(others)} other method{'s' * (len(others) != 1)}: {some}")
    n_runs = dataset.runs.count()
    if n_runs:
        left.append(f"{n_runs} protocol run{'s' * (n_runs != 1)}")
    return left


def confirm(*, draft: Draft, person: User | None = None, replace: bool = False) -> Job:
    """Load what was checked, in the background and in one transaction.

    ``replace`` is the consent to put results in the place of others. Raises NotLoaded, with what
    stands against it, if anything does.
    """
    with transaction.atomic():
        arguments = begin_load(draft=draft, person=person, replace=replace)
        job = jobs.start(kind="imports.load", person=person, **arguments)
        _remember_job(draft, job)
    draft.refresh_from_db()
    return job


@transaction.atomic
def begin_load(
    *, draft: Draft, person: User | None = None, replace: bool = False
) -> dict[str, Any]:
    """Put a draft into its load, if nothing stands against it; return what the work is to be told."""
    locked = _locked(draft)
    _refuse_unless(locked, Draft.State.CHECKED)
    planned = plan(locked)
    if planned.obstacles:
        raise NotLoaded(" ".join(planned.obstacles))
    if planned.needs_consent and not replace:
        raise NotLoaded("Some results would be replaced. Say that this is meant.")
    locked.revision += 1
    locked.state = Draft.State.LOADING
    locked.save()
    return {
        "draft": locked.pk,
        "revision": locked.revision,
        "replace": replace,
        "person_pk": person.pk if person else None,
    }


def find(pk: int) -> Draft:
    """Return a draft as it stands, and have its work taken up again if the worker is lost.

    Raises Draft.DoesNotExist.
    """
    draft = Draft.objects.select_related("dataset", "job", "person").get(pk=pk)
    if draft.is_at_work and draft.job is not None:
        jobs.revive(job=draft.job)
    return _settled(draft)


def _settled(draft: Draft) -> Draft:
    """Put a draft whose work ended without success where it was before.

    The work itself writes the state when it succeeds; a worker that died could not.
    """
    if draft.is_at_work and (draft.job is None or not draft.job.is_open):
        is_check = draft.state == Draft.State.CHECKING
        draft.state = Draft.State.OPEN if is_check else Draft.State.CHECKED
    return draft


def cancel_work(*, draft: Draft) -> None:
    """Stop the check or the load; nothing of it stays, and the draft is as before."""
    if draft.job is not None:
        jobs.cancel(job=draft.job)
        draft.refresh_from_db()
        _settled(draft)


def discard(*, draft: Draft) -> None:
    """Give up a load; its files go, and its report with them."""
    cancel_work(draft=draft)
    with transaction.atomic():
        locked = _locked(draft)
        _refuse_unless(locked, Draft.State.OPEN, Draft.State.CHECKED)
        locked.state = Draft.State.DISCARDED
        locked.revision += 1
        locked.save()
        locked.findings.all().delete()
    forget_files(locked)
    draft.refresh_from_db()


def clean(*, days: float) -> tuple[int, int]:
    """Discard loads that were left alone for so long; return how many, and how many files went."""
    before = datetime.fromtimestamp(time.time() - days * _DAY, tz=UTC)
    n_discarded = 0
    for draft in Draft.objects.filter(changed__lt=before).exclude(state__in=_OVER):
        with suppress(NotLoaded):
            discard(draft=draft)
            n_discarded += 1
    used = DraftFile.objects.exclude(draft__state__in=_OVER)
    kept = set(used.values_list("sha256", flat=True))
    n_files = 0
    for path in staging.files_older_than(days * _DAY):
        if path.name not in kept:
            path.unlink(missing_ok=True)
            n_files += 1
    return n_discarded, n_files


def forget_files(draft: Draft) -> None:
    """Remove the uploads and rows of a load that is over."""
    staging.forget_rows(draft.pk)
    _forget_unused(draft.files.values_list("sha256", flat=True))


def _forget_unused(hashes: Sequence[str] | Any) -> None:
    """Remove uploads that no load on its way needs."""
    wanted = set(hashes)
    used = DraftFile.objects.filter(sha256__in=wanted).exclude(draft__state__in=_OVER)
    for sha256 in wanted - set(used.values_list("sha256", flat=True)):
        staging.forget(sha256)


def counted_findings(findings: QuerySet[Finding]) -> list[dict[str, Any]]:
    """How many findings of each kind there are: errors, then questions, then warnings."""
    order = {severity: at for at, severity in enumerate(Finding.Severity.values)}
    rows = findings.order_by().values("severity", "code").annotate(n=Count("pk"))
    return sorted(rows, key=lambda row: (order[row["severity"]], row["code"]))


class _changing:  # noqa: N801 - read as a sentence: with _changing(draft)
    """A transaction that changes what a draft holds, so that an earlier check no longer counts."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._atomic = transaction.atomic()

    def __enter__(self) -> Draft:
        self._atomic.__enter__()
        try:
            locked = _locked(self._draft)
            _refuse_unless(locked, Draft.State.OPEN, Draft.State.CHECKED)
            locked.state = Draft.State.OPEN
            locked.revision += 1
            locked.save()
        except BaseException as refusal:
            self._atomic.__exit__(type(refusal), refusal, refusal.__traceback__)
            raise
        return locked

    def __exit__(self, *raised: Any) -> None:
        self._atomic.__exit__(*raised)
        with suppress(Draft.DoesNotExist):
            self._draft.refresh_from_db()


def _locked(draft: Draft) -> Draft:
    found = Draft.objects.select_for_update(of=("self",)).select_related("job", "dataset")
    return _settled(found.get(pk=draft.pk))


def _refuse_unless(draft: Draft, *states: str) -> None:
    if draft.state not in states:
        words = {
            Draft.State.OPEN: "These files have not been checked yet.",
            Draft.State.CHECKING: "These files are being checked. Wait, or cancel that first.",
            Draft.State.LOADING: "This load is under way.",
            Draft.State.LOADED: "This load is finished.",
            Draft.State.DISCARDED: "This load was discarded.",
        }
        raise NotLoaded(words.get(draft.state, "The files are checked already."))


def _refuse_incomplete(draft: Draft, files: Sequence[DraftFile]) -> None:
    kinds = [file.kind for file in files]
    if not files:
        raise NotLoaded("Choose at least one file.")
    for kind, words in ((FileKind.TRUTH, "ground truth"), (FileKind.PHOTOGRAPHS, "photographs")):
        if kinds.count(kind) > 1:
            raise NotLoaded(f"Two of the files are {words}. A load takes one; remove the other.")
    if FileKind.TRUTH in kinds:
        if draft.dataset is not None:
            raise NotLoaded(
                f"{draft.dataset.name} has its ground truth. Remove that file, or begin a new dataset."
            )
        publishing.name_of_new_dataset(draft.name)
    elif FileKind.PHOTOGRAPHS in kinds:
        raise NotLoaded("Photographs are loaded together with their ground truth. Add its zip.")
    elif draft.dataset is None and set(kinds) != {FileKind.USERS}:
        raise NotLoaded(
            "Results and scores belong to a dataset. Choose one, or add its ground truth."
        )
    for file in files:
        if file.kind == FileKind.SCORES:
            publishing.named(file.title, "protocol")
    # Whether loaded results may be replaced is asked when everything is known.
    titles = [file.title for file in files if file.kind == FileKind.RESULTS]
    services.refuse_doubles(None, titles, replace=True)


def _remember_job(draft: Draft, job: Job) -> None:
    Draft.objects.filter(pk=draft.pk).update(job=job)
