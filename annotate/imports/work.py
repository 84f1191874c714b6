"""The long work of a load: checking its files, and loading what was checked.

Either may run twice: whoever comes second finds the draft changed under its lock and leaves it.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from annotate.datasets.models import Dataset
from annotate.jobs.errors import JobFailed, Superseded
from annotate.jobs.registry import Progress
from protocols.formats.problems import Problem

from . import checking, drafts, people, services, staging
from .checking import Checked, Example, Given, Known
from .models import Draft, DraftFile, FileKind, Finding
from .photographs import Keeper

_BATCH: Final = 500
_N_EXAMPLES: Final = 5


def check(arguments: Mapping[str, Any], progress: Progress) -> None:
    """Read the files of a draft and store what is odd or wrong; the data stays as it is."""
    draft = Draft.objects.select_related("dataset").get(pk=arguments["draft"])
    _refuse_other(draft, arguments, Draft.State.CHECKING)
    against = _state_of(draft.dataset)
    files = sorted(
        draft.files.all(), key=lambda file: (checking.KINDS_IN_ORDER.index(file.kind), file.pk)
    )
    checked = _Checker(draft, files, progress).run()
    progress.tell(len(files), len(files), "Writing the report")
    with transaction.atomic():
        locked = Draft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
        _refuse_other(locked, arguments, Draft.State.CHECKING)
        locked.findings.all().delete()
        for file in files:
            _store(file, checked[file.pk])
        locked.summary = {"examples": _examples(draft, files, checked)}
        locked.checked_against = against
        locked.state = Draft.State.CHECKED
        locked.save()


def _refuse_other(draft: Draft, arguments: Mapping[str, Any], state: str) -> None:
    if draft.revision != arguments["revision"] or draft.state != state:
        raise Superseded


def _state_of(dataset: Dataset | None) -> dict[str, Any]:
    """What tells that a dataset has changed: every load and every undoing leaves a receipt."""
    if dataset is None:
        return {}
    receipts = dataset.imports.all()
    newest = receipts.order_by("-pk").values_list("pk", flat=True).first()
    return {
        "newest": newest,
        "undone": receipts.filter(undone__isnull=False).count(),
        "images": dataset.images.count(),
        "methods": dataset.methods.count(),
    }


class _Checker:
    """Reads one file after the other; later kinds are checked against earlier ones."""

    def __init__(self, draft: Draft, files: Sequence[DraftFile], progress: Progress) -> None:
        self._draft = draft
        self._files = files
        self._progress = progress
        with_scores = any(file.kind == FileKind.SCORES for file in files)
        self._known = Known.of(draft.dataset, with_results=with_scores)
        self._truth: Checked | None = None
        self._photographs: Checked | None = None

    def run(self) -> dict[int, Checked]:
        checked = {}
        for number, file in enumerate(self._files, 1):
            where = f", {number} of {len(self._files)}" if len(self._files) > 1 else ""

            def progress(done: int, total: int, name: str = f"{file.name}{where}") -> None:
                self._progress.tell(done, total, f"Reading {name}")

            progress(0, 0)
            rows = staging.Rows(staging.rows_path(self._draft.pk, file.pk))
            checked[file.pk] = self._read(given_of(file), rows, progress)
        return checked

    def _read(self, given: Given, rows: staging.Rows, progress: checking.Progress) -> Checked:
        if given.kind == FileKind.TRUTH:
            self._truth = checking.check_truth(given, rows, progress)
            self._known = Known(checking.images_of(self._truth.rows, None), self._truth.line_format)
            return self._truth
        if given.kind == FileKind.PHOTOGRAPHS:
            if self._truth is None:
                raise JobFailed("Photographs are loaded together with their ground truth.")
            found = checking.check_photographs(given, self._truth.rows, rows, progress)
            self._known.images = checking.images_of(self._truth.rows, found.rows)
            return found
        if given.kind == FileKind.RESULTS:
            found = checking.check_results(given, self._known, rows, progress)
            self._known.evaluated |= checking.evaluated_after(found, given.missing)
            return found
        if given.kind == FileKind.SCORES:
            return checking.check_scores(given, self._known, rows)
        return people.check_people(given, rows)


def given_of(file: DraftFile) -> Given:
    path = staging.path_of(file.sha256)
    if not path.exists():
        raise JobFailed(
            f"{file.name} waited too long and is no longer here. Remove it, and add it again."
        )
    return Given(
        source=path,
        kind=file.kind,
        title=file.title,
        name=file.name,
        format=file.format or None,
        missing=file.missing or None,
        per_cent=file.per_cent,
    )


def _store(file: DraftFile, checked: Checked) -> None:
    file.counts = checked.counts | {
        "line_format": checked.line_format,
        "codes": dict(checked.found.counts),
    }
    file.rows_sha256 = checked.rows.sha256()
    file.save(update_fields=["counts", "rows_sha256"])
    findings = (_finding(file, problem) for problem in checked.problems)
    while batch := list(islice(findings, _BATCH)):
        Finding.objects.bulk_create(batch)


def _finding(file: DraftFile, problem: Problem) -> Finding:
    start, end = problem.span or (None, None)
    return Finding(
        draft_id=file.draft_id,
        file=file,
        severity=problem.severity,
        code=problem.code,
        archive=problem.archive[:255],
        entry=problem.entry or "",
        line=problem.line,
        column=problem.column,
        text=problem.text or "",
        span_start=start,
        span_end=end,
        found=problem.found,
        expected=problem.expected,
        action=problem.action,
    )


def _examples(
    draft: Draft, files: Sequence[DraftFile], checked: Mapping[int, Checked]
) -> list[dict[str, Any]]:
    """Choose the images to look at: five at random, and the five with most problems."""
    rng = random.Random(draft.pk)  # nosec B311
    drawn = [file for file in files if checked[file.pk].at_random or checked[file.pk].worst]
    by_chance = [(file, one) for file in drawn for one in checked[file.pk].at_random]
    worst = [(file, one) for file in drawn for one in checked[file.pk].worst]
    worst.sort(key=lambda pair: -pair[1].n_problems)
    rng.shuffle(by_chance)
    chosen = worst[:_N_EXAMPLES]
    there = {(file.pk, one.image) for file, one in chosen}
    others = [pair for pair in by_chance if (pair[0].pk, pair[1].image) not in there]
    chosen += others[:_N_EXAMPLES]
    images = {one.image for _, one in chosen}
    truths, photographs = _beneath(draft, files, checked, images)
    return [
        _drawing(file, one, truths.get(one.image), photographs.get(one.image))
        for file, one in chosen
    ]


def _drawing(file: DraftFile, example: Example, truth: Any, photograph: Any) -> dict[str, Any]:
    return {
        "file": file.pk,
        "image": example.image,
        "problems": example.n_problems,
        "regions": example.regions,
        # Of ground truth it would lie under itself.
        "truth": None if file.kind == FileKind.TRUTH else truth,
        "photograph": photograph,
    }


def _beneath(
    draft: Draft,
    files: Iterable[DraftFile],
    checked: Mapping[int, Checked],
    images: set[str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ground truth and photograph (hash, type, width, height, file, entry) of these images."""
    if draft.dataset is not None:
        rows = list(draft.dataset.images.filter(name__in=images))
        truths = {row.name: row.truth for row in rows}
        stored = {
            row.name: [row.sha256, row.content_type, row.width, row.height, None, None]
            for row in rows
            if row.sha256
        }
        return truths, stored
    truths, staged = {}, {}
    for file in files:
        if file.kind == FileKind.TRUTH:
            truths = {row[0]: row[1] for row in checked[file.pk].rows if row[0] in images}
        elif file.kind == FileKind.PHOTOGRAPHS:
            staged = {
                row[0]: [*row[1:5], file.pk, row[5]]
                for row in checked[file.pk].rows
                if row[0] in images
            }
    return truths, staged


