"""Reading the files of a load and saying what is odd or wrong; nothing is written to the database.

What was read goes as rows to disk (`staging.Rows`), one archive at a time, and is loaded from there.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from annotate.datasets.models import Dataset, Result
from protocols.formats.archives import Source, source_name
from protocols.formats.problems import KEPT, Nearest, Problem, Problems, counted
from protocols.formats.rrc import Archive, LineFormat, Rules, read_archive
from protocols.formats.scores import ScoreRow, ScoreTable, read_scores
from protocols.regions import Region, canonical_bytes, encode_regions

from .models import FileKind, Missing
from .photographs import read_photographs
from .staging import Rows

# "done of total" of what a person waits for; it may raise to stop the work.
Progress = Callable[[int, int], None]
Size = tuple[int, int]
# A picture of more boxes than these is drawn without the rest.
MAX_DRAWN: Final = 1000
# Upper ends of the classes of the histogram; the last is open.
HISTOGRAM: Final = (0, 1, 2, 5, 10, 20, 50, 100)
_N_RANDOM: Final = 5
_N_WORST: Final = 5


@dataclass(frozen=True, slots=True)
class Given:
    """A file to load, as somebody described it."""

    source: Source
    kind: str
    # The method of results, the protocol of scores.
    title: str = ""
    name: str | None = None
    format: str | None = None
    missing: str | None = None
    per_cent: bool | None = None


@dataclass
class Example:
    """An image to look at: what a file says is on it, and how many problems it has."""

    image: str
    regions: dict[str, Any]
    n_problems: int = 0


@dataclass
class Checked:
    """What was found in one file."""

    given: Given
    rows: Rows
    found: Problems
    counts: dict[str, Any] = field(default_factory=dict)
    line_format: str = ""
    at_random: list[Example] = field(default_factory=list)
    worst: list[Example] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        return self.found.found


@dataclass
class Known:
    """What a load is checked against: the dataset as it is, and what the same load adds to it."""

    # None for an image whose size nobody knows.
    images: dict[str, Size | None] = field(default_factory=dict)
    line_format: str | None = None
    # Of each method the images it has a result on; None: on all.
    evaluated: dict[str, Collection[str] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: Dataset | None, *, with_results: bool) -> "Known":
        if dataset is None:
            return cls()
        images = dataset.images.in_order().values_list("name", "width", "height")
        known = cls(
            {name: (width, height) if width else None for name, width, height in images},
            dataset.line_format,
        )
        if with_results:
            n_images = len(known.images)
            for method in dataset.methods.all():
                names = Result.objects.filter(method=method).values_list("image__name", flat=True)
                found = set(names.iterator())
                known.evaluated[method.name] = None if len(found) == n_images else found
        return known


def check_truth(given: Given, rows: Rows, progress: Progress | None = None) -> Checked:
    """Read ground truth. The rows are image and regions, in the order people count images."""
    archive = _read(given, "truth", None, progress)
    problems = _problems_of(archive)
    if not archive.regions and not archive.errors:
        problems.error("A1", "no ground-truth file", "gt_NAME.txt in a zip")
    checked = Checked(given, rows, problems, line_format=archive.line_format)
    n_boxes = _write_regions(checked, archive)
    checked.counts = {
        "images": len(archive.regions),
        "regions": archive.n_regions,
        "ignored": archive.n_ignored,
        "histogram": n_boxes,
    }
    return checked


def check_results(
    given: Given, known: Known, rows: Rows, progress: Progress | None = None
) -> Checked:
    """Read what a method found. The rows are image, regions, number and hash of the drawn shapes."""
    archive = _read(given, "results", known.line_format, progress)
    problems = _problems_of(archive)
    _misfits(problems, archive, known, given)
    checked = Checked(given, rows, problems, line_format=archive.line_format)
    _write_regions(checked, archive, known)
    regions = [found for image, found in archive.regions.items() if image in known.images]
    checked.counts = {
        "results": len(regions),
        "boxes": sum(map(len, regions)),
        "empty": sum(not found for found in regions),
        "absent": len(known.images) - len(regions),
        "histogram": _histogram(map(len, regions)),
    }
    return checked


def _read(given: Given, kind: Any, line_format: str | None, progress: Progress | None) -> Archive:
    wanted = given.format or line_format
    return read_archive(
        given.source,
        kind=kind,
        name=given.name,
        rules=Rules(line_format=LineFormat(wanted) if wanted else None),
    )


def _problems_of(archive: Archive) -> Problems:
    """Return the archive's problems in a collection that takes more."""
    return Problems(archive.name, list(archive.problems), Counter(archive.counts))


