"""Re-checks and repair: exact annotators pay the checks and nothing else; contradictions end."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.elicitation.error_rate import Mistakes, Repeated, error_rate, mistakes_of
from rankings.elicitation.log import (
    CRITERIA,
    MIRRORED,
    Answer,
    Check,
    Skip,
    Withdrawal,
    replay,
    simulate,
)
from rankings.elicitation.rechecks import (
    CHECKS,
    ask_of,
    default_checks,
    remaining_with_checks,
    settle,
    settle_next,
)
from rankings.errors import RankingError
from tests.support.cases import cases
from tests.support.rankings import n_samples
from tests.support.simulated_annotators import answering, erring, one_criterion, truth, with_checks

STRATEGIES = ("insertion", "balanced")


def next_ask(n, log, strategy="insertion", *, n_checks=0, seed="", hidden=()):
    settled = settle(n, log, hidden)
    return ask_of(settled, strategy, n_checks=n_checks, seed=seed)


def work(n, judge, strategy="insertion", n_checks=None):
    """Return all answers of an annotator; a check asks all three criteria."""
    n_checks = default_checks(n) if n_checks is None else n_checks
    return list(with_checks(n, judge, n_checks, strategy, "s").entries)


def n_checks_in(log):
    return sum(entry.purpose in CHECKS for entry in log)


@cases("strategy", STRATEGIES)
@cases("regime", range(4))
def test_t10_an_exact_annotator_pays_the_checks_and_nothing_else(strategy, regime):
    for image in range(3):
        answer = answering(truth(regime, 10, image))
        log = work(10, answer, strategy)
        plain = simulate(10, answer, strategy)
        assert n_checks_in(log) == default_checks(10) == 2
        assert len(log) == len(plain) + 2
        settled = settle(10, log)
        assert settled.state.rankings() == replay(10, plain).rankings()
        assert not settled.set_aside
        assert not settled.doubts
        assert not settled.unsettled


@cases("strategy", STRATEGIES)
@cases("n_checks", [2, 8])
def test_t10_all_checks_are_asked_and_repairs_stay_within_a_fifth_beyond_them(strategy, n_checks):
    n_repaired = 0
    for image in range(n_samples(usual=4, thorough=40)):
        of = truth(image % 4, 10, image)
        judge = erring(of, 0.1, random.Random(image), by_pair=False)
        log = work(10, judge, strategy, n_checks)
        settled, asked = settle(10, log), Counter(entry.purpose for entry in log)
        assert settled.state.is_finished
        assert asked["near"] + asked["repeat"] == n_checks
        assert asked["again"] <= n_checks
        assert not settled.doubts, "each was asked again"
        assert asked["repair"] == settled.n_repairs <= math.ceil(0.2 * len(log))
        n_repaired += settled.unrepaired is not None
    assert n_repaired > 0


def test_while_results_are_placed_at_most_every_fifth_screen_repeats_a_pair():
    """Unless it asks a doubtful pair again; the annotator here never contradicts."""
    log = work(10, answering(truth(0, 10, 3)), n_checks=10)
    last = max(at for at, entry in enumerate(log) if entry.purpose == "place")
    for at in range(last):
        assert n_checks_in(log[: at + 1]) <= math.ceil(0.2 * (at + 1))
    assert n_checks_in(log) == 10


def log_of_four():
    """3 best, then 2, 1, 0, in every criterion, asked as neighbours."""
    verdicts = dict.fromkeys(CRITERIA, "right")
    return [Answer(i, i + 1, verdicts) for i in range(3)]


def test_a_contradiction_is_asked_once_more_and_then_repaired():
    same = dict.fromkeys(CRITERIA, "right")
    log = [*log_of_four(), Check(0, 2, {**same, "recall": "left"}, "near")]
    doubted = settle(4, log)
    assert doubted.doubts == {(0, 2): 3}
    assert doubted.state.ranking("recall") == ((3,), (2,), (1,), (0,)), "stands so far"
    confirmed = [
        *log,
        Check(2, 0, {**dict.fromkeys(CRITERIA, "left"), "recall": "right"}, "again"),
    ]
    settled = settle(4, confirmed)
    # With five screens one may be a repair, and it opens more: refused, and said to be.
    assert settled.unsettled == ("recall",)
    assert settled.state.ranking("recall") == ((3,), (2,), (1,), (0,))


def long_log():
    """Twenty results in order, asked as neighbours: 19 screens allow 4 checks and repairs."""
    return [Answer(i, i + 1, dict.fromkeys(CRITERIA, "right")) for i in range(24)]


def test_a_confirmed_contradiction_withdraws_the_shortest_chain_in_its_criterion():
    right = dict.fromkeys(CRITERIA, "right")
    log = [
        *long_log(),
        # 3 is below 5 whatever becomes of 4.
        Answer(3, 5, right),
        Check(3, 4, {**right, "recall": "left"}, "repeat"),
        Check(4, 3, {**dict.fromkeys(CRITERIA, "left"), "recall": "right"}, "again"),
    ]
    settled = settle(25, log)
    assert settled.unsettled == ()
    state = settled.state
    assert state.implied(3, 4)["recall"] == "left"
    assert state.implied(3, 4)["precision"] == "right", "other criteria are untouched"
    assert state.implied(3, 5)["recall"] == "right"
    # 2 was below 4 by way of 3 alone.
    assert state.open_criteria(2, 4) == ("recall",)
    assert settled.unrepaired.implied(3, 4)["recall"] == "right"
    ask = next_ask(25, log)
    assert ask.purpose == "repair"
    assert 4 in (ask.left, ask.right)


def test_checks_leave_repairs_their_own_budget():
    """25 answers, six checks that agree, and a contradiction that is confirmed: 33 screens.

    A fifth is 7, and so many repairs are allowed, whatever the eight checks took.
    """
    right = dict.fromkeys(CRITERIA, "right")
    log = [
        *long_log(),
        Answer(3, 5, right),
        *(Check(at, at + 1, right, "repeat") for at in range(10, 16)),
        Check(3, 4, {**right, "recall": "left"}, "repeat"),
        Check(4, 3, {**dict.fromkeys(CRITERIA, "left"), "recall": "right"}, "again"),
    ]
    settled = settle(25, log)
    assert settled.unsettled == ()
    assert settled.state.implied(3, 4)["recall"] == "left"
    assert next_ask(25, log).purpose == "repair"


def test_a_second_answer_that_does_not_confirm_lets_the_ranking_stand():
    right = dict.fromkeys(CRITERIA, "right")
    for second in ("left", "equal"):
        log = [
            *long_log(),
            Check(3, 4, {**right, "recall": "left"}, "repeat"),
            Check(4, 3, {**dict.fromkeys(CRITERIA, "left"), "recall": second}, "again"),
        ]
        settled = settle(25, log)
        assert not settled.doubts
        assert settled.state.is_finished
        assert settled.unrepaired is None


def test_a_skipped_doubt_is_dropped():
    right = dict.fromkeys(CRITERIA, "right")
    log = [*long_log(), Check(3, 4, {**right, "recall": "left"}, "repeat"), Skip(4, 3, "", "again")]
    assert not settle(25, log).doubts
    assert next_ask(25, log) is None


def test_a_repeat_is_ten_screens_old_and_swaps_the_sides():
    answer = answering(truth(0, 10, 3))
    log = work(10, answer)
    at, check = next((at, entry) for at, entry in enumerate(log) if entry.purpose == "repeat")
    earlier = [
        place
        for place, entry in enumerate(log[:at])
        if {entry.left, entry.right} == {check.left, check.right}
    ]
    assert earlier
    assert at - max(earlier) >= 10
    assert (log[max(earlier)].right, log[max(earlier)].left) == (check.left, check.right)


def test_a_changed_answer_counts_and_older_ones_that_contradict_it_are_set_aside():
    """a < b < c < d; then a against d is answered again: d < a. One older link has to give way."""
    log = [
        Answer(0, 1, {"recall": "right"}),
        Answer(1, 2, {"recall": "right"}),
        Answer(2, 3, {"recall": "right"}),
        Answer(0, 3, {"recall": "left"}),
    ]
    settled = settle(4, log)
    assert settled.state.implied(0, 3)["recall"] == "left"
    assert settled.set_aside == ((0, "recall"),), "the oldest of those that do not fit"


def test_a_withdrawn_answer_counts_for_nothing():
    log = [Answer(0, 1, {"recall": "right"}), Withdrawal(0), Answer(0, 1, {"recall": "left"})]
    assert settle(2, log).state.implied(0, 1) == {"recall": "left"}


@given(st.integers(0, 10**6), st.booleans())
def test_entry_by_entry_a_log_leads_to_what_it_leads_to_at_once(seed, hides):
    """One in four answers is wrong: there are doubts, repairs and answers set aside; some are skips."""
    rng = random.Random(seed)
    hidden = (2,) if hides else ()
    judge = erring(truth(3, 6, seed), 0.25, rng, by_pair=False)
    log = [
        Skip(entry.left, entry.right, "other", entry.purpose) if rng.random() < 0.1 else entry
        for entry in work(6, judge, n_checks=4)
    ]
    settled = settle(6, [], hidden)
    for at, entry in enumerate(log):
        before, settled = settled, settle_next(settled, entry)
        assert settled == settle(6, log[: at + 1], hidden)
        assert before == settle(6, log[:at], hidden)
        # The slow way: all facts again, the newest first.
        slowly = settled._reader.state(settled.entries)
        assert slowly == (settled.state, settled.set_aside)


@given(st.integers(0, 5), st.integers(2, 8), st.integers(0, 10**6), st.sampled_from(STRATEGIES))
def test_without_checks_it_is_the_plain_replay(regime, n, image, strategy):
    answer = answering(truth(regime, n, image % 50))
    log = simulate(n, answer, strategy)[: image % 20]
    settled, plain = settle(n, log), replay(n, log)
    for criterion in CRITERIA:
        assert settled.state.ranking(criterion) == plain.ranking(criterion)
    for i in range(n):
        for j in range(i + 1, n):
            assert settled.state.implied(i, j) == plain.implied(i, j)
    assert settled.state.next_pair(strategy) == plain.next_pair(strategy)
    assert settled.state.remaining(strategy) == plain.remaining(strategy)


@cases("strategy", STRATEGIES)
def test_t12_the_true_remainder_lies_in_the_bounds_and_near_the_estimate(strategy):
    """At every step of simulated images, 500 in the thorough profile; exact answers, re-checks included."""
    errors = []
    for image in range(n_samples(usual=60, thorough=500)):
        n = 10 if image % 5 == 0 else 3 + image % 7
        answer = answering(truth(image % 4, n, image))
        log = work(n, answer, strategy)
        for at in range(len(log)):
            before = log[:at]
            left = remaining_with_checks(settle(n, before), strategy, default_checks(n))
            assert left.least <= len(log) - at <= left.most, (n, image, at)
            if n == 10:
                errors.append(abs(left.expected - (len(log) - at)))
    assert sum(errors) / len(errors) <= 2.5


@cases(
    "log",
    [
        [Answer(0, 5, {"recall": "left"})],
        [Answer(0, 0, {"recall": "left"})],
        [Answer(0, 1, {})],
        [Answer(0, 1, {"beauty": "left"})],
        [Answer(0, 1, {"recall": "up"})],
        [Skip(0, 7)],
    ],
)
def test_what_is_about_other_items_is_refused(log):
    with pytest.raises(RankingError):
        settle(2, log)


def test_default_number_of_checks():
    assert [default_checks(n) for n in (0, 2, 3, 5, 7, 8, 10, 20)] == [0, 0, 1, 1, 1, 2, 2, 4]


def screens(*numbers):
    """Repeated screens, each with its number of answers and of differing ones."""
    return sum((Repeated.of_screen(*one) for one in numbers), Repeated())


def test_the_error_rate_follows_from_repeats_and_has_an_interval():
    """d = 0 means e = 0; d = 1/2: e = (2 - sqrt(1)) / 3 = 1/3; from 2/3 on 2/3."""
    assert error_rate(screens(*[(1, 0)] * 29)) is None
    none = error_rate(screens(*[(1, 0)] * 40))
    assert (none.rate, none.low) == (0, 0)
    assert 0 < none.high < 0.06
    half = error_rate(screens(*[(1, 0), (1, 1)] * 20))
    assert half.rate == pytest.approx(1 / 3)
    assert half.low < half.rate < half.high
    assert error_rate(screens(*[(1, 1)] * 40)).rate == pytest.approx(2 / 3)
    with pytest.raises(RankingError):
        Repeated.of_screen(4, 5)


def test_the_error_rate_recovers_the_true_one():
    """Both of two answers err with e, evenly to the two others: P(differ) = 2e(1-e) + e^2 / 2."""
    e = 0.05
    differing = round((2 * e * (1 - e) + e * e / 2) * 10_000)
    many = screens(*[(1, 1)] * differing, *[(1, 0)] * (10_000 - differing))
    assert error_rate(many).rate == pytest.approx(e, abs=1e-4)


def test_answers_of_one_screen_count_as_one_if_they_err_together():
    together = screens(*[(3, 3)] * 8, *[(3, 0)] * 32)
    # Of 40 screens 8 were confused as a whole: by hand the variance of 8 / 40, with 39 below.
    assert together.n_independent == pytest.approx(0.2 * 0.8 / (0.2 * 0.8 / 39))
    apart = screens(*[(1, 1)] * 24, *[(1, 0)] * 96)
    assert apart.n_independent == pytest.approx(119)
    assert screens(*[(3, 0)] * 20).n_independent == 20


def test_the_interval_of_an_error_rate_contains_it_where_whole_screens_are_confused():
    """A tenth of the screens has the sides confused: all three answers differ from the first ones.

    By single answers the interval is too narrow, and contains the truth in some 70 % of people.
    """
    rng = random.Random(4)
    # The share of differing answers is .1; the error rate that it implies.
    truth = (2 - (4 - 6 * 0.1) ** 0.5) / 3
    held, held_by_answers = 0, 0
    for _ in range(400):
        n_confused = sum(rng.random() < 0.1 for _ in range(60))
        together = screens(*[(3, 3)] * n_confused, *[(3, 0)] * (60 - n_confused))
        found = error_rate(together)
        held += found.low <= truth <= found.high
        apart = screens(*[(1, 1)] * (3 * n_confused), *[(1, 0)] * (3 * (60 - n_confused)))
        alone = error_rate(apart)
        held_by_answers += alone.low <= truth <= alone.high
    assert held >= 0.93 * 400
    assert held_by_answers < 0.8 * 400


def agreed(rankings, low, high):
    """Return the verdicts on two items on which two rankings agree, by criterion."""
    found = {}
    for criterion in CRITERIA:
        verdicts = set()
        for ranking in rankings:
            place = {item: at for at, bucket in enumerate(ranking[criterion]) for item in bucket}
            sign = (place[low] > place[high]) - (place[low] < place[high])
            verdicts.add({-1: "left", 0: "equal", 1: "right"}[sign])
        if len(verdicts) == 1:
            found[criterion] = verdicts.pop()
    return found


@pytest.mark.release
@cases("by_pair", [False, True])
def test_simulated_mistakes_that_belong_to_the_pair_are_told_from_those_drawn_each_time(by_pair):
    """Three simulated annotators of one criterion; the first one's repeats against the others' rankings.

    A second way: the likeliest share of mistakes that belong to the pair, of all shares in steps of 1 %,
    by the probabilities of both answers to a pair whose right answer the others give.
    """
    found, answers = Mistakes(), []
    for image in range(80):
        of = one_criterion(image)
        settled = [
            with_checks(10, erring(of, 0.1, random.Random(3 * image + at), by_pair=by_pair), 8)
            for at in range(3)
        ]
        rankings = [one.state.rankings() for one in settled[1:]]
        said = {}
        for entry in settled[0].entries:
            low, high = sorted((entry.left, entry.right))
            turned = entry.left != low
            verdicts = {c: MIRRORED[v] if turned else v for c, v in entry.verdicts.items()}
            said.setdefault((low, high), []).append(verdicts)
        for (low, high), of_pair in said.items():
            if len(of_pair) > 1:
                others = agreed(rankings, low, high)
                found += mistakes_of(*of_pair[:2], others)
                answers += [(*(one["recall"] for one in of_pair[:2]), others.get("recall"))]
    assert found.belong_to == ("pair" if by_pair else "answer")
    low, high = found.interval

    def likelihood(share, rate=0.1):
        """Of the answers; a mistake of the pair comes again, others are drawn each time."""
        total = 0.0
        for first, again, right in answers:
            if right not in ("left", "right") or first == "equal":
                continue
            of_first = 1 - rate if first == right else rate / 2
            drawn = 1 - rate if again == right else rate / 2
            stays = float(first == again)
            mixed = share * stays + (1 - share) * drawn if first != right else drawn
            total += math.log(max(of_first * mixed, 1e-9))
        return total

    likeliest = max(range(101), key=lambda percent: likelihood(percent / 100)) / 100
    assert low <= likeliest + found.expected * (1 - likeliest) <= high


def test_mistakes_are_opposite_to_all_others_and_count_once_a_pair():
    left, right, equal = ({"recall": verdict} for verdict in ("left", "right", "equal"))
    assert mistakes_of(left, left, right) == Mistakes(1, 1)
    assert mistakes_of(left, right, right) == Mistakes(1, 0)
    assert mistakes_of(left, right, left) == Mistakes(0, 0, 1, 1)
    for nothing in ((left, left, equal), (equal, equal, right), (left, left, {}), ({}, left, left)):
        assert mistakes_of(*nothing) == Mistakes()
    first = {"recall": "left", "precision": "right", "preference": "left"}
    again = {"recall": "left", "precision": "left", "preference": "left"}
    assert mistakes_of(first, again, dict.fromkeys(CRITERIA, "left")) == Mistakes(1, 0)
    assert mistakes_of(first, again, dict.fromkeys(CRITERIA, "right")) == Mistakes(1, 1)


def test_few_mistakes_belong_to_nothing():
    assert Mistakes(9, 9).belong_to is None
    assert Mistakes(10, 10).belong_to == "pair"
    assert Mistakes(10, 0).belong_to == "answer"
    assert Mistakes(40, 20).belong_to is None
    assert (Mistakes().interval, Mistakes().expected) == ((0, 1), None)
    assert Mistakes(1, 1, 40, 4).expected == 0.05


@cases("strategy", STRATEGIES)
def test_a_result_that_comes_later_needs_few_screens_and_what_is_known_stays(strategy):
    for image in range(10):
        answer = answering(truth(image % 4, 11, image))
        log = work(10, answer, strategy, n_checks=0)
        added = []
        while (ask := next_ask(11, [*log, *added], strategy)) is not None:
            criteria = settle(11, [*log, *added]).state.open_criteria(ask.left, ask.right)
            assert 10 in (ask.left, ask.right), "only the new one is placed"
            added.append(
                Answer(ask.left, ask.right, {c: answer(ask.left, ask.right, c) for c in criteria})
            )
        assert len(added) <= 9
        exact = replay(11, simulate(11, answer, strategy)).rankings()
        assert settle(11, [*log, *added]).state.rankings() == exact


@cases("strategy", STRATEGIES)
def test_a_result_taken_away_is_neither_asked_nor_ranked_and_what_rests_on_it_stays(strategy):
    """0 < 1 < 2 in everything: without 1 it is still known that 0 < 2."""
    right = dict.fromkeys(CRITERIA, "right")
    log = [Answer(0, 1, right), Answer(1, 2, right)]
    settled = settle(3, log, hidden=[1])
    assert settled.state.is_finished
    assert settled.state.ranking("recall") == ((2,), (0,))
    answer = answering(truth(0, 6, 1))
    half = simulate(6, answer, strategy)[:4]
    asked = []
    while (ask := next_ask(6, [*half, *asked], strategy, hidden=[2], n_checks=2)) is not None:
        assert 2 not in (ask.left, ask.right)
        state = settle(6, [*half, *asked], [2]).state
        criteria = CRITERIA if ask.purpose in CHECKS else state.open_criteria(ask.left, ask.right)
        kind = Check if ask.purpose in CHECKS else Answer
        verdicts = {c: answer(ask.left, ask.right, c) for c in criteria}
        asked.append(kind(ask.left, ask.right, verdicts, ask.purpose))
    state = settle(6, [*half, *asked], [2]).state
    whole = replay(6, simulate(6, answer, strategy)).rankings()
    for criterion in CRITERIA:
        without = tuple(
            kept for bucket in whole[criterion] if (kept := tuple(i for i in bucket if i != 2))
        )
        assert state.ranking(criterion) == without
    left = state.remaining(strategy)
    assert (left.least, left.most) == (0, 0)
