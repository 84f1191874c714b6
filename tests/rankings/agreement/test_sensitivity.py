"""Sensitivity of the order of the protocols to a setting, and warnings about sentinels."""

import json

import pytest

from rankings.agreement.sensitivity import BASE, rounding_table, sensitivity_table
from rankings.agreement.sentinels import sentinel_warnings
from rankings.errors import MissingScore, RankingError
from tests.support.cases import cases
from tests.support.rankings import by_text
from tests.support.shared import shared_path


def scores_of(**protocols):
    return {name: dict(zip("abc", values, strict=True)) for name, values in protocols.items()}


def by_name(variants):
    return {variant.name: variant for variant in variants}


@pytest.fixture(scope="module")
def study():
    return json.loads(shared_path("reference", "study_case.json").read_text())


@pytest.mark.parametrize("distance", ["edit", "kemeny"])
def test_the_rounding_table_of_the_reference_study_is_reproduced_exactly(study, distance):
    table = rounding_table(
        study["protocol_scores"], study["consensus_mean_rank"], distance=distance
    )
    for row in table:
        for number, score in zip(("2", "3", "4"), row.scores, strict=False):
            expected = study["expected_by_decimals"][number][distance][row.protocol]
            assert score == expected["score"]
    assert len(table[0].scores) == 4


# Strict x is three swaps from c>b>a, coarse all tied y two splits: 3 and 1 by edit distance.
OPPOSED = {"i": scores_of(x=(0.9, 0.5, 0.1), y=(0.5, 0.5, 0.5))}
CBA = {"i": {"p": by_text("c>b>a"), "q": by_text("c>b>a")}}


def test_a_variant_tells_its_order_correlation_and_best():
    """By Kemeny distance x is 3 and y 1.5 away; without rounding all stays as it is."""
    variants = sensitivity_table(CBA, OPPOSED)
    assert [variant.name for variant in variants] == [
        BASE,
        "kemeny distance",
        "one swap past a tied group",
        "2 decimals",
        "3 decimals",
        "not rounded",
        "without p",
        "without q",
        "first half of the images",
    ]
    for variant in variants:
        assert (variant.order, variant.tau_b, variant.best) == (by_text("y>x"), 1, ("y",))
        assert variant.same_order
        assert variant.n_images == 1


def test_a_group_that_swaps_as_one_element_can_turn_the_order():
    """From c>a=b, a=b>c is two swaps or one, b>c>a a swap, a split and nothing to merge."""
    scores = {"i": scores_of(x=(0.5, 0.5, 0.1), y=(0.4, 0.9, 0.8))}
    people = {"i": {"p": by_text("c>a=b"), "q": by_text("c>a=b")}}
    found = by_name(sensitivity_table(people, scores))
    assert found[BASE].order == by_text("y>x")
    assert found["one swap past a tied group"].order == by_text("x>y")
    assert "one swap past a tied group" not in by_name(
        sensitivity_table(people, scores, distance="kemeny")
    )


def test_one_annotator_can_turn_the_order():
    """With r the three agree on nothing (all tied: y); without, p and q say what x says."""
    people = {"i": {"p": by_text("a>b>c"), "q": by_text("a>b>c"), "r": by_text("c>b>a")}}
    people["j"] = {"r": by_text("a=b=c")}
    scores = OPPOSED | {"j": OPPOSED["i"]}
    variants = by_name(sensitivity_table(people, scores))
    # i: a>b>c by mean ranks 5/3, 2, 7/3: x 0, y 1; j: x 1, y 0.
    assert variants[BASE].order == by_text("x=y")
    without = variants["without r"]
    assert (without.order, without.n_images, without.best) == (by_text("x>y"), 1, ("x",))
    assert (without.tau_b, without.same_order) == (None, False)
    # p and r cancel out, a=b=c: x 1, y 0, twice.
    assert variants["without q"].order == by_text("y>x")


def test_the_first_half_is_in_the_order_given_and_holds_the_middle():
    people = {"z": CBA["i"], "m": CBA["i"], "a": {"p": by_text("a>b>c")}}
    scores = dict.fromkeys(people, OPPOSED["i"])
    half = by_name(sensitivity_table(people, scores))["first half of the images"]
    assert half.n_images == 2
    assert half.order == by_text("y>x")


