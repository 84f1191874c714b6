"""Time each protocol: reading and scoring separately, compared with plain loops and published tools.

    python benchmarks/protocols.py [--data DIR] [--official DIR] [--typed] [--quick] [--json FILE]

Public result sets are read from DIR (../shared/data); missing ones are skipped with a message. The
competition's command is timed as users type it, and compared with the official scripts if
``--official`` names the folder of the user's own copies (benchmarks/as_typed.py). Nothing here
passes or fails.
"""

import argparse
import gc
import io
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from math import cos, sin
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[1]
# As a script, this file would hide the package of the same name.
sys.path.insert(0, str(ROOT))

from benchmarks.as_typed import Typed, measured, table  # noqa: E402
from benchmarks.plain import PLAIN  # noqa: E402
from protocols import registry  # noqa: E402
from protocols.command_line.table_folders import Track, evaluate_folders  # noqa: E402
from protocols.core.base import Scene  # noqa: E402
from protocols.core.regions import Region  # noqa: E402
from protocols.formats.containers.contents import Kind, LineFormat  # noqa: E402
from protocols.formats.readers.ctdar import DocumentError, read_file, read_folder  # noqa: E402
from protocols.formats.readers.rrc import read_archive  # noqa: E402
from protocols.formats.readers.rrc_lines import Rules  # noqa: E402
from protocols.formats.writing.regions import write_rrc_zip  # noqa: E402

Answer = TypeVar("Answer")
PAPER = (
    "iou",
    "deteval",
    "icdar13",
    "evaltex",
    "evaltex-no-split",
    "evaltex-emd",
    "evaltex-emd-no-split",
)
# Protocols that cannot say anything about words in photographs, or see more than one result set.
APART = ("table-structure", "no-ground-truth")
ICDAR2015 = (
    "pixellink",
    "east-argman",
    "east-resnet50",
    "east-paddle",
    "craft-torch",
    "craft-td-early",
    "craft-td-late",
    "fcn-blocks",
)


@dataclass(frozen=True)
class ResultSet:
    """A public result set, and the measurements on it."""

    data: str
    method: str
    line_format: LineFormat
    slugs: tuple[str, ...]
    keep_quotes: bool = False
    # The plain versions see every so manieth image; their seconds are multiplied.
    plain_every: int = 1

    @property
    def name(self) -> str:
        return f"{self.data} {self.method}"


WORDS = tuple(slug for slug, of in registry.PROTOCOLS.items() if of.needs in ("regions", "text"))
DOCUMENTS = tuple(slug for slug, of in registry.PROTOCOLS.items() if of.needs == "detected text")
BOXES = (
    "icdar13",
    "deteval",
    "deteval-wolf",
    *PAPER[3:],
    "iou",
    *filter(registry.is_sentinel, sorted(registry.PROTOCOLS)),
)
RESULT_SETS = (
    ResultSet("icdar2015", "pixellink", LineFormat.QUAD, WORDS),
    ResultSet("icdar2015", "fcn-blocks", LineFormat.QUAD, ("average-precision",)),
    ResultSet("icdar2013", "east-argman", LineFormat.LTRB, BOXES),
    ResultSet("icdar2013", "ccswt-jan10", LineFormat.LTRB, BOXES),
    ResultSet(
        "clova-doc",
        "example",
        LineFormat.QUAD,
        ("cleval", *DOCUMENTS),
        keep_quotes=True,
        plain_every=10,
    ),
    ResultSet("ctw1500", "ctd", LineFormat.POLYGON, ("tiou",)),
)


@dataclass(frozen=True)
class Row:
    """The seconds of one protocol on one body of data."""

    protocol: str
    data: str
    n_images: int
    n_regions: int
    read_seconds: float | None
    score_seconds: float
    peak_mib: float | None = None
    plain_seconds: float | None = None
    target: str | None = None
    target_met: bool | None = None

    @property
    def whole_seconds(self) -> float:
        return (self.read_seconds or 0.0) + self.score_seconds

    @property
    def times_plain(self) -> float | None:
        return self.plain_seconds / self.score_seconds if self.plain_seconds else None

    @property
    def regions_per_second(self) -> float:
        return self.n_regions / self.score_seconds

    def as_data(self) -> dict[str, Any]:
        ratios = ("times_plain", "regions_per_second")
        return asdict(self) | {name: getattr(self, name) for name in ratios}


def within(row: Row, seconds: float) -> Row:
    return replace(row, target=f"< {seconds:.0f} s", target_met=row.whole_seconds < seconds)


