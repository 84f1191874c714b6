"""Score a million results and compute a large report, here and on a Dask cluster of two workers.

    python -m benchmarks.engine [--images 100000] [--reported 10000]

The images of ten methods are scored by IoU, and a report of three criteria is computed, on the same
generated data: seconds, and the processor time of all processes together. If a digit differs, the
benchmark says so and ends with 1.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import pages
from benchmarks.own_site import print_line, processor_seconds_of
from benchmarks.protocols import drawn_images
from protocols import registry
from protocols.scoring import chunks_of_method
from rankings.analysis.analysis import analyse
from tests.support.analyses import random_study
from tests.support.clusters import started_cluster
from text_rankings.base.chunks import Engine, answers
from text_rankings.base.cluster import Cluster

_METHODS, _DRAWN = 10, 1000


def scores(engine: Engine | None, n_images: int) -> Iterable[Any]:
    protocols = [registry.get("iou")]
    drawn = [drawn_images(at, min(n_images, _DRAWN), 3, 600) for at in range(_METHODS)]
    chunks = (
        chunk
        for scenes in drawn
        # The same images again and again: drawing a million takes longer than scoring them.
        for _ in range(-(-n_images // _DRAWN))
        for chunk in chunks_of_method(protocols, "drawn", scenes)
    )
    return (answer for _, answer in answers(engine, chunks))


def report(engine: Engine | None, n_images: int) -> Iterable[Any]:
    rankings, values = random_study(n_images)
    yield analyse(rankings, values, n_resamples=1000, executor=engine).to_json()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=100_000, help="scored, of each method")
    parser.add_argument("--reported", type=int, default=10_000, help="images of the report")
    options = parser.parse_args(arguments)
    works: dict[str, tuple[Callable[[Engine | None, int], Iterable[Any]], int]] = {
        f"{_METHODS * options.images:,} results scored": (scores, options.images),
        f"report of {options.reported:,} images": (report, options.reported),
    }
    n_differing = 0
    with tempfile.TemporaryDirectory() as folder, started_cluster(Path(folder), 2) as cluster:
        for name, (work, n) in works.items():
            here = _measured(name, "in this process", lambda: work(None, n))  # noqa: B023
            with closing(Cluster(cluster.address)) as engine:
                there = _measured(name, "Dask, 2 workers", lambda: work(engine, n))  # noqa: B023
            n_differing += here != there
    print("Results differ." if n_differing else "All results are equal to the last digit.")
    return min(n_differing, 1)


def _measured(name: str, place: str, work: Callable[[], Iterable[Any]]) -> str:
    """Print the seconds and the processor time; return a digest of every digit."""
    began, used, digest = perf_counter(), processor_seconds_of(os.getpid()), sha256()
    for answer in work():
        digest.update(repr(answer).encode())
    seconds, used = perf_counter() - began, processor_seconds_of(os.getpid()) - used
    print_line(f"{name}, {place}", f"{seconds:.1f} s, {used:.1f} s of processor time")
    return digest.hexdigest()


if __name__ == "__main__":
    pages.run(main)
