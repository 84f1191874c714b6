"""Measure the screens per image under each strategy, and the error of the progress estimate.

    python -m benchmarks.elicitation [--images 100] [--items 10] [--fit]

Simulated annotators answer without error, from rankings drawn under six regimes: few or many ties,
criteria that agree strongly or weakly, strict orders, and independent strict orders. ``--fit``
searches for the constants of ``rankings.elicitation.strategies`` that minimise the mean error.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from itertools import product
from math import cos, floor, log, pi, sqrt
from statistics import mean

from benchmarks import pages
from rankings.elicitation.log import CRITERIA, replay, simulate
from rankings.elicitation.partial_order import Verdict
from rankings.elicitation.strategies import ESTIMATE, Strategy

STRATEGIES: tuple[Strategy, ...] = ("insertion", "balanced")
# name -> (step between levels, 0 for strict orders; agreement of the criteria)
REGIMES = {
    "few-strong": (0.1, 0.9),
    "few-weak": (0.1, 0.2),
    "many-strong": (1.0, 0.9),
    "many-weak": (1.0, 0.2),
    "strict-strong": (0.0, 0.9),
    "strict-independent": (0.0, 0.0),
}
FITTED = list(REGIMES)[:4]


def normal(rng: random.Random) -> float:
    u, v = rng.random(), rng.random()
    return sqrt(-2 * log(1 - u)) * cos(2 * pi * v)


def truth(regime: int, n: int, image: int) -> dict[str, list[float]]:
    """Draw the level of each item for each criterion; higher is better, equal levels are tied."""
    step, rho = list(REGIMES.values())[regime]
    rng = random.Random(100_000 * regime + 1000 * n + image)
    strength = [normal(rng) for _ in range(n)]
    quality = [sqrt(0.5) * x + sqrt(0.5) * normal(rng) for x in strength]
    recall = [sqrt(rho) * x + sqrt(1 - rho) * normal(rng) for x in quality]
    precision = [sqrt(rho) * x + sqrt(1 - rho) * normal(rng) for x in quality]
    preference = [
        sqrt(rho) * (a + b) / sqrt(2 + 2 * rho) + sqrt(1 - rho) * normal(rng)
        for a, b in zip(recall, precision, strict=True)
    ]
    values = dict(zip(CRITERIA, (recall, precision, preference), strict=True))
    return {criterion: levels(of, step) for criterion, of in values.items()}


def levels(values: Sequence[float], step: float) -> list[float]:
    if not step:
        return [float(sorted(values).index(value)) for value in values]
    return [float(floor(value / step + 0.5)) for value in values]


def answering(of: dict[str, list[float]]) -> Callable[[int, int, str], Verdict]:
    def answer(left: int, right: int, criterion: str) -> Verdict:
        a, b = of[criterion][left], of[criterion][right]
        return "equal" if a == b else "left" if a > b else "right"

    return answer


def steps(strategy: Strategy, regime: int, n: int, image: int) -> list[tuple[int, int, int, float]]:
    """Return the screens left, their least and most, and the share of ties so far, at each step."""
    found = simulate(n, answering(truth(regime, n, image)), strategy)
    rows = []
    for at in range(len(found)):
        state = replay(n, found[:at])
        remaining = state.remaining(strategy)
        verdicts = [v for direct in state._direct.values() for *_, v, _ in direct]
        ties = (verdicts.count("equal") + 1) / (len(verdicts) + 6)
        rows.append((len(found) - at, remaining.least, remaining.most, ties))
    return rows


def error(
    rows: Sequence[tuple[int, int, int, float]], constants: tuple[float, float, float]
) -> float:
    scale, slope, power = constants
    return float(
        mean(
            abs(min(max((scale - slope * ties) * most**power, least), most) - left)
            for left, least, most, ties in rows
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--items", type=int, default=10)
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    for strategy in STRATEGIES:
        print(f"{strategy}, n = {options.items}, {options.images} images a regime")
        fitted = []
        for regime, name in enumerate(REGIMES):
            images = [
                steps(strategy, regime, options.items, image) for image in range(options.images)
            ]
            rows = [row for image in images for row in image]
            screens = [len(image) for image in images]
            print(
                f"  {name:<20} screens: mean {mean(screens):5.1f}, most {max(screens):3d};"
                f" error of the estimate: {error(rows, ESTIMATE[strategy]):.2f}"
            )
            if name in FITTED:
                fitted += rows
        print(f"  the four regimes with ties: {error(fitted, ESTIMATE[strategy]):.2f}")
        if options.fit:
            grid = product(
                [0.9 + 0.05 * i for i in range(20)],
                [0.25 * i for i in range(12)],
                [0.6 + 0.05 * i for i in range(9)],
            )
            best = min(grid, key=lambda constants: error(fitted, constants))
            print(f"  best constants {best}: {error(fitted, best):.2f}")


if __name__ == "__main__":
    pages.run(main)
