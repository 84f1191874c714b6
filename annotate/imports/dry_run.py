"""Checking the files of a draft: findings are stored, with examples.

The job may run twice: the second run finds, under its lock, that the draft has changed, and stops.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.datasets.selectors import results_on
from annotate.jobs.errors import JobFailed
from annotate.jobs.registry import Progress
from protocols.diagnostics.fits import fit
from protocols.diagnostics.inspection import FITS, as_data
from protocols.diagnostics.readings import AS_READ
from protocols.diagnostics.stops import wrong_side
from protocols.formats.problems import Problems
from protocols.formats.summaries import Summary, summaries
from protocols.loading.looking import Truth

from . import (
    annotators_csv,
    checking,
    drafts,
    later_photographs,
    publishing,
    score_checks,
    staging,
)
from .checking import Checked, Given
from .frames import sizes_of_photographs
from .known import Known
from .models import Draft, DraftFile, FileKind, Finding

# Later kinds are checked against earlier ones.
_ORDER: Final = list(FileKind.values)
# Reported after each file, with the number of files.
FILES_READ: Final = "Files read"
_BATCH: Final = 500
_OF_STORED: Final = (
    "x before y in the ground truth of the dataset; load it again as a new dataset, corrected, and the "
    "results as they are"
)
_N_EXAMPLES: Final = 5
# Maximum number of loaded methods to compare new results with.
_MAX_BESIDE: Final = 10


def check(
    arguments: Mapping[str, Any], progress: Progress, paths: Mapping[int, Path] | None = None
) -> None:
    """Read the files of a draft and store the findings, without changing any data.

    ``paths`` gives, by key, the paths of files that are read in place.
    """
    draft = Draft.objects.select_related("dataset").get(pk=arguments["draft"])
    drafts.refuse_superseded(draft, arguments, Draft.State.CHECKING)
    against = publishing.fingerprint(draft.dataset)
    files = sorted(draft.files.all(), key=lambda file: (_ORDER.index(file.kind), file.pk))
    checker = _Checker(draft, files, paths or {}, progress)
    checked = checker.run()
    progress.tell(len(files), len(files), _("Writing the report"))
    with transaction.atomic():
        locked = Draft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
        drafts.refuse_superseded(locked, arguments, Draft.State.CHECKING)
        locked.findings.all().delete()
        for file in files:
            _store(file, checked[file.pk])
        locked.summary = {
            "examples": _examples(draft, files, checked),
            "trials": _trials(draft, files, checked),
            "kinds": [_kind(file, of) for file in files for of in _summaries(checked[file.pk])],
            "compared": checker.compared(),
            "misread": checker.is_misread,
        }
        locked.checked_against = against
        locked.state = Draft.State.CHECKED
        locked.save()
        progress.require_permission()


class _Checker:
    """Reader of a draft's files, one by one; later kinds are checked against earlier ones."""

    def __init__(
        self,
        draft: Draft,
        files: Sequence[DraftFile],
        paths: Mapping[int, Path],
        progress: Progress,
    ) -> None:
        self._draft = draft
        self._files = files
        self._paths = paths
        self._progress = progress
        with_scores = any(file.kind == FileKind.SCORES for file in files)
        self._known = Known.of(draft.dataset, with_results=with_scores)
        self._truth: Checked | None = None
        # Whether all results are read in a named way that hardly fits, while another way fits.
        self.is_misread = False

    def compared(self) -> dict[str, Any]:
        """Return the images on which results were compared, and the fit of loaded results."""
        known, dataset = self._known.truth, self._draft.dataset
        if not any(file.kind == FileKind.RESULTS for file in self._files):
            return {}
        truth = known.against.truth
        loaded = results_on(dataset, list(truth), _MAX_BESIDE) if dataset else {}
        beside = {
            method: as_data(fit(truth, results, known.sizes))
            for method, results in loaded.items()
            if results
        }
        return {"words": known.against.words, "beside": beside}

    def run(self) -> dict[int, Checked]:
        checked, n_files = {}, len(self._files)
        for number, file in enumerate(self._files, 1):
            doing = _("Reading {file}").format(file=file.name)
            if n_files > 1:
                doing = _("Reading {file}, {number} of {all}").format(
                    file=file.name, number=number, all=n_files
                )

            def progress(done: int, total: int, doing: str = doing) -> None:
                self._progress.tell(done, total, doing)

            progress(0, 0)
            rows = staging.Rows(staging.rows_path(self._draft.pk, file.pk))
            with Given.of(file, self._paths).opened() as given:
                checked[file.pk] = self._read(given, rows, progress)
            self._progress.tell(number, n_files, FILES_READ)
        self._compare_all(checked)
        return checked

    def _compare_all(self, checked: Mapping[int, Checked]) -> None:
        """Report what only all results together tell: exchanged ground truth, wrong readings."""
        files = [file for file in self._files if file.kind == FileKind.RESULTS]
        noticed = {file.pk: of for file in files if (of := checked[file.pk].noticed)}
        truth = self._stored_truth() if self._truth is None else self._truth.problems
        side = wrong_side(
            truth,
            self._known.truth.against.truth,
            self._known.truth.sizes,
            noticed.values(),
            is_said=all(file.reading for file in files),
        )
        if side == "truth":
            if truth is not None and self._truth is None:
                # A dataset has no file among those that are checked.
                for problem in truth.found:
                    checked[files[0].pk].problems.add(replace(problem, expected=_OF_STORED))
            for pk, of in noticed.items():
                checked[pk].problems.drop("F2")
                of.trial = None
        self.is_misread = side == "results"
        for file in files if self.is_misread else []:
            # That a file is read as it is, is an answer; a reading that hardly fits leaves the question.
            if noticed[file.pk].is_misread and file.reading != AS_READ:
                checked[file.pk].problems.ask("F2", _("your choice of how to read the file"))

    def _stored_truth(self) -> Problems | None:
        """Return a collection for the faults of a dataset's truth; None if loaded results fit it."""
        fits = self.compared().get("beside", {}).values()
        if self._draft.dataset is None or any((of["recall"] or 0) > FITS for of in fits):
            return None
        return Problems(self._draft.dataset.name)

    def _sizes(self) -> dict[str, tuple[int, int]]:
        """Return the sizes of the photographs of this load, before they are verified."""
        sizes: dict[str, tuple[int, int]] = {}
        for file in self._files:
            if file.kind == FileKind.PHOTOGRAPHS:
                sizes |= sizes_of_photographs(Given.of(file, self._paths).path, file.reading)
        return sizes

    def _read(self, given: Given, rows: staging.Rows, progress: checking.Progress) -> Checked:
        kind = given.file.kind
        if kind == FileKind.TRUTH:
            self._truth = checking.check_truth(given, rows, progress, self._sizes)
            self._known = Known(self._truth.known or Truth())
            return self._truth
        if kind == FileKind.PHOTOGRAPHS:
            dataset = self._draft.dataset
            if self._truth is not None:
                return checking.check_photographs(given, self._truth.rows, rows, progress)
            if dataset is None:
                raise JobFailed(_("Photographs belong to a dataset."))
            return later_photographs.check(given, dataset, rows, progress)
        if kind == FileKind.RESULTS:
            checked = checking.check_results(given, self._known, rows, progress)
            self._known.evaluated |= checking.evaluated_after(checked, given.file.missing)
            return checked
        if kind == FileKind.SCORES:
            return score_checks.check_scores(given, self._known, rows)
        return annotators_csv.check_people(given, rows)