def _write_regions(checked: Checked, archive: Archive, known: Known | None = None) -> list[int]:
    """Write an archive's rows and choose the images to look at; return the histogram."""
    with_hash = known is not None
    per_entry = Counter(problem.entry for problem in checked.problems if problem.entry)
    shown = [name for name in archive.regions if known is None or name in known.images]

    def rows() -> Iterator[Sequence[Any]]:
        for image in shown:
            regions = archive.regions[image]
            encoded = encode_regions(regions)
            if with_hash:
                digest = sha256(canonical_bytes(regions)).hexdigest()
                yield image, encoded, len(regions), digest
            else:
                yield image, encoded

    checked.rows.write(rows())
    # The same images each time the same file is checked, so that a report can be talked about.
    rng = random.Random(archive.name)  # nosec B311
    checked.at_random = [
        _example(archive, image, 0) for image in rng.sample(shown, min(_N_RANDOM, len(shown)))
    ]
    in_entry = {_image_of(entry): n for entry, n in per_entry.items()}
    worst = sorted((name for name in shown if name in in_entry), key=lambda name: -in_entry[name])
    checked.worst = [_example(archive, name, in_entry[name]) for name in worst[:_N_WORST]]
    return _histogram(len(archive.regions[image]) for image in shown)


def _image_of(entry: str) -> str:
    stem = Path(entry.rpartition("/")[2]).stem
    return stem.removeprefix("poly_").removeprefix("gt_").removeprefix("res_")


def _example(archive: Archive, image: str, n_problems: int) -> Example:
    return Example(image, encode_regions(archive.regions[image][:MAX_DRAWN]), n_problems)


def _histogram(numbers: Iterable[int]) -> list[int]:
    """Count how many images have so many boxes; one class more than HISTOGRAM has ends."""
    counts = [0] * (len(HISTOGRAM) + 1)
    for number in numbers:
        counts[next((at for at, end in enumerate(HISTOGRAM) if number <= end), -1)] += 1
    return counts


def _misfits(problems: Problems, archive: Archive, known: Known, given: Given) -> None:
    nearest = Nearest(known.images)
    for name, regions in archive.regions.items():
        if name not in known.images:
            problems.error(
                "N2",
                f"results for {name}",
                f"an image of the dataset{nearest.hint(name)}",
                f"res_{name}.txt",
            )
        elif (size := known.images[name]) is not None:
            _outside(problems, f"res_{name}.txt", name, regions, size)
    lacking = [name for name in known.images if name not in archive.regions]
    if lacking and not given.missing and not archive.errors:
        some = ", ".join(lacking[:3]) + (" …" if len(lacking) > 3 else "")
        problems.question(
            "N4",
            f"no file for {counted(len(lacking), 'image')} ({some})",
            "a file for each image, or that you say whether a missing one means "
            "“no boxes” or “not evaluated”",
        )


def _outside(
    problems: Problems, entry: str, image: str, regions: Sequence[Region], size: Size
) -> None:
    for number, region in enumerate(regions, 1):
        left, top, right, bottom = region.box
        over = max(-left, -top, right - size[0], bottom - size[1])
        if over > 0:
            problems.warning(
                "L6",
                f"region {number} reaches {over:g} px outside {image}",
                f"coordinates within {size[0]} x {size[1]}",
                entry,
                action=KEPT,
            )


