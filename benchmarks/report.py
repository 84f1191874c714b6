"""Measure the time of a report, part by part, and its memory.

    python -m benchmarks.report [--images 233] [--methods 10] [--protocols 7] [--annotators 3]
                                [--resamples 2000] [--large]

Data are generated: methods have a quality, annotators see it in steps and with noise, protocols
with various noise and on another scale. Tables and standings have all criteria, other parts one.
Seconds (clock and processor) and peak memory are from two runs of each part, because measuring
memory takes time; the last figure is the peak of the whole process so far, data included.
``--large`` takes 100,000 images and one run of each part. Nothing here passes or fails.
"""

import argparse
import gc
import resource
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import pages
from rankings.agreement.baselines import against_a_person, baseline_measures
from rankings.agreement.report import Settings, build_report
from rankings.agreement.sensitivity import rounding_table, sensitivity_table
from rankings.detectors.standings import detectors
from rankings.detectors.tallies import tallies_of_scores
from rankings.elicitation.log import CRITERIA
from rankings.inference.multi_reader import compare_protocols
from rankings.inference.personal_rankings import personal_rankings_from_scores
from rankings.inference.resampling import N_RESAMPLES, distance_table, score_intervals
from rankings.inference.significance import (
    clusters,
    critical_difference,
    friedman_test,
)
from rankings.orders.buckets import Ranking, from_values
from rankings.orders.packed import dense_places
from rankings.tuning.beta import beta_search
from rankings.tuning.open_questions import beta_gains, open_questions
from rankings.tuning.slices import ImageProperty
from rankings.tuning.tie_calibration import tie_calibration

LARGE = 100_000
# Seconds for all parts together, and MiB for the process.
TARGETS = {"small": (2.0, 2048.0), "large": (60.0, 2048.0)}


@dataclass(frozen=True)
class Study:
    """A generated study; the rankings are the same for every criterion."""

    # image -> annotator -> ranking
    rankings: dict[str, dict[str, Ranking]]
    # image -> protocol -> method -> (recall, precision)
    scores: dict[str, dict[str, dict[str, tuple[float, float]]]]


def generated(
    n_images: int, n_methods: int, n_protocols: int, n_annotators: int, seed: int = 1
) -> Study:
    rng = np.random.default_rng(seed)
    methods = [f"method-{at:02}" for at in range(n_methods)]
    protocols = [f"protocol-{at:02}" for at in range(n_protocols)]
    annotators = [f"annotator-{at:02}" for at in range(n_annotators)]
    quality = rng.normal(size=(n_images, n_methods)) + rng.normal(size=n_methods)
    rankings, scores = {}, {}
    for at in range(n_images):
        image = f"img_{at + 1:06}"
        seen = dense_places(
            -np.floor(2 * (quality[at] + 0.5 * rng.normal(size=(n_annotators, n_methods))))
        )
        rankings[image] = {
            annotator: from_values(list(zip(methods, row, strict=True)), descending=False)
            for annotator, row in zip(annotators, seen.tolist(), strict=True)
        }
        noise = rng.normal(size=(2, n_protocols, n_methods))
        spread = np.linspace(0.3, 2, n_protocols)[:, np.newaxis]
        found = np.round(1 / (1 + np.exp(-quality[at] - spread * noise)), 6)
        scores[image] = {
            protocol: dict(zip(methods, zip(recall, precision, strict=True), strict=True))
            for protocol, recall, precision in zip(protocols, *found.tolist(), strict=True)
        }
    return Study(rankings, scores)


class Stopwatch:
    """Timer that adds up the times of parts; ``watch_memory`` reruns each to measure its memory."""

    def __init__(self, *, watch_memory: bool) -> None:
        self._watch_memory = watch_memory
        self.seconds = self.cpu_seconds = 0.0

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        gc.collect()
        gc.freeze()
        started, cpu_started = perf_counter(), process_time()
        answer = work()
        seconds, cpu_seconds = perf_counter() - started, process_time() - cpu_started
        peak = " " * 13
        if self._watch_memory:
            tracemalloc.start()
            work()
            peak = f"{tracemalloc.get_traced_memory()[1] / 2**20:9.1f} MiB"
            tracemalloc.stop()
        gc.unfreeze()
        self.seconds += seconds
        self.cpu_seconds += cpu_seconds
        print_times(name, seconds, cpu_seconds, f"{peak} {process_mib():7.0f} MiB")
        return answer


