"""Whole sets of images at once give what image by image gives."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.agreement.report import ALL_TIED, RANDOM_ORDER, Settings, build_report
from rankings.analysis.analysis import analyse
from rankings.consensus.mean_rank import mean_rank
from rankings.errors import MissingScore, RankingError
from rankings.orders.buckets import bucket_of, methods_of
from rankings.orders.from_scores import f_beta, f_betas, ranking_from_scores
from rankings.orders.packed import dense_places, doubled_ranks_of, packed_rankings, rankings_of
from rankings.orders.packed_scores import packed_scores, rankings_from_scores, rounded_scores
from tests.support.cases import cases
from tests.support.plain_orders import (
    plain_edit_distance,
    plain_kemeny_distance,
    plain_mean_rank,
    signs_of,
)
from tests.support.rankings import rankings_of as ranked

METHODS = ["a", "b", "c", "d", "e"]
PROTOCOLS = ["x", "y", "z"]
ANNOTATORS = ["p", "q", "r", "s"]


# --- The plain way, pair by pair and fraction by fraction.


PLAIN = {"edit": plain_edit_distance, "kemeny": plain_kemeny_distance}


def plain_value(criterion, score, beta):
    if score is None:
        return None
    recall, precision = score
    if criterion == "recall":
        return recall
    if criterion == "precision":
        return precision
    return None if None in score else f_beta(recall, precision, beta)


def plain_table(criterion, rankings, scores, setting):
    """Distances of the images that count, their consensus, and why the others do not."""
    protocols = sorted({name for of_image in scores.values() for name in of_image})
    distances, consensus, left_out = {}, {}, []
    for image, people in rankings.items():
        ranked = [methods_of(ranking) for ranking in people]
        if len(people) < setting.min_annotators:
            left_out.append((image, f"{len(people)} of {setting.min_annotators} annotators"))
            continue
        differing = frozenset.union(*ranked) - frozenset.intersection(*ranked)
        if differing:
            names = ", ".join(sorted(differing))
            left_out.append((image, f"not ranked by every annotator: {names}"))
            continue
        goal = plain_mean_rank(people)
        methods = sorted(ranked[0])
        row = {}
        try:
            for protocol in protocols:
                of_method = scores.get(image, {}).get(protocol, {})
                values = {
                    method: plain_value(criterion, of_method.get(method), setting.beta)
                    for method in methods
                }
                try:
                    own = ranking_from_scores(values, setting.decimals)
                except MissingScore as missing:
                    raise LookupError(f"{protocol}: {missing}") from missing
                row[protocol] = PLAIN[setting.distance](own, goal)
        except LookupError as reason:
            left_out.append((image, str(reason)))
            continue
        row[ALL_TIED] = PLAIN[setting.distance]((tuple(methods),), goal)
        strict = sum(said != 0 for said in signs_of(goal).values())
        n = len(methods)
        row[RANDOM_ORDER] = {
            "edit": Fraction(strict, 2) + Fraction(n - len(goal), 2),
            "kemeny": Fraction(n * (n - 1), 4),
        }[setting.distance]
        distances[image], consensus[image] = row, goal
    return distances, consensus, left_out


# --- Studies with ties, missing values, absent methods and annotators, one image or none.


@st.composite
def people(draw, n_images, complete):
    """Image -> annotator -> ranking; now and then of other methods than the others'."""
    study = {}
    for at in range(n_images):
        methods = sorted(draw(st.sets(st.sampled_from(METHODS), min_size=1)))
        least = 1 if complete else 0
        who = draw(st.lists(st.sampled_from(ANNOTATORS), unique=True, min_size=least))
        is_odd = not complete and draw(st.integers(0, 9)) == 0
        study[f"i{at}"] = {
            name: draw(ranked(METHODS[:2] if is_odd and not place else methods))
            for place, name in enumerate(who)
        }
    return study


NUMBERS = st.one_of(
    st.sampled_from([0, 1, 0.5, 0.12345, 0.12355, 0.00005, 0.3, 0.1 + 0.2, -0.25, 7e11]),
    st.integers(0, 100_000).map(lambda number: number / 100_000),
    st.floats(0, 1),
)
HOLES = st.one_of(st.none(), st.sampled_from([math.nan, math.inf]))


