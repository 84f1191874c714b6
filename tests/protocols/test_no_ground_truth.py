"""Precision and recall by the votes of all methods."""

import dataclasses
import json
import math
import random

import numpy as np
import pytest
import shapely

from protocols.command_line.vote_cases import evaluate_cases
from protocols.core.base import Scene
from protocols.core.errors import ParameterError
from protocols.core.regions import Region
from protocols.no_ground_truth.faces import faces_of, look_alikes
from protocols.no_ground_truth.protocol import NoGroundTruth
from protocols.no_ground_truth.votes import VoteError, share_weights, weigh_votes
from tests.support.shared import shared_path

# The example of the paper: three systems on seven documents.
SEED = [[1, 1, 0, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1, 0]]
A, B = Region.from_box(10, 10, 50, 30), Region.from_box(20, 10, 60, 30)
BOTH, FAR = Region.from_box(10, 10, 60, 30), Region.from_box(80, 60, 90, 70)
METHODS = {"a": (A,), "b": (B,), "c": (BOTH, FAR)}


def quadrilateral(x, y, width, height, angle, **fields):
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(-width, -height), (width, -height), (width, height), (-width, height)]
    return Region(
        tuple(v for a, b in corners for v in (x + a * cos - b * sin, y + a * sin + b * cos)),
        **fields,
    )


def random_methods(seed, n_methods=4, n_regions=4, boxes=False, confidences=False):
    rng = random.Random(seed)

    def region():
        confidence = rng.choice([None, 0.3, 0.8]) if confidences else None
        if boxes:
            x, y = rng.randint(-5, 80), rng.randint(-5, 80)
            return Region.from_box(
                x, y, x + rng.randint(0, 40), y + rng.randint(0, 30), confidence=confidence
            )
        return quadrilateral(
            rng.uniform(10, 90),
            rng.uniform(10, 90),
            rng.uniform(2, 20),
            rng.uniform(2, 10),
            rng.uniform(0, 3),
            confidence=confidence,
        )

    return [[region() for _ in range(rng.randint(0, n_regions))] for _ in range(n_methods)]


def table(faces):
    return {
        tuple(signature): area
        for signature, area in zip(faces.signatures.tolist(), faces.areas.tolist(), strict=True)
    }


def scenes(methods, truth=(), **size):
    size = size or {"width": 100.0, "height": 100.0}
    return {name: [Scene(tuple(truth), tuple(found), **size)] for name, found in methods.items()}


def score(methods, truth=(), size=None, **parameters):
    found = NoGroundTruth(**parameters).score_methods(scenes(methods, truth, **(size or {})))
    return {name: scores[0] for name, scores in found.items()}


def assert_equal(found, expected, place):
    if isinstance(expected, dict):
        assert set(found) == set(expected), place
        for key in expected:
            assert_equal(found[key], expected[key], f"{place}, {key}")
    elif isinstance(expected, list):
        if place.endswith(", P"):
            found, expected = sorted(found), sorted(expected)
        assert len(found) == len(expected), place
        for at, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_equal(one, other, f"{place} {at}")
    elif expected is None:
        assert found is None, place
    else:
        assert found == pytest.approx(expected, abs=1e-6), place


def test_every_reference_case_has_its_values():
    reference = json.loads(shared_path("reference", "no_ground_truth_cases.json").read_text())
    assert reference["tolerance"] == 1e-6
    answers = evaluate_cases(reference)
    assert len(answers) == 32
    for answer, case in zip(answers, reference["cases"], strict=True):
        assert answer["name"] == case["name"]
        assert_equal(answer["result"], case["expected"], case["name"])


def test_the_published_example_has_its_printed_values():
    consensus = weigh_votes(SEED)
    assert consensus.relevance == pytest.approx((0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2))
    assert consensus.total == pytest.approx(3.4)
    assert (consensus.top.size, consensus.top.shared) == pytest.approx((7, 3.4))
    rows = [(0.6, 0.71), (0.67, 0.59), (0.67, 0.59)]
    for own, (precision, recall) in zip(consensus.systems, rows, strict=True):
        assert own.precision == pytest.approx(precision, abs=0.005)
        assert own.recall == pytest.approx(recall, abs=0.005)
    assert consensus.top.precision == pytest.approx(0.49, abs=0.005)
    assert consensus.top.recall == 1.0
    assert (consensus.bottom.precision, consensus.bottom.recall) == (None, 0.0)


