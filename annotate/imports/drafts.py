"""The steps of a load: collect files, check them, answer questions, confirm, or discard.

Each step is stored, so that users can leave and come back. Pages, the API and `immediate.py` call
this module; the long work is in `checking.py` and `loading.py`.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.errors import Superseded
from annotate.jobs.models import Job
from annotate.names import refuse_unseen
from protocols.diagnostics.readings import ReadingError, words_of

from . import guessing, plans, staging
from .errors import NotLoaded
from .models import Draft, DraftFile, FileKind, Import

MAX_FILES: Final = 200
_KEPT_SECONDS: Final = 7 * 24 * 3600
_ANSWERS: Final = ("missing", "per_cent", "reading", "format", "encoding")
_REFUSALS: Final = {
    Draft.State.OPEN: gettext_lazy("These files have not been checked yet."),
    Draft.State.CHECKING: gettext_lazy(
        "These files are being checked. Wait, or cancel that first."
    ),
    Draft.State.CHECKED: gettext_lazy("The files have already been checked."),
    Draft.State.LOADING: gettext_lazy("This load is under way."),
    Draft.State.LOADED: gettext_lazy("This load is finished."),
    Draft.State.DISCARDED: gettext_lazy("This load was discarded."),
}


def open_draft(
    *,
    person: User | None,
    dataset: Dataset | None = None,
    name: str = "",
    provenance: str = "",
    licence: str = "",
) -> Draft:
    """Begin a load into a dataset, or into a new one whose name may be given later."""
    return Draft.objects.create(
        person=person, dataset=dataset, name=name, provenance=provenance, licence=licence
    )


def describe(*, draft: Draft, **fields: Any) -> None:
    """Set the dataset that a load goes into, or the new one's name, provenance and licence."""
    with _changing(draft) as locked:
        if "dataset" in fields and fields["dataset"] != locked.dataset:
            _forget_readings(locked)
        for name, value in fields.items():
            setattr(locked, name, value)
        locked.save()


def add_file(*, draft: Draft, stream: BinaryIO, name: str) -> DraftFile:
    """Store an uploaded file and guess its kind.

    Raises NotLoaded if it is too large or already part of this load, or the load is running.
    """
    name = Path(name.replace("\\", "/")).name or "file"
    if draft.files.count() >= MAX_FILES:
        raise NotLoaded(_("A load takes {n} files at most.").format(n=MAX_FILES))
    with staging.received(stream, name) as upload:
        has_truth = draft.dataset is not None or draft.files.filter(kind=FileKind.TRUTH).exists()
        guess = guessing.guess_file(upload.path, name, has_truth=has_truth)
        added = _add(
            draft, upload, name=name, bytes=upload.size, sha256=upload.sha256, **asdict(guess)
        )
    if added.kind == FileKind.TRUTH:
        _guess_anew(added)
    return added


def _guess_anew(truth: DraftFile) -> None:
    """Guess again the files that were taken for ground truth only because there was no other."""
    guessed = truth.draft.files.filter(kind=FileKind.TRUTH).exclude(reason="")
    for file in guessed.exclude(pk=truth.pk):
        guess = guessing.guess_file(
            staging.path_of(file.draft_id, file.sha256), file.name, has_truth=True
        )
        if guess.kind != FileKind.TRUTH:
            change_file(file=file, **asdict(guess))


def add_path(*, draft: Draft, path: Path, **fields: Any) -> DraftFile:
    """Add a file or folder without copying it; ``fields`` describe it (kind, title ...).

    The check reports whether it exists and can be read.
    """
    try:
        with path.open("rb") as stream:
            digest, size = file_digest(stream, "sha256").hexdigest(), path.stat().st_size
    except OSError:
        digest, size = sha256(str(path.absolute()).encode()).hexdigest(), 0
    return _add(draft, None, name=path.name, sha256=digest, bytes=size, **fields)


def _add(draft: Draft, upload: staging.Upload | None, **fields: Any) -> DraftFile:
    refuse_unseen(fields["name"], NotLoaded)
    with _changing(draft) as locked:
        same = locked.files.filter(sha256=fields["sha256"]).first()
        if same is not None:
            raise NotLoaded(
                _("{file} is the same file as {other}.").format(
                    file=fields["name"], other=same.name
                )
            )
        added: DraftFile = locked.files.create(**fields | {"name": fields["name"][:255]})
        if upload is not None:
            upload.keep(draft.pk)
        return added