@st.composite
def studies(draw, complete=False):
    """(criterion -> image -> annotator -> ranking, image -> protocol -> method -> pair)."""
    n_images = draw(st.integers(0, 5))
    rankings = {
        criterion: draw(people(n_images, complete))
        for criterion in draw(st.sampled_from([["recall"], ["recall", "precision", "preference"]]))
    }
    protocols = PROTOCOLS[: draw(st.integers(0, 3))]
    has_holes = not complete and draw(st.booleans())
    number = st.one_of(NUMBERS, NUMBERS, NUMBERS, HOLES) if has_holes else NUMBERS
    scores = {}
    for at in range(n_images):
        if has_holes and draw(st.integers(0, 9)) == 0:
            continue
        scores[f"i{at}"] = {
            protocol: {
                method: (draw(number), draw(number))
                for method in METHODS
                if not (has_holes and draw(st.integers(0, 19)) == 0)
            }
            for protocol in protocols
            if not (has_holes and draw(st.integers(0, 9)) == 0)
        }
    return rankings, scores


SETTINGS = st.builds(
    Settings,
    decimals=st.sampled_from([0, 2, 4, 15, None]),
    distance=st.sampled_from(["edit", "kemeny"]),
    beta=st.sampled_from([0.5, 1.0, 3.0]),
    min_annotators=st.integers(1, 3),
)


@given(studies(), SETTINGS)
def test_a_report_is_what_the_plain_way_gives(study, setting):
    rankings, scores = study
    unnamed = {
        criterion: {image: list(of.values()) for image, of in by_image.items()}
        for criterion, by_image in rankings.items()
    }
    report = build_report(unnamed, scores, setting)
    assert list(report.criteria) == list(rankings)
    for criterion, table in report.criteria.items():
        distances, consensus, left_out = plain_table(criterion, unnamed[criterion], scores, setting)
        assert list(table.distances.items()) == list(distances.items())
        assert list(table.consensus.items()) == list(consensus.items())
        assert list(table.left_out) == left_out
        assert table.n_images == len(distances)
        assert table.n_rankings == sum(len(unnamed[criterion][image]) for image in distances)
        for row in table.rows:
            others = [{k: v for k, v in of.items() if k in PROTOCOLS} for of in distances.values()]
            own = [of[row.protocol] for of in distances.values()]
            assert row.score == (float(sum(own) / len(own)) if own else None)
            assert row.numbers["best"] == sum(of[row.protocol] == min(of.values()) for of in others)
            assert row.numbers["worst"] == sum(
                of[row.protocol] == max(of.values()) for of in others
            )
        for row in table.baselines:
            own = [of[row.protocol] for of in distances.values()]
            assert row.score == (float(sum(own) / len(own)) if own else None)
        keys = [(row.score, row.protocol) for row in table.rows if row.score is not None]
        assert keys == sorted(keys)


@given(st.lists(ranked(METHODS), min_size=1))
def test_mean_ranks_are_compared_exactly(rankings):
    assert mean_rank(rankings) == plain_mean_rank(rankings)


def test_there_is_no_mean_of_ranks_among_different_methods():
    with pytest.raises(RankingError, match="not in both: c"):
        mean_rank([(("a",), ("b",)), (("a",), ("b",), ("c",))])


@given(
    st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=1, max_size=6),
    st.sampled_from([0, 1, 2, 4, 15, None]),
)
def test_rounded_scores_are_in_the_order_of_the_ranking(rows, decimals):
    rounded = rounded_scores(np.array(rows, dtype=np.float64), decimals)
    for row, of_row in zip(rows, rounded, strict=True):
        expected = bucket_of(ranking_from_scores(dict(zip("abcd", row, strict=True)), decimals))
        assert dense_places(of_row).tolist() == [expected[method] for method in "abcd"]


def test_scores_too_large_for_a_float_of_their_last_decimal_are_told_apart():
    """100 and the next float, 1.4e-14 above: 15 decimals keep both, a float of 1e17 units does not."""
    row = [100.0, math.nextafter(100.0, 101), 100.0]
    assert dense_places(rounded_scores(np.array(row), 15)).tolist() == [1, 0, 1]


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1), st.sampled_from([0.125, 1.0, 8.0]))
def test_f_scores_at_once_are_equal_to_the_last_digit(pairs, beta):
    recall, precision = np.array(pairs, dtype=np.float64).T
    assert f_betas(recall, precision, beta).tolist() == [f_beta(*pair, beta) for pair in pairs]


