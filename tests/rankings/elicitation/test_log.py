"""Which pair is shown next: the guarantees of the two strategies."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.elicitation.log import (
    CRITERIA,
    Answer,
    Check,
    Skip,
    Withdrawal,
    effective,
    replay,
    simulate,
)
from rankings.errors import Contradiction, RankingError
from tests.support.cases import cases
from tests.support.shared import shared_path
from tests.support.simulated_annotators import answering, ranked

STRATEGIES = ("insertion", "balanced")


@st.composite
def truths(draw, max_items=9):
    """For each criterion the level of each item; equal levels are tied, higher is better."""
    n = draw(st.integers(0, max_items))
    levels = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    return {criterion: draw(levels) for criterion in CRITERIA}


def known_by_search(n, log):
    """Return what follows from the answers, by walking 'at least as good as' steps; the slow way."""
    known = {}
    for criterion in CRITERIA:
        steps = {item: {} for item in range(n)}  # item -> worse-or-equal item -> strictly worse
        for entry in log:
            given_verdict = entry.verdicts.get(criterion)
            pairs = {
                "left": [(entry.left, entry.right, True)],
                "right": [(entry.right, entry.left, True)],
            }
            both = [(entry.left, entry.right, False), (entry.right, entry.left, False)]
            for better, worse, strictly in pairs.get(given_verdict, both if given_verdict else []):
                steps[better][worse] = steps[better].get(worse, False) or strictly
        for start in range(n):
            reached = {start: False}
            queue = [start]
            while queue:
                item = queue.pop()
                for following, strictly in steps[item].items():
                    now = reached[item] or strictly
                    if following not in reached or (now and not reached[following]):
                        reached[following] = now
                        queue.append(following)
            for end, strictly in reached.items():
                if end == start:
                    continue
                if strictly:
                    known[criterion, start, end] = "left"
                    known[criterion, end, start] = "right"
                else:
                    known.setdefault((criterion, start, end), "equal")
    return known


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(truth=truths())
def test_a_consistent_annotator_ends_with_exactly_the_truth(strategy, truth):
    n = len(truth["recall"])
    log = simulate(n, answering(truth), strategy)
    rankings = replay(n, log).rankings()
    assert rankings == {criterion: ranked(levels) for criterion, levels in truth.items()}
    assert len(log) <= n * (n - 1) // 2


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(truth=truths(max_items=7))
def test_no_screen_asks_what_follows_and_every_screen_asks_something(strategy, truth):
    n = len(truth["recall"])
    log = simulate(n, answering(truth), strategy)
    for at, entry in enumerate(log):
        known = known_by_search(n, log[:at])
        assert entry.verdicts
        for criterion in CRITERIA:
            asked = criterion in entry.verdicts
            assert asked == ((criterion, entry.left, entry.right) not in known)
        state = replay(n, log[:at])
        for other in range(n):
            for item in range(other):
                expected = {
                    criterion: known[criterion, item, other]
                    for criterion in CRITERIA
                    if (criterion, item, other) in known
                }
                assert state.implied(item, other) == expected


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(truth=truths(max_items=8))
def test_what_is_left_lies_within_the_bounds_at_every_step(strategy, truth):
    n = len(truth["recall"])
    log = simulate(n, answering(truth), strategy)
    for at in range(len(log) + 1):
        left = len(log) - at
        remaining = replay(n, log[:at]).remaining(strategy)
        assert remaining.least <= left <= remaining.most
        assert remaining.least <= remaining.expected <= remaining.most


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(truth=truths(max_items=6))
def test_as_many_undos_as_answers_give_the_same_pairs_backwards(strategy, truth):
    n = len(truth["recall"])
    log = simulate(n, answering(truth), strategy)
    pairs = [replay(n, log[:at]).next_pair(strategy) for at in range(len(log) + 1)]
    undone = list(log)
    for at in reversed(range(len(log))):
        undone.append(Withdrawal(at))
        assert replay(n, undone).next_pair(strategy) == pairs[at]
    assert effective(undone) == ()


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(truth=truths(max_items=6))
def test_swapping_the_sides_of_every_screen_gives_the_same_pairs(strategy, truth):
    n = len(truth["recall"])
    log = simulate(n, answering(truth), strategy)
    mirror = {"left": "right", "equal": "equal", "right": "left"}
    mirrored = [
        Answer(entry.right, entry.left, {c: mirror[v] for c, v in entry.verdicts.items()})
        for entry in log
    ]
    for at in range(len(log) + 1):
        assert replay(n, log[:at]).next_pair(strategy) == replay(n, mirrored[:at]).next_pair(
            strategy
        )


@given(truth=truths(max_items=6), seed=st.integers(0, 1000))
def test_the_order_of_the_answers_does_not_change_what_is_known(truth, seed):
    n = len(truth["recall"])
    log = simulate(n, answering(truth))
    shuffled = random.Random(seed).sample(log, len(log))
    assert replay(n, shuffled).rankings() == replay(n, log).rankings()


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(truth=truths(max_items=6), seed=st.integers(0, 1000))
def test_with_skips_the_rankings_are_still_right_or_the_image_is_incomplete(strategy, truth, seed):
    n, rng = len(truth["recall"]), random.Random(seed)
    log, times_shown = [], {}
    while (pair := replay(n, log).next_pair(strategy)) is not None:
        times_shown[pair] = times_shown.get(pair, 0) + 1
        assert times_shown[pair] <= 2, "a pair that was skipped twice is not shown again"
        state = replay(n, log)
        if rng.random() < 0.4:
            log.append(Skip(*pair))
        else:
            asked = {c: answering(truth)(*pair, c) for c in state.open_criteria(*pair)}
            log.append(Answer(*pair, asked))
    state = replay(n, log)
    if state.is_finished:
        assert state.rankings() == {c: ranked(levels) for c, levels in truth.items()}
    else:
        assert state.next_pair() is None
        assert state.rankings() is None


@cases("strategy", STRATEGIES)
def test_a_skipped_pair_comes_after_all_that_were_not(strategy):
    log = []
    shown = []
    for _ in range(3):
        pair = replay(3, log).next_pair(strategy)
        shown.append(pair)
        log.append(Skip(*pair))
    assert len(set(shown)) == 3
    assert replay(3, log).next_pair(strategy) in shown


def test_reference_cases_take_exactly_the_screens_they_should():
    reference = json.loads(shared_path("reference", "elicitation_cases.json").read_text())
    totals = dict.fromkeys(STRATEGIES, 0)
    for case in reference["cases"]:
        items = case["items"]
        truth = {
            criterion: [
                -next(at for at, bucket in enumerate(ranking) if item in bucket) for item in items
            ]
            for criterion, ranking in case["truth"].items()
        }
        for strategy in STRATEGIES:
            log = simulate(len(items), answering(truth), strategy)
            totals[strategy] += len(log)
            rankings = replay(len(items), log).rankings()
            for criterion, ranking in case["truth"].items():
                named = [sorted(items[i] for i in bucket) for bucket in rankings[criterion]]
                assert named == [sorted(bucket) for bucket in ranking], case["name"]
            if strategy == "insertion":
                assert len(log) == case["screens_of_insertion_by_most_open_criteria"], case["name"]
            else:
                assert len(log) <= case["max_screens"], case["name"]
    assert totals == {"insertion": 894, "balanced": reference["sum_of_the_rule"]}
    assert totals["balanced"] == 841


def test_t20_ten_results_in_one_strict_order_take_at_most_25_screens_by_insertion():
    """Binary insertion of the k-th result takes at most ceil(log2 k): 0+1+2+2+3+3+3+3+4+4 = 25."""
    for seed in range(100):
        order = random.Random(seed).sample(range(10), 10)
        log = simulate(10, answering(dict.fromkeys(CRITERIA, order)), "insertion")
        assert len(log) <= 25


def test_all_tied_takes_one_screen_fewer_than_results():
    for strategy in STRATEGIES:
        assert len(simulate(10, lambda left, right, criterion: "equal", strategy)) == 9


def test_a_contradiction_names_criterion_pair_and_the_entries_it_follows_from():
    log = [
        Answer(0, 1, {"recall": "left"}),
        Answer(2, 3, {"recall": "left"}),
        Answer(1, 2, {"recall": "equal"}),
        Answer(0, 3, {"recall": "right"}),
    ]
    with pytest.raises(Contradiction, match=r"entry 3: recall of items 0 and 3.*entries 0, 1, 2"):
        replay(4, log)


def test_an_answer_that_agrees_with_what_is_known_is_redundant():
    log = [Answer(0, 1, {"recall": "left"}), Answer(1, 0, {"recall": "right"})]
    assert replay(2, log).implied(0, 1) == {"recall": "left"}


def test_a_check_does_not_enter_the_state():
    log = [Check(0, 1, {"recall": "left"})]
    assert replay(2, log).implied(0, 1) == {}


@cases(
    ("n", "log"),
    [
        (-1, []),
        (2, [Answer(0, 2, {"recall": "left"})]),
        (2, [Answer(-1, 0, {"recall": "left"})]),
        (2, [Answer(1, 1, {"recall": "left"})]),
        (2, [Answer(0, 1, {})]),
        (2, [Answer(0, 1, {"beauty": "left"})]),
        (2, [Answer(0, 1, {"recall": "better"})]),
        (2, [Withdrawal(0)]),
        (2, [Skip(0, 1), Withdrawal(0), Withdrawal(0)]),
        (2, [Skip(0, 1), Withdrawal(0), Withdrawal(1)]),
    ],
)
def test_a_log_that_cannot_be_is_refused(n, log):
    with pytest.raises(RankingError):
        replay(n, log)


@cases("n", [0, 1, 2])
def test_an_unknown_strategy_is_refused(n):
    with pytest.raises(RankingError, match="unknown strategy"):
        replay(n, []).next_pair("fastest")


@cases("n", [0, 1])
def test_nothing_to_compare_is_finished_at_once(n):
    state = replay(n, [])
    assert state.next_pair() is None
    assert state.is_finished
    assert state.rankings() == dict.fromkeys(CRITERIA, ((0,),) if n else ())
    assert (state.remaining().least, state.remaining().most) == (0, 0)
