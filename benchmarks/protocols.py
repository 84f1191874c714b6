"""Time each protocol: reading and scoring separately, compared with plain loops.

    python -m benchmarks.protocols [--data DIR] [--quick]

Public result sets are read from DIR (../shared/data); missing ones are skipped with a message.
Nothing here passes or fails.
"""

import argparse
import gc
import io
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import cos, sin
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from benchmarks import pages
from protocols import registry
from protocols.command_line.table_folders import Track, evaluate_folders
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.formats.containers.contents import Kind, LineFormat
from protocols.formats.readers.ctdar import DocumentError, read_file, read_folder
from protocols.formats.readers.rrc import read_archive
from protocols.formats.readers.rrc_lines import Rules
from protocols.formats.writing.regions import write_rrc_zip
from tests.support.plain import PLAIN

ROOT = Path(__file__).resolve().parents[1]
Answer = TypeVar("Answer")
PAPER = (
    *("iou", "deteval", "icdar13"),
    *("evaltex", "evaltex-no-split", "evaltex-emd", "evaltex-emd-no-split"),
)
# Protocols that do not score words in photographs, or that need several result sets.
APART = ("table-structure", "no-ground-truth")


@dataclass(frozen=True)
class ResultSet:
    """A public result set, and the protocols measured on it."""

    data: str
    method: str
    line_format: LineFormat
    slugs: Sequence[str]
    keep_quotes: bool = False
    # The plain versions score every n-th image; their seconds are scaled up.
    plain_every: int = 1

    @property
    def name(self) -> str:
        return f"{self.data} {self.method}"


def slugs_for(*needs: str) -> list[str]:
    return [slug for slug, of in registry.PROTOCOLS.items() if of.needs in needs]


QUAD, LTRB = LineFormat.QUAD, LineFormat.LTRB
SENTINELS = filter(registry.is_sentinel, sorted(registry.PROTOCOLS))
BOXES = ("icdar13", "deteval", "deteval-wolf", *PAPER[3:], "iou", *SENTINELS)
DOCUMENTS = ("cleval", *slugs_for("detected text"))
RESULT_SETS = (
    ResultSet("icdar2015", "pixellink", QUAD, slugs_for("regions", "text")),
    ResultSet("icdar2015", "fcn-blocks", QUAD, ("average-precision",)),
    ResultSet("icdar2013", "east-argman", LTRB, BOXES),
    ResultSet("icdar2013", "ccswt-jan10", LTRB, BOXES),
    ResultSet("clova-doc", "example", QUAD, DOCUMENTS, keep_quotes=True, plain_every=10),
    ResultSet("ctw1500", "ctd", LineFormat.POLYGON, ("tiou",)),
)


@dataclass(frozen=True)
class Row:
    """The measurements of one protocol on one set of data."""

    protocol: str
    data: str
    n_images: int
    n_regions: int
    read_seconds: float | None
    score_seconds: float
    peak_mib: float | None = None
    plain_seconds: float | None = None

    @property
    def times_plain(self) -> float | None:
        return self.plain_seconds / self.score_seconds if self.plain_seconds else None

    @property
    def regions_per_second(self) -> float:
        return self.n_regions / self.score_seconds


def shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


# Title, width and text of each column; a negative width aligns to the right.
COLUMNS: tuple[tuple[str, int, Callable[[Row], str]], ...] = (
    ("protocol", 20, lambda row: row.protocol),
    ("data", 42, lambda row: row.data),
    ("images", -7, lambda row: f"{row.n_images:,}"),
    ("regions", -8, lambda row: f"{row.n_regions:,}"),
    ("read s", -8, lambda row: shown(row.read_seconds, ".3f")),
    ("score s", -8, lambda row: f"{row.score_seconds:.4f}"),
    ("plain s", -8, lambda row: shown(row.plain_seconds, ".3f")),
    ("/plain", -7, lambda row: shown(row.times_plain, ".1f")),
    ("regions/s", -10, lambda row: f"{row.regions_per_second:,.0f}"),
    ("MiB", -7, lambda row: shown(row.peak_mib, ".1f")),
)


