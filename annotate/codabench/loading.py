"""Submissions as result sets of a dataset, scored with the settings of the competition's bundle."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User

from annotate.datasets.models import Dataset, Result
from annotate.imports.errors import NotLoaded
from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind, Import
from annotate.jobs.engine import computing
from annotate.jobs.registry import Progress
from annotate.scoring import services as scoring
from protocols.codabench.scoring import score

from .bundles import truth_of
from .downloads import Download, Submission

# Codabench stores this many digits of a score.
_MOST_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Loaded:
    """The outcome of one submission, as a sentence; one that is refused has no method."""

    submission: Submission
    said: str
    method: str = ""
    is_new: bool = False


def loaded_before(dataset: Dataset) -> dict[str, tuple[str, int]]:
    """Return method and number of images without a file by the SHA-256 of each loaded zip."""
    receipts = Import.objects.filter(dataset=dataset, undone=None, kind=Import.Kind.RESULTS)
    return {of.files[0]["sha256"]: _written(of) for of in receipts if len(of.files) == 1}


def _written(receipt: Import) -> tuple[str, int]:
    method, counts = next(iter(receipt.counts["methods"].items()))
    return method, counts["without_file"]


def load_submissions(
    dataset: Dataset,
    download: Download,
    chosen: Iterable[Submission],
    *,
    format: str = "",
    person: User | None = None,
    progress: Progress | None = None,
) -> Iterator[Loaded]:
    """Load each submission under its method's name, and yield its outcome.

    One that is refused stops no other, and one that was loaded before changes nothing.
    """
    known, compare = loaded_before(dataset), _Comparison(dataset, download)
    for of in chosen:
        if progress:
            progress.require_permission()
        is_new = of.sha256 not in known
        path = download.path_of(of)
        file = FileToLoad(path, FileKind.RESULTS, of.method, format=format, missing="empty")
        try:
            if of.fault:
                raise NotLoaded(of.fault)
            if is_new:
                [receipt] = load_files([file], dataset=dataset, person=person, progress=progress)
                known[of.sha256] = _written(receipt)
        except NotLoaded as refusal:
            yield Loaded(of, str(refusal))
            continue
        method, n_without_file = known[of.sha256]
        said = ["loaded" if is_new else "was loaded before"]
        if n_without_file:
            said.append(f"images without a file, which count as empty: {n_without_file}")
        yield Loaded(of, "; ".join([*said, *compare.said(of, method)]), method, is_new)


class _Comparison:
    """Codabench's scores and those of the bundle's settings here, on the images of a phase."""

    def __init__(self, dataset: Dataset, download: Download) -> None:
        self._dataset, self._results = dataset, download.results or {}
        self._settings = download.settings
        self._truth = truth_of(dataset) if self._results and self._settings else []

    def said(self, of: Submission, method: str) -> Iterator[str]:
        entry, settings = self._results.get(of.number), self._settings
        if entry is None or settings is None:
            return
        phases = {phase["name"]: phase for phase in settings.phases}
        if entry.phase not in phases:
            yield f"the bundle has no phase {entry.phase}"
            return
        truth = [scene for scene in self._truth if scene.name in phases[entry.phase]["images"]]
        rows = Result.objects.filter(method__dataset=self._dataset, method__name=method)
        had_file = rows.filter(had_file=True).select_related("image")
        results = {row.image.name: row.detections for row in had_file}
        digits = settings.given["digits"]
        scores = score(truth, results, settings.columns, digits)
        for column in settings.columns:
            if column.title in entry.scores:
                theirs, ours = float(entry.scores[column.title]), scores.get(column.key)
                is_same = ours is not None and abs(theirs - ours) < 0.6 * 10.0 ** -min(
                    digits, _MOST_DIGITS
                )
                said = f"{column.title}: {theirs} on Codabench, {ours} here"
                yield said if is_same else f"DIFFERS: {said}"


def score_as_settings(
    dataset: Dataset, download: Download, outcomes: Iterable[Loaded], progress: Progress
) -> Iterator[str]:
    """Score the dataset with the protocols of the bundle's settings; yield a sentence about each.

    Without new results a protocol is only scored if it never was.
    """
    is_changed = any(of.is_new for of in outcomes)
    for protocol in download.settings.protocols if download.settings else ():
        if not is_changed and scoring.is_scored(dataset, protocol):
            continue
        try:
            with computing() as executor:
                run = scoring.score_protocol(
                    dataset=dataset,
                    slug=protocol.slug,
                    parameters=protocol.parameters(),
                    progress=lambda done, total: progress.tell(done, total, "Results scored"),
                    executor=executor,
                )
            yield f"{run.name}: {run.n_scores} results scored."
        except scoring.NotScored as refusal:
            yield str(refusal)
