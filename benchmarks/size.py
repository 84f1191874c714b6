"""Score a made data set of many images from its archives, as typed: seconds, processor time and memory.

    python -m benchmarks.size [--images 100000] [--workers 2] [--protocol iou,cleval] [--results 1]

The archives are written to a temporary folder, or kept in --keep DIR and taken from there again. On
a machine that others use too the processor time says more than the clock. Memory is the most that
the process and its workers held at one time, pages that they share counted once. Nothing here
passes or fails.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
# A separate process around the command measures its use alone: its processor time and that of its
# workers, and the most memory that all of them held at one time, sampled ten times a second.
_WATCH = """
import json, pathlib, resource, subprocess, sys, time

def held(pid):
    of = pathlib.Path(f"/proc/{pid}")
    try:
        own = int((of / "smaps_rollup").read_text().partition("\\nPss:")[2].split()[0])
        children = [pid for task in of.glob("task/*/children") for pid in task.read_text().split()]
    except (OSError, IndexError):
        return 0
    return own + sum(map(held, children))

command = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)
most = 0
while command.poll() is None:
    most = max(most, held(command.pid))
    time.sleep(0.1)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
assert command.returncode == 0, command.returncode
print(json.dumps([used.ru_utime + used.ru_stime, most or used.ru_maxrss]))
"""
# Per image; ICDAR 2015 has ten words an image and result sets half as many.
N_WORDS, N_FOUND = 10, 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--results", type=int, default=1, help="result sets")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--protocol", default="iou,cleval")
    parser.add_argument("--keep", type=Path, help="folder of the archives")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)) / str(options.images)
        folder.mkdir(parents=True, exist_ok=True)
        truth, results = archives(folder, options.images, options.results)
        rows = [
            measured(protocol, truth, results, folder, options.workers)
            for protocol in options.protocol.split(",")
        ]
    print(f"{options.images} images x {options.results} methods, {options.workers} workers")
    print(f"{'protocol':<24}{'seconds':>10}{'processor':>11}{'MiB':>8}")
    for row in rows:
        print(
            f"{row['protocol']:<24}{row['seconds']:>10.1f}{row['processor_seconds']:>11.1f}"
            f"{row['mebibytes']:>8.0f}"
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def archives(folder: Path, n_images: int, n_results: int) -> tuple[Path, list[Path]]:
    """Return made ground truth and result sets; those of an earlier run are taken again."""
    truth = folder / "gt.zip"
    results = [folder / f"method-{at}.zip" for at in range(n_results)]
    if not all(path.is_file() for path in (truth, *results)):
        with zipfile.ZipFile(truth, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for at in range(n_images):
                archive.writestr(f"gt_img_{at}.txt", _truth(at))
        for number, path in enumerate(results):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for at in range(n_images):
                    archive.writestr(f"res_img_{at}.txt", _found(at, number))
    return truth, results


def _words(at: int) -> list[tuple[int, int, int, int]]:
    draw = random.Random(at)
    return [
        (draw.randrange(1000), 60 * row + draw.randrange(20), draw.randrange(30, 200), 30)
        for row in range(N_WORDS)
    ]


def _quad(x: int, y: int, width: int, height: int, slant: int) -> str:
    return f"{x},{y},{x + width},{y + slant},{x + width},{y + height + slant},{x},{y + height}"


def _truth(at: int) -> str:
    texts = ("###", "word", "Street")
    return "".join(
        f"{_quad(*word, slant=row % 3)},{texts[(at + row) % 3]}\n"
        for row, word in enumerate(_words(at))
    )


def _found(at: int, method: int) -> str:
    draw = random.Random(f"{at} {method}")
    lines = []
    for x, y, width, height in draw.sample(_words(at), N_FOUND):
        step = draw.randrange(-6, 7)
        lines.append(_quad(x + step, y - step // 2, width, height, draw.randrange(3)) + "\n")
    return "".join(lines)


def measured(
    protocol: str, truth: Path, results: list[Path], folder: Path, workers: int
) -> dict[str, str | float]:
    command = [sys.executable, "-m", "protocols", "score", "--protocol", protocol]
    command += ["--truth", str(truth), "--results", *map(str, results)]
    command += ["--out", str(folder / f"{protocol}.csv"), "--workers", str(workers)]
    started = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _WATCH, *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = perf_counter() - started
    processor, kibibytes = json.loads(done.stdout)
    return {
        "protocol": protocol,
        "seconds": seconds,
        "processor_seconds": processor,
        "mebibytes": kibibytes / 1024,
    }


if __name__ == "__main__":
    main()
