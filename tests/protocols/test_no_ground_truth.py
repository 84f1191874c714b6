"""Precision and recall by the votes of all methods."""

import dataclasses
import json

import pytest

from protocols.command_line.vote_cases import evaluate_cases
from protocols.core.base import Scene
from protocols.core.errors import ParameterError
from protocols.core.regions import Region
from protocols.no_ground_truth.protocol import NoGroundTruth
from protocols.no_ground_truth.votes import VoteError, weigh_votes
from tests.support.cases import cases, listed
from tests.support.conformance import difference
from tests.support.shared import shared_path
from tests.support.votes import BOTH, FAR, METHODS, SEED, A, B, score


def test_every_reference_case_has_its_values():
    reference = json.loads(shared_path("reference", "no_ground_truth_cases.json").read_text())
    assert reference["tolerance"] == 1e-6
    answers = evaluate_cases(reference)
    assert len(answers) == 32
    for answer, case in zip(answers, reference["cases"], strict=True):
        assert answer["name"] == case["name"]
        assert difference(answer["result"], case["expected"]) <= 1e-6, case["name"]


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


def test_methods_are_measured_by_all_of_them():
    by_method = score(METHODS)
    # By hand: areas of 800, 800 and 1100; relevance 0.8 where all mark, 0.6 where c and one other
    # do, 0.4 where only c does, 0.2 elsewhere: 600, 400, 100 and 8900 square pixels.
    text = 600 * 0.8 + 400 * 0.6 + 100 * 0.4 + 8900 * 0.2
    shared = {"a": 600 * 0.8 + 200 * 0.6, "b": 600 * 0.8 + 200 * 0.6, "c": text - 8900 * 0.2}
    for name, size in (("a", 800), ("b", 800), ("c", 1100)):
        scored = by_method[name]
        assert scored.recall == pytest.approx(shared[name] / text)
        assert scored.precision == pytest.approx(shared[name] / size)
        assert scored.indicators["size"] == pytest.approx(size)
        assert scored.indicators["expected_text_area"] == pytest.approx(text)
        assert scored.indicators["top_precision"] == pytest.approx(text / 10000)
        assert (scored.indicators["n_faces"], scored.indicators["n_methods"]) == (5, 3)
        assert (scored.matches, scored.unmatched) == ((), ())


def test_the_domain_scales_all_recalls_alike_and_changes_no_precision():
    image, union = score(METHODS), score(METHODS, domain="union")
    factors = [union[name].recall / image[name].recall for name in METHODS]
    assert factors == pytest.approx([factors[0]] * 3)
    assert factors[0] > 1
    for name in METHODS:
        assert union[name].precision == pytest.approx(image[name].precision)


def test_without_a_size_the_domain_is_the_box_around_all_polygons():
    by_method = score(METHODS, size={"width": None, "height": None})
    assert by_method["a"].indicators["domain_area"] == pytest.approx(80 * 60)
    assert by_method["a"].indicators["size_known"] == 0
    assert score(METHODS)["a"].indicators["size_known"] == 1


@cases(
    ("rule", "precision", "f"), [("zero", 0.0, 0.0), ("one", 1.0, 0.0), ("undefined", None, None)]
)
def test_a_method_that_marks_nothing_has_the_precision_that_was_chosen(rule, precision, f):
    methods = METHODS | {"empty": ()}
    scored = score(methods, empty_precision=rule)["empty"]
    assert (scored.recall, scored.precision, scored.f_score) == (0.0, precision, f)
    overall = NoGroundTruth(empty_precision=rule).overall([scored])
    assert (overall.recall, overall.precision, overall.f_score) == (0.0, precision, f)
    assert overall.indicators["n_images_without_detections"] == 1


def test_marking_nothing_may_count_as_much_as_marking_everything():
    methods = METHODS | {"empty": (), "all": (Region.from_box(0, 0, 100, 100),)}
    by_method = score(methods, empty_precision="top")
    assert by_method["empty"].precision == pytest.approx(by_method["all"].precision)
    overall = NoGroundTruth(empty_precision="top").overall([by_method["empty"]])
    assert overall.precision == pytest.approx(by_method["all"].precision)


def test_areas_are_added_over_images_before_they_are_divided():
    results = {
        name: [
            Scene((), (region,), width=100.0, height=100.0),
            Scene((), (FAR,), width=200.0, height=100.0),
        ]
        for name, region in (("a", A), ("b", B), ("c", BOTH))
    }
    protocol = NoGroundTruth()
    scores = protocol.score_methods(results)["c"]
    shared = sum(scored.tally.recalled for scored in scores)
    overall = protocol.overall(scores)
    assert overall.recall == pytest.approx(shared / sum(one.tally.n_truth for one in scores))
    assert overall.precision == pytest.approx(shared / 1100)


def test_an_image_without_a_domain_has_no_scores_and_is_counted():
    results = {
        name: [Scene((), (region,), width=100.0, height=100.0), Scene((), None)]
        for name, region in (("a", A), ("b", B))
    }
    protocol = NoGroundTruth(domain="union")
    scores = protocol.score_methods(results)["a"]
    assert (scores[1].recall, scores[1].precision, scores[1].f_score) == (None, None, None)
    overall = protocol.overall(scores)
    assert (overall.n_undefined, overall.indicators["n_images_without_area"]) == (1, 1)
    assert (overall.recall, overall.mean_recall) == pytest.approx((scores[0].recall,) * 2)
    nothing = protocol.overall(scores[1:])
    assert (nothing.recall, nothing.precision, nothing.mean_recall) == (None, None, None)


def test_ground_truth_with_all_the_weight_gives_areal_precision_and_recall():
    ignored = Region.from_box(0, 50, 100, 100, ignored=True)
    by_method = score(METHODS, (BOTH, ignored), oracle_weight=1.0)
    assert (by_method["a"].recall, by_method["a"].precision) == pytest.approx((0.8, 1.0))
    assert (by_method["c"].recall, by_method["c"].precision) == pytest.approx((1.0, 1000 / 1100))
    # No ground truth, and no other method is asked.
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


@cases("parameters", [{"domain": "page"}, {"empty_precision": "half"}, {"oracle_weight": 1.5}])
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


@cases(("given", "message"), listed(__file__, "a_refusal_of_data_names_the_place"))
def test_a_refusal_of_data_names_the_place(given, message):
    if message is None:
        assert evaluate_cases(given) is not None
        return
    with pytest.raises(VoteError) as refusal:
        evaluate_cases(given)
    assert str(refusal.value).startswith(message)