def test_a_grouped_duplicate_changes_nothing_and_an_ungrouped_one_does():
    twice = [SEED[0], *SEED]
    alone, grouped = weigh_votes(SEED), weigh_votes(twice, None, share_weights(4, groups="aabc"))
    assert grouped.weights == pytest.approx((0.1, 0.1, 0.2, 0.2, 0.2, 0.2))
    for own, other in zip(grouped.systems[1:], alone.systems, strict=True):
        assert (own.precision, own.recall) == pytest.approx((other.precision, other.recall))
    biased = weigh_votes(twice).systems[0]
    assert (biased.precision, biased.recall) == pytest.approx((0.67, 0.76), abs=0.005)


@pytest.mark.parametrize(
    ("arguments", "weights"),
    [
        ({"n_systems": 2}, (0.25, 0.25, 0.25, 0.25)),
        ({"n_systems": 2, "virtual": False}, (0.5, 0.5, 0, 0)),
        ({"n_systems": 2, "oracles": [0.6]}, (0.1, 0.1, 0.6, 0.1, 0.1)),
        ({"n_systems": 1, "oracles": [0.4, 0.3]}, (0.1, 0.4, 0.3, 0.1, 0.1)),
        ({"n_systems": 2, "oracles": [1.0]}, (0, 0, 1, 0, 0)),
        ({"n_systems": 0, "virtual": False, "oracles": [1.0]}, (1, 0, 0)),
        ({"n_systems": 3, "groups": [1, 1, 2], "virtual": False}, (0.25, 0.25, 0.5, 0, 0)),
    ],
)
def test_voices_are_shared_among_groups(arguments, weights):
    assert share_weights(**arguments) == pytest.approx(weights)


@pytest.mark.parametrize("seed", range(20))
def test_invariants_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n_systems, n_documents = rng.integers(1, 6), rng.integers(1, 9)
    votes = rng.choice([0, 0, 0.3, 1], (n_systems, n_documents))
    areas = rng.uniform(0.1, 9, n_documents)
    weights = rng.dirichlet(np.ones(n_systems + 2))
    found = weigh_votes(votes, areas, weights)
    assert found.top.recall == 1.0
    for own in (*found.systems, found.top):
        assert 0 <= own.recall <= 1
        assert (own.precision is None) == (own.size == 0)
        if own.precision is not None:
            assert 0 <= own.precision <= 1
            assert own.precision * own.size == pytest.approx(own.recall * found.total)

    halves = weigh_votes(np.hstack([votes, votes]), np.hstack([areas, areas]) / 2, weights)
    order = rng.permutation(n_systems)
    moved = weigh_votes(votes[order], areas, np.concatenate([weights[order], weights[-2:]]))
    for at, own in enumerate(found.systems):
        for other in (halves.systems[at], moved.systems[list(order).index(at)]):
            assert dataclasses.astuple(other) == pytest.approx(dataclasses.astuple(own))


def test_leave_one_out_measures_a_system_by_the_others_alone():
    found = weigh_votes(SEED, leave_one_out=True)
    for at, own in enumerate(found.systems):
        # By hand: the relevance without it, the weights of the others a quarter each.
        others = [(sum(column) - column[at] + 1) / 4 for column in zip(*SEED, strict=True)]
        shared = sum(p * vote for p, vote in zip(others, SEED[at], strict=True))
        assert own.precision == pytest.approx(shared / sum(SEED[at]))
        assert own.recall == pytest.approx(shared / sum(others))
    [alone] = weigh_votes([[1, 0]], None, [1, 0, 0], leave_one_out=True).systems
    assert (alone.precision, alone.recall) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]],), "a vote must be in [0, 1]"),
        (([[1, float("nan")]],), "a vote must be in [0, 1]"),
        (([1, 0],), "expected as many votes of each system as there are documents"),
        (([[1, 0]], [1]), "expected 2 areas, got 1"),
        (([[1, 0]], [1, 0]), "an area must be above 0"),
        (
            ([[1, 0]], None, [0.5, 0.5]),
            "expected 3 weights, of 1 systems, S_top and S_bottom; got 2",
        ),
        (([[1, 0]], None, [1.5, -0.5, 0]), "a weight must not be negative"),
        (([[1, 0]], None, [0.5, 0.4, 0]), "the weights must add up to 1, got 0.9"),
        (([[1, 0]], None, [0.5, float("nan"), 0.5]), "a weight must not be negative"),
    ],
)
def test_votes_and_weights_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(VoteError) as refusal:
        weigh_votes(*arguments)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_systems": 2, "groups": "a"}, "expected a group for each of 2 systems, got 1"),
        ({"n_systems": 2, "oracles": [-0.1]}, "the weight of an oracle must not be negative"),
        ({"n_systems": 2, "oracles": [0.6, 0.6]}, "the weights of the oracles add up to 1.2"),
        ({"n_systems": 0, "virtual": False}, "expected a system that votes, got none"),
    ],
)
def test_voices_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(VoteError) as refusal:
        share_weights(**arguments)
    assert str(refusal.value).startswith(message)


