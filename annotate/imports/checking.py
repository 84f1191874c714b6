"""Reading the files of a load and saying what is odd or wrong; nothing is written to the database.

What was read goes as rows to disk (`staging.Rows`), one archive at a time, and is loaded from there.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from annotate.datasets.models import Dataset, Result
from annotate.jobs.errors import JobFailed
from protocols.core.regions import Region, canonical_bytes, decode_regions, encode_regions
from protocols.formats.checking import missing_images, outside_images, unknown_images
from protocols.formats.contents import Archive, Kind, LineFormat
from protocols.formats.guessing import guess
from protocols.formats.problems import Nearest, Problem, Problems, counted
from protocols.formats.reading import read
from protocols.formats.scores import ScoreRow, ScoreTable, Unit, read_scores

from . import staging
from .models import DraftFile, Missing
from .photographs import read_photographs
from .staging import Rows

# "done of total" of what a person waits for; it may raise to stop the work.
Progress = Callable[[int, int], None]
Size = tuple[int, int]
# A picture of more boxes than these is drawn without the rest.
MAX_DRAWN: Final = 1000
# Upper ends of the classes of the histogram; the last is open.
HISTOGRAM: Final = (0, 1, 2, 5, 10, 20, 50, 100)
# What somebody said of scores above 1; None asks.
_UNITS: Final[Mapping[bool | None, Unit | None]] = {True: "per cent", False: "fraction", None: None}
_N_RANDOM: Final = 5
_N_WORST: Final = 5


@dataclass(frozen=True, slots=True)
class Given:
    """A file to load, as somebody described it."""

    path: Path
    name: str
    kind: str
    # The method of results, the protocol of scores.
    title: str = ""
    format: str | None = None
    missing: str | None = None
    per_cent: bool | None = None

    @classmethod
    def of(cls, file: DraftFile, paths: Mapping[int, Path]) -> "Given":
        """Describe a file of a draft; ``paths`` says, by key, where those lie that were not kept."""
        path = paths.get(file.pk)
        if path is None:
            path = staging.path_of(file.sha256)
            if not path.exists():
                raise JobFailed(
                    f"{file.name} waited too long and is no longer here. Remove it, and add it again."
                )
        return cls(
            path=path,
            name=file.name,
            kind=file.kind,
            title=file.title,
            format=file.format or None,
            missing=file.missing or None,
            per_cent=file.per_cent,
        )


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
    problems: Problems
    counts: dict[str, Any] = field(default_factory=dict)
    line_format: str = ""
    at_random: list[Example] = field(default_factory=list)
    worst: list[Example] = field(default_factory=list)


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
    if archive.methods:
        problems.error(
            "N3", "regions of several methods", "ground truth, which is one for each image"
        )
    elif not archive.regions and not archive.errors:
        problems.error("A1", "no ground-truth file", "gt_NAME.txt in a zip")
    checked = Checked(given, rows, problems, line_format=archive.line_format)
    rows.write((image, encode_regions(found)) for image, found in archive.regions.items())
    _choose_examples(checked, archive, archive.regions)
    checked.counts = {
        "images": len(archive.regions),
        "regions": archive.n_regions,
        "ignored": archive.n_ignored,
        "histogram": _histogram(map(len, archive.regions.values())),
    }
    return checked


def check_results(
    given: Given, known: Known, rows: Rows, progress: Progress | None = None
) -> Checked:
    """Read what methods found.

    The rows are method, image, regions, their number and the hash of what is drawn, all of a method
    together. A file that names no methods is of the one it was given with.
    """
    archive = _read(given, "results", known.line_format, progress)
    problems = _problems_of(archive)
    for fault in unknown_images(archive, known.images):
        problems.add(fault)
    if not archive.errors:
        for fault in missing_images(archive, known.images, given.missing or None):  # type: ignore[arg-type]
            problems.add(fault)
    sizes = {image: size for image, size in known.images.items() if size is not None}
    for fault in outside_images(archive, sizes):
        problems.add(fault)
    checked = Checked(given, rows, problems, line_format=archive.line_format)
    methods = {
        name or given.title: {
            image: regions for image, regions in found.items() if image in known.images
        }
        for name, found in archive.by_method.items()
    }
    rows.write(
        (
            method,
            image,
            encode_regions(regions),
            len(regions),
            sha256(canonical_bytes(regions)).hexdigest(),
        )
        for method, found in methods.items()
        for image, regions in found.items()
    )
    for found in methods.values():
        _choose_examples(checked, archive, found)
    of_methods = {name: _counts(found, known) for name, found in methods.items()}
    totals = {
        key: sum(counts[key] for counts in of_methods.values())
        for key in ("results", "boxes", "empty", "absent")
    }
    n_boxes = (len(regions) for found in methods.values() for regions in found.values())
    checked.counts = totals | {"methods": of_methods, "histogram": _histogram(n_boxes)}
    return checked


def _counts(found: Mapping[str, Sequence[Region]], known: Known) -> dict[str, int]:
    return {
        "results": len(found),
        "boxes": sum(map(len, found.values())),
        "empty": sum(not regions for regions in found.values()),
        "absent": len(known.images) - len(found),
    }


def _read(given: Given, kind: Kind, line_format: str | None, progress: Progress | None) -> Archive:
    wanted = given.format
    if wanted is None and line_format is not None:
        # Few lines tell little of how they are meant: lines are read as the dataset's own are.
        guessed = guess(given.path, given.name).format
        wanted = line_format if guessed is None or guessed in {*LineFormat} else guessed
    return read(given.path, kind=kind, format=wanted, name=given.name, on_entry=progress)


def _problems_of(archive: Archive) -> Problems:
    """Return the archive's problems in a collection that takes more."""
    return Problems(archive.name, list(archive.problems), Counter(archive.counts))


