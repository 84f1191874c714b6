"""Submissions as result sets of a dataset, scored with the settings of the competition's bundle."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from protocols.codabench.settings import Settings
from protocols.core.base import Scene

from .downloads import Download
from .submissions import Submission

# Codabench stores this many digits of a score.
_MOST_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Loaded:
    """The outcome of one submission, as a sentence; one that is refused has no method."""

    submission: str
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


def truth_of(dataset: Dataset) -> list[Scene]:
    """Return the images of a dataset with their ground truth, without results."""
    return [
        Scene(image.truth_regions, None, image.name, image.width, image.height)
        for image in dataset.images.in_order()
    ]


def load_submissions(
    dataset: Dataset,
    download: Download,
    chosen: Mapping[str, str],
    *,
    progress: Progress,
    person: User | None = None,
) -> Iterator[Loaded]:
    """Load submissions, whose methods are ``chosen`` by their keys, and yield the outcome of each.

    One that is refused stops no other, and one that was loaded before changes nothing.
    """
    known, settings = loaded_before(dataset), download.settings
    truth = truth_of(dataset) if settings else []
    format = settings.given["format"] if settings else ""
    for of in download.submissions:
        if of.key not in chosen:
            continue
        progress.require_permission()
        is_new = of.sha256 not in known
        try:
            if of.fault:
                raise NotLoaded(of.fault)
            if is_new:
                path, method = download.path_of(of), chosen[of.key]
                file = FileToLoad(path, FileKind.RESULTS, method, format=format, missing="empty")
                [receipt] = load_files([file], dataset=dataset, person=person, progress=progress)
                known[of.sha256] = _written(receipt)
        except NotLoaded as refusal:
            yield Loaded(of.key, str(refusal))
            continue
        method, n_without_file = known[of.sha256]
        said = ["loaded" if is_new else "was loaded before"]
        if n_without_file:
            said.append(f"images without a file, which count as empty: {n_without_file}")
        if settings and of.phase_name:
            said += _compared(of, settings, truth, dataset.methods.get(name=method).results.all())
        yield Loaded(of.key, "; ".join(said), method, is_new)


def _compared(
    of: Submission, settings: Settings, truth: Sequence[Scene], rows: Iterable[Result]
) -> Iterator[str]:
    """Yield Codabench's scores and ours, on the images of the submission's phase."""
    phases = {phase["name"]: phase["images"] for phase in settings.phases}
    if of.phase_name not in phases:
        yield f"the bundle has no phase {of.phase_name}"
        return
    truth = [scene for scene in truth if scene.name in phases[of.phase_name]]
    results = {row.image.name: row.detections for row in rows if row.had_file}
    digits = settings.given["digits"]
    scores = score(truth, results, settings.columns, digits)
    rounding = 0.6 * 10.0 ** -min(digits, _MOST_DIGITS)
    for column in settings.columns:
        if column.title in of.scores:
            theirs, ours = float(of.scores[column.title]), scores.get(column.key)
            is_same = ours is not None and abs(theirs - ours) < rounding
            said = f"{column.title}: {theirs} on Codabench, {ours} here"
            yield said if is_same else f"DIFFERS: {said}"


def score_as_settings(
    dataset: Dataset, settings: Settings | None, outcomes: Iterable[Loaded], progress: Progress
) -> Iterator[str]:
    """Score the dataset with the protocols of the bundle's settings; yield a sentence about each.

    Without new results a protocol is only scored if it never was.
    """
    is_changed = any(of.is_new for of in outcomes)
    for protocol in settings.protocols if settings else ():
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
