"""Loading the output of a draft's check: all or nothing, with a receipt for each kind of data.

The job may run twice: the second run finds, under its lock, that the draft has changed, and stops.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.csv_tables import some_at_a_time
from annotate.datasets.models import BoxConvention, Dataset, Image, Method, Result
from annotate.datasets.photographs import Photograph, giving_back, keep_photographs
from annotate.jobs.errors import JobFailed
from annotate.jobs.registry import Progress
from annotate.scoring.leaderboards import leaderboards_of
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.shortcuts import start_again
from protocols.core.base import f_score
from protocols.core.regions import canonical_bytes, encode_regions
from protocols.diagnostics.readings import words_of
from protocols.formats.containers.contents import LineFormat

from . import annotators_csv, drafts, photographs, plans, staging
from .errors import NotLoaded
from .models import Draft, DraftFile, FileKind, Finding, Import, Missing
from .undoing import remove_results

_BATCH: Final = 500
# Fields that images and photographs share.
_OF_PHOTOGRAPHS: Final = (
    *("sha256", "content_type", "width", "height", "orientation", "original_sha256"),
)
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
        if plans.fingerprint(draft.dataset) != draft.checked_against:
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
        rows = list(dataset.images.filter(name__in=by_image).only("name").order_by("pk"))
        for row in rows:
            _give(row, by_image[row.name])
        Image.objects.bulk_update(rows, _OF_PHOTOGRAPHS, batch_size=_BATCH)
        counts, added = {"photographs": len(rows)}, {"images": [row.pk for row in rows]}
        self._receipt(Import.Kind.PHOTOGRAPHS, files, counts, added, dataset)
        start_again(dataset=dataset, person=self._person)

    def _load_dataset(self, truth: DraftFile, photographs: Sequence[DraftFile]) -> Dataset:
        by_image = self._stored(photographs)
        draft, line_format = self._draft, truth.counts["line_format"]
        name, slug = plans.name_of_new_dataset(draft.name)
        inclusive = line_format == LineFormat.LTRB
        dataset = Dataset.objects.create(
            name=name,
            slug=slug,
            line_format=line_format,
            read_as=truth.counts["read_as"],
            box_convention=BoxConvention.INCLUSIVE if inclusive else BoxConvention.POINTS,
            provenance=draft.provenance,
            licence=draft.licence,
        )

        def images() -> Iterator[Image]:
            for position, (image, regions) in enumerate(self._rows(truth)):
                row = Image(dataset=dataset, name=image, position=position, truth=regions)
                if image in by_image:
                    _give(row, by_image[image])
                yield row

        for batch in some_at_a_time(images(), _BATCH):
            Image.objects.bulk_create(batch)
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
        plans.refuse_doubles(dataset, plans.titles_of(files), replace=self._replace)
        images = dict(dataset.images.values_list("name", "pk"))
        counts: dict[str, dict[str, int]] = {}
        methods, replaced = [], []
        for file in files:
            # A file may name a method without having rows of it; such methods come last.
            bare = ((of, iter(())) for of in file.counts["methods"] if of not in counts)
            for title, rows in chain(self._rows(file).by_method(), bare):
                method = plans.method_named(dataset, title)
                if method is None:
                    name, slug = plans.named(title, "method")
                    method = Method.objects.create(dataset=dataset, name=name, slug=slug)
                elif method.results.exists():
                    remove_results(method)
                    replaced.append(method.name)
                counts[title] = self._write_results(method, file, rows, images)
                methods.append(method.pk)
        added = {"methods": methods}
        self._receipt(Import.Kind.RESULTS, files, {"methods": counts}, added, dataset, replaced)

    def _write_results(
        self,
        method: Method,
        file: DraftFile,
        rows: Iterator[list[Any]],
        images: Mapping[str, int],
    ) -> dict[str, int]:
        """Write the result set of a method that has none for the dataset's images; return counts."""
        progress = self._telling(_("Writing results"))
        left = set(images)
        counts = {"results": 0, "boxes": 0, "empty": 0, "without_file": 0}

        def results() -> Iterator[Result]:
            for _name, image, regions, n_regions, digest in rows:
                left.discard(image)
                yield Result(
                    image_id=images[image],
                    method=method,
                    regions=regions,
                    n_regions=n_regions,
                    sha256=digest,
                )
            if file.missing == Missing.EMPTY:
                digest = sha256(canonical_bytes(())).hexdigest()
                for key in sorted(images[image] for image in left):
                    yield Result(
                        image_id=key,
                        method=method,
                        regions=encode_regions(()),
                        n_regions=0,
                        had_file=False,
                        sha256=digest,
                    )

        for batch in some_at_a_time(results(), _BATCH):
            Result.objects.bulk_create(batch)
            counts["results"] += len(batch)
            counts["boxes"] += sum(row.n_regions for row in batch)
            counts["empty"] += sum(row.n_regions == 0 for row in batch)
            counts["without_file"] += sum(not row.had_file for row in batch)
            progress(counts["results"], len(images))
        totals = {key: counts[key] for key in ("boxes", "empty", "without_file")}
        method.totals = {"n": counts["results"], **totals}
        method.read_as = file.counts["read_as"]
        method.save(update_fields=["totals", "read_as"])
        return counts | {"not_evaluated": len(images) - counts["results"]}

    def _load_scores(self, dataset: Dataset, file: DraftFile) -> None:
        run = ProtocolRun.objects.create(
            dataset=dataset,
            name=plans.named(file.title, "protocol")[0],
            version="",
            origin=ProtocolRun.Origin.IMPORTED,
        )
        progress, n_scores = self._telling(_("Writing scores")), 0
        for name, of_method in self._rows(file).by_method():
            results_of = Result.objects.filter(method__dataset=dataset, method__name=name)
            results = dict(results_of.values_list("image__name", "pk").iterator())
            scores = (
                Score(
                    run=run,
                    result_id=results[image],
                    recall=recall,
                    precision=precision,
                    f_score=f_score(recall, precision),
                )
                for _name, image, recall, precision in of_method
            )
            for batch in some_at_a_time(scores, _BATCH):
                Score.objects.bulk_create(batch)
                n_scores += len(batch)
                progress(n_scores, 0)
        run.n_scores = n_scores
        run.save(update_fields=["n_scores"])
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
        rows = staging.Rows(file)
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


def _give(row: Image, photograph: Photograph) -> None:
    for name in _OF_PHOTOGRAPHS:
        setattr(row, name, getattr(photograph, name))