def _choose_examples(
    checked: Checked, archive: Archive, regions: Mapping[str, Sequence[Region]]
) -> None:
    """Choose the images to look at: some at random, and those with most problems."""
    shown = list(regions)
    # The same images each time the same file is checked, so that a report can be talked about.
    rng = random.Random(archive.name)  # nosec B311
    per_entry = Counter(problem.entry for problem in checked.problems.found if problem.entry)
    n_problems = {
        image: per_entry[archive.entries[image]]
        for image in shown
        if archive.entries.get(image) in per_entry
    }
    worst = sorted(n_problems, key=lambda image: -n_problems[image])[:_N_WORST]
    for names, chosen in (
        (rng.sample(shown, min(_N_RANDOM, len(shown))), checked.at_random),
        (worst, checked.worst),
    ):
        chosen += [
            Example(
                image,
                encode_regions(regions[image][:MAX_DRAWN]),
                n_problems.get(image, 0),
            )
            for image in names
        ]


def _histogram(numbers: Iterable[int]) -> list[int]:
    """Count how many images have so many boxes; one class more than HISTOGRAM has ends."""
    counts = [0] * (len(HISTOGRAM) + 1)
    for number in numbers:
        counts[next((at for at, end in enumerate(HISTOGRAM) if number <= end), -1)] += 1
    return counts


def check_photographs(
    given: Given, truth: Rows, rows: Rows, progress: Progress | None = None
) -> Checked:
    """Verify photographs against ground truth. The rows are image, hash, type, width, height, entry."""
    problems = Problems(given.name)
    regions = {image: encoded["regions"] for image, encoded in truth}
    nearest = Nearest(regions)
    place: dict[str, str] = {}
    sizes: dict[str, Size] = {}
    found: list[Sequence[Any]] = []
    for entry, photograph in read_photographs(given.path, problems):
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
            sizes[stem] = size
            if progress is not None:
                progress(len(place), len(regions))
    for image in regions:
        if image not in place:
            problems.error("N4", f"no photograph of {image}", f"{image}.jpg, .png or .webp")
    for fault in _outside(truth, sizes, problems.archive):
        problems.add(fault)
    rows.write(iter(found))
    counts = {"photographs": len(found)}
    return Checked(given, rows, problems, counts)


def _outside(truth: Rows, sizes: Mapping[str, Size], name: str) -> Iterator[Problem]:
    """Compare ground truth with its photographs, one image at a time."""
    for image, encoded in truth:
        regions = decode_regions(encoded)
        one = Archive(name, LineFormat.POLYGON, {image: regions}, (), {})
        yield from outside_images(one, sizes)


def check_scores(given: Given, known: Known, rows: Rows) -> Checked:
    """Read scores. The rows are method, image, recall, precision, all of a method together."""
    table = read_scores(given.path, name=given.name, unit=_UNITS[given.per_cent])
    problems = Problems(table.name, list(table.problems), Counter(p.code for p in table.problems))
    nearest_image, nearest_method = Nearest(known.images), Nearest(known.evaluated)
    for row in table.rows:
        _check_score(row, known, nearest_image, nearest_method, problems)
    n_missing = _n_unscored(table, known)
    if n_missing and table.rows and not problems.has_errors:
        problems.warning(
            "S3",
            f"no score for {counted(n_missing, 'result')}",
            "one for each",
            action="left undefined",
        )
    is_asked = any(problem.severity == "question" for problem in problems.found)
    if not table.rows and not problems.has_errors and not is_asked:
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
    """Return rows that begin with their method, one method after the other."""
    return groupby(rows, key=lambda row: row[0])


def evaluated_after(checked: Checked, missing: str | None) -> dict[str, Collection[str] | None]:
    """Return by method the images that checked results are of; None: all of them."""
    evaluated: dict[str, Collection[str] | None] = {}
    partly: dict[str, set[str]] = {}
    for method, counts in checked.counts["methods"].items():
        is_full = not counts["absent"] or missing == Missing.EMPTY
        evaluated[method] = None if is_full else partly.setdefault(method, set())
    if partly:
        for method, image, *_ in checked.rows:
            if method in partly:
                partly[method].add(image)
    return evaluated


def images_of(truth: Rows, photographs: Rows | None) -> dict[str, Size | None]:
    """Return the images of a dataset that is about to be loaded, with their sizes where known."""
    sizes = {row[0]: (row[3], row[4]) for row in photographs or ()}
    return {row[0]: sizes.get(row[0]) for row in truth}
