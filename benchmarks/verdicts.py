"""Measure how often the report's tests of two and of many equal protocols err.

    python -m benchmarks.verdicts [--studies 2000] [--family 400] [--seed 2018] [--distance edit]

Simulated studies of six methods: every image gives each method a quality and two features that some
people like and some do not. An annotator sees quality, his or her own liking for one feature over the
other (the taste), and noise, in steps, so that methods are tied. Two protocols see the quality, noise of
their own and one feature each: exchanged, they would be the same, so neither is nearer to people. Errors
are the share of studies in which p <= 5 %, coverage that of 95 % intervals which hold 0; family: the
share of studies in which equal protocols do not make one cluster. Nothing here passes or fails.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import repeat
from time import perf_counter, process_time

import numpy as np

from rankings.agreement.baselines import against_a_person, baseline_measures
from rankings.inference.multi_reader import PersonalDistances, compare, compare_protocols, moments
from rankings.inference.personal_rankings import personal_rankings
from rankings.inference.significance import clusters
from rankings.orders.buckets import Ranking
from rankings.orders.distances import Distance, distances_between
from rankings.orders.packed import dense_places, rankings_of

from .report import process_mib

METHODS = 6
TASTES = {"none": 0.0, "moderate": 0.3, "strong": 0.6}
Rng = np.random.Generator


@dataclass(frozen=True)
class Cell:
    """A kind of study: how many annotators and images, how much tastes differ, rankings an image."""

    n_annotators: int
    n_images: int
    taste: str
    per_image: int | None = None


def simulated(
    cell: Cell, rng: Rng, n_protocols: int = 2, distance: Distance = "edit"
) -> PersonalDistances:
    """Return the distances of equal protocols to the annotators of one simulated study."""
    a, i, k = cell.n_annotators, cell.n_images, n_protocols
    quality = rng.normal(size=(i, 1, METHODS))
    features = rng.normal(size=(i, k, METHODS))
    # Every annotator likes each feature more or less: (annotators, features).
    liking = TASTES[cell.taste] * rng.normal(size=(a, k))
    seen = quality + np.einsum("ak,ikm->iam", liking, features)
    seen = np.round((seen + 0.5 * rng.normal(size=seen.shape)) * 2)
    own = np.round(quality + 0.5 * features + 0.5 * rng.normal(size=features.shape), 1)
    apart = distances_between(-seen[:, :, np.newaxis], -own[:, np.newaxis], distance)
    images, annotators = np.indices((i, a)).reshape(2, -1)
    kept = np.ones(i * a, dtype=bool)
    if cell.per_image is not None:
        kept = (rng.permuted(np.tile(np.arange(a), (i, 1)), axis=1) < cell.per_image).ravel()
    return PersonalDistances(
        tuple(f"p{at}" for at in range(k)),
        images[kept],
        annotators[kept],
        apart.reshape(-1, k)[kept],
    )


@dataclass(frozen=True)
class Outcome:
    """Shares of the studies of a cell."""

    errors: float
    coverage: float
    errors_hillis: float
    errors_fixed: float


def outcome(cell: Cell, n_studies: int, rng: Rng, distance: Distance = "edit") -> Outcome:
    """Simulate studies of two equal protocols."""
    from scipy.special import stdtr

    p_values, covered, hillis, fixed = [], [], [], []
    for _ in range(n_studies):
        study = simulated(cell, rng, distance=distance)
        [pair] = compare(study).pairs
        if pair.p_value is None or pair.low is None or pair.high is None:
            raise ValueError("two protocols differ by the same amount everywhere")
        parts = moments(study)
        t = abs(pair.difference or 0.0) / float(parts.of_mean[0]) ** 0.5
        p_values.append(pair.p_value)
        covered.append(pair.low <= 0 <= pair.high)
        hillis.append(2 * stdtr(float(parts.hillis[0]), -t))
        # With the annotators taken as all there are: a t-test of the images' means.
        of_image = np.bincount(study.images, study.distances @ [1.0, -1.0]) / np.bincount(
            study.images
        )
        t = abs(of_image.mean()) / (of_image.std(ddof=1) / len(of_image) ** 0.5)
        fixed.append(2 * stdtr(len(of_image) - 1, -t))
    return Outcome(
        float(np.mean(np.array(p_values) <= 0.05)),
        float(np.mean(covered)),
        float(np.mean(np.array(hillis) <= 0.05)),
        float(np.mean(np.array(fixed) <= 0.05)),
    )


def errors_by_degrees(cell: Cell, n_studies: int, rng: Rng, distance: Distance) -> list[float]:
    """Return the errors with Satterthwaite's degrees of freedom, those of annotators alone, and between.

    Between: the harmonic mean of both, which is at most twice those of annotators alone.
    """
    from scipy.special import stdtr

    errors = np.zeros(3)
    alone = cell.n_annotators - 1
    for _ in range(n_studies):
        study = simulated(cell, rng, distance=distance)
        parts = moments(study)
        t = abs(float((study.distances @ [1.0, -1.0]).mean())) / float(parts.of_mean[0]) ** 0.5
        usual = max(float(parts.degrees_of_freedom[0]), 1.0)
        degrees = np.array([usual, 2 / (1 / usual + 1 / alone), alone])
        errors += 2 * stdtr(degrees, -t) <= 0.05
    return list(errors / n_studies)


def family_error(cell: Cell, n_protocols: int, n_studies: int, rng: Rng) -> float:
    """Return the share of studies in which equal protocols make more than one cluster."""
    several = 0
    for _ in range(n_studies):
        study = simulated(cell, rng, n_protocols)
        numbers = clusters(study.distances.mean(axis=0).tolist(), compare(study).holm_p_values())
        several += max(number or 0 for number in numbers) > 1
    return several / n_studies


def print_speed(seed: int) -> None:
    """Print the processor time of one criterion's tests, and of a person's and baselines' numbers.

    Every ranking is drawn, 10 methods on 8 levels, so that hardly two are alike.
    """
    # It takes a third of a second to load, once.
    import scipy.special  # noqa: F401

    print("| images | arrays | pairs of protocols | a person | baselines | three criteria |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    rng = np.random.default_rng(seed)
    methods = tuple(f"m{at}" for at in range(10))
    people, protocols = ("x", "y", "z"), [f"p{at}" for at in range(21)]

    def drawn(images: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Ranking]]:
        levels = rng.integers(0, 8, size=(len(images) * len(names), len(methods)), dtype=np.int8)
        each = rankings_of(dense_places(levels), repeat(methods, len(levels)))
        # The names come first, so that no ranking is read beyond the last.
        return {image: dict(zip(names, each, strict=False)) for image in images}

    for n_images in (233, 10_000, 100_000):
        images = [f"i{at:06}" for at in range(n_images)]
        study, own = drawn(images, people), drawn(images, protocols)
        consensus = {image: of_image["x"] for image, of_image in study.items()}
        started = [process_time()]
        rankings = personal_rankings(study, own, protocols)
        started.append(process_time())
        for compute in (
            partial(compare_protocols, rankings),
            partial(against_a_person, rankings),
            partial(baseline_measures, rankings, consensus),
        ):
            compute()
            started.append(process_time())
        seconds = [*np.diff(started), 3 * (started[-1] - started[0])]
        print(f"| {n_images:,} | {' | '.join(f'{one:.2f}' for one in seconds)} |", flush=True)
    print(f"\nThe process held at most {process_mib():,.0f} MiB, the rankings themselves included.")


def print_degrees(options: argparse.Namespace) -> None:
    print(f"{date.today()}, seed {options.seed}, {options.studies:,} studies a cell\n")
    print("| annotators | images | taste | Satterthwaite | between | annotators alone |")
    print("| ---: | ---: | --- | ---: | ---: | ---: |")
    for at, cell in enumerate(Cell(a, 60, taste) for a in (3, 5) for taste in TASTES):
        rng = np.random.default_rng([options.seed, 0, at])
        shares = errors_by_degrees(cell, options.studies, rng, options.distance)
        texts = " | ".join(f"{share:.1%}" for share in shares)
        print(f"| {cell.n_annotators} | {cell.n_images} | {cell.taste} | {texts} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--family", type=int, default=400, help="studies of 7 and 15 protocols")
    parser.add_argument("--seed", type=int, default=2018)
    parser.add_argument("--distance", choices=["edit", "kemeny"], default="edit")
    parser.add_argument("--degrees", action="store_true", help="compare degrees of freedom only")
    parser.add_argument("--speed", action="store_true", help="measure processor time only")
    options = parser.parse_args()
    if options.speed:
        print_speed(options.seed)
        return
    if options.degrees:
        print_degrees(options)
        return
    started = perf_counter()
    print(
        f"{date.today()}, seed {options.seed}, {options.distance} distance, "
        f"{options.studies:,} studies a cell\n"
    )
    print(
        "| annotators | images | rankings an image | taste | errors | coverage | errors, Hillis "
        "| errors, annotators fixed |"
    )
    print("| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |")
    cells = [Cell(a, i, taste) for a in (3, 5, 10) for i in (60, 200) for taste in TASTES]
    cells += [Cell(10, i, taste, r) for r in (1, 3) for i in (60, 200) for taste in TASTES]
    for at, cell in enumerate(cells):
        rng = np.random.default_rng([options.seed, at])
        got = outcome(cell, options.studies, rng, options.distance)
        print(
            f"| {cell.n_annotators} | {cell.n_images} | {cell.per_image or 'all'} | {cell.taste} "
            f"| {got.errors:.1%} | {got.coverage:.1%} | {got.errors_hillis:.1%} | {got.errors_fixed:.1%} |",
            flush=True,
        )
    print(f"\n{options.family:,} studies of k equal protocols\n")
    print("| protocols | annotators | images | taste | more than one cluster |")
    print("| ---: | ---: | ---: | --- | ---: |")
    for k in (7, 15):
        for at, cell in enumerate(
            [Cell(3, 60, t) for t in TASTES] + [Cell(10, 60, t) for t in TASTES]
        ):
            rng = np.random.default_rng([options.seed, k, at])
            share = family_error(cell, k, options.family, rng)
            print(
                f"| {k} | {cell.n_annotators} | {cell.n_images} | {cell.taste} | {share:.1%} |",
                flush=True,
            )
    print(f"\n{perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
