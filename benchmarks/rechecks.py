"""Measure the cost of re-checks in screens and their benefit: fewer wrong pairs in the rankings.

    python -m benchmarks.rechecks [--images 200] [--items 10] [--noise 0.05 0.1]

Simulated annotators answer by rankings drawn under four regimes (``benchmarks.elicitation``); each
verdict is wrong with a fixed probability, drawn again whenever a pair is shown. A pair is wrong if
the finished ranking of a criterion orders it differently (better, tied or worse) from the true one.

Three ways to spend screens: re-checks with budgets of their own, re-checks under the rule that old
studies keep (one budget for re-checks and repairs), and repeats: a pair is shown until two answers agree
in every criterion, three times at most, then the majority counts, and a tie where all three differ. Pairs
are repeated everywhere, or in the third of pairs on which two protocols, the true order with noise
of their own, differ most. Nothing here passes or fails.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from multiprocessing import Pool
from statistics import mean

from benchmarks.elicitation import FITTED, STRATEGIES, answering, normal, truth
from rankings.elicitation.log import CRITERIA, Answer, Check, Entry, State, replay
from rankings.elicitation.partial_order import Verdict
from rankings.elicitation.rechecks import CHECKS, Rule, next_ask, settle
from rankings.elicitation.strategies import Strategy

OTHERS: dict[Verdict, tuple[Verdict, Verdict]] = {
    "left": ("equal", "right"),
    "equal": ("left", "right"),
    "right": ("left", "equal"),
}
Say = Callable[[int, int, str], Verdict]
# Screens and share of wrong pairs of one image.
Outcome = tuple[float, float]


def noisy(exact: Say, noise: float, rng: random.Random) -> Say:
    def answer(left: int, right: int, criterion: str) -> Verdict:
        verdict = exact(left, right, criterion)
        return rng.choice(OTHERS[verdict]) if rng.random() < noise else verdict

    return answer


def with_checks(
    n: int, answer: Say, n_checks: int, rule: Rule, strategy: Strategy, seed: str
) -> tuple[int, State]:
    """Return the number of screens and the final state."""
    log: list[Entry] = []
    while ask := next_ask(n, log, strategy, n_checks=n_checks, seed=seed, rule=rule):
        is_check = ask.purpose in CHECKS
        state = settle(n, log, rule=rule).state
        criteria = CRITERIA if is_check else state.open_criteria(ask.left, ask.right)
        verdicts = {name: answer(ask.left, ask.right, name) for name in criteria}
        kind = Check if is_check else Answer
        log.append(kind(ask.left, ask.right, verdicts, ask.purpose))
    return len(log), settle(n, log, rule=rule).state


def with_repeats(
    n: int, answer: Say, is_repeated: Callable[[int, int], bool], strategy: Strategy
) -> tuple[int, State]:
    """Return the number of screens and the final state where pairs are asked up to three times."""
    log: list[Entry] = []
    n_screens = 0
    state = replay(n, log)
    while pair := state.next_pair(strategy):
        criteria = state.open_criteria(*pair)
        shown = [{name: answer(*pair, name) for name in criteria}]
        while is_repeated(*pair) and len(shown) < 3 and not _agreed(shown):
            shown.append({name: answer(*pair, name) for name in criteria})
        n_screens += len(shown)
        verdicts = {name: _majority([one[name] for one in shown]) for name in criteria}
        log.append(Answer(*pair, verdicts))
        state = replay(n, log)
    return n_screens, state


def _agreed(shown: list[dict[str, Verdict]]) -> bool:
    return len(shown) > 1 and all(
        max(map([one[name] for one in shown].count, OTHERS)) > 1 for name in shown[0]
    )


def _majority(verdicts: list[Verdict]) -> Verdict:
    most = max(OTHERS, key=verdicts.count)
    return most if len(verdicts) == 1 or verdicts.count(most) > 1 else "equal"


def wrong_pairs(state: State, exact: Say, n: int) -> float:
    wrong = [
        state.implied(i, j).get(name) != exact(i, j, name)
        for name in CRITERIA
        for i, j in combinations(range(n), 2)
    ]
    return mean(wrong)


def differing(n: int, regime: int, image: int, rng: random.Random) -> Callable[[int, int], bool]:
    """Return whether a pair is in the third on which two simulated protocols differ most."""
    levels = truth(regime, n, image)["preference"]
    spread = (mean((level - mean(levels)) ** 2 for level in levels)) ** 0.5
    one, other = ([level + spread * normal(rng) for level in levels] for _ in range(2))
    apart = {
        (i, j): abs((one[i] - one[j]) - (other[i] - other[j])) for i, j in combinations(range(n), 2)
    }
    most = set(sorted(apart, key=apart.__getitem__, reverse=True)[: len(apart) // 3])
    return lambda i, j: (min(i, j), max(i, j)) in most


def measured(n: int, noise: float, strategy: Strategy, job: tuple[str, int, int, int]) -> Outcome:
    """Return the outcome of one image: (way, number of re-checks, regime, image)."""
    way, n_checks, regime, image = job
    exact = answering(truth(regime, n, image))
    rng = random.Random(f"{regime}/{image}/{noise}")
    answer = noisy(exact, noise, rng)
    if way in ("apart", "shared"):
        rule: Rule = "apart" if way == "apart" else "shared"
        n_screens, state = with_checks(n, answer, n_checks, rule, strategy, f"{regime}/{image}")
    elif way == "repeats":
        n_screens, state = with_repeats(n, answer, lambda i, j: True, strategy)
    else:
        chosen = differing(n, regime, image, random.Random(f"protocols/{regime}/{image}"))
        n_screens, state = with_repeats(n, answer, chosen, strategy)
    return n_screens, wrong_pairs(state, exact, n)


def ways() -> Iterator[tuple[str, str, int]]:
    rules: tuple[tuple[Rule, str], ...] = (("apart", "own budgets"), ("shared", "one budget"))
    yield "none", "apart", 0
    for rule, name in rules:
        yield from ((f"{k} re-check{'s' * (k > 1)}, {name}", rule, k) for k in (1, 2, 4, 8))
    yield "repeats, all pairs", "repeats", 0
    yield "repeats, where protocols differ", "where-protocols-differ", 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=200, help="of each regime")
    parser.add_argument("--items", type=int, default=10)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.05, 0.1])
    parser.add_argument("--strategy", choices=STRATEGIES, default="insertion")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    print(
        f"{options.items} results, {options.strategy}, {options.images} images of each of "
        f"{len(FITTED)} regimes\n"
    )
    print("| wrong answers | way | screens | more screens | wrong pairs | fewer |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    with Pool(options.processes) as pool:
        for noise in options.noise:
            measure = partial(measured, options.items, noise, options.strategy)
            plain: Outcome | None = None
            for title, way, n_checks in ways():
                jobs = [
                    (way, n_checks, regime, image)
                    for regime in range(len(FITTED))
                    for image in range(options.images)
                ]
                outcomes = pool.map(measure, jobs, chunksize=20)
                screens, wrong = mean(row[0] for row in outcomes), mean(row[1] for row in outcomes)
                plain = plain or (screens, wrong)
                print(
                    f"| {noise:.0%} | {title} | {screens:.1f} | {screens / plain[0] - 1:+.0%} "
                    f"| {wrong:.1%} | {1 - wrong / plain[1]:.0%} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
