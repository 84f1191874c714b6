"""Checking the files of a load: findings are reported; nothing is written to the database.

The rows go to disk (`staging.Rows`), one archive at a time, and are loaded from there.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final, cast

from django.utils.translation import gettext as _

from annotate.datasets.photographs import Photograph, read_photographs
from annotate.jobs.errors import JobFailed
from protocols.core.regions import Region, canonical_bytes, encode_regions
from protocols.diagnostics.inspection import Noticed
from protocols.diagnostics.readings import AS_WRITTEN, STORED
from protocols.formats.containers.archives import opened_once
from protocols.formats.containers.checking import Meaning
from protocols.formats.containers.contents import Archive, Kind
from protocols.formats.containers.files import Source
from protocols.formats.problems import LEFT_OUT, Nearest, Problems
from protocols.loading.looking import Truth, look_alone, look_at_results
from protocols.loading.opening import opened

from . import staging
from .frames import tell_missing_photographs, tell_turned
from .known import Known
from .models import DraftFile, Missing
from .staging import Rows

# Called with how much of the check is done, and the total; it may raise to stop the work.
Progress = Callable[[int, int], None]
Size = tuple[int, int]
# Maximum number of boxes drawn on a picture.
MAX_DRAWN: Final = 1000
# Upper ends of the classes of the histogram; the last is open.
HISTOGRAM: Final = (0, 1, 2, 5, 10, 20, 50, 100)
_N_RANDOM: Final = 5
_N_WORST: Final = 5


@dataclass(frozen=True, slots=True)
class Given:
    """A file of a draft, its path, and what its readers read: the path, or the zip once opened."""

    file: DraftFile
    path: Path
    source: Source

    @classmethod
    def of(cls, file: DraftFile, paths: Mapping[int, Path]) -> "Given":
        """Return a file with its path; ``paths`` has those of files read in place, by key."""
        if file.pk in paths:
            return cls(file, paths[file.pk], paths[file.pk])
        path = staging.path_of(file.draft_id, file.sha256)
        if not path.exists():
            raise JobFailed(
                _(
                    "{file} waited too long and is no longer here. Remove it, and add it again."
                ).format(file=file.name)
            )
        return cls(file, path, path)

    @contextmanager
    def opened(self) -> Iterator["Given"]:
        """Open a zip once for all readers of the file."""
        with opened_once(self.path) as source:
            yield replace(self, source=source)


@dataclass
class Example:
    """An image to look at: the regions in a file, and the number of its problems."""

    image: str
    regions: dict[str, Any]
    n_problems: int = 0


@dataclass
class Checked:
    """The outcome of checking one file."""

    rows: Rows
    problems: Problems
    counts: dict[str, Any] = field(default_factory=dict)
    line_format: str = ""
    encodings: Mapping[str, str] = field(default_factory=dict)
    formats: Sequence[str] = ()
    at_random: list[Example] = field(default_factory=list)
    worst: list[Example] = field(default_factory=list)
    # Of ground truth and results: what was noticed, without the regions.
    noticed: Noticed | None = None
    # Of ground truth.
    known: Truth | None = None


def check_truth(
    given: Given, rows: Rows, progress: Progress, sizes: Callable[[], dict[str, Size]] = dict
) -> Checked:
    """Read ground truth. The rows are image and regions, in natural order of the images.

    ``sizes`` returns those of the photographs.
    """
    of_photographs = sizes()
    archive = _opened(given, "truth", progress, lambda: of_photographs)
    known_sizes = {**archive.sizes, **of_photographs}
    noticed = look_alone(archive, of_photographs, given.file.reading)
    archive = noticed.archive
    problems = archive.collected()
    if not archive.regions and not archive.errors:
        problems.error(
            "A1", _("no ground-truth file"), _("{pattern} in a zip").format(pattern="gt_NAME.txt")
        )
    checked = _checked(rows, problems, noticed)
    rows.write((image, encode_regions(regions)) for image, regions in archive.regions.items())
    _choose_examples(checked, archive, archive.regions)
    known = Truth.of(archive, known_sizes, of_photographs)
    checked.known = replace(known, ids=_without_regions(archive))
    checked.counts |= {
        "images": len(archive.regions),
        "regions": archive.n_regions,
        "ignored": archive.n_ignored,
        "histogram": _histogram(map(len, archive.regions.values())),
        "read_as": _read_as_of(given, archive),
    }
    return checked


def check_results(given: Given, known: Known, rows: Rows, progress: Progress) -> Checked:
    """Read results of methods.

    The rows are method, image, regions, their number and the hash of the drawn shapes, grouped by
    method. A file without method names belongs to the method given with it.
    """
    reading, truth = given.file.reading, known.truth
    read_it = partial(_opened, given, "results", progress, lambda: truth.sizes)
    noticed = look_at_results(
        *(read_it(reading=reading, shape=truth.shape), truth, reading),
        cast("Meaning | None", given.file.missing or None),
        asks=True,
        source=given.source,
        read_as=lambda format: read_it(format=format),
    )
    archive = noticed.archive
    problems = archive.collected()
    checked = _checked(rows, problems, noticed)
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
    rows.write(_rows_of(by_method))
    for by_image in by_method.values():
        _choose_examples(checked, archive, by_image)
    counts = {method: _counts(by_image, known) for method, by_image in by_method.items()}
    fits = {name or given.file.title: of for name, of in noticed.fits.items()}
    totals = {
        key: sum(of_method[key] for of_method in counts.values())
        for key in ("results", "boxes", "empty", "absent")
    }
    n_boxes = (len(regions) for by_image in by_method.values() for regions in by_image.values())
    checked.counts |= totals | {"methods": counts, "histogram": _histogram(n_boxes), "fits": fits}
    checked.counts["read_as"] = _read_as_of(given, archive)
    if noticed.is_misread and noticed.offer is not None:
        checked.counts["fitting"] = noticed.offer.reading
    return checked


def _checked(rows: Rows, problems: Problems, noticed: Noticed) -> Checked:
    archive = noticed.archive
    of_lines = archive.line_format, archive.encodings, archive.formats
    counts = {"account": archive.account.as_data()}
    return Checked(
        rows,
        problems,
        counts,
        *of_lines,
        noticed=replace(noticed, archive=_without_regions(archive)),
    )


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


def _opened(
    given: Given,
    kind: Kind,
    progress: Progress,
    sizes: Callable[[], dict[str, Size]],
    *,
    format: str = "",
    **options: str,
) -> Archive:
    return opened(
        given.source,
        kind,
        format or given.file.format or None,
        **options,
        name=given.file.name,
        on_entry=progress,
        sizes=sizes,
        encoding=given.file.encoding or None,
    )


def _choose_examples(
    checked: Checked, archive: Archive, regions: Mapping[str, Sequence[Region]]
) -> None:
    """Choose the example images: some at random, and those with the most problems."""
    shown = list(regions)
    # Checking a file again gives the same images, so that people can discuss a report.
    rng = random.Random(archive.name)  # nosec B311
    per_entry = Counter(problem.entry for problem in checked.problems.found if problem.entry)
    n_problems = {
        image: per_entry[archive.entries[image]]
        for image in shown
        if archive.entries.get(image) in per_entry
    }
    worst = sorted(n_problems, key=lambda image: -n_problems[image])[:_N_WORST]
    at_random = rng.sample(shown, min(_N_RANDOM, len(shown)))
    for names, chosen in ((at_random, checked.at_random), (worst, checked.worst)):
        for image in names:
            drawn = encode_regions(regions[image][:MAX_DRAWN])
            chosen.append(Example(image, drawn, n_problems.get(image, 0)))


def _histogram(numbers: Iterable[int]) -> list[int]:
    """Count the images by their number of boxes, in one class more than HISTOGRAM has entries."""
    counts = [0] * (len(HISTOGRAM) + 1)
    for number in numbers:
        counts[next((at for at, end in enumerate(HISTOGRAM) if number <= end), -1)] += 1
    return counts


def check_photographs(
    given: Given,
    truth: Iterable[Sequence[Any]],
    rows: Rows,
    progress: Progress,
    held: Mapping[str, tuple[Collection[str], str]] | None = None,
) -> Checked:
    """Check photographs against ground truth, of which each row begins with an image.

    ``held`` are images that get no photograph: the hashes of the one they have, and the reason.
    Rows: image, hash, type, width, height, entry, orientation.
    """
    problems = Problems(given.file.name)
    regions = {image: None for image, *_truth in truth}
    held = held or {}
    nearest = Nearest([*regions, *held])
    place: dict[str, str] = {}
    found: dict[str, Photograph] = {}
    # By hash, the first image with the photograph.
    same: dict[str, str] = {}
    verified: list[Sequence[Any]] = []
    strange: list[str] = []
    turns_webp = given.file.reading == STORED
    for entry, photograph in read_photographs(given.source, problems, turns_webp=turns_webp):
        stem, path = Path(entry.name).stem, entry.path
        if stem in held:
            hashes, reason = held[stem]
            if photograph.sha256 not in hashes:
                problems.warning("N3", reason, _("an image without one"), path, action=LEFT_OUT)
        elif stem not in regions:
            strange.append(stem)
            told = _("a photograph without ground truth{hint}").format(hint=nearest.hint(stem))
            problems.warning(
                "N2",
                told,
                _("{pattern} for each").format(pattern="gt_NAME.txt"),
                path,
                action=_("left out"),
            )
        elif stem in place:
            told = _("a second photograph of {stem} (the other: {place})").format(
                stem=stem, place=place[stem]
            )
            problems.error("N3", told, _("one"), path)
        else:
            place[stem] = path
            size = photograph.width, photograph.height
            if (first := same.setdefault(photograph.sha256, stem)) != stem:
                told = _("the same photograph as that of {image}").format(image=first)
                action = _("loaded; people would judge one picture twice")
                problems.warning("P2", told, _("a photograph of its own"), path, action=action)
            row = [stem, photograph.sha256, photograph.content_type, *size, path]
            verified.append([*row, photograph.orientation])
            found[stem] = photograph
            progress(len(place), len(regions))
    if place or strange or not held:
        tell_missing_photographs(problems, list(regions), place, strange)
    n_turned = tell_turned(problems, found, given.file.reading)
    rows.write(iter(verified))
    return Checked(rows, problems, {"photographs": len(verified), "turned": n_turned})


def methods_together(rows: Iterable[list[Any]]) -> Iterator[tuple[str, Iterator[list[Any]]]]:
    """Group rows by their method, the first column."""
    return groupby(rows, key=lambda row: row[0])


def evaluated_after(checked: Checked, missing: str | None) -> dict[str, Collection[str] | None]:
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