def line_of(cells: Iterable[str]) -> str:
    return " ".join(
        f"{cell:<{width}}" if width > 0 else f"{cell:>{-width}}"
        for cell, (_, width, _) in zip(cells, COLUMNS, strict=True)
    )


def show(row: Row) -> None:
    print(line_of(text(row) for _, _, text in COLUMNS), flush=True)


def best(work: Callable[[], Answer], repeats: int) -> tuple[float, Answer]:
    """Return the shortest time of a few runs, and the last answer.

    Objects already in memory are hidden from the garbage collector, which would add to the time.
    """
    seconds = []
    for _ in range(repeats):
        gc.collect()
        gc.freeze()
        started = perf_counter()
        answer = work()
        seconds.append(perf_counter() - started)
        gc.unfreeze()
    return min(seconds), answer


def peak_mib(work: Callable[[], Any]) -> float:
    """Return the peak memory of Python and numpy during one more run."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def n_regions(scenes: Iterable[Scene]) -> int:
    return sum(len(scene.truth) + len(scene.detections or ()) for scene in scenes)


def scored(
    slug: str,
    data: str,
    scenes: Sequence[Scene],
    read_seconds: float | None,
    repeats: int,
    plain_every: int | None = None,
) -> Row:
    """Time a protocol, and its plain version on every n-th image."""
    protocol = registry.get(slug)

    def work() -> Any:
        return protocol.overall(protocol.score(scenes))

    seconds, _ = best(work, repeats)
    row = Row(slug, data, len(scenes), n_regions(scenes), read_seconds, seconds, peak_mib(work))
    if plain_every is None or slug not in PLAIN:
        return row
    some, plain = scenes[::plain_every], PLAIN[slug]
    seconds, _ = best(lambda: [plain(scene.truth, scene.detections) for scene in some], 1)
    return replace(row, plain_seconds=seconds * len(scenes) / len(some))


def read_sets(truth: Any, results: Iterable[Any], rules: Rules) -> list[list[Scene]]:
    """Read ground truth and result sets, and return the scenes of each set."""
    expected = read_archive(truth, kind="truth", name="gt.zip", rules=rules)
    return [
        [
            Scene(regions, found.regions.get(image), image)
            for image, regions in expected.regions.items()
        ]
        for found in (
            read_archive(source, kind="results", name="results.zip", rules=rules)
            for source in results
        )
    ]


def time_result_sets(folder: Path, repeats: int) -> None:
    for of in RESULT_SETS:
        truth, results = folder / of.data / "gt.zip", folder / of.data / f"{of.method}.zip"
        if not (truth.exists() and results.exists()):
            print(f"{of.name} is left out: its files are not in the data folder.")
            continue
        rules = Rules(line_format=of.line_format, keep_quotes=of.keep_quotes)
        seconds, [scenes] = best(partial(read_sets, truth, [results], rules), repeats)
        for slug in of.slugs:
            if slug not in APART:
                show(scored(slug, of.name, scenes, seconds, repeats, of.plain_every))


def time_votes(data: str, sets: Sequence[Sequence[Scene]], read_seconds: float | None) -> None:
    """Time the protocol without ground truth, which scores several result sets together."""
    protocol = registry.get("no-ground-truth")
    named = {str(at): scenes for at, scenes in enumerate(sets)}
    seconds, _ = best(lambda: protocol.score_methods(named), 1)
    n = sum(len(scene.detections or ()) for scenes in sets for scene in scenes)
    show(Row(protocol.slug, data, len(sets[0]), n, read_seconds, seconds))


def time_tables(folder: Path, repeats: int) -> None:
    tracks: tuple[tuple[str, Track], ...] = (("table-detection", "A"), ("table-structure", "B"))
    for slug, track in tracks:
        truth = folder / "ctdar2019" / f"track{track}" / "gt"
        results = truth.parent / "results"
        folders = sorted(results.iterdir()) if results.is_dir() else []
        data = f"ctdar2019 track{track}"
        if not truth.is_dir() or not folders:
            print(f"{data} is left out: its files are not in the data folder.")
            continue
        read_seconds, n = best(partial(n_in_documents, track, truth, folders), repeats)
        evaluate = partial(evaluated, track, truth, folders)
        seconds, n_images = best(evaluate, repeats)
        # Evaluating includes reading, which is subtracted; both are the best of several runs.
        scoring = max(seconds - read_seconds, 1e-6)
        data = f"{data}, {len(folders)} sets"
        show(Row(slug, data, n_images, n, read_seconds, scoring, peak_mib(evaluate)))


def evaluated(track: Track, truth: Path, folders: Sequence[Path]) -> int:
    """Evaluate result sets, and return their number of images."""
    return sum(len(evaluate_folders(track, truth, folder)["images"]) for folder in folders)


def n_in_documents(track: Track, truth: Path, folders: Sequence[Path]) -> int:
    """Return how many regions the documents have; unreadable results count as empty."""
    n = 0
    for folder in folders:
        for path in (*read_folder(truth).values(), *read_folder(folder).values()):
            with suppress(DocumentError):
                n += len(read_file(path, with_cells=track == "B"))
    return n


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(rng: random.Random, left: float, top: float, **fields: Any) -> Region:
    """Draw a word: a box, upright or (half of them) rotated, with corners on whole pixels."""
    length, height = rng.randint(20, 90), rng.randint(10, 30)
    lean = rng.choice([0.0, rng.uniform(-0.5, 0.5)])
    along, down = (cos(lean), sin(lean)), (-sin(lean), cos(lean))
    points = [
        value
        for a, b in ((0, 0), (length, 0), (length, height), (0, height))
        for value in (left + a * along[0] + b * down[0], top + a * along[1] + b * down[1])
    ]
    text = "".join(rng.choices(LETTERS, k=rng.randint(1, 10)))
    return Region(tuple(float(round(value)) for value in points), text=text, **fields)


def found_in(rng: random.Random, truth: Sequence[Region], least: float) -> Iterator[Region]:
    """Yield detections of most words, moved a little, some of them twice, and some false ones."""
    for region in truth:
        for _ in range(rng.choices((0, 1, 2), (1, 8, 1))[0]):
            moves = [rng.randint(-3, 3), rng.randint(-2, 2)] * 4
            points = tuple(v + move for v, move in zip(region.points, moves, strict=True))
            yield Region(points, text=region.text, confidence=round(rng.random(), 2))
        if rng.random() < 0.1:
            beside = word(rng, least + rng.random() * 900, least + rng.random() * 600)
            yield replace(beside, confidence=round(rng.random(), 2))


def drawn_truth(rng: random.Random, n: int, side: float) -> tuple[Region, ...]:
    regions = (word(rng, rng.random() * side, rng.random() * side) for _ in range(n))
    return tuple(
        replace(region, text="###", ignored=True) if rng.random() < 0.2 else region
        for region in regions
    )


def drawn_images(seed: int, n_images: int, n_words: int, side: float) -> list[Scene]:
    """Draw images of about ``n_words`` words each, with the detections of one result set."""
    rng = random.Random(seed)
    scenes = []
    for at in range(n_images):
        n = n_words if n_images == 1 else rng.randint(1, 2 * n_words - 1)
        truth = drawn_truth(rng, n, side)
        scenes.append(Scene(truth, tuple(found_in(rng, truth, 100)), str(at)))
    return scenes


def scattered(seed: int, n: int) -> list[Scene]:
    """Draw one image of n words; the more words, the larger the image."""
    return drawn_images(seed, 1, n, 90 * n**0.5)


def time_the_paper(repeats: int, *, n_images: int, n_methods: int) -> None:
    """Time the seven protocols of the paper on generated result sets, read from zips."""
    rng = random.Random(1)
    truth = {f"img_{at}": drawn_truth(rng, rng.randint(1, 9), 800) for at in range(1, n_images + 1)}
    zips = []
    for _ in range(n_methods):
        found = {image: found_in(rng, regions, 100) for image, regions in truth.items()}
        without_text = {
            image: [replace(region, text=None) for region in regions]
            for image, regions in found.items()
        }
        zips.append(zip_of(without_text, "results"))
    truth_zip = zip_of(truth, "truth")

    def read() -> list[list[Scene]]:
        return read_sets(io.BytesIO(truth_zip), map(io.BytesIO, zips), Rules(line_format=QUAD))

    protocols = [registry.get(slug) for slug in PAPER]

    def score() -> None:
        for scenes in sets:
            scores = registry.score_together(protocols, scenes)
            for protocol, of in zip(protocols, scores, strict=True):
                protocol.overall(of)

    read_seconds, sets = best(read, repeats)
    seconds, _ = best(score, repeats)
    n, name, peak = sum(map(n_regions, sets)), f"generated, {n_methods} methods", peak_mib(score)
    title = "the 7 of the paper"
    show(Row(title, name, n_images, n, read_seconds, seconds, peak))
    time_votes(name, [scenes[::10] for scenes in sets], None)


def zip_of(regions: Mapping[str, Sequence[Region]], kind: Kind) -> bytes:
    stream = io.BytesIO()
    write_rrc_zip(stream, regions, kind=kind, line_format=QUAD)
    return stream.getvalue()


def time_generated(slugs: Sequence[str], sizes: "Sizes", repeats: int) -> None:
    one, many = scattered(2, sizes.regions[-1]), drawn_images(3, sizes.images[-1], 3, 600)
    for slug in slugs:
        name = f"generated, {sizes.regions[-1]} words in one image"
        show(scored(slug, name, one, None, repeats))
        name = f"generated, {sizes.images[-1]} images"
        plain_every = max(1, len(many) // 500)
        show(scored(slug, name, many, None, repeats, plain_every))


def check_growth(slugs: Sequence[str], sizes: "Sizes", repeats: int) -> None:
    """Time each protocol on data of several sizes; twice as much should take twice as long."""
    by_images = [drawn_images(3, n, 3, 600) for n in sizes.images]
    by_regions = [scattered(2, n) for n in sizes.regions]
    for what, of_sizes, bodies in (
        ("images", sizes.images, by_images),
        ("words in one image", sizes.regions, by_regions),
    ):
        print(f"\nSeconds by number of {what}, and how they grow from size to size")
        print(f"{'':<22}" + "".join(f"{n:>10,}" for n in of_sizes))
        for slug in slugs:
            protocol = registry.get(slug)
            seconds = [best(partial(protocol.score, scenes), repeats)[0] for scenes in bodies]
            ratios = [b / a for a, b in pairwise(seconds)]
            times = "".join(f"{value:>10.4f}" for value in seconds)
            print(
                f"{slug:<22}{times}   {' '.join(f'x{ratio:.1f}' for ratio in ratios)}", flush=True
            )


@dataclass(frozen=True)
class Sizes:
    """Sizes of generated data: numbers of images, and of words in a single image."""

    images: tuple[int, ...]
    regions: tuple[int, ...]


FULL = Sizes((1_250, 2_500, 5_000, 10_000), (250, 500, 1_000, 2_000))
QUICK = Sizes((10, 20), (20, 40))


def process_start_seconds() -> float:
    command = [sys.executable, "-c", "import protocols.registry"]
    return best(lambda: subprocess.run(command, cwd=ROOT, check=True), 3)[0]


EXPLAINED = """\
read s, score s: best of {repeats}, inside one process; a process takes {start:.2f} s to start and import.
  The garbage collector sees only what is made meanwhile.
plain s: one run of plain loops over all pairs of an image (tests/support/plain.py), scoring only; on
  documents every 10th image, and of generated images at most about 500, multiplied.
/plain: plain s over score s.
regions/s: truths and detections over score s. MiB: the most that Python and numpy held, in a run apart.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="small generated data, one run each")
    options = parser.parse_args(arguments)
    slugs = [slug for slug in registry.PROTOCOLS if slug not in APART]
    repeats, sizes = (1, QUICK) if options.quick else (3, FULL)
    start = process_start_seconds()
    print(EXPLAINED.format(repeats=repeats, start=start))
    print(line_of(title for title, _, _ in COLUMNS))
    time_result_sets(options.data, repeats)
    time_tables(options.data, repeats)
    n_images, n_methods = (10, 3) if options.quick else (233, 10)
    time_the_paper(repeats, n_images=n_images, n_methods=n_methods)
    time_generated(slugs, sizes, repeats)
    check_growth(slugs, sizes, repeats)


if __name__ == "__main__":
    pages.run(main)