@dataclass
class Report:
    """All measurements, and the skipped ones."""

    about: Mapping[str, Any]
    rows: list[Row] = field(default_factory=list)
    growth: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    typed: list[Typed] = field(default_factory=list)

    def add(self, row: Row) -> None:
        self.rows.append(row)
        print(line_of(row), flush=True)

    def leave_out(self, sentence: str) -> None:
        self.left_out.append(sentence)
        print(sentence, flush=True)

    def as_data(self) -> dict[str, Any]:
        return {
            "about": dict(self.about),
            "rows": [row.as_data() for row in self.rows],
            "typed": [row.as_data() for row in self.typed],
            "growth": self.growth,
            "left_out": self.left_out,
        }


def best(work: Callable[[], Answer], repeats: int) -> tuple[float, Answer]:
    """Return the shortest time of a few runs, and the last answer.

    Objects already in memory are hidden from the garbage collector, or the other data here would count.
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
    """Return the most memory that Python and numpy held during one more run."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def n_regions(scenes: Sequence[Scene]) -> int:
    return sum(len(scene.truth) + len(scene.detections or ()) for scene in scenes)


def scored(
    slug: str, data: str, scenes: Sequence[Scene], read_seconds: float | None, repeats: int
) -> Row:
    protocol = registry.get(slug)

    def work() -> Any:
        return protocol.overall(protocol.score(scenes))

    seconds, _ = best(work, repeats)
    n_images = len(scenes)
    return Row(slug, data, n_images, n_regions(scenes), read_seconds, seconds, peak_mib(work))


def with_plain(row: Row, scenes: Sequence[Scene], every: int = 1) -> Row:
    """Add the seconds of the plain version, from every so manieth image."""
    if row.protocol not in PLAIN:
        return row
    some, plain = scenes[::every], PLAIN[row.protocol]
    seconds, _ = best(lambda: [plain(scene.truth, scene.detections) for scene in some], 1)
    return replace(row, plain_seconds=seconds * len(scenes) / len(some))


def read_scenes(truth: Any, results: Any, rules: Rules) -> list[Scene]:
    expected = read_archive(truth, kind="truth", name="gt.zip", rules=rules)
    found = read_archive(results, kind="results", name="results.zip", rules=rules)
    return [
        Scene(regions, found.regions.get(image), image)
        for image, regions in expected.regions.items()
    ]


def time_result_sets(report: Report, folder: Path, repeats: int) -> None:
    for of in RESULT_SETS:
        truth, results = folder / of.data / "gt.zip", folder / of.data / f"{of.method}.zip"
        if not (truth.exists() and results.exists()):
            report.leave_out(f"{of.name} is left out: its files are not in the data folder.")
            continue
        rules = Rules(line_format=of.line_format, keep_quotes=of.keep_quotes)
        seconds, scenes = best(lambda: read_scenes(truth, results, rules), repeats)  # noqa: B023
        for slug in of.slugs:
            if slug in APART:
                continue
            row = scored(slug, of.name, scenes, seconds, repeats)
            report.add(with_plain(row, scenes, of.plain_every))


def time_several_methods(report: Report, folder: Path, repeats: int) -> None:
    """No ground truth, and all protocols at once as a command, on the eight ICDAR 2015 sets."""
    paths = [folder / "icdar2015" / f"{method}.zip" for method in ICDAR2015]
    truth = folder / "icdar2015" / "gt.zip"
    if not all(path.exists() for path in [truth, *paths]):
        report.leave_out("The eight sets of ICDAR 2015 are left out: some of them are missing.")
        return
    rules = Rules(line_format=LineFormat.QUAD)

    def read() -> dict[str, list[Scene]]:
        return {path.stem: read_scenes(truth, path, rules) for path in paths}

    read_seconds, results = best(read, repeats)
    protocol = registry.get("no-ground-truth")
    seconds, _ = best(lambda: protocol.score_methods(results), 1)
    n_images = len(results[ICDAR2015[0]])
    n = sum(len(scene.detections or ()) for scenes in results.values() for scene in scenes)
    data = "icdar2015, 8 sets"
    report.add(Row("no-ground-truth", data, n_images, n, read_seconds, seconds))

    n = sum(map(n_regions, results.values()))
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "protocols", "score", "--protocol", "all"]
        command += ["--truth", str(truth), "--results", *map(str, paths)]
        command += ["--out", str(Path(out) / "scores.csv")]
        seconds, done = best(
            lambda: subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False),
            1,
        )
    if done.returncode:
        report.leave_out(f"All protocols at once are left out: {done.stderr.strip()[-300:]}")
        return
    name = f"{data}, {os.cpu_count()} cores, whole process"
    report.add(within(Row("all", name, n_images * len(paths), n, None, seconds), 20))


