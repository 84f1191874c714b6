"""Measure screens and wrong pairs of ten results, by strategy and by kind of people.

    python -m benchmarks.elicitation [--images 120] [--write]

Nine kinds of people: exact; wrong answers drawn each time, or belonging to the pair; unsure on near
pairs; 15 % of answers *left* whatever is shown; 15 % the key of the answer before. ``round robin``
asks every pair once (45 screens) and takes the nearest weak order. *One criterion* shares its levels
with the others; *three* are drawn from four regimes, as the first image of an annotator.
"""

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import mean

import numpy as np

from benchmarks import pages
from rankings.consensus.kemeny import nearest_places
from rankings.elicitation.careful import Rules
from rankings.elicitation.log import CRITERIA
from rankings.elicitation.partial_order import Verdict
from tests.support.simulated_annotators import (
    Judge,
    Levels,
    answering,
    carefully,
    erring,
    one_criterion,
    share_wrong,
    truth,
    with_checks,
)

N = 10
_SIGNS = {"left": 1, "equal": 0, "right": -1}
_SHARE = 0.15
Kind = Callable[[Levels, random.Random], Judge]


def unsure(of: Levels, rng: random.Random) -> Judge:
    """Answer by levels with noise; less than half a level is equal."""

    def verdict(left: int, right: int, criterion: str) -> Verdict:
        apart = of[criterion][left] - of[criterion][right] + rng.gauss(0, 0.5)
        return "equal" if abs(apart) < 0.5 else "left" if apart > 0 else "right"

    return verdict


def with_a_side(of: Levels, rng: random.Random) -> Judge:
    right_answer = answering(dict(of))
    return lambda *pair: "left" if rng.random() < _SHARE else right_answer(*pair)


def with_a_habit(of: Levels, rng: random.Random) -> Judge:
    right_answer, before = answering(dict(of)), ["equal"]

    def verdict(left: int, right: int, criterion: str) -> Verdict:
        if rng.random() >= _SHARE:
            before[0] = right_answer(left, right, criterion)
        return before[0]  # type: ignore[return-value]

    return verdict


def slips(share: float, *, by_pair: bool = False) -> Kind:
    return lambda of, rng: erring(of, share, rng, by_pair=by_pair)


KINDS: Mapping[str, Kind] = {
    "exact": slips(0),
    "5 % wrong, each time": slips(0.05),
    "10 % wrong, each time": slips(0.1),
    "20 % wrong, each time": slips(0.2),
    "5 % wrong, by pair": slips(0.05, by_pair=True),
    "10 % wrong, by pair": slips(0.1, by_pair=True),
    "unsure on near pairs": unsure,
    "15 % left": with_a_side,
    "15 % key before": with_a_habit,
}


def of_one(judge: Judge) -> Judge:
    """Answer all criteria like the first of the screen."""
    said: dict[tuple[int, int], Verdict] = {}

    def verdict(left: int, right: int, criterion: str) -> Verdict:
        if criterion == CRITERIA[0]:
            said[left, right] = judge(left, right, criterion)
        return said[left, right]

    return verdict


def round_robin(of: Levels, judge: Judge) -> tuple[float, float]:
    """Return the screens and the share of wrong pairs where each pair is asked once."""
    said = {pair: [judge(*pair, name) for name in CRITERIA] for pair in combinations(range(N), 2)}
    n_wrong = 0
    for at, name in enumerate(CRITERIA):
        before, equal = np.zeros((2, 1, N, N), dtype=np.int64)
        for (a, b), verdicts in said.items():
            sign = _SIGNS[verdicts[at]]
            first, second = (a, b) if sign > 0 else (b, a)
            (before if sign else equal)[0, first, second] += 1
        places = nearest_places(before, equal + equal.transpose(0, 2, 1))[0][0]
        level = np.array(of[name])
        n_wrong += sum(
            np.sign(places[b] - places[a]) != np.sign(level[a] - level[b]) for a, b in said
        )
    return len(said), n_wrong / len(said) / len(CRITERIA)


def settled(found: Callable[[Judge], object]) -> Callable[[Levels, Judge], tuple[float, float]]:
    def work(of: Levels, judge: Judge) -> tuple[float, float]:
        own = found(judge)
        return len(own.entries), share_wrong(of, own)  # type: ignore[attr-defined,arg-type]

    return work


WAYS = {
    "insertion, 2": settled(lambda judge: with_checks(N, judge, 2)),
    "insertion, 8": settled(lambda judge: with_checks(N, judge, 8)),
    "careful": settled(lambda judge: carefully(N, judge, Rules())),
    "no repeats": settled(lambda judge: carefully(N, judge, Rules(repeats=False))),
    "round robin": round_robin,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=120)
    options = parser.parse_args(arguments)
    print(f"{N} results, {options.images} images: screens (most) / percent of wrong pairs\n")
    for title, levels, shared in (
        ("one criterion", one_criterion, True),
        ("three criteria", lambda image: truth(image % 4, N, image), False),
    ):
        print(title.ljust(22), *(name.rjust(18) for name in WAYS))
        for name, kind in KINDS.items():
            cells = []
            for work in WAYS.values():
                found = []
                for image in range(options.images):
                    of = levels(image)
                    judge = kind(of, random.Random(image))
                    found.append(work(of, of_one(judge) if shared else judge))
                screens = [one for one, _ in found]
                wrong = 100 * mean(float(share) for _, share in found)
                cells.append(f"{mean(screens):5.1f} ({max(screens)}) / {wrong:4.1f}".rjust(18))
            print(name.ljust(22), *cells, flush=True)
        print()


if __name__ == "__main__":
    pages.run(main)
