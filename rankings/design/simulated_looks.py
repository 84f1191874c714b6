"""Simulated studies with looks while they run: wrong decisions, and which differences are found when."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..inference.multi_reader import compare
from ..inference.sequential import N_LOOKS, Decision, decisions_of, enough, look
from .simulation import Generator, Made, Simulated, simulate


@dataclass(frozen=True, slots=True)
class OutcomeOfLooks:
    """Results of many simulated studies with looks, next to those of one test at the end.

    ``wrong`` is the share of studies with a decision for a protocol that is not nearer to people, even
    if it was withdrawn later; ``found`` the share of true differences that are decided when the study
    ends; ``withdrawn`` the decisions withdrawn, per study; ``share`` the mean share of the rankings at
    a true difference's first decision, None without any.
    """

    n_studies: int
    wrong: float
    wrong_at_end: float
    found: float | None
    found_at_end: float | None
    withdrawn: float
    share: float | None


def outcome_of_looks(study: Simulated, n_studies: int, seed: int) -> OutcomeOfLooks:
    """Simulate studies, look at each while it runs, and test it at its end.

    Raises RankingError if there is no study to simulate.
    """
    if n_studies < 1:
        raise RankingError(f"the number of studies must be at least 1, got {n_studies}")
    rng = np.random.default_rng(seed)
    farther, coarse = study.is_farther.tolist(), study.is_coarse.tolist()
    # Which decisions are right; none is known where one of two protocols rounds.
    is_right = {
        (f"p{near}", f"p{far}"): farther[far] and not farther[near]
        for near, far in permutations(range(study.protocols), 2)
        if coarse[near] == coarse[far]
    }
    true = {decision for decision, right in is_right.items() if right}
    false = is_right.keys() - true
    wrong = wrong_at_end = n_withdrawn = found = found_at_end = 0
    shares: list[float] = []
    for _ in range(n_studies):
        made = simulate(study, rng)
        decided_at, held, withdrawn = _looks(study, made, rng)
        at_end = {*decisions_of(compare(made.as_tested(study)))}
        wrong += bool(decided_at.keys() & false)
        wrong_at_end += bool(at_end & false)
        found += len(true & {*held})
        found_at_end += len(true & at_end)
        n_withdrawn += withdrawn
        shares += [decided_at[decision] for decision in true & decided_at.keys()]
    n_true = len(true) * n_studies
    return OutcomeOfLooks(
        n_studies,
        wrong / n_studies,
        wrong_at_end / n_studies,
        found / n_true if n_true else None,
        found_at_end / n_true if n_true else None,
        n_withdrawn / n_studies,
        float(np.mean(shares)) if shares else None,
    )


def _looks(
    study: Simulated, made: Made, rng: Generator
) -> tuple[dict[Decision, float], tuple[Decision, ...], int]:
    """Return the share at each decision, those held at the end, and the number withdrawn."""
    order = _in_time(study, made, rng)
    n_planned = study.images * (study.per_image or study.annotators)
    decided_at: dict[Decision, float] = {}
    held: tuple[Decision, ...] = ()
    taken: tuple[float, ...] = ()
    n_withdrawn = 0
    for share in (np.arange(1, N_LOOKS + 1) / N_LOOKS).tolist():
        n = round(share * n_planned)
        # When the study ends, the last look takes what there is.
        if n > len(order) and share < 1:
            continue
        so_far = made.at(np.sort(order[:n]))
        rows = enough(so_far.distances.annotators)
        if not rows.any():
            continue
        taken = (*taken, share)
        result = look(so_far.at(np.flatnonzero(rows)).as_tested(study), held, taken)
        decided_at = {**dict.fromkeys(result.decided, share), **decided_at}
        held, n_withdrawn = result.held, n_withdrawn + len(result.withdrawn)
    return decided_at, held, n_withdrawn


def _in_time(study: Simulated, made: Made, rng: Generator) -> NDArray[np.intp]:
    """Return the numbers of the rankings in the order in which they were made."""
    at_random = rng.permutation(len(made.distances.images))
    if study.order == "interleaved":
        return at_random
    return at_random[np.argsort(made.distances.annotators[at_random], kind="stable")]
