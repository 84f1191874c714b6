"""Loading ground truth, photographs, results and scores: everything or nothing."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import BoxConvention, Dataset, Image, Method, Result
from annotate.scoring.models import ProtocolRun, Score
from protocols.base import f_score
from protocols.formats.archives import Source, source_name
from protocols.formats.problems import Problem, Problems, counted, quoted
from protocols.formats.rrc import Archive, LineFormat, Rules, read_archive
from protocols.formats.scores import ScoreRow, read_scores
from protocols.regions import Region, canonical_bytes, encode_regions

from .errors import NotLoaded
from .models import Import
from .photographs import Keeper, Photograph, read_photographs

# "done of total" of what a person waits for.
Progress = Callable[[int, int], None]
EMPTY: Final = "empty"
NOT_EVALUATED: Final = "not-evaluated"
_BATCH: Final = 500
_MAX_WARNINGS: Final = 200
_MAX_NAME: Final = 120
# Below data/, where a dataset's own address would be.
_TAKEN_ADDRESSES: Final = {"images", "load"}


@dataclass(frozen=True, slots=True)
class ResultArchive:
    """A zip of results and the name of the method they are from."""

    source: Source
    method: str


def load_dataset(
    *,
    name: str,
    truth: Source,
    images: Source | None = None,
    line_format: str | None = None,
    provenance: str = "",
    licence: str = "",
    person: User | None = None,
    progress: Progress | None = None,
) -> Import:
    """Load ground truth and, where given, a folder or zip of photographs as a new dataset.

    Raises NotLoaded with every fault found; then nothing is stored, no photograph either.
    """
    name, slug = _named(name, "dataset")
    if slug in _TAKEN_ADDRESSES:
        raise NotLoaded(f"{quoted(name)} cannot be the name of a dataset. Choose another.")
    if Dataset.objects.filter(slug=slug).exists() or Dataset.objects.filter(name=name).exists():
        raise NotLoaded(f"There is a dataset named {quoted(name)} already.")
    rules = Rules(line_format=LineFormat(line_format) if line_format else None)
    archive = read_archive(truth, kind="truth", rules=rules)
    problems = list(archive.problems)
    if not archive.regions and not archive.errors:
        problems.append(_lacks(archive.name, "A1", "no ground-truth file", "gt_NAME.txt in a zip"))
    keeper = Keeper()
    try:
        photographs = {}
        if images is not None and not archive.errors:
            photographs, found = _photographs(archive, images, keeper, progress)
            problems += found
        if any(problem.severity == "error" for problem in problems):
            raise NotLoaded.because_of(problems)
        with transaction.atomic():
            dataset = Dataset.objects.create(
                name=name,
                slug=slug,
                line_format=archive.line_format,
                box_convention=(
                    BoxConvention.INCLUSIVE
                    if archive.line_format == LineFormat.LTRB
                    else BoxConvention.POINTS
                ),
                provenance=provenance,
                licence=licence,
            )
            _store_images(dataset, archive, photographs)
            return _receipt(
                dataset=dataset,
                kind=Import.Kind.DATASET,
                person=person,
                files=[_file(source) for source in (truth, images) if source is not None],
                counts={
                    "images": len(archive.regions),
                    "regions": archive.n_regions,
                    "ignored": archive.n_ignored,
                    "photographs": len(photographs),
                },
                warnings=_sentences(problems),
            )
    except BaseException:
        keeper.take_back()
        raise


def _named(name: str, what: str) -> tuple[str, str]:
    """Return a name without outer blanks, and the slug that becomes part of addresses."""
    name = name.strip()
    slug = slugify(name)
    if not slug or len(name) > _MAX_NAME:
        raise NotLoaded(
            f"The name of the {what}, {quoted(name)}, needs letters or digits, and at most "
            f"{_MAX_NAME} characters."
        )
    return name, slug


def _lacks(archive: str, code: str, found: str, expected: str) -> Problem:
    return Problem("error", code, archive, None, None, found, expected)


def _photographs(
    archive: Archive, source: Source, keeper: Keeper, progress: Progress | None
) -> tuple[dict[str, Photograph], list[Problem]]:
    problems = Problems(source_name(source))
    photographs: dict[str, Photograph] = {}
    place: dict[str, str] = {}
    total = len(archive.regions)
    for entry, photograph in read_photographs(source, problems):
        stem, path = Path(entry.name).stem, entry.path
        if stem not in archive.regions:
            near = _nearest(stem, archive.regions)
            problems.warning(
                "N2",
                f"a photograph without ground truth{near}; left out",
                "gt_NAME.txt for each",
                path,
            )
        elif stem in photographs:
            problems.error(
                "N3", f"a second photograph of {stem} (beside {place[stem]})", "one", path
            )
        else:
            keeper.keep(photograph, entry.content)
            photographs[stem], place[stem] = photograph, path
            if progress is not None:
                progress(len(photographs), total)
    for image, regions in archive.regions.items():
        if image not in photographs:
            problems.error("N4", f"no photograph of {image}", f"{image}.jpg, .png or .webp")
        else:
            _check_inside(problems, image, regions, photographs[image])
    return photographs, problems.found


def _check_inside(
    problems: Problems, image: str, regions: Sequence[Region], photograph: Photograph
) -> None:
    for number, region in enumerate(regions, 1):
        left, top, right, bottom = region.box
        over = max(-left, -top, right - photograph.width, bottom - photograph.height)
        if over > 0:
            problems.warning(
                "L6",
                f"region {number} reaches {over:g} px outside {image}",
                f"coordinates within {photograph.width} x {photograph.height}; kept as it is",
            )


def _store_images(
    dataset: Dataset, archive: Archive, photographs: Mapping[str, Photograph]
) -> None:
    rows = []
    for position, (name, regions) in enumerate(archive.regions.items()):
        row = Image(dataset=dataset, name=name, position=position, truth=encode_regions(regions))
        photograph = photographs.get(name)
        if photograph is not None:
            row.sha256, row.content_type = photograph.sha256, photograph.content_type
            row.width, row.height = photograph.width, photograph.height
        rows.append(row)
    Image.objects.bulk_create(rows, batch_size=_BATCH)


@transaction.atomic
def load_results(
    *,
    dataset: Dataset,
    archives: Sequence[ResultArchive],
    missing: str | None = None,
    person: User | None = None,
    progress: Progress | None = None,
) -> Import:
    """Load the result sets of methods on a dataset.

    ``missing`` says what an image without a result file means: "empty" (no boxes) or
    "not-evaluated". It is never guessed: without it a gap refuses the load. Raises NotLoaded with
    every fault of every archive; then nothing is stored.
    """
    if not archives:
        raise NotLoaded("Choose at least one zip of results.")
    images = {image.name: image for image in dataset.images.defer("truth").in_order()}
    problems: list[Problem] = []
    counts: dict[str, dict[str, int]] = {}
    for done, archive in enumerate(archives, 1):
        method = _new_method(dataset, archive, counts)
        found = read_archive(
            archive.source,
            kind="results",
            rules=Rules(line_format=LineFormat(dataset.line_format)),
        )
        faults = [*found.problems, *_misfits(found, images, missing)]
        problems += faults
        if not any(problem.severity == "error" for problem in problems):
            counts[method.name] = _store_results(method, found, images, missing)
        if progress is not None:
            progress(done, len(archives))
    if any(problem.severity == "error" for problem in problems):
        raise NotLoaded.because_of(problems)
    return _receipt(
        dataset=dataset,
        kind=Import.Kind.RESULTS,
        person=person,
        files=[_file(archive.source) for archive in archives],
        counts={"methods": counts},
        warnings=_sentences(problems),
    )


def _new_method(dataset: Dataset, archive: ResultArchive, made: Mapping[str, object]) -> Method:
    name, slug = _named(archive.method, "method")
    existing = (
        dataset.methods.filter(slug=slug).first() or dataset.methods.filter(name=name).first()
    )
    if existing is not None:
        if existing.name in made or not existing.results.exists():
            raise NotLoaded(f"Two of the archives are for the method {quoted(existing.name)}.")
        raise NotLoaded(f"Results of {quoted(existing.name)} are loaded already.")
    return Method.objects.create(dataset=dataset, name=name, slug=slug)


def _misfits(
    archive: Archive, images: Mapping[str, Image], missing: str | None
) -> Iterable[Problem]:
    problems = Problems(archive.name)
    for name in archive.regions:
        if name not in images:
            problems.error(
                "N2",
                f"results for {name}",
                f"an image of the dataset{_nearest(name, images)}",
                f"res_{name}.txt",
            )
    lacking = [name for name in images if name not in archive.regions]
    if lacking and missing is None and not archive.errors:
        some = ", ".join(lacking[:3]) + (" …" if len(lacking) > 3 else "")
        problems.error(
            "N4",
            f"no file for {counted(len(lacking), 'image')} ({some})",
            "a file for each image, or that you say whether a missing one means "
            "“no boxes” or “not evaluated”",
        )
    return problems.found


def _store_results(
    method: Method, archive: Archive, images: Mapping[str, Image], missing: str | None
) -> dict[str, int]:
    rows = []
    for name, image in images.items():
        regions = archive.regions.get(name)
        if regions is None and missing == NOT_EVALUATED:
            continue
        rows.append(
            Result(
                image=image,
                method=method,
                regions=encode_regions(regions or ()),
                n_regions=len(regions or ()),
                had_file=regions is not None,
                sha256=sha256(canonical_bytes(regions or ())).hexdigest(),
            )
        )
    Result.objects.bulk_create(rows, batch_size=_BATCH)
    return {
        "results": len(rows),
        "boxes": sum(row.n_regions for row in rows),
        "empty": sum(row.n_regions == 0 for row in rows),
        "without_file": sum(not row.had_file for row in rows),
        "not_evaluated": len(images) - len(rows),
    }


@transaction.atomic
def load_scores(
    *, dataset: Dataset, protocol: str, source: Source, person: User | None = None
) -> Import:
    """Load per-image scores that somebody else computed, as a run of a protocol of this name.

    Raises NotLoaded with every fault; then nothing is stored.
    """
    protocol, _ = _named(protocol, "protocol")
    table = read_scores(source)
    problems = Problems(table.name, list(table.problems))
    results = {
        (image, method): pk
        for image, method, pk in Result.objects.filter(method__dataset=dataset).values_list(
            "image__name", "method__name", "pk"
        )
    }
    images = set(dataset.images.values_list("name", flat=True))
    methods = set(dataset.methods.values_list("name", flat=True))
    for row in table.rows:
        _check_score(row, images, methods, results, problems)
    scored = {(row.image, row.method) for row in table.rows}
    n_missing = len(results.keys() - scored)
    if n_missing and not problems.has_errors:
        problems.warning(
            "S3", f"no score for {counted(n_missing, 'result')}", "one for each; left undefined"
        )
    if not table.rows and not problems.has_errors:
        problems.error("S3", "no score", "at least one line below the header")
    if problems.has_errors:
        raise NotLoaded.because_of(problems.found)
    run = ProtocolRun.objects.create(
        dataset=dataset, name=protocol, version="", origin=ProtocolRun.Origin.IMPORTED
    )
    Score.objects.bulk_create(
        (
            Score(
                run=run,
                result_id=results[row.image, row.method],
                recall=row.recall,
                precision=row.precision,
                f_score=f_score(row.recall, row.precision),
            )
            for row in table.rows
        ),
        batch_size=_BATCH,
    )
    return _receipt(
        dataset=dataset,
        kind=Import.Kind.SCORES,
        person=person,
        files=[_file(source)],
        counts={"protocol": protocol, "scores": len(table.rows), "missing": n_missing},
        warnings=_sentences(problems.found),
    )


def _check_score(
    row: ScoreRow,
    images: set[str],
    methods: set[str],
    results: Mapping[tuple[str, str], int],
    problems: Problems,
) -> None:
    if row.image not in images:
        known = f"an image of the dataset{_nearest(row.image, images)}"
        problems.error("S1", f"the image {quoted(row.image)}", known, line=row.line)
    elif row.method not in methods:
        known = f"a method of the dataset{_nearest(row.method, methods)}"
        problems.error("S1", f"the method {quoted(row.method)}", known, line=row.line)
    elif (row.image, row.method) not in results:
        found = f"a score of {row.method} on {row.image}, where it was not evaluated"
        problems.error("S1", found, "scores of results that are loaded", line=row.line)


def _receipt(**fields: Any) -> Import:
    """Store the receipt and its entry in the log, in the transaction of the load."""
    receipt = Import.objects.create(**fields)
    acts = {
        Import.Kind.DATASET: Act.DATASET_LOADED,
        Import.Kind.RESULTS: Act.RESULTS_LOADED,
        Import.Kind.SCORES: Act.SCORES_LOADED,
    }
    record(
        acts[receipt.kind],
        actor=receipt.person,
        what=receipt.dataset.name,
        details={"import": receipt.pk},
    )
    return receipt


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (perhaps {near[0]})" if near else ""


def _sentences(problems: Sequence[Problem]) -> list[str]:
    sentences = [str(problem) for problem in problems if problem.severity == "warning"]
    if len(sentences) > _MAX_WARNINGS:
        more = len(sentences) - _MAX_WARNINGS
        return [*sentences[:_MAX_WARNINGS], f"… and {counted(more, 'further note')}."]
    return sentences


def _file(source: Source) -> dict[str, Any]:
    """Name, size and checksum of a file for the receipt; of a folder its name alone."""
    name = source_name(source)
    if isinstance(source, str | Path):
        if Path(source).is_dir():
            return {"name": name, "sha256": "", "bytes": None}
        with open(source, "rb") as file:
            return {"name": name, **_fingerprint(file)}
    return {"name": name, **_fingerprint(source)}


def _fingerprint(file: BinaryIO) -> dict[str, Any]:
    file.seek(0)
    digest = file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "bytes": file.seek(0, 2)}
