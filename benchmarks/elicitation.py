"""Measure the screens per image under each strategy, and the error of the progress estimate.

    python -m benchmarks.elicitation [--images 100] [--items 10] [--fit | --mistakes]

Simulated annotators answer without error, from rankings drawn under six regimes: few or many ties,
criteria that agree strongly or weakly, strict orders, and independent strict orders. ``--fit``
searches for the constants of ``rankings.elicitation.strategies`` that minimise the mean error.
``--mistakes`` compares ways to work with annotators who err, drawn each time or always alike on a pair.
"""

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from math import cos, floor, log, pi, sqrt
from statistics import mean

from benchmarks import pages
from rankings.elicitation.careful import CarefulState, Rules, settle_carefully, simulate_carefully
from rankings.elicitation.log import CRITERIA, MIRRORED, Answer, Check, replay, simulate
from rankings.elicitation.partial_order import Verdict
from rankings.elicitation.rechecks import CHECKS, Settled, ask_of, settle, settle_next
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


Levels = Mapping[str, Sequence[float]]
Judge = Callable[[int, int, str], Verdict]
_OTHERS: dict[Verdict, tuple[Verdict, Verdict]] = {
    "left": ("equal", "right"),
    "equal": ("left", "right"),
    "right": ("left", "equal"),
}


def one_criterion(image: int, n: int = 10) -> Levels:
    """Draw levels that all criteria share, with some ties (step 0.5)."""
    rng = random.Random(7919 * image + 5)
    return dict.fromkeys(CRITERIA, levels([rng.gauss(0, 1) for _ in range(n)], 0.5))


def erring(of: Levels, share: float, rng: random.Random, *, by_pair: bool) -> Judge:
    """Answer wrongly with this probability: drawn each time, or once for each pair (``by_pair``).

    Criteria that share their levels share their answers: they are one criterion.
    """
    drawn: dict[tuple[int, int, int], Verdict] = {}
    last: dict[tuple[int, int, int], Verdict] = {}

    def judge(left: int, right: int, criterion: str) -> Verdict:
        which = id(of[criterion])
        if criterion != CRITERIA[0] and which == id(of[CRITERIA[0]]):
            return last[left, right, which]
        low, high = sorted((left, right))
        if not by_pair or (low, high, which) not in drawn:
            verdict = answering(dict(of))(low, high, criterion)
            is_wrong = rng.random() < share
            drawn[low, high, which] = rng.choice(_OTHERS[verdict]) if is_wrong else verdict
        verdict = drawn[low, high, which]
        last[left, right, which] = verdict if left == low else MIRRORED[verdict]
        return last[left, right, which]

    return judge


def with_checks(n: int, judge: Judge, n_checks: int) -> Settled:
    """Rank by binary insertion with re-checks and repairs."""
    settled = settle(n, [])
    while (ask := ask_of(settled, "insertion", n_checks=n_checks, seed="")) is not None:
        is_check = ask.purpose in CHECKS
        pair = ask.left, ask.right
        asked = CRITERIA if is_check else settled.state.open_criteria(*pair)
        verdicts = {criterion: judge(*pair, criterion) for criterion in asked}
        settled = settle_next(
            settled, (Check if is_check else Answer)(*pair, verdicts, ask.purpose)
        )
    return settled


def carefully(n: int, judge: Judge, rules: Rules) -> Settled:
    return settle_carefully(n, simulate_carefully(n, judge, rules), rules=rules)


def share_wrong(of: Levels, settled: Settled) -> float:
    """Return the share of pairs that the rankings order otherwise than the levels."""
    wrong = n_pairs = 0
    for criterion, ranking in (settled.state.rankings() or {}).items():
        place = {item: at for at, bucket in enumerate(ranking) for item in bucket}
        level = of[criterion]
        for a, b in combinations(range(len(level)), 2):
            said = (place[b] > place[a]) - (place[b] < place[a])
            wrong += said != (level[a] > level[b]) - (level[a] < level[b])
            n_pairs += 1
    return wrong / n_pairs


def row_of(
    images: Sequence[Levels], work: Callable[[Judge], Settled], share: float, *, by_pair: bool
) -> tuple[float, float, float]:
    """Return mean screens, mean questions and the percentage of wrong pairs."""
    found = []
    for number, of in enumerate(images):
        settled = work(erring(of, share, random.Random(number), by_pair=by_pair))
        questions = sum(len(e.verdicts) for e in settled.entries if isinstance(e, Answer))
        found.append((len(settled.entries), questions, 100 * share_wrong(of, settled)))
    screens, questions, wrong = zip(*found, strict=True)
    return mean(screens), mean(questions), mean(wrong)


class Learning:
    """Careful insertion for one annotator, who ranks images one after the other."""

    def __init__(self, n: int) -> None:
        self._n, self._rules = n, Rules()

    def __call__(self, judge: Judge) -> Settled:
        settled = carefully(self._n, judge, self._rules)
        assert isinstance(settled.state, CarefulState)
        self._rules = Rules(n_slips=settled.state.n_slips, n_answers=settled.state.n_answers)
        return settled


def mistakes(n_images: int, n: int) -> None:
    """Print what each way to work costs and leaves wrong."""
    ways: dict[str, Callable[[], Callable[[Judge], Settled]]] = {
        **{
            f"insertion, {k} re-checks": lambda k=k: lambda judge: with_checks(n, judge, k)
            for k in (0, 2, 8)
        },
        "careful": lambda: lambda judge: carefully(n, judge, Rules()),
        "careful, no repeats": lambda: lambda judge: carefully(n, judge, Rules(repeats=False)),
        "careful, rate learnt": lambda: Learning(n),
    }
    of_regimes = [
        truth(regime, n, image) for image in range(n_images // 4) for regime in range(len(FITTED))
    ]
    worlds = (
        ("one criterion", [one_criterion(image, n) for image in range(n_images)]),
        ("three criteria, four regimes", of_regimes),
    )
    print(
        f"{n} results, {n_images} images; wrong answers: drawn each time / always alike on a pair"
    )
    for world, images in worlds:
        print(world)
        for share in (0.0, 0.05, 0.1, 0.2):
            for name, way in ways.items():
                cells = [row_of(images, way(), share, by_pair=by_pair) for by_pair in (False, True)]
                text = " /".join(
                    f"{screens:6.1f} screens {questions:6.1f} questions {wrong:5.1f} % wrong"
                    for screens, questions, wrong in cells
                )
                print(f"  {100 * share:3.0f} %  {name:<24}{text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--items", type=int, default=10)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--mistakes", action="store_true")
    options = parser.parse_args()
    if options.mistakes:
        mistakes(options.images, options.items)
        return
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
