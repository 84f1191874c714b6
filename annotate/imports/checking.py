"""The check of a draft's files: findings are stored; nothing is written to the data.

The rows go to disk (`staging.Rows`), one archive at a time, and are loaded from there. The job may
run twice: the second run finds, under its lock, that the draft has changed, and stops.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.datasets.selectors import results_on
from annotate.jobs.errors import JobFailed
from annotate.jobs.registry import Progress
from protocols.core.regions import Region, canonical_bytes, encode_regions
from protocols.diagnostics.fits import fit
from protocols.diagnostics.inspection import FITS, Noticed, as_data
from protocols.diagnostics.readings import AS_READ, AS_WRITTEN
from protocols.diagnostics.stops import wrong_side
from protocols.formats.containers.checking import Meaning
from protocols.formats.containers.contents import Archive, Kind
from protocols.formats.problems import Nearest, Problems
from protocols.formats.readers.scores import ScoreRow, ScoreTable, Unit, read_scores
from protocols.loading.looking import Truth, look_alone, look_at_results, opened

from . import annotators_csv, drafts, photographs, plans, reports, staging
from .known import Known
from .models import Draft, DraftFile, FileKind, Missing
from .reports import Checked
from .staging import Given

Size = tuple[int, int]
# Later kinds are checked against earlier ones.
_ORDER: Final = list(FileKind.values)
# Reported after each file, with the number of files.
FILES_READ: Final = "Files read"
# By the user's answer, the unit of scores in files with scores above 1; None: not answered, ask.
_UNITS: Final[Mapping[bool | None, Unit | None]] = {True: "per cent", False: "fraction", None: None}
_OF_STORED: Final = (
    "x before y in the ground truth of the dataset; load it again as a new dataset, corrected, and the "
    "results as they are"
)
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
    against = plans.fingerprint(draft.dataset)
    files = sorted(draft.files.all(), key=lambda file: (_ORDER.index(file.kind), file.pk))
    checker = _Checker(draft, files, paths or {}, progress)
    checked = checker.run()
    progress.tell(len(files), len(files), _("Writing the report"))
    with transaction.atomic():
        locked = Draft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
        drafts.refuse_superseded(locked, arguments, Draft.State.CHECKING)
        compared = {"compared": checker.compared, "misread": checker.is_misread}
        locked.summary = reports.store(locked, checked) | compared
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
        # The images on which results were compared, and the fit of loaded results.
        self.compared: dict[str, Any] = {}
        # Whether all results are read in a named way that hardly fits, while another way fits.
        self.is_misread = False

    def run(self) -> dict[DraftFile, Checked]:
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
            with Given.of(file, self._paths).opened() as given:
                checked[file] = self._read(given, progress)
            self._progress.tell(number, n_files, FILES_READ)
        if results := {of: checked[of] for of in self._files if of.kind == FileKind.RESULTS}:
            self._compare(results)
        return checked

    def _compare(self, results: Mapping[DraftFile, Checked]) -> None:
        """Report what only all results together tell: exchanged ground truth, wrong readings."""
        dataset, known = self._draft.dataset, self._known.truth
        regions, sizes = known.against.truth, known.sizes
        loaded = results_on(dataset, list(regions), _MAX_BESIDE) if dataset else {}
        fits = {name: as_data(fit(regions, of, sizes)) for name, of in loaded.items() if of}
        self.compared = {"words": known.against.words, "beside": fits}
        truth = None if self._truth is None else self._truth.problems
        # A dataset's truth has faults of its own, unless loaded results fit it.
        if dataset is not None and all((of["recall"] or 0) <= FITS for of in fits.values()):
            truth = Problems(dataset.name)
        noticed = [of.noticed for of in results.values() if of.noticed]
        is_said = all(file.reading for file in results)
        side = wrong_side(truth, regions, sizes, noticed, is_said=is_said)
        if side == "truth":
            if truth is not None and self._truth is None:
                # A dataset has no file among those that are checked.
                for problem in truth.found:
                    next(iter(results.values())).problems.add(replace(problem, expected=_OF_STORED))
            for of in results.values():
                of.problems.drop("F2")
            for one in noticed:
                one.trial = None
        self.is_misread = side == "results"
        for file, of in results.items() if self.is_misread else ():
            # That a file is read as it is, is an answer; a reading that hardly fits leaves the question.
            if of.noticed and of.noticed.is_misread and file.reading != AS_READ:
                of.problems.ask("F2", _("your choice of how to read the file"))

    def _read(self, given: Given, progress: staging.Progress) -> Checked:
        kind = given.file.kind
        if kind == FileKind.TRUTH:
            sizes: dict[str, Size] = {}
            for file in self._files:
                if file.kind == FileKind.PHOTOGRAPHS:
                    sizes |= photographs.sizes_of(Given.of(file, self._paths).path, file.reading)
            self._truth = check_truth(given, progress, sizes)
            self._known = Known(self._truth.known or Truth())
            return self._truth
        if kind == FileKind.PHOTOGRAPHS:
            dataset = self._draft.dataset
            if self._truth is not None:
                return photographs.check(given, self._truth.rows, progress)
            if dataset is None:
                raise JobFailed(_("Photographs belong to a dataset."))
            return photographs.check_later(given, dataset, progress)
        if kind == FileKind.RESULTS:
            checked = check_results(given, self._known, progress)
            self._known.evaluated |= _evaluated_after(checked, given.file.missing)
            return checked
        if kind == FileKind.SCORES:
            return check_scores(given, self._known)
        return annotators_csv.check_people(given)


def check_truth(
    given: Given, progress: staging.Progress, of_photographs: dict[str, Size]
) -> Checked:
    """Read ground truth. The rows are image and regions, in natural order of the images.

    ``of_photographs`` are the sizes of the photographs of this load, before they are verified.
    """
    read_it = _reader(given, "truth", progress, of_photographs)
    noticed = look_alone(read_it(given.file.format), of_photographs, given.file.reading)
    archive = noticed.archive
    problems = archive.collected()
    if not archive.regions and not archive.errors:
        problems.error(
            "A1", _("no ground-truth file"), _("{pattern} in a zip").format(pattern="gt_NAME.txt")
        )
    checked = _checked(given, problems, noticed)
    given.rows.write((image, encode_regions(regions)) for image, regions in archive.regions.items())
    checked.choose_examples(archive, archive.regions)
    known = Truth.of(archive, {**archive.sizes, **of_photographs}, of_photographs)
    checked.known = replace(known, ids=_without_regions(archive))
    checked.counts |= {
        "images": len(archive.regions),
        "regions": archive.n_regions,
        "ignored": archive.n_ignored,
        "histogram": reports.histogram(map(len, archive.regions.values())),
        "read_as": _read_as_of(given, archive),
    }
    return checked


def check_results(given: Given, known: Known, progress: staging.Progress) -> Checked:
    """Read results of methods.

    The rows are method, image, regions, their number and the hash of the drawn shapes, grouped by
    method. A file without method names belongs to the method given with it.
    """
    reading, truth = given.file.reading, known.truth
    read_it = _reader(given, "results", progress, truth.sizes)
    noticed = look_at_results(
        *(read_it(given.file.format, reading=reading, shape=truth.shape), truth, reading),
        cast("Meaning | None", given.file.missing or None),
        asks=True,
        source=given.source,
        read_as=read_it,
    )
    archive = noticed.archive
    problems = archive.collected()
    checked = _checked(given, problems, noticed)
    by_method = {
        name or given.file.title: {
            image: regions for image, regions in by_image.items() if image in known.images
        }
        for name, by_image in archive.by_method.items()
    }
    known.warn_of_looks(problems, by_method)
    # If errors or questions remain, another reading may find other boxes.
    is_settled = not archive.errors and not archive.questions
    for method, by_image in by_method.items() if is_settled else ():
        known.warn_of_same(problems, method, by_image)
    given.rows.write(_rows_of(by_method))
    for by_image in by_method.values():
        checked.choose_examples(archive, by_image)
    counts = {method: _counts(by_image, known) for method, by_image in by_method.items()}
    fits = {name or given.file.title: of for name, of in noticed.fits.items()}
    totals = {
        key: sum(of_method[key] for of_method in counts.values())
        for key in ("results", "boxes", "empty", "absent")
    }
    n_boxes = (len(regions) for by_image in by_method.values() for regions in by_image.values())
    checked.counts |= totals | {
        "methods": counts,
        "histogram": reports.histogram(n_boxes),
        "fits": fits,
    }
    checked.counts["read_as"] = _read_as_of(given, archive)
    if noticed.is_misread and noticed.offer is not None:
        checked.counts["fitting"] = noticed.offer.reading
    return checked


def _checked(given: Given, problems: Problems, noticed: Noticed) -> Checked:
    archive = noticed.archive
    counts = {
        "account": archive.account.as_data(),
        "line_format": archive.line_format,
        "encodings": dict(archive.encodings),
        "formats": list(archive.formats),
    }
    noticed = replace(noticed, archive=replace(_without_regions(archive), entries={}, sizes={}))
    return Checked(given.rows, problems, counts, noticed=noticed)


def _without_regions(archive: Archive) -> Archive:
    """Return the ids and names of an archive; it is kept while other files are read."""
    return replace(archive, regions={}, methods={}, lines={}, parents={}, problems=())


def _read_as_of(given: Given, archive: Archive) -> str:
    """Return how a file was read, as signatures name it."""
    reading = "" if given.file.reading in AS_WRITTEN else given.file.reading
    return "+".join(filter(None, [archive.format, reading, given.file.encoding]))


def _rows_of(
    by_method: Mapping[str, Mapping[str, Sequence[Region]]],
) -> Iterator[tuple[str, str, Any, int, str]]:
    for method, by_image in by_method.items():
        for image, regions in by_image.items():
            digest = sha256(canonical_bytes(regions)).hexdigest()
            yield method, image, encode_regions(regions), len(regions), digest


def _counts(by_image: Mapping[str, Sequence[Region]], known: Known) -> dict[str, int]:
    return {
        "results": len(by_image),
        "boxes": sum(map(len, by_image.values())),
        "empty": sum(not regions for regions in by_image.values()),
        "absent": len(known.images) - len(by_image),
    }


def _reader(
    given: Given, kind: Kind, progress: staging.Progress, sizes: dict[str, Size]
) -> Callable[..., Archive]:
    """Return a function that reads a file in a format; empty: detected from the content."""
    return partial(
        opened,
        given.source,
        kind,
        name=given.file.name,
        on_entry=progress,
        sizes=lambda: sizes,
        encoding=given.file.encoding or None,
    )


def _evaluated_after(checked: Checked, missing: str | None) -> dict[str, Collection[str] | None]:
    """Return the images with checked results, by method; None means all images."""
    evaluated: dict[str, Collection[str] | None] = {}
    partly: dict[str, set[str]] = {}
    for method, counts in checked.counts["methods"].items():
        is_full = not counts["absent"] or missing == Missing.EMPTY
        evaluated[method] = None if is_full else partly.setdefault(method, set())
    if partly:
        for method, image, *_more in checked.rows:
            if method in partly:
                partly[method].add(image)
    return evaluated


def check_scores(given: Given, known: Known) -> Checked:
    """Read scores. The rows are method, image, recall, precision, grouped by method."""
    table = read_scores(given.path, name=given.file.name, unit=_UNITS[given.file.per_cent])
    problems = Problems(table.name, list(table.problems), Counter(p.code for p in table.problems))
    nearest_image, nearest_method = Nearest(known.images), Nearest(known.evaluated)
    for row in table.rows:
        _check_score(row, known, nearest_image, nearest_method, problems)
    n_missing = _n_unscored(table, known)
    if n_missing and table.rows and not problems.has_errors:
        told = ngettext("no score for {n} result", "no score for {n} results", n_missing).format(
            n=n_missing
        )
        problems.warning("S3", told, _("one for each"), action=_("left undefined"))
    is_asked = any(problem.severity == "question" for problem in problems.found)
    if not table.rows and not problems.has_errors and not is_asked:
        problems.error("S3", _("no score"), _("at least one line below the header"))
    ordered = sorted(table.rows, key=lambda row: row.method)
    given.rows.write((row.method, row.image, row.recall, row.precision) for row in ordered)
    counts = {"scores": len(table.rows), "missing": n_missing}
    return Checked(given.rows, problems, counts)


def _check_score(
    row: ScoreRow, known: Known, images: Nearest, methods: Nearest, problems: Problems
) -> None:
    if row.image not in known.images:
        expected = _("an image of the dataset{hint}").format(hint=images.hint(row.image))
        problems.error(
            "S1", _("the image “{image}”").format(image=row.image), expected, line=row.line
        )
    elif row.method not in known.evaluated:
        expected = _("a method of the dataset{hint}").format(hint=methods.hint(row.method))
        problems.error(
            "S1", _("the method “{method}”").format(method=row.method), expected, line=row.line
        )
    else:
        evaluated = known.evaluated[row.method]
        if evaluated is not None and row.image not in evaluated:
            found = _("a score of {method} on {image}, where it was not evaluated").format(
                method=row.method, image=row.image
            )
            problems.error("S1", found, _("scores of results that are loaded"), line=row.line)


def _n_unscored(table: ScoreTable, known: Known) -> int:
    """Count the results without a score."""
    n_results = sum(
        len(known.images) if images is None else len(images) for images in known.evaluated.values()
    )
    n_scored = sum(
        row.method in known.evaluated
        and row.image in known.images
        and ((images := known.evaluated[row.method]) is None or row.image in images)
        for row in table.rows
    )
    return n_results - n_scored
