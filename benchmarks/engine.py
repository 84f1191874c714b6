"""Time scoring and a report in this process, on all cores, and on a Dask cluster of two workers.

    python -m benchmarks.engine [--quick] [--workers N]

Each runs once on the same generated data, with the cluster on this machine; ratios are speed-ups
over this process alone. Starting processes is timed separately. Results are compared, too: if a
digit differs, the benchmark says so and ends with exit code 1.
"""

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import pages
from benchmarks.protocols import PAPER, drawn_images
from protocols import registry
from protocols.scoring import chunks_of_method
from rankings.analysis.analysis import analyse
from tests.support.analyses import random_study
from tests.support.clusters import started_cluster
from text_rankings.base.chunks import Engine, answers
from text_rankings.base.cluster import Cluster
from text_rankings.base.processes import Processes, n_cores

Work = Callable[[Engine | None], Any]


def scoring_work(n_images: int, n_methods: int) -> Work:
    """Return the work of scoring generated result sets by the seven protocols of the paper."""
    protocols = [registry.get(slug) for slug in PAPER]
    methods = {f"method {at}": drawn_images(at, n_images, 3, 600) for at in range(n_methods)}

    def work(engine: Engine | None) -> Any:
        chunks = (
            chunk
            for name, scenes in methods.items()
            for chunk in chunks_of_method(protocols, name, scenes)
        )
        return [answer for _, answer in answers(engine, chunks)]

    return work


def report_work(n_images: int, n_resamples: int) -> Work:
    """Return the work of computing a report on three criteria with all statistics."""
    rankings, scores = random_study(n_images)
    return lambda engine: analyse(
        rankings, scores, n_resamples=n_resamples, executor=engine
    ).to_json()


def started_in(engine: Engine) -> float:
    """Return the seconds until an engine has answered four empty chunks for each worker."""
    begun = perf_counter()
    empty = list(chunks_of_method([registry.get("iou")], "none", []))
    list(answers(engine, empty * (4 * engine.n_workers)))
    return perf_counter() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="little data")
    parser.add_argument("--workers", type=int, default=n_cores(), metavar="N")
    options = parser.parse_args(arguments)
    works = {
        "score": scoring_work(20, 2) if options.quick else scoring_work(2_000, 10),
        "report": report_work(20, 100) if options.quick else report_work(1_000, 2_000),
    }
    with tempfile.TemporaryDirectory() as folder, started_cluster(Path(folder), 2) as cluster:
        return compare(works, options.workers, cluster.address)


def compare(works: Mapping[str, Work], n_workers: int, address: str) -> int:
    engines: dict[str, Callable[[], Engine]] = {
        f"{n_workers} processes": lambda: Processes(
            n_workers, ["protocols.registry", "rankings.analysis.analysis"]
        ),
        "Dask, 2 workers": lambda: Cluster(address),
    }
    print(f"{n_cores()} cores. Seconds, and how many times faster than this process alone.")
    print(f"{'':<20}{'start':>10}" + "".join(f"{name:>18}" for name in works))
    alone, expected = {}, {}
    for name, work in works.items():
        alone[name], expected[name] = seconds_of(work, None)
    print(f"{'this process':<20}{'':>10}" + "".join(f"{s:>18.2f}" for s in alone.values()))
    differing = []
    for place, make in engines.items():
        with closing(make()) as engine:
            line = f"{place:<20}{started_in(engine):>10.2f}"
            for name, work in works.items():
                seconds, answer = seconds_of(work, engine)
                line += f"{f'{seconds:.2f}  x{alone[name] / seconds:.2f}':>18}"
                if answer != expected[name]:
                    differing.append(f"{place}: another result of {name}")
        print(line, flush=True)
    print("\n".join(differing) or "All results are equal to the last digit.")
    return 1 if differing else 0


def seconds_of(work: Work, engine: Engine | None) -> tuple[float, str]:
    begun = perf_counter()
    answer = work(engine)
    return perf_counter() - begun, repr(answer)


if __name__ == "__main__":
    pages.run(main)