def change_file(*, file: DraftFile, **fields: Any) -> None:
    """Correct the guesses: kind, format, title (method or protocol), missing, per_cent."""
    changed = [name for name, value in fields.items() if getattr(file, name) != value]
    if not changed:
        return
    with _changing(file.draft) as locked:
        if {"kind", "format"} & set(changed):
            _forget_readings(locked, file)
        if "kind" in changed and "reason" not in fields:
            # Chosen by a person, so that no later guess replaces it.
            fields, changed = {**fields, "reason": ""}, [*changed, "reason"]
        for name in changed:
            setattr(file, name, fields[name])
        if file.kind == FileKind.TRUTH:
            _forget_readings(locked, file)
        file.save(update_fields=changed)


def _forget_readings(draft: Draft, changed: DraftFile | None = None) -> None:
    """Ask again how results are read that were compared with other ground truth or in another format."""
    results = draft.files.filter(kind=FileKind.RESULTS)
    if changed is not None and changed.kind != FileKind.TRUTH:
        results = results.filter(pk=changed.pk)
    results.update(reading="")


def remove_file(*, file: DraftFile) -> None:
    with _changing(file.draft) as locked:
        if file.kind == FileKind.TRUTH:
            _forget_readings(locked)
        file.delete()
        staging.path_of(file.draft_id, file.sha256).unlink(missing_ok=True)


def earlier_loads(draft: Draft) -> dict[int, Import]:
    """Return, for each file whose content was loaded before, the newest receipt of it."""
    by_hash: dict[str, Import] = {}
    for receipt in Import.objects.filter(undone__isnull=True).select_related("person", "dataset"):
        for file in receipt.files:
            by_hash.setdefault(file["sha256"], receipt)
    return {file.pk: by_hash[file.sha256] for file in draft.files.all() if file.sha256 in by_hash}


def start_check(*, draft: Draft, person: User | None = None) -> Job:
    """Read the files in the background and report findings; nothing is written to the data.

    Raises NotLoaded for a load without files, without a target, or already running.
    """
    with transaction.atomic():
        arguments = begin_check(draft=draft)
        job = _start("imports.check", draft, person, arguments)
    draft.refresh_from_db()
    return job


def _start(kind: str, draft: Draft, person: User | None, arguments: Mapping[str, Any]) -> Job:
    is_check = kind == "imports.check"
    title = "Check files for {target}" if is_check else "Load files for {target}"
    job = jobs.start(
        kind=kind,
        person=person,
        title=title.format(target=draft.target),
        is_told=False,
        **arguments,
    )
    Draft.objects.filter(pk=draft.pk).update(job=job)
    return job


@transaction.atomic
def begin_check(*, draft: Draft) -> dict[str, Any]:
    """Move a draft to its check; return the arguments of the job."""
    locked = _locked(draft)
    _refuse_unless(locked, Draft.State.OPEN, Draft.State.CHECKED)
    _refuse_incomplete(locked, list(locked.files.all()))
    return _begin(locked, Draft.State.CHECKING)


def _begin(locked: Draft, state: Draft.State) -> dict[str, Any]:
    locked.revision += 1
    locked.state = state
    locked.save()
    return {"draft": locked.pk, "revision": locked.revision}


def refuse_superseded(draft: Draft, arguments: Mapping[str, Any], state: Draft.State) -> None:
    """Raise Superseded if the draft has changed since this work began."""
    if draft.revision != arguments["revision"] or draft.state != state:
        raise Superseded


def answer(*, draft: Draft, answers: Mapping[int, Mapping[str, Any]]) -> bool:
    """Store answers to questions of a report, by file key: missing, per_cent, format, reading, encoding.

    Returns whether the files must be read again; if so, the caller starts the check.
    """
    reads_again = False
    with transaction.atomic():
        locked = _locked(draft)
        _refuse_unless(locked, Draft.State.CHECKED)
        for file in locked.files.filter(pk__in=answers):
            given = dict(answers[file.pk])
            if given.get("format", file.format) != file.format:
                given.setdefault("reading", "")
            changed = [
                name for name in _ANSWERS if name in given and given[name] != getattr(file, name)
            ]
            if "reading" in changed and given["reading"]:
                _refuse_unknown(given["reading"])
            for name in changed:
                setattr(file, name, given[name])
            file.save(update_fields=changed)
            reads_again = reads_again or bool(changed)
    draft.refresh_from_db()
    return reads_again


def _refuse_unknown(reading: str) -> None:
    try:
        words_of(reading)
    except ReadingError as refusal:
        raise NotLoaded(_("{sentence}.").format(sentence=refusal)) from refusal


def confirm(*, draft: Draft, person: User | None = None, replace: bool = False) -> Job:
    """Load the checked files, in the background and in one transaction.

    ``replace`` is the consent to replace results. Raises NotLoaded, with the reasons, if the load
    is not possible.
    """
    with transaction.atomic():
        arguments = begin_load(draft=draft, person=person, replace=replace)
        job = _start("imports.load", draft, person, arguments)
    draft.refresh_from_db()
    return job