def test_another_consensus_comes_in_as_a_function():
    def turned(rankings):
        return tuple(reversed(rankings[0]))

    variants = by_name(sensitivity_table(CBA, OPPOSED, other_consensuses={"turned": turned}))
    variant = variants["consensus: turned"]
    assert (variant.order, variant.tau_b, variant.same_order) == (by_text("x>y"), -1, False)


def test_no_image_one_protocol_and_identical_protocols_can_be_compared():
    for variant in sensitivity_table({}, OPPOSED):
        assert (variant.order, variant.tau_b, variant.best) == (None, None, ())
        assert variant.same_order is None
    one_protocol = {"i": {"x": OPPOSED["i"]["x"]}}
    for variant in sensitivity_table(CBA, one_protocol):
        assert (variant.order, variant.tau_b, variant.same_order) == ((("x",),), None, True)
    same = {"i": {"x": OPPOSED["i"]["x"], "y": OPPOSED["i"]["x"]}}
    for variant in sensitivity_table(CBA, same):
        assert (variant.order, variant.tau_b, variant.best) == (by_text("x=y"), None, ("x", "y"))
    assert sensitivity_table(CBA, {})[0].order is None
    alone = by_name(sensitivity_table({"i": {"p": by_text("c>b>a")}}, OPPOSED))["without p"]
    assert (alone.order, alone.n_images, alone.tau_b) == (None, 0, None)
    assert [row.scores for row in rounding_table(OPPOSED, {})] == [(None,) * 4] * 2


def test_sensitivity_refuses_what_a_report_would():
    with pytest.raises(MissingScore, match="i, x: a has no score"):
        sensitivity_table(CBA, {"i": {"x": {}}})
    with pytest.raises(RankingError, match="i has no ranking"):
        sensitivity_table({"i": {}}, OPPOSED)
    with pytest.raises(RankingError, match=r"i: .*: c"):
        sensitivity_table({"i": {"p": by_text("a>b"), "q": by_text("a>b>c")}}, OPPOSED)
    with pytest.raises(RankingError, match="i: a consensus ranks other methods"):
        sensitivity_table(CBA, OPPOSED, other_consensuses={"odd": lambda _: by_text("a>b")})
    with pytest.raises(RankingError, match="distance"):
        rounding_table(OPPOSED, {}, distance="far")


def test_a_sentinel_above_a_real_protocol_is_a_warning_in_words():
    scores = {"iou": 3.0, "tiou": 2.0, "total-area": 2.5, "count": 9.0, "all tied": 2.0}
    warnings = sentinel_warnings(scores, ["total-area", "count", "all tied"])
    assert [(of.sentinel, of.protocol) for of in warnings] == [
        ("all tied", "iou"),
        ("total-area", "iou"),
    ], "the larger gap first; level with tiou is not above it"
    assert "total-area cannot know which results are good" in warnings[1].text
    assert "(2.5 of 100 pairs ordered differently) than iou (3.0)" in warnings[1].text
    assert warnings[1].told_apart is None
    assert "chance" not in warnings[1].text.lower()


@cases(
    ("p", "told_apart", "words"),
    [
        (0.2, False, "may be chance (adjusted p = 0.200)"),
        (0.05, True, "hardly explains the difference (adjusted p = 0.050)"),
        (0.0001, True, "(adjusted p < 0.001)"),
    ],
)
def test_a_warning_says_whether_chance_may_explain_it(p, told_apart, words):
    for pair in (("count", "iou"), ("iou", "count")):
        [warning] = sentinel_warnings({"iou": 2.0, "count": 1.0}, ["count"], p_values={pair: p})
        assert warning.told_apart is told_apart
        assert words in warning.text


def test_without_scores_or_sentinels_there_is_no_warning():
    assert sentinel_warnings({}, []) == ()
    assert sentinel_warnings({"iou": 2.0}, []) == ()
    assert sentinel_warnings({"iou": None, "count": 1.0}, ["count"]) == ()
    assert sentinel_warnings({"iou": 1.0, "count": None}, ["count"]) == ()
    assert sentinel_warnings({"count": 1.0}, ["count"]) == ()
    with pytest.raises(RankingError, match="area"):
        sentinel_warnings({"iou": 1.0}, ["area"])