def print_times(name: str, seconds: float, cpu_seconds: float, rest: str) -> None:
    print(f"  {name:<44} {seconds:8.3f} s {cpu_seconds:8.3f} s {rest}", flush=True)


def process_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def time_parts(study: Study, n_resamples: int, stopwatch: Stopwatch) -> None:
    run = stopwatch.run
    by_image = {image: list(of.values()) for image, of in study.rankings.items()}
    everyone = dict.fromkeys(CRITERIA, by_image)
    recall = {
        image: {
            protocol: {method: of_method[method][0] for method in of_method}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in study.scores.items()
    }
    report = run(
        "tables of three criteria, from rankings", lambda: build_report(everyone, study.scores)
    )
    criterion = report.criteria["recall"]
    protocols = [row.protocol for row in criterion.rows]
    means = [row.score for row in criterion.rows]
    table = run("matrix of distances", lambda: distance_table(criterion.distances, protocols))
    run(
        f"intervals over images, {n_resamples} resamples",
        lambda: score_intervals(table, protocols, n_resamples=n_resamples),
    )

    ranked = run(
        "rankings of people and protocols as arrays",
        lambda: personal_rankings_from_scores(study.rankings, recall, protocols),
    )
    tested = run("pairs of protocols", lambda: compare_protocols(ranked))
    run("a person", lambda: against_a_person(ranked))
    run("baselines", lambda: baseline_measures(ranked, criterion.consensus))
    run("clusters", lambda: clusters(means, tested.adjusted_p_values()))
    run("Friedman test", lambda: friedman_test(table, protocols))
    run("critical difference", lambda: critical_difference(table, protocols))
    run("tie calibration", lambda: tie_calibration(recall, criterion.consensus))
    searches = run(
        "search of beta, 49 values", lambda: beta_search(study.scores, criterion.consensus)
    )
    settings = Settings()
    run(
        "gain of the best beta",
        lambda: beta_gains(
            study.rankings, criterion.consensus, recall, study.scores, searches, settings
        ),
    )
    sizes = [
        ImageProperty(name, "", {image: float(at) for at, image in enumerate(study.rankings)})
        for name in ("height", "words", "turned")
    ]
    run(
        "open questions",
        lambda: open_questions(
            *(study.rankings, criterion.consensus, recall, ranked, criterion.distances),
            settings,
            properties=sizes,
        ),
    )
    run("rounding table", lambda: rounding_table(recall, criterion.consensus))
    run("sensitivity table", lambda: sensitivity_table(study.rankings, recall))
    tallies = run("sums of the protocols", lambda: tallies_of_scores(study.scores))
    run(
        "where the detectors stand, three criteria",
        lambda: detectors(dict.fromkeys(CRITERIA, study.rankings), tallies),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=233)
    parser.add_argument("--methods", type=int, default=10)
    parser.add_argument("--protocols", type=int, default=7)
    parser.add_argument("--annotators", type=int, default=3)
    parser.add_argument("--resamples", type=int, default=N_RESAMPLES)
    parser.add_argument("--large", action="store_true", help=f"{LARGE:,} images")
    options = parser.parse_args(arguments)
    n_images = LARGE if options.large else options.images
    print(
        f"{n_images} images x {options.methods} methods x {options.protocols} protocols"
        f" x {options.annotators} annotators"
    )
    # Importing scipy's tests takes a second, which is not part of the report.
    untold = Stopwatch(watch_memory=False)
    untold.run("import of scipy's statistics", lambda: __import__("scipy.stats"))
    study = generated(n_images, options.methods, options.protocols, options.annotators)
    data_mib = process_mib()
    stopwatch = Stopwatch(watch_memory=not options.large)
    time_parts(study, options.resamples, stopwatch)
    most_seconds, most_mib = TARGETS["large" if options.large else "small"]
    aim = f"(aim: {most_seconds:.0f})"
    print_times("together", stopwatch.seconds, stopwatch.cpu_seconds, aim)
    print(
        f"  the process held at most {process_mib():.0f} MiB (aim: {most_mib:.0f}),"
        f" of which {data_mib:.0f} with the data alone"
    )


if __name__ == "__main__":
    pages.run(main)