@transaction.atomic
def begin_load(
    *, draft: Draft, person: User | None = None, replace: bool = False
) -> dict[str, Any]:
    """Move a draft to its load, if it can be loaded; return the arguments of the job."""
    locked = _locked(draft)
    _refuse_unless(locked, Draft.State.CHECKED)
    planned = plans.plan(locked)
    if planned.obstacles:
        raise NotLoaded(" ".join(planned.obstacles))
    if planned.replaced and not replace:
        raise NotLoaded(_("Some results would be replaced. Confirm that this is intended."))
    begun = _begin(locked, Draft.State.LOADING)
    return begun | {"replace": replace, "person_pk": person.pk if person else None}


def find(pk: int) -> Draft:
    """Return a draft in its present state. Raises Draft.DoesNotExist."""
    return _settled(Draft.objects.select_related("dataset", "job", "person").get(pk=pk))


def _settled(draft: Draft) -> Draft:
    """Reset a draft to its previous state if its work ended without success.

    The work itself writes the state when it succeeds; a worker that died could not.
    """
    if draft.is_at_work and (draft.job is None or not draft.job.is_open):
        is_check = draft.state == Draft.State.CHECKING
        draft.state = Draft.State.OPEN if is_check else Draft.State.CHECKED
    return draft


def cancel_work(*, draft: Draft) -> None:
    """Stop the check or the load, undo it, and reset the draft to its previous state."""
    if draft.job is not None:
        jobs.cancel(job=draft.job)
        draft.refresh_from_db()
        _settled(draft)


def discard(*, draft: Draft) -> None:
    """Discard a load with its files and its report."""
    cancel_work(draft=draft)
    with _changing(draft, Draft.State.DISCARDED) as locked:
        locked.findings.all().delete()
    staging.forget(draft.pk)


def clean_old() -> None:
    """Discard loads that were left untouched for a week, and delete files of no load."""
    before = datetime.fromtimestamp(time.time() - _KEPT_SECONDS, tz=UTC)
    for draft in Draft.objects.filter(changed__lt=before).exclude(state__in=Draft.OVER):
        with suppress(NotLoaded):
            discard(draft=draft)
    waiting = set(Draft.objects.exclude(state__in=Draft.OVER).values_list("pk", flat=True))
    for path in staging.files_older_than(_KEPT_SECONDS, besides=waiting):
        path.unlink(missing_ok=True)


@contextmanager
def _changing(draft: Draft, state: str = Draft.State.OPEN) -> Iterator[Draft]:
    """Lock a draft for a change, which invalidates an earlier check."""
    with transaction.atomic():
        locked = _locked(draft)
        _refuse_unless(locked, Draft.State.OPEN, Draft.State.CHECKED)
        locked.state = state
        locked.revision += 1
        locked.save()
        yield locked
    draft.refresh_from_db()


def _locked(draft: Draft) -> Draft:
    drafts = Draft.objects.select_for_update(of=("self",)).select_related("job", "dataset")
    return _settled(drafts.get(pk=draft.pk))


def _refuse_unless(draft: Draft, *states: str) -> None:
    if draft.state not in states:
        raise NotLoaded(str(_REFUSALS[Draft.State(draft.state)]))


def _refuse_incomplete(draft: Draft, files: Sequence[DraftFile]) -> None:
    kinds = [file.kind for file in files]
    if not files:
        raise NotLoaded(_("Choose at least one file."))
    for kind in (FileKind.TRUTH, FileKind.PHOTOGRAPHS):
        if kinds.count(kind) > 1:
            refusal = _(
                "Two of the files are {kind}. A load takes one; remove the other, or choose "
                "another kind for it."
            )
            raise NotLoaded(refusal.format(kind=kind.label))
    if FileKind.TRUTH in kinds:
        if draft.dataset is not None:
            raise NotLoaded(
                _(
                    "{dataset} already has its ground truth. Remove {file}, choose another kind if "
                    "it holds results, or start a new dataset."
                ).format(dataset=draft.dataset.name, file=files[kinds.index(FileKind.TRUTH)].name)
            )
        plans.name_of_new_dataset(draft.name)
    elif FileKind.PHOTOGRAPHS in kinds and draft.dataset is None:
        raise NotLoaded(
            _("Photographs belong to a dataset. Choose one, or add the zip of its ground truth.")
        )
    elif draft.dataset is None and set(kinds) != {FileKind.USERS}:
        raise NotLoaded(
            _("Results and scores belong to a dataset. Choose one, or add its ground truth.")
        )
    for file in files:
        if file.kind == FileKind.SCORES:
            plans.named(file.title, "protocol")
    # The question whether to replace loaded results is asked last, when everything is known.
    titles = [file.title for file in files if file.kind == FileKind.RESULTS]
    plans.refuse_doubles(None, titles, replace=True)