def load(arguments: Mapping[str, Any], progress: Progress) -> None:
    """Write what was checked, in one transaction, and leave a receipt for each kind of data."""
    keeper = Keeper()
    try:
        with transaction.atomic():
            draft = Draft.objects.select_for_update(of=("self",)).get(pk=arguments["draft"])
            if draft.state == Draft.State.LOADED:
                return  # by a worker that was thought lost
            _refuse_other(draft, arguments, Draft.State.LOADING)
            person = User.objects.filter(pk=arguments["person_pk"]).first()
            _Loader(draft, person, arguments["replace"], progress, keeper).run()
            draft.state = Draft.State.LOADED
            draft.save()
    except BaseException:
        keeper.take_back()
        raise
    drafts.forget_files(draft)


class _Loader:
    """Writes the files of a draft, those first that others refer to."""

    def __init__(
        self,
        draft: Draft,
        person: User | None,
        replace: bool,
        progress: Progress,
        keeper: Keeper,
    ) -> None:
        self._draft = draft
        self._replace = replace
        self._progress = progress
        self._keeper = keeper
        self._common = {"person": person, "draft": draft}

    def run(self) -> None:
        draft = self._draft
        if draft.dataset_id is not None:
            # One load at a time changes a dataset.
            draft.dataset = Dataset.objects.select_for_update().get(pk=draft.dataset_id)
        if _state_of(draft.dataset) != draft.checked_against:
            raise JobFailed(
                f"{draft.target} has changed since these files were checked. Check them again."
            )
        checked: dict[str, list[Checked]] = {kind: [] for kind in FileKind.values}
        for file in draft.files.all():
            checked[file.kind].append(self._as_checked(file))
        if checked[FileKind.TRUTH]:
            draft.dataset = self._dataset(checked)
        if checked[FileKind.RESULTS]:
            services.publish_results(
                dataset=draft.dataset,
                checked=checked[FileKind.RESULTS],
                replace=self._replace,
                progress=self._telling("Writing results"),
                **self._common,
            )
        for one in checked[FileKind.SCORES]:
            services.publish_scores(
                dataset=draft.dataset,
                checked=one,
                progress=self._telling("Writing scores"),
                **self._common,
            )
        for one in checked[FileKind.USERS]:
            services.publish_people(
                checked=one, progress=self._telling("Adding people"), **self._common
            )

    def _as_checked(self, file: DraftFile) -> Checked:
        rows = staging.Rows(staging.rows_path(file.draft_id, file.pk))
        if not rows.path.exists() or rows.sha256() != file.rows_sha256:
            raise JobFailed(
                f"What was read from {file.name} is no longer here. Check the files again."
            )
        found = checking.Problems(file.name)
        # The receipt's notes; the whole report stays with the draft.
        warnings = file.findings.filter(severity=Finding.Severity.WARNING)
        for finding in warnings[: services.MAX_WARNINGS + 1]:
            found.add(_problem(finding))
        return Checked(given_of(file), rows, found, file.counts, file.counts.get("line_format", ""))

    def _dataset(self, checked: Mapping[str, list[Checked]]) -> Dataset:
        receipt = services.publish_dataset(
            name=self._draft.name,
            truth=checked[FileKind.TRUTH][0],
            photographs=next(iter(checked[FileKind.PHOTOGRAPHS]), None),
            provenance=self._draft.provenance,
            licence=self._draft.licence,
            progress=self._telling("Storing photographs"),
            keeper=self._keeper,
            **self._common,
        )
        dataset: Dataset = receipt.dataset
        return dataset

    def _telling(self, doing: str) -> checking.Progress:
        return lambda done, total: self._progress.tell(done, total, doing)


def _problem(finding: Finding) -> Problem:
    return Problem(
        finding.severity,
        finding.code,
        finding.archive,
        finding.entry or None,
        finding.line,
        finding.found,
        finding.expected,
    )
