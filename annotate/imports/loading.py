"""Loading the output of a draft's check: all or nothing, with a receipt for each kind of data.

The job may run twice: the second run finds, under its lock, that the draft has changed, and stops.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset
from annotate.datasets.photographs import Photograph, giving_back, keep_photographs
from annotate.jobs.errors import JobFailed
from annotate.jobs.registry import Progress
from annotate.scoring.leaderboards import leaderboards_of
from annotate.scoring.shortcuts import start_again
from protocols.diagnostics.readings import words_of

from . import annotators_csv, drafts, photographs, plans, publishing, staging
from .errors import NotLoaded
from .models import Draft, DraftFile, FileKind, Finding, Import

MAX_WARNINGS: Final = 200
_ACTS: Final = {
    Import.Kind.DATASET: Act.DATASET_LOADED,
    Import.Kind.PHOTOGRAPHS: Act.PHOTOGRAPHS_LOADED,
    Import.Kind.RESULTS: Act.RESULTS_LOADED,
    Import.Kind.SCORES: Act.SCORES_LOADED,
    Import.Kind.USERS: Act.PEOPLE_LOADED,
}


def load(
    arguments: Mapping[str, Any], progress: Progress, paths: Mapping[int, Path] | None = None
) -> None:
    """Write the checked data in one transaction, with a receipt for each kind of data.

    Photographs are stored first; a load that fails removes them again. ``paths`` gives, by key, the
    paths of files that are read in place.
    """
    with giving_back(), transaction.atomic():
        draft = Draft.objects.select_for_update(of=("self",)).get(pk=arguments["draft"])
        if draft.state == Draft.State.LOADED:
            return  # by a worker that was considered lost
        drafts.refuse_superseded(draft, arguments, Draft.State.LOADING)
        _Loader(draft, arguments, progress, paths or {}).run()
        draft.state = Draft.State.LOADED
        draft.save()
        progress.require_permission()
    staging.forget(draft.pk)


class _Loader:
    """Writer of a draft's files, starting with those that others refer to."""

    def __init__(
        self,
        draft: Draft,
        arguments: Mapping[str, Any],
        progress: Progress,
        paths: Mapping[int, Path],
    ) -> None:
        self._draft = draft
        self._person = User.objects.filter(pk=arguments["person_pk"]).first()
        self._replace = arguments["replace"]
        self._progress = progress
        self._paths = paths
        self._files: dict[str, list[DraftFile]] = {kind: [] for kind in FileKind.values}
        for file in draft.files.all():
            self._files[file.kind].append(file)

    def run(self) -> None:
        draft = self._draft
        if draft.dataset_id is not None:
            # Only one load at a time may change a dataset.
            draft.dataset = Dataset.objects.select_for_update().get(pk=draft.dataset_id)
        if publishing.fingerprint(draft.dataset) != draft.checked_against:
            raise JobFailed(
                _("{target} has changed since these files were checked. Check them again.").format(
                    target=draft.target
                )
            )
        for file in self._files[FileKind.TRUTH]:
            draft.dataset = self._load_dataset(file, self._files[FileKind.PHOTOGRAPHS])
        if draft.dataset is not None:
            if self._files[FileKind.PHOTOGRAPHS] and not self._files[FileKind.TRUTH]:
                self._load_photographs(draft.dataset, self._files[FileKind.PHOTOGRAPHS])
            if self._files[FileKind.RESULTS]:
                self._load_results(draft.dataset, self._files[FileKind.RESULTS])
            for file in self._files[FileKind.SCORES]:
                self._load_scores(draft.dataset, file)
        for file in self._files[FileKind.USERS]:
            self._load_people(file)

    def _stored(self, photographs: Sequence[DraftFile]) -> dict[str, Photograph]:
        """Store photographs; return them by image."""
        by_image: dict[str, Photograph] = {}
        for file in photographs:
            read = {
                image: Photograph(digest, kind, width, height, orientation)
                for image, digest, kind, width, height, _entry, orientation in self._rows(file)
            }
            wanted = {photograph.sha256: photograph for photograph in read.values()}
            path = staging.Given.of(file, self._paths).path
            kept = keep_photographs(path, wanted, self._telling(_("Storing photographs")))
            by_image |= {of: kept[one.sha256] for of, one in read.items() if one.sha256 in kept}
            if len(kept) < len(wanted):
                raise NotLoaded(_("{file} changed after it was checked.").format(file=file.name))
        return by_image

    def _load_photographs(self, dataset: Dataset, files: Sequence[DraftFile]) -> None:
        by_image = self._stored(files)
        n_bare = photographs.bare(dataset).filter(name__in=by_image).count()
        if n_bare < len(by_image):
            words = _("{dataset} has changed since these files were checked. Check them again.")
            raise JobFailed(words.format(dataset=dataset))
        images = publishing.write_photographs(dataset, by_image)
        counts = {"photographs": len(images)}
        added = {"images": images}
        self._receipt(Import.Kind.PHOTOGRAPHS, files, counts, added, dataset)
        start_again(dataset=dataset, person=self._person)

    def _load_dataset(self, truth: DraftFile, photographs: Sequence[DraftFile]) -> Dataset:
        by_image = self._stored(photographs)
        dataset = publishing.write_dataset(
            name=self._draft.name,
            line_format=truth.counts["line_format"],
            read_as=truth.counts["read_as"],
            truth=self._rows(truth),
            photographs=by_image,
            provenance=self._draft.provenance,
            licence=self._draft.licence,
        )
        counts = {key: truth.counts[key] for key in ("images", "regions", "ignored")}
        self._receipt(
            Import.Kind.DATASET,
            [truth, *photographs],
            counts | {"photographs": len(by_image)},
            {"dataset": dataset.pk},
            dataset,
        )
        return dataset

    def _load_results(self, dataset: Dataset, files: Sequence[DraftFile]) -> None:
        publishing.refuse_doubles(dataset, plans.titles_of(files), replace=self._replace)
        images = dict(dataset.images.values_list("name", "pk"))
        counts: dict[str, dict[str, int]] = {}
        methods, replaced = [], []
        for file in files:
            unwritten = set(file.counts["methods"])
            groups = self._rows(file).by_method()
            # A file may name a method without having rows of it; such methods come last.
            for title, rows in chain(
                groups, ((title, iter(())) for title in file.counts["methods"])
            ):
                if title not in unwritten:
                    continue
                unwritten.discard(title)
                method, was_loaded = publishing.method_to_fill(
                    dataset, title, replace=self._replace
                )
                progress = self._telling(_("Writing results"))
                counts[title] = publishing.write_results(
                    method,
                    rows,
                    missing=file.missing,
                    read_as=file.counts["read_as"],
                    images=images,
                    progress=progress,
                )
                methods.append(method.pk)
                if was_loaded:
                    replaced.append(method.name)
        added = {"methods": methods}
        self._receipt(Import.Kind.RESULTS, files, {"methods": counts}, added, dataset, replaced)

    def _load_scores(self, dataset: Dataset, file: DraftFile) -> None:
        run, n_scores = publishing.write_scores(
            dataset=dataset,
            protocol=file.title,
            rows=self._rows(file),
            progress=self._telling(_("Writing scores")),
        )
        leaderboards_of(run)
        counts = {"protocol": run.name, "scores": n_scores, "missing": file.counts["missing"]}
        self._receipt(Import.Kind.SCORES, [file], counts, {"run": run.pk}, dataset)

    def _load_people(self, file: DraftFile) -> None:
        memberships, counts = annotators_csv.write_people(
            self._rows(file), self._telling(_("Adding people"))
        )
        self._receipt(Import.Kind.USERS, [file], counts, {"memberships": memberships})

    def _rows(self, file: DraftFile) -> staging.Rows:
        """Return the rows that the check of a file wrote, if the file has not changed."""
        rows = staging.Rows(staging.rows_path(file.draft_id, file.pk))
        if not rows.path.exists() or rows.sha256() != file.rows_sha256:
            raise JobFailed(
                _(
                    "The contents read from {file} are no longer here. Check the files again."
                ).format(file=file.name)
            )
        return rows

    def _telling(self, doing: str) -> staging.Progress:
        return lambda done, total: self._progress.tell(done, total, doing)

    def _receipt(
        self,
        kind: Import.Kind,
        files: Sequence[DraftFile],
        counts: Mapping[str, Any],
        added: Mapping[str, Any],
        dataset: Dataset | None = None,
        replaced: Sequence[str] = (),
    ) -> None:
        receipt = Import.objects.create(
            kind=kind,
            files=[self._named(file) for file in files],
            counts=counts,
            warnings=_warnings(self._draft, files),
            dataset=dataset,
            dataset_name=dataset.name if dataset else "",
            added=added,
            replaced=list(replaced),
            person=self._person,
            draft=self._draft,
        )
        record(
            _ACTS[kind],
            actor=receipt.person,
            what=receipt.dataset_name,
            details={"import": receipt.pk},
        )

    def _named(self, file: DraftFile) -> dict[str, Any]:
        """Return name, size, checksum and account of a file for the receipt; a folder has no size."""
        path = self._paths.get(file.pk)
        is_folder = path is not None and path.is_dir()
        sha256, size = ("", None) if is_folder else (file.sha256, file.bytes)
        named = {"name": file.name, "sha256": sha256, "bytes": size}
        if account := file.counts.get("account"):
            named["account"] = account
        return named | ({"reading": words_of(file.reading)} if file.reading else {})


def _warnings(draft: Draft, files: Sequence[DraftFile]) -> list[str]:
    """Return the receipt's notes as sentences; the full report stays with the draft."""
    wanted = {file.pk for file in files}
    sentences = [
        line
        for kind in draft.summary.get("kinds", [])
        if kind["file"] in wanted and kind["severity"] != Finding.Severity.ERROR
        for line in kind["lines"]
    ]
    more = len(sentences) - MAX_WARNINGS
    if more <= 0:
        return sentences
    return [
        *sentences[:MAX_WARNINGS],
        ngettext("… and {n} further note.", "… and {n} further notes.", more).format(n=more),
    ]