def split_faces(methods, frame):
    """The second way: split the frame by one method after the other."""

    def areal(shape):
        parts = shapely.get_parts(shapely.get_parts(shape))
        return shapely.union_all([part for part in parts if part.geom_type == "Polygon"])

    found = {(): shapely.box(*frame)}
    for regions in methods:
        levels = sorted({1.0 if one.confidence is None else one.confidence for one in regions})
        split = {}
        for signature, rest in found.items():
            for level in reversed(levels):
                cover = areal(
                    shapely.union_all(
                        [
                            shapely.make_valid(shapely.Polygon(np.reshape(one.points, (-1, 2))))
                            for one in regions
                            if (1.0 if one.confidence is None else one.confidence) == level
                        ]
                    )
                )
                split[(*signature, level)] = areal(rest.intersection(cover))
                rest = areal(rest.difference(cover))
            split[(*signature, 0.0)] = rest
        found = split
    return {signature: shape.area for signature, shape in found.items() if shape.area > 1e-9}


@pytest.mark.parametrize("confidences", [False, True])
@pytest.mark.parametrize("boxes", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_faces_are_those_of_splitting_the_frame_method_by_method(seed, boxes, confidences):
    methods = random_methods(seed, boxes=boxes, confidences=confidences)
    faces = faces_of(methods, width=100, height=90)
    expected = split_faces(methods, (0, 0, 100, 90))
    assert table(faces) == pytest.approx(expected, abs=1e-6)
    assert faces.area == pytest.approx(9000)


def test_boxes_and_slanted_polygons_of_one_cluster_are_cut_together():
    methods = [[A], [quadrilateral(30, 20, 15, 8, 0.4)], [B, FAR]]
    assert table(faces_of(methods, width=100, height=100)) == pytest.approx(
        split_faces(methods, (0, 0, 100, 100)), abs=1e-6
    )


def test_sides_that_almost_coincide_lose_no_area():
    rng = random.Random(3)
    for _ in range(50):
        polygons = [
            Region(
                tuple(
                    value + rng.choice([0, 1e-12, -1e-10, 1e-7, 0.1])
                    for value in (10, 10, 50, 12, 49, 40, 11, 39)
                )
            )
            for _ in range(8)
        ]
        faces = faces_of([[one] for one in polygons], width=100, height=100)
        areas = [shapely.Polygon(np.reshape(one.points, (-1, 2))).area for one in polygons]
        assert faces.signatures.T @ faces.areas == pytest.approx(areas, abs=1e-5)


def test_a_coarse_raster_of_the_votes_agrees():
    methods = random_methods(5, n_methods=5, n_regions=5)
    columns, rows = np.meshgrid(np.arange(0.125, 100, 0.25), np.arange(0.125, 100, 0.25))
    votes = []
    for regions in methods:
        shapes = [shapely.Polygon(np.reshape(one.points, (-1, 2))) for one in regions]
        votes.append(shapely.contains_xy(shapely.union_all(shapes), columns, rows).ravel())
    raster = weigh_votes(np.array(votes, dtype=float))
    exact = faces_of(methods, width=100, height=100).weigh()
    for own, other in zip(raster.systems, exact.systems, strict=True):
        assert own.recall == pytest.approx(other.recall, abs=1e-2)
        assert own.precision == pytest.approx(other.precision, abs=1e-2)


def test_a_self_crossing_polygon_marks_its_wings_and_one_without_area_nothing():
    bow_tie = Region((0, 0, 100, 100, 100, 0, 0, 100))
    line = Region((5, 5, 20, 20, 40, 40))
    faces = faces_of([[bow_tie], [line]], width=100, height=100)
    assert table(faces) == pytest.approx({(0.0, 0.0): 5000, (1.0, 0.0): 5000})


def test_moving_and_scaling_change_no_score():
    methods = random_methods(2)
    faces = faces_of(methods)
    for factor, x, y in ((3.7, 0, 0), (1, 1000, 500), (0.01, 3, 4)):
        moved = [
            [
                Region(
                    tuple(
                        factor * value + (y if at % 2 else x) for at, value in enumerate(one.points)
                    )
                )
                for one in regions
            ]
            for regions in methods
        ]
        others = faces_of(moved).weigh()
        for own, other in zip(faces.weigh().systems, others.systems, strict=True):
            assert other.recall == pytest.approx(own.recall, abs=1e-6)
            assert other.precision == pytest.approx(own.precision, abs=1e-6)


def test_many_confidences_of_many_methods_keep_their_faces_apart():
    # More combinations of levels than an integer can number.
    methods = [
        [Region.from_box(k, 10 * j, k + 30, 10 * j + 5, confidence=(j + 1) / 9) for j in range(8)]
        for k in range(24)
    ]
    faces = faces_of(methods, width=100, height=100)
    assert faces.area == pytest.approx(10000)
    for k in range(24):
        assert faces.signatures[:, k] @ faces.areas == pytest.approx(150 * sum(range(1, 9)) / 9)


def test_a_large_grid_is_cut_in_bands(monkeypatch):
    methods = random_methods(1, n_regions=9, boxes=True)
    whole = table(faces_of(methods, width=100, height=100))
    monkeypatch.setattr("protocols.no_ground_truth.faces._MAX_CELLS", 50)
    assert table(faces_of(methods, width=100, height=100)) == pytest.approx(whole)


def test_methods_that_mark_the_same_are_named():
    tables = [
        faces_of([[A], [A], [B], []], width=100, height=100),
        faces_of([[], [], [], []], width=100, height=100),
        faces_of([[FAR], [FAR], [FAR], []], width=100, height=100),
    ]
    assert look_alikes(tables) == [(0, 1)]
    assert look_alikes(tables, min_share=0.5) == [(0, 1), (0, 2), (1, 2)]
    assert look_alikes([]) == []


def test_methods_are_measured_by_all_of_them():
    found = score(METHODS)
    # By hand: areas of 800, 800 and 1100; relevance 0.8 where all mark, 0.6 where c and one other
    # do, 0.4 where only c does, 0.2 elsewhere: 600, 400, 100 and 8900 square pixels.
    text = 600 * 0.8 + 400 * 0.6 + 100 * 0.4 + 8900 * 0.2
    shared = {"a": 600 * 0.8 + 200 * 0.6, "b": 600 * 0.8 + 200 * 0.6, "c": text - 8900 * 0.2}
    for name, size in (("a", 800), ("b", 800), ("c", 1100)):
        one = found[name]
        assert one.recall == pytest.approx(shared[name] / text)
        assert one.precision == pytest.approx(shared[name] / size)
        assert one.indicators["size"] == pytest.approx(size)
        assert one.indicators["expected_text_area"] == pytest.approx(text)
        assert one.indicators["top_precision"] == pytest.approx(text / 10000)
        assert (one.indicators["n_faces"], one.indicators["n_methods"]) == (5, 3)
        assert (one.matches, one.unmatched) == ((), ())


def test_the_order_of_methods_changes_nothing():
    forth = score(METHODS)
    back = score(dict(reversed(METHODS.items())))
    for name, own in forth.items():
        assert back[name].recall == pytest.approx(own.recall)
        assert back[name].precision == pytest.approx(own.precision)


def test_the_domain_scales_all_recalls_alike_and_changes_no_precision():
    image, union = score(METHODS), score(METHODS, domain="union")
    factors = [union[name].recall / image[name].recall for name in METHODS]
    assert factors == pytest.approx([factors[0]] * 3)
    assert factors[0] > 1
    for name in METHODS:
        assert union[name].precision == pytest.approx(image[name].precision)


def test_without_a_size_the_domain_is_the_box_around_all_polygons():
    found = score(METHODS, size={"width": None, "height": None})
    assert found["a"].indicators["domain_area"] == pytest.approx(80 * 60)
    assert found["a"].indicators["size_known"] == 0
    assert score(METHODS)["a"].indicators["size_known"] == 1


def test_one_method_has_the_same_precision_whatever_it_finds():
    protocol = NoGroundTruth()
    found = protocol.score([Scene((), (one,), width=100.0, height=100.0) for one in (A, FAR)])
    assert [one.precision for one in found] == pytest.approx([2 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("rule", "precision", "f"), [("zero", 0.0, 0.0), ("one", 1.0, 0.0), ("undefined", None, None)]
)
def test_a_method_that_marks_nothing_has_the_precision_that_was_chosen(rule, precision, f):
    methods = METHODS | {"empty": ()}
    found = score(methods, empty_precision=rule)["empty"]
    assert (found.recall, found.precision, found.f_score) == (0.0, precision, f)
    overall = NoGroundTruth(empty_precision=rule).overall([found])
    assert (overall.recall, overall.precision, overall.f_score) == (0.0, precision, f)
    assert overall.indicators["n_images_without_detections"] == 1


def test_marking_nothing_may_count_as_much_as_marking_everything():
    methods = METHODS | {"empty": (), "all": (Region.from_box(0, 0, 100, 100),)}
    found = score(methods, empty_precision="top")
    assert found["empty"].precision == pytest.approx(found["all"].precision)
    overall = NoGroundTruth(empty_precision="top").overall([found["empty"]])
    assert overall.precision == pytest.approx(found["all"].precision)


def test_an_image_without_a_domain_has_no_scores_and_is_counted():
    results = {
        name: [Scene((), (region,), width=100.0, height=100.0), Scene((), None)]
        for name, region in (("a", A), ("b", B))
    }
    protocol = NoGroundTruth(domain="union")
    found = protocol.score_methods(results)["a"]
    assert (found[1].recall, found[1].precision, found[1].f_score) == (None, None, None)
    overall = protocol.overall(found)
    assert (overall.n_undefined, overall.indicators["n_images_without_area"]) == (1, 1)
    assert (overall.recall, overall.mean_recall) == pytest.approx((found[0].recall,) * 2)
    nothing = protocol.overall(found[1:])
    assert (nothing.recall, nothing.precision, nothing.mean_recall) == (None, None, None)


def test_areas_are_added_over_images_before_they_are_divided():
    protocol = NoGroundTruth()
    results = {
        name: [
            Scene((), (region,), width=100.0, height=100.0),
            Scene((), (FAR,), width=200.0, height=100.0),
        ]
        for name, region in (("a", A), ("b", B), ("c", BOTH))
    }
    found = protocol.score_methods(results)["c"]
    overall = protocol.overall(found)
    shared = sum(one.tally.recalled for one in found)
    assert overall.recall == pytest.approx(shared / sum(one.tally.n_truth for one in found))
    assert overall.precision == pytest.approx(shared / 1100)
    assert overall.mean_precision == pytest.approx((found[0].precision + found[1].precision) / 2)


def test_ground_truth_with_all_the_weight_gives_areal_precision_and_recall():
    ignored = Region.from_box(0, 50, 100, 100, ignored=True)
    found = score(METHODS, (BOTH, ignored), oracle_weight=1.0)
    assert (found["a"].recall, found["a"].precision) == pytest.approx((0.8, 1.0))
    assert (found["c"].recall, found["c"].precision) == pytest.approx((1.0, 1000 / 1100))
    # No ground truth, and nobody else is asked.
    empty = score(METHODS, (), oracle_weight=1.0, empty_precision="undefined")["a"]
    assert (empty.recall, empty.precision, empty.f_score) == (0.0, 0.0, 0.0)


def test_ground_truth_is_one_voice_among_others_or_none():
    fourth = score(METHODS | {"oracle": (BOTH,)})
    voice = score(METHODS, (BOTH,), oracle_weight=1 / 6)
    for name in METHODS:
        assert voice[name].recall == pytest.approx(fourth[name].recall)
        assert voice[name].precision == pytest.approx(fourth[name].precision)
    assert score(METHODS, (BOTH,)) == score(METHODS)


def test_confidences_vote_only_when_asked():
    sure = {"a": (A,), "b": (B,)}
    unsure = {"a": (dataclasses.replace(A, confidence=0.5),), "b": (B,)}
    assert score(unsure) == score(sure)
    assert score(unsure, use_confidences=True)["a"].indicators["size"] == pytest.approx(400)
    percent = {"a": (A, dataclasses.replace(A, confidence=50.0)), "b": ()}
    assert score(percent)["a"].recall > 0
    with pytest.raises(VoteError, match="method 0, detection 1: expected a confidence in"):
        score(percent, use_confidences=True)


def test_leaving_oneself_out_lowers_what_only_one_method_marks():
    alone = score({"a": (A,), "b": (B,), "c": (FAR,)}, leave_one_out=True)["c"]
    # Only S_top of the four others votes for it.
    assert alone.precision == pytest.approx(1 / 4)


def test_methods_need_the_same_images():
    with pytest.raises(VoteError, match="expected the same images of every method"):
        NoGroundTruth().score_methods({"a": [Scene((), ())], "b": []})
    assert NoGroundTruth().score_methods({}) == {}
    assert NoGroundTruth().score([]) == []
    assert NoGroundTruth().overall([]).recall is None


@pytest.mark.parametrize(
    "parameters", [{"domain": "page"}, {"empty_precision": "half"}, {"oracle_weight": 1.5}]
)
def test_parameters_outside_their_range_are_refused(parameters):
    with pytest.raises(ParameterError):
        NoGroundTruth(**parameters)


def test_data_may_name_groups_oracles_and_what_stands_for_no_precision():
    case = {"systems": [SEED[0], *SEED], "options": {"groups": ["a", "a", "b", "c"]}}
    assert evaluate_cases(case)["systems"][0]["precision"] == pytest.approx(0.6)
    oracle = {"systems": [*SEED, SEED[1]], "options": {"oracles": [0.5]}}
    assert evaluate_cases(oracle)["kappa"] == pytest.approx([0.1, 0.1, 0.1, 0.5, 0.1, 0.1])
    filled = {"systems": SEED, "options": {"empty_precision": "top"}}
    assert evaluate_cases(filled)["bottom"]["precision"] == pytest.approx(3.4 / 7)
    alone = evaluate_cases([{"systems": SEED, "options": {"leave_one_out": True}}])
    # S1 marks four documents, which get 3, 3, 1 and 1 of four voices of the others.
    assert alone[0]["result"]["systems"][0]["precision"] == pytest.approx(8 / 16)
    assert evaluate_cases({"systems": [[], []]}) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, 'expected a case with "systems" or "methods", or a list of cases'),
        ([3], 'case 0: expected an object with either "systems" or "methods"'),
        ({"systems": [], "methods": []}, "the case: expected an object with either"),
        ({"systems": [[1, 0], [1]]}, 'the case: expected "systems" as lists of the same number'),
        ({"systems": []}, 'the case: expected "systems" as lists of the same number'),
        ({"systems": [["1"]]}, 'the case: expected "systems" as numbers'),
        ({"systems": [[2]]}, "the case: a vote must be in [0, 1]"),
        ({"systems": [[1]], "options": {"kapa": []}}, "the case: no option 'kapa'; options: kappa"),
        ({"systems": [[1]], "options": []}, None),
        ({"systems": [[1]], "options": 3}, 'the case: expected "options" as an object'),
        ({"systems": [[1]], "options": {"kappa": [1, 1, 1]}}, "the case: the weights must add up"),
        (
            {"systems": [[1]], "options": {"kappa": [1, 0, 0], "virtual": False}},
            'the case: "kappa" gives all weights; leave out "virtual"',
        ),
        (
            {"systems": [[1]], "options": {"virtual": 1}},
            'the case: expected "virtual" true or false',
        ),
        ({"systems": [[1]], "options": {"groups": 3}}, 'the case: expected "groups" as a list'),
        ({"systems": [[1]], "options": {"oracles": [0.1, 0.1]}}, "the case: 2 oracles are more"),
        ({"systems": [[1]], "options": {"empty_precision": 0}}, 'the case: expected "empty_precis'),
        ({"methods": [3]}, 'the case: expected "methods" as lists of detections'),
        ({"methods": [[3]]}, "the case: method 0, detection 0: expected {"),
        ({"methods": [[]], "domain": "page"}, 'the case: expected "domain" as image or union'),
        ({"methods": [[]], "width": 0}, 'the case: expected "width" above 0, got 0'),
        (
            {"methods": [[]], "options": {"area": [1]}},
            "the case: the areas of an image are measured",
        ),
        (
            {"methods": [[], [{"polygon": [[0, 0], [1, 1]]}]]},
            "the case: method 1, detection 0: a region needs three points",
        ),
        (
            {"methods": [[{"polygon": [[0, 0], [1, 1], [1, 0]], "confidence": 7}]]},
            "the case: method 0, detection 0: expected a confidence in [0, 1], got 7",
        ),
    ],
)
def test_a_refusal_of_data_names_the_place(given, message):
    if message is None:
        assert evaluate_cases(given) is not None
        return
    with pytest.raises(VoteError) as refusal:
        evaluate_cases(given)
    assert str(refusal.value).startswith(message)
