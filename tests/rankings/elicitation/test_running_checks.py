"""The running rule over known answers stops guessing early, and hardly ever a careful person."""

import math
import random

import pytest

from rankings.elicitation.attention_checks import (
    EVIDENCE_TO_END,
    EVIDENCE_TO_WARN,
    evidence_of_guessing,
    is_in_doubt,
    spread_of_checks,
)
from tests.support.cases import cases

VISITS = 3000


def test_evidence_is_the_sum_of_logarithms_of_likelihood_ratios():
    # (1/3) / 0.8 for a right answer, (2/3) / 0.2 for a wrong one.
    assert evidence_of_guessing([]) == 0
    assert evidence_of_guessing([False]) == pytest.approx(math.log((2 / 3) / 0.2))
    assert evidence_of_guessing([False, True]) == pytest.approx(
        math.log((2 / 3) / 0.2) + math.log((1 / 3) / 0.8)
    )


def test_many_right_answers_do_not_excuse_many_wrong_ones():
    assert evidence_of_guessing([True] * 50) == -2
    assert evidence_of_guessing([True] * 50 + [False] * 5) > EVIDENCE_TO_END


def test_two_wrong_answers_warn_and_four_end():
    assert evidence_of_guessing([False]) < EVIDENCE_TO_WARN < evidence_of_guessing([False] * 2)
    assert evidence_of_guessing([False] * 3) < EVIDENCE_TO_END < evidence_of_guessing([False] * 4)


def test_doubt_lasts_until_two_right_answers_in_a_row():
    assert not is_in_doubt([])
    assert not is_in_doubt([True])
    assert is_in_doubt([False, True])
    assert is_in_doubt([False, True, False, True])
    assert not is_in_doubt([False, True, True])


@cases(("n_pairs", "n_known"), [(40, 6), (10, 3), (5, 3), (4, 3), (2, 3), (0, 3)])
def test_checks_are_spread_and_never_among_the_first_two(n_pairs, n_known):
    for seed in range(50):
        places = spread_of_checks(n_pairs, n_known, random.Random(seed))
        assert len(places) == min(n_known, max(n_pairs - 2, 0))
        assert places == sorted(set(places))
        assert all(2 <= place < n_pairs for place in places)


def stopped_at(right_share, seed, *, n_pairs=40, n_known=6):
    """Return the pair at which a visit of one pair an image is stopped, or None at its usual end."""
    rng = random.Random(seed)
    places = spread_of_checks(n_pairs, n_known, rng)
    answers, asked, wrong_at_pause = [], 0, None
    while asked < n_pairs:
        known = [place for place in places if asked <= place <= asked + 1]
        n_checks = len(known) or int(is_in_doubt(answers))
        for _ in range(n_checks):
            answers.append(rng.random() < right_share)
            asked += 1
            evidence, n_wrong = evidence_of_guessing(answers), answers.count(False)
            if wrong_at_pause is None:
                wrong_at_pause = n_wrong if evidence >= EVIDENCE_TO_WARN else None
            elif evidence >= EVIDENCE_TO_END and n_wrong > wrong_at_pause:
                return asked
        asked += 1
    return None


def test_answers_at_random_end_a_visit_within_25_pairs():
    # At least two criteria must be right, each of them one of three verdicts.
    ends = [stopped_at(1 / 9, seed) for seed in range(VISITS)]
    assert sum(end is not None and end <= 25 for end in ends) / VISITS > 0.95
    assert sum(end is None for end in ends) / VISITS < 0.005


@cases("right_share", [0.9, 0.81])
def test_people_with_ten_per_cent_slips_are_hardly_ever_stopped(right_share):
    # 10 % of the pairs, or 10 % of each of two criteria.
    ends = [stopped_at(right_share, seed) for seed in range(VISITS)]
    assert sum(end is not None for end in ends) / VISITS < 0.01


def test_the_same_key_for_everything_ends_most_visits():
    ends = [stopped_at(1 / 3, seed) for seed in range(VISITS)]
    assert sum(end is not None for end in ends) / VISITS > 0.8
