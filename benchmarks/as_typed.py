"""Comparison of the competition's command as users type it with the official scripts, in one run.

The scripts may not be redistributed, so users provide copies: ``DIR/SLUG/script.py`` with the
modules it needs in the same folder. ``DIR/python`` is the interpreter that has its libraries; the
default is this one. Runs of both alternate, so that other load on the machine affects both.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
# Data, result set, protocol, and how many times as fast as the script it should be: the whole
# process, and inside one with reading.
COMPARED: Final = (
    ("icdar2015", "pixellink", "iou", 3.0, 10.0),
    ("icdar2015", "pixellink", "tiou", None, 5.0),
    ("icdar2015", "pixellink", "tedeval", None, 5.0),
    ("icdar2015", "pixellink", "cleval", None, 5.0),
    ("icdar2013", "east-argman", "icdar13", 3.0, 10.0),
    ("icdar2013", "ccswt-jan10", "icdar13", 3.0, 10.0),
    ("icdar2013", "ccswt-jan10", "deteval", None, None),
)
_NOT_HERE: Final = "not measured here"
# Each prints the seconds of its runs as JSON, without the imports before them.
_OURS: Final = """
import json, sys, time
from protocols.command_line.standalone import evaluate, parsed
options = parsed(sys.argv[2:])
seconds = []
for _ in range(int(sys.argv[1])):
    started = time.perf_counter()
    protocol, images, scores = evaluate(options)
    protocol.overall(scores)
    seconds.append(time.perf_counter() - started)
print(json.dumps(seconds))
"""
_OFFICIAL: Final = """
import contextlib, io, json, sys, time
n, folder, truth, results = int(sys.argv[1]), *sys.argv[2:5]
sys.path.insert(0, folder)
sys.argv = ["script.py", "-g=" + truth, "-s=" + results]
import script
parameters = script.default_evaluation_params()
seconds = []
for _ in range(n):
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        script.validate_data(truth, results, parameters)
        script.evaluate_method(truth, results, parameters)
    seconds.append(time.perf_counter() - started)
print(json.dumps(seconds))
"""


@dataclass(frozen=True)
class Typed:
    """The seconds of one protocol on one result set: medians of alternating runs; None: not measured."""

    protocol: str
    data: str
    typed: float
    first: float
    best: float
    official_typed: float | None
    official_inside: float | None
    typed_target: float | None
    inside_target: float | None

    @property
    def times_typed(self) -> float | None:
        return self.official_typed / self.typed if self.official_typed else None

    @property
    def times_inside(self) -> float | None:
        """Return how many times as fast the first run in a process is as the script in one."""
        return self.official_inside / self.first if self.official_inside else None

    def as_data(self) -> dict[str, Any]:
        ratios = {"times_typed": self.times_typed, "times_inside": self.times_inside}
        return asdict(self) | ratios


def measured(data: Path, official: Path | None, repeats: int) -> list[Typed]:
    """Return the measurements of every available pair of result set and protocol."""
    rows = []
    for folder, method, slug, typed_target, inside_target in COMPARED:
        truth, results = data / folder / "gt.zip", data / folder / f"{method}.zip"
        if truth.exists() and results.exists():
            row = _row(slug, truth, results, official, repeats)
            rows.append(Typed(slug, f"{folder} {method}", *row, typed_target, inside_target))
    return rows


def _row(
    slug: str, truth: Path, results: Path, official: Path | None, repeats: int
) -> tuple[float, float, float, float | None, float | None]:
    arguments = [f"-g={truth}", f"-s={results}"]
    ours = [*arguments, f"-c={slug}"]
    script = None if official is None else official / slug / "script.py"
    python = sys.executable
    if official is not None and (official / "python").exists():
        own = official / "python"
        # An environment is found next to its interpreter, not next to a link to it.
        python = str(own.parent / own.readlink() if own.is_symlink() else own)
    typed, first, best, official_typed, inside = [], [], [], [], []
    for _ in range(repeats):
        typed.append(_seconds([sys.executable, "-m", "protocols", *ours], ROOT))
        runs = _runs([sys.executable, "-c", _OURS, "3", *ours], ROOT)
        first.append(runs[0])
        best.append(min(runs))
        if script is not None and script.exists():
            official_typed.append(_seconds([python, "script.py", *arguments], script.parent))
            command = [python, "-c", _OFFICIAL, "1", str(script.parent), str(truth), str(results)]
            inside += _runs(command, script.parent)
    return (
        median(typed),
        median(first),
        min(best),
        median(official_typed) if official_typed else None,
        median(inside) if inside else None,
    )


def _seconds(command: Sequence[str], folder: Path) -> float:
    started = perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = perf_counter() - started
    if done.returncode or "Calculated!" not in done.stdout:
        raise SystemExit(f"{' '.join(command[:3])} failed: {(done.stderr or done.stdout)[-500:]}")
    return seconds


def _runs(command: Sequence[str], folder: Path) -> list[float]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command[0]} failed: {done.stderr[-500:]}")
    seconds: list[float] = json.loads(done.stdout)
    return seconds


_TITLES: Final = (
    ("protocol", 9),
    ("data", 22),
    ("typed s", -8),
    ("first s", -8),
    ("best s", -8),
    ("script typed s", -18),
    ("script inside s", -18),
    ("typed", -14),
    ("inside", -14),
)
EXPLAINED: Final = """
As typed: python -m protocols -g -s, the whole process; first: reading and scoring, the first run in a
process; best: the best run of all. Script: the official one on this machine in this run, as typed and
inside a process. Ratios are its time over ours, as typed and inside against our first run, with the
aim in brackets.
"""


def table(rows: Sequence[Typed]) -> str:
    if not rows:
        return (
            f"{EXPLAINED}\nThe result sets are left out: their files are not in the data folder.\n"
        )
    lines = [EXPLAINED, _line({title: title for title, _ in _TITLES})]
    for row in rows:
        cells = {"protocol": row.protocol, "data": row.data}
        cells |= {
            title: _shown(seconds)
            for title, seconds in (
                ("typed s", row.typed),
                ("first s", row.first),
                ("best s", row.best),
                ("script typed s", row.official_typed),
                ("script inside s", row.official_inside),
            )
        }
        cells["typed"] = _ratio(row.times_typed, row.typed_target)
        cells["inside"] = _ratio(row.times_inside, row.inside_target)
        lines.append(_line(cells))
    return "\n".join(lines)


def _line(cells: Mapping[str, str]) -> str:
    return " ".join(
        f"{cells[title]:<{width}}" if width > 0 else f"{cells[title]:>{-width}}"
        for title, width in _TITLES
    )


def _shown(seconds: float | None) -> str:
    return _NOT_HERE if seconds is None else f"{seconds:.3f}"


def _ratio(times: float | None, target: float | None) -> str:
    aim = f" ({target:.0f})" if target else ""
    return "-" if times is None else f"{times:.1f}{aim}"