def time_tables(report: Report, folder: Path, repeats: int) -> None:
    tracks: tuple[tuple[str, Track, str], ...] = (
        ("table-detection", "A", "trackA"),
        ("table-structure", "B", "trackB"),
    )
    for slug, track, name in tracks:
        truth = folder / "ctdar2019" / name / "gt"
        results = truth.parent / "results"
        folders = sorted(results.iterdir()) if results.is_dir() else []
        if not truth.is_dir() or not folders:
            report.leave_out(f"ctdar2019 {name} is left out: its files are not in the data folder.")
            continue

        def read() -> int:
            return sum(
                n_read(path, with_cells=track == "B")  # noqa: B023
                for one in folders  # noqa: B023
                for path in [*read_folder(truth).values(), *read_folder(one).values()]  # noqa: B023
            )

        def evaluate() -> list[dict[str, Any]]:
            return [evaluate_folders(track, truth, one) for one in folders]  # noqa: B023

        read_seconds, n = best(read, repeats)
        seconds, answers = best(evaluate, repeats)
        n_images = sum(len(answer["images"]) for answer in answers)
        data = f"ctdar2019 {name}, {len(folders)} sets"
        # The whole is timed, reading included; both are the best of several runs.
        scoring = max(seconds - read_seconds, 1e-6)
        row = Row(slug, data, n_images, n, read_seconds, scoring, peak_mib(evaluate))
        report.add(row)


def n_read(path: Path, *, with_cells: bool) -> int:
    """Return how many regions a document has; some results cannot be read, and count as empty."""
    try:
        return len(read_file(path, with_cells=with_cells))
    except DocumentError:
        return 0


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(rng: random.Random, left: float, top: float, **fields: Any) -> Region:
    """Draw a word: a box, or as often one that leans, with whole corners."""
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
    """Find most words, moved a little, some of them twice, and now and then nothing."""
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
    """Draw images of about so many words each, and one result set."""
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


def time_the_paper(report: Report, repeats: int, *, n_images: int, n_methods: int) -> None:
    """Time the seven protocols of the paper over generated result sets, written to zips and read."""
    rng = random.Random(1)
    truth = {f"img_{at}": drawn_truth(rng, rng.randint(1, 9), 800) for at in range(1, n_images + 1)}
    answers = [
        {image: tuple(found_in(rng, regions, 100)) for image, regions in truth.items()}
        for _ in range(n_methods)
    ]
    zips = [zip_of(answer, "results") for answer in without_text(answers)]
    truth_zip = zip_of(truth, "truth")
    rules = Rules(line_format=LineFormat.QUAD)

    def read() -> list[list[Scene]]:
        expected = read_archive(io.BytesIO(truth_zip), kind="truth", name="gt.zip", rules=rules)
        scenes = []
        for at, content in enumerate(zips):
            source = io.BytesIO(content)
            found = read_archive(source, kind="results", name=f"{at}.zip", rules=rules).regions
            scenes.append([Scene(r, found.get(image)) for image, r in expected.regions.items()])
        return scenes

    protocols = [registry.get(slug) for slug in PAPER]

    def score() -> None:
        for scenes in methods:
            scores = registry.score_together(protocols, scenes)
            for protocol, of in zip(protocols, scores, strict=True):
                protocol.overall(of)

    read_seconds, methods = best(read, repeats)
    seconds, _ = best(score, repeats)
    n = sum(map(n_regions, methods))
    name = f"generated, {n_methods} methods"
    row = Row("the 7 of the paper", name, n_images, n, read_seconds, seconds, peak_mib(score))
    report.add(within(row, 5))
    several = {str(at): scenes for at, scenes in enumerate(methods)}
    protocol = registry.get("no-ground-truth")
    some = {method: scenes[::10] for method, scenes in several.items()}
    seconds, _ = best(lambda: protocol.score_methods(some), 1)
    n_some = len(some["0"])
    n = sum(len(scene.detections or ()) for scenes in some.values() for scene in scenes)
    report.add(Row("no-ground-truth", name, n_some, n, None, seconds))


def zip_of(regions: Mapping[str, Sequence[Region]], kind: Kind) -> bytes:
    stream = io.BytesIO()
    write_rrc_zip(stream, regions, kind=kind, line_format=LineFormat.QUAD)
    return stream.getvalue()


def without_text(
    answers: Sequence[Mapping[str, Sequence[Region]]],
) -> Iterator[dict[str, list[Region]]]:
    for answer in answers:
        yield {
            image: [replace(region, text=None) for region in regions]
            for image, regions in answer.items()
        }


