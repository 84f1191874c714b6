"""Simulated annotators: rankings drawn under six regimes, and answers with and without mistakes."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import cos, floor, log, pi, sqrt
from statistics import mean

from rankings.elicitation.careful import Rules, settle_carefully, simulate_carefully
from rankings.elicitation.log import CRITERIA, MIRRORED, Answer, Check
from rankings.elicitation.partial_order import Verdict
from rankings.elicitation.rechecks import CHECKS, Settled, ask_of, settle, settle_next
from rankings.elicitation.strategies import Strategy

# name -> (step between levels, 0 for strict orders; agreement of the criteria)
REGIMES = {
    "few-strong": (0.1, 0.9),
    "few-weak": (0.1, 0.2),
    "many-strong": (1.0, 0.9),
    "many-weak": (1.0, 0.2),
    "strict-strong": (0.0, 0.9),
    "strict-independent": (0.0, 0.0),
}


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


def ranked(of: Sequence[float]) -> tuple[tuple[int, ...], ...]:
    """Return the buckets of some levels, best first."""
    return tuple(
        tuple(item for item, level in enumerate(of) if level == value)
        for value in sorted(set(of), reverse=True)
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


def with_checks(
    n: int, judge: Judge, n_checks: int, strategy: Strategy = "insertion", seed: str = ""
) -> Settled:
    """Rank with re-checks and repairs."""
    settled = settle(n, [])
    while (ask := ask_of(settled, strategy, n_checks=n_checks, seed=seed)) is not None:
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