def _store(file: DraftFile, checked: Checked) -> None:
    file.counts = checked.counts | {
        "line_format": checked.line_format,
        "encodings": dict(checked.encodings),
        "formats": list(checked.formats),
        "codes": dict(checked.problems.counts),
    }
    file.rows_sha256 = checked.rows.sha256()
    file.save(update_fields=["counts", "rows_sha256"])
    findings = [Finding.of(file, problem) for problem in checked.problems.found]
    Finding.objects.bulk_create(findings, batch_size=_BATCH)


def _summaries(checked: Checked) -> list[Summary]:
    return summaries(checked.problems.found, checked.problems.counts)


def _kind(file: DraftFile, of: Summary) -> dict[str, Any]:
    """Return the findings of one kind in the form that the report shows."""
    return {
        "file": file.pk,
        "severity": of.severity,
        "code": of.code,
        "n": of.n,
        "text": of.text,
        "lines": of.lines(),
        "advice": of.advice,
        "examples": [
            {
                "place": example.place,
                "text": example.text,
                "span": example.span,
                "found": example.found,
            }
            for example in of.examples
        ],
    }


def _trials(
    draft: Draft, files: Sequence[DraftFile], checked: Mapping[int, Checked]
) -> list[dict[str, Any]]:
    """Return the readings to offer, each with an image on which it differs from the current one."""
    noticed = {file.pk: checked[file.pk].noticed for file in files}
    tried = {pk: of.trial for pk, of in noticed.items() if of is not None and of.trial}
    images = {trial["image"] for trial in tried.values()}
    truths, photographs = _beneath(draft, files, checked, images)
    kinds = {file.pk: file.kind for file in files}
    return [
        {
            "file": file,
            **trial,
            # Ground truth would otherwise be drawn twice.
            "truth": None if kinds[file] == FileKind.TRUTH else truths.get(trial["image"]),
            "photograph": photographs.get(trial["image"]),
        }
        for file, trial in tried.items()
    ]


def _examples(
    draft: Draft, files: Sequence[DraftFile], checked: Mapping[int, Checked]
) -> list[dict[str, Any]]:
    """Choose the example images: five at random, and the five with the most problems."""
    # Checking a file again gives the same images, so that people can discuss a report.
    rng = random.Random(draft.pk)  # nosec B311
    at_random = [(file, example) for file in files for example in checked[file.pk].at_random]
    rng.shuffle(at_random)
    worst = [(file, example) for file in files for example in checked[file.pk].worst]
    worst.sort(key=lambda pair: -pair[1].n_problems)
    chosen = worst[:_N_EXAMPLES]
    seen = {(file.pk, example.image) for file, example in chosen}
    others = [pair for pair in at_random if (pair[0].pk, pair[1].image) not in seen]
    chosen += others[:_N_EXAMPLES]
    truths, photographs = _beneath(draft, files, checked, {example.image for _, example in chosen})
    return [
        {
            "file": file.pk,
            "image": example.image,
            "problems": example.n_problems,
            "regions": example.regions,
            # Ground truth would otherwise be drawn twice.
            "truth": None if file.kind == FileKind.TRUTH else truths.get(example.image),
            "photograph": photographs.get(example.image),
        }
        for file, example in chosen
    ]


def _beneath(
    draft: Draft, files: Iterable[DraftFile], checked: Mapping[int, Checked], images: set[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the images' ground truth and photograph (hash, type, width, height, file, entry)."""
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