def time_generated(report: Report, slugs: Sequence[str], sizes: "Sizes", repeats: int) -> None:
    one, many = scattered(2, sizes.regions[-1]), drawn_images(3, sizes.images[-1], 3, 600)
    for slug in slugs:
        name = f"generated, {sizes.regions[-1]} words in one image"
        report.add(scored(slug, name, one, None, repeats))
        name = f"generated, {sizes.images[-1]} images"
        row = scored(slug, name, many, None, repeats)
        report.add(with_plain(row, many, max(1, len(many) // 500)))


def check_growth(report: Report, slugs: Sequence[str], sizes: "Sizes", repeats: int) -> None:
    """Time the same kind of data in several sizes; twice as many should take twice as long."""
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
            seconds = [
                best(lambda: protocol.score(scenes), repeats)[0]  # noqa: B023
                for scenes in bodies
            ]
            ratios = [b / a for a, b in pairwise(seconds)]
            report.growth.append(
                {
                    "protocol": slug,
                    "by": what,
                    "sizes": list(of_sizes),
                    "seconds": seconds,
                    "ratios": ratios,
                }
            )
            print(
                f"{slug:<22}"
                + "".join(f"{value:>10.4f}" for value in seconds)
                + "   "
                + " ".join(f"x{ratio:.1f}" for ratio in ratios),
                flush=True,
            )


@dataclass(frozen=True)
class Sizes:
    """The numbers of images, and of words in one image, of generated data."""

    images: tuple[int, ...]
    regions: tuple[int, ...]


FULL = Sizes((1_250, 2_500, 5_000, 10_000), (250, 500, 1_000, 2_000))
QUICK = Sizes((10, 20), (20, 40))

COLUMNS = (
    ("protocol", 20),
    ("data", 42),
    ("images", -7),
    ("regions", -8),
    ("read s", -8),
    ("score s", -8),
    ("plain s", -8),
    ("/plain", -7),
    ("target", -7),
    ("met", -4),
    ("regions/s", -10),
    ("MiB", -7),
)


def header() -> str:
    return " ".join(
        f"{title:<{width}}" if width > 0 else f"{title:>{-width}}" for title, width in COLUMNS
    )


def line_of(row: Row) -> str:
    def shown(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    met = "-" if row.target_met is None else "yes" if row.target_met else "no"
    values = (
        row.protocol,
        row.data,
        f"{row.n_images:,}",
        f"{row.n_regions:,}",
        shown(row.read_seconds, ".3f"),
        shown(row.score_seconds, ".4f"),
        shown(row.plain_seconds, ".3f"),
        shown(row.times_plain, ".1f"),
        row.target or "-",
        met,
        f"{row.regions_per_second:,.0f}",
        shown(row.peak_mib, ".1f"),
    )
    return " ".join(
        f"{value:<{width}}" if width > 0 else f"{value:>{-width}}"
        for value, (_, width) in zip(values, COLUMNS, strict=True)
    )


def process_start_seconds() -> float:
    command = [sys.executable, "-c", "import protocols.registry"]
    return best(lambda: subprocess.run(command, cwd=ROOT, check=True), 3)[0]


EXPLAINED = """\
read s, score s: best of {repeats}, inside one process; a process takes {start:.2f} s to start and import.
  The garbage collector sees only what is made meanwhile.
plain s: one run of plain loops over all pairs of an image (benchmarks/plain.py), scoring only; on
  documents every 10th image, and of generated images at most about 500, multiplied.
/plain: plain s over score s.
regions/s: truths and detections over score s. MiB: the most that Python and numpy held, in a run apart.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", metavar="DIR")
    parser.add_argument("--official", type=Path, metavar="DIR", help="DIR/SLUG/script.py")
    parser.add_argument("--typed", action="store_true", help="only the call as it is typed")
    parser.add_argument("--quick", action="store_true", help="small generated data, one run each")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    repeats, sizes = (1, QUICK) if options.quick else (3, FULL)
    start = process_start_seconds()
    report = Report(
        {
            "python": platform.python_version(),
            "n_cores": os.cpu_count(),
            "protocols": registry.VERSION,
            "repeats": repeats,
            "process_start_seconds": start,
        }
    )
    report.typed = measured(options.data, options.official, 1 if options.quick else 5)
    print(table(report.typed), flush=True)
    if not options.typed:
        time_all(report, options, repeats, sizes)
    if options.json:
        options.json.write_text(json.dumps(report.as_data(), indent=1) + "\n", encoding="utf-8")


def time_all(report: Report, options: argparse.Namespace, repeats: int, sizes: Sizes) -> None:
    """Time reading and scoring of all protocols inside this process."""
    print(EXPLAINED.format(repeats=repeats, start=report.about["process_start_seconds"]))
    print(header())
    time_result_sets(report, options.data, repeats)
    time_tables(report, options.data, repeats)
    n_images, n_methods = (10, 3) if options.quick else (233, 10)
    time_the_paper(report, repeats, n_images=n_images, n_methods=n_methods)
    slugs = [slug for slug in registry.PROTOCOLS if slug not in APART]
    time_generated(report, slugs, sizes, repeats)
    time_several_methods(report, options.data, repeats)
    check_growth(report, slugs, sizes, repeats)


if __name__ == "__main__":
    main()
