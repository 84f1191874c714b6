"""Shares, and the rule that leaves out who guesses."""

import numpy as np
import pytest

from rankings.elicitation.attention_checks import N_LEAST, is_below
from rankings.elicitation.error_rate import wilson
from rankings.errors import RankingError
from tests.support.cases import cases

N_PAIRS = 40
AT_LEAST = 0.5


@cases(
    ("n_hits", "n", "low", "high"),
    [
        # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_wilsons(n_hits, n, low, high):
    assert wilson(n_hits, n) == pytest.approx((low, high), abs=5e-5)


def test_nobody_is_judged_by_few_pairs():
    assert not any(is_below(0, n, 1.0) for n in range(N_LEAST))
    assert is_below(0, N_LEAST, 0.5)


@cases(("n_right", "n", "at_least"), [(3, 2, 0.5), (-1, 2, 0.5), (1, 2, 1.5)])
def test_what_cannot_be_is_refused(n_right, n, at_least):
    with pytest.raises(RankingError):
        is_below(n_right, n, at_least)


def chance_of_being_left_out(p_right):
    """Asked after each of 40 pairs: the sum over all ways there, by the number right so far."""
    still, flagged = {0: 1.0}, 0.0
    for n in range(1, N_PAIRS + 1):
        after = {}
        for n_right, p in still.items():
            after[n_right] = after.get(n_right, 0.0) + p * (1 - p_right)
            after[n_right + 1] = after.get(n_right + 1, 0.0) + p * p_right
        flagged += sum(p for n_right, p in after.items() if is_below(n_right, n, AT_LEAST))
        still = {k: p for k, p in after.items() if not is_below(k, n, AT_LEAST)}
    return flagged


def test_who_guesses_is_left_out_and_who_looks_is_not():
    # Two criteria are known of a pair, three verdicts each: a guess is right in one of nine.
    assert chance_of_being_left_out(1 / 9) > 0.9999
    # An annotator who errs in a tenth of the answers is right in 0.9 ** 2 of the pairs.
    assert chance_of_being_left_out(0.81) < 1e-4
    # And who errs in a fifth of answers as plain as these.
    assert chance_of_being_left_out(0.64) < 0.02


def test_t34_six_who_click_at_random_are_found_among_thirty():
    """Drawn answer by answer: the other way to the chances above."""
    rng = np.random.default_rng(34)
    n_runs, careful, clickers = 200, 24, 6
    found = wrongly = 0
    for _ in range(n_runs):
        # Verdicts 0, 1, 2 in two criteria; 0 is right. An attentive annotator errs in a tenth of
        # the answers.
        clicked = rng.integers(0, 3, (clickers, N_PAIRS, 2))
        looked = rng.integers(1, 3, (careful, N_PAIRS, 2)) * (
            rng.random((careful, N_PAIRS, 2)) < 0.1
        )
        for answers in (clicked, looked):
            right = (answers == 0).all(axis=2).cumsum(axis=1)
            out = [
                any(is_below(int(row[n - 1]), n, AT_LEAST) for n in range(1, N_PAIRS + 1))
                for row in right
            ]
            if answers is clicked:
                found += sum(out)
            else:
                wrongly += sum(out)
    assert found / (n_runs * clickers) >= 0.95
    assert wrongly / (n_runs * careful) <= 0.02