def check_photographs(
    given: Given, truth: Rows, rows: Rows, progress: Progress | None = None
) -> Checked:
    """Verify photographs against ground truth. The rows are image, hash, type, width, height, entry."""
    problems = Problems(source_name(given.source, given.name))
    regions = {image: encoded["regions"] for image, encoded in truth}
    nearest = Nearest(regions)
    place: dict[str, str] = {}
    found: list[Sequence[Any]] = []
    for entry, photograph in read_photographs(given.source, problems):
        stem, path = Path(entry.name).stem, entry.path
        if stem not in regions:
            problems.warning(
                "N2",
                f"a photograph without ground truth{nearest.hint(stem)}",
                "gt_NAME.txt for each",
                path,
                action="left out",
            )
        elif stem in place:
            problems.error(
                "N3", f"a second photograph of {stem} (beside {place[stem]})", "one", path
            )
        else:
            place[stem] = path
            size = photograph.width, photograph.height
            found.append([stem, photograph.sha256, photograph.content_type, *size, path])
            points = [Region(tuple(region["points"])) for region in regions[stem]]
            _outside(problems, path, stem, points, size)
            if progress is not None:
                progress(len(place), len(regions))
    for image in regions:
        if image not in place:
            problems.error("N4", f"no photograph of {image}", f"{image}.jpg, .png or .webp")
    rows.write(iter(found))
    counts = {"photographs": len(found)}
    return Checked(given, rows, problems, counts)


def check_scores(given: Given, known: Known, rows: Rows) -> Checked:
    """Read scores. The rows are method, image, recall, precision, all of a method together."""
    table = read_scores(given.source, name=given.name)
    problems = Problems(table.name, list(table.problems), Counter(p.code for p in table.problems))
    nearest_image, nearest_method = Nearest(known.images), Nearest(known.evaluated)
    for row in table.rows:
        _check_score(row, known, nearest_image, nearest_method, problems)
    n_missing = _n_unscored(table, known)
    if n_missing and not problems.has_errors:
        problems.warning(
            "S3",
            f"no score for {counted(n_missing, 'result')}",
            "one for each",
            action="left undefined",
        )
    if not table.rows and not problems.has_errors:
        problems.error("S3", "no score", "at least one line below the header")
    ordered = sorted(table.rows, key=lambda row: row.method)
    rows.write((row.method, row.image, row.recall, row.precision) for row in ordered)
    counts = {"scores": len(table.rows), "missing": n_missing}
    return Checked(given, rows, problems, counts)


def _check_score(
    row: ScoreRow, known: Known, images: Nearest, methods: Nearest, problems: Problems
) -> None:
    if row.image not in known.images:
        expected = f"an image of the dataset{images.hint(row.image)}"
        problems.error("S1", f"the image “{row.image}”", expected, line=row.line)
    elif row.method not in known.evaluated:
        expected = f"a method of the dataset{methods.hint(row.method)}"
        problems.error("S1", f"the method “{row.method}”", expected, line=row.line)
    else:
        evaluated = known.evaluated[row.method]
        if evaluated is not None and row.image not in evaluated:
            found = f"a score of {row.method} on {row.image}, where it was not evaluated"
            problems.error("S1", found, "scores of results that are loaded", line=row.line)


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


def methods_together(rows: Iterable[list[Any]]) -> Iterator[tuple[str, Iterator[list[Any]]]]:
    """Return the rows of check_scores, one method after the other."""
    return groupby(rows, key=lambda row: row[0])


KINDS_IN_ORDER: Final = (
    FileKind.TRUTH,
    FileKind.PHOTOGRAPHS,
    FileKind.RESULTS,
    FileKind.SCORES,
    FileKind.USERS,
)


def evaluated_after(checked: Checked, missing: str | None) -> Collection[str] | None:
    """Return the images that a checked file of results gives a result on; None: all of them."""
    if not checked.counts["absent"] or missing == Missing.EMPTY:
        return None
    return {row[0] for row in checked.rows}


def images_of(truth: Rows, photographs: Rows | None) -> dict[str, Size | None]:
    """Return the images of a dataset that is about to be loaded, with their sizes where known."""
    sizes = {row[0]: (row[3], row[4]) for row in photographs or ()}
    return {row[0]: sizes.get(row[0]) for row in truth}