@given(people(5, complete=False))
def test_images_are_packed_by_their_numbers_of_rankings_and_methods(study):
    images = [list(of.values()) for of in study.values()]
    for together in (2, 4096):
        differing, seen = [], {}
        for group in packed_rankings(images, differing.append, together):
            for row, methods, places in zip(group.rows, group.methods, group.places, strict=True):
                seen[int(row)] = list(rankings_of(places, [methods] * len(places)))
        assert seen == {
            at: rankings
            for at, rankings in enumerate(images)
            if rankings and len(set(map(methods_of, rankings))) == 1
        }
        assert sorted(differing) == [
            at for at, rankings in enumerate(images) if len(set(map(methods_of, rankings))) > 1
        ]


@cases(
    ("ranking", "message"),
    [
        ((("a",), ("a",)), "ranked twice: a"),
        ((("a", "b", "a"),), "ranked twice: a"),
        ((("a",), ()), "at least one method"),
        ((), "at least one method"),
        (("ab",), "a bucket is a list"),
        ("ab", "a ranking is a list"),
        (None, "a ranking is a list"),
        (((1,),), "named by text"),
    ],
)
def test_what_is_no_ranking_is_refused_as_alone(ranking, message):
    for others in ([], [(("a",), ("b",))]):
        with pytest.raises(RankingError, match=message):
            list(packed_rankings([others, [*others, ranking]]))


def test_any_collections_of_names_are_rankings():
    ranked = (("a",), ("b",))
    lists, iterators = [["a"], ["b"]], iter([iter("a"), {"b"}])
    for given_as in ([ranked, lists], [ranked, [iter("a"), ("b",)]], [lists, iterators]):
        [group] = packed_rankings([given_as])
        assert group.methods == [("a", "b")]
        assert group.places.tolist() == [[[0, 1], [0, 1]]]


def test_doubled_ranks_share_the_mean_of_their_positions():
    """a=b>c: 1.5, 1.5 and 3; with 200 methods, more than a byte counts."""
    assert doubled_ranks_of(np.array([0, 0, 1], dtype=np.int8)).tolist() == [3, 3, 6]
    assert doubled_ranks_of(np.arange(200, dtype=np.int16)).tolist() == list(range(2, 401, 2))


def test_many_methods_are_packed_and_measured():
    """200 methods turned around: all 19,900 pairs are swapped."""
    methods = [f"m{at:03}" for at in range(200)]
    order = tuple((method,) for method in methods)
    scores = {"i": {"x": {m: (1 - at / 1000, None) for at, m in enumerate(methods)}}}
    table = build_report({"recall": {"i": [order[::-1]]}}, scores, Settings(min_annotators=1))
    assert table.criteria["recall"].distances["i"] == {
        "x": 19_900,
        ALL_TIED: 199 / 2,
        RANDOM_ORDER: 19_900 / 2,
    }


def test_text_is_not_read_as_a_score():
    with pytest.raises(TypeError):
        packed_scores({"i": {"x": {"a": "0.5"}}}, ["i"], [["a"]], ["x"])


def test_rankings_of_many_scores_are_those_of_each():
    scores = {
        "i": {"x": {"a": 0.12345, "b": 0.12355}, "y": {"a": 0, "b": 0.5}},
        "j": {"x": {"a": 1.0}, "y": {"a": 0.0}},
    }
    rankings = rankings_from_scores(scores, {"j": ["a"], "i": ["a", "b"]}, ["y", "x"])
    assert list(rankings) == ["j", "i"]
    for image, of_image in rankings.items():
        assert list(of_image) == ["y", "x"]
        for name, ranking in of_image.items():
            assert ranking == ranking_from_scores(scores[image][name])
    with pytest.raises(MissingScore, match="j, x: b has no score"):
        rankings_from_scores(scores, {"j": ["a", "b"]}, ["x"])


def test_an_analysis_is_the_same_taken_in_parts(monkeypatch):
    """Three images at a time, which fall into groups of different numbers of methods."""
    rng = np.random.default_rng(6)
    people, scores = {}, {}
    for at in range(11):
        methods = METHODS[: 2 + at % 3]
        people[f"i{at}"] = {
            name: ranking_from_scores({m: int(rng.integers(3)) for m in methods}) for name in "pqr"
        }
        scores[f"i{at}"] = {
            name: {m: tuple(rng.random(2).tolist()) for m in methods} for name in PROTOCOLS
        }
    rankings = {"preference": people}
    whole = analyse(rankings, scores, n_resamples=20).to_json()
    monkeypatch.setattr("rankings.orders.packed.TOGETHER", 3)
    monkeypatch.setattr("rankings.orders.packed_scores.TOGETHER", 3)
    monkeypatch.setattr("rankings.agreement.measures._MEASURED", 2)
    assert analyse(rankings, scores, n_resamples=20).to_json() == whole
