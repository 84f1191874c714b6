"""Two methods on one image: what matches, by which protocol and with which parameters."""

import re
from dataclasses import replace

import pytest

from annotate.drilldown.images.compare import matching_protocols
from annotate.drilldown.images.page import results_of
from annotate.judging.models import Screen
from annotate.scoring.services import score_protocol
from protocols.core.regions import encode_regions
from tests.support.evidence import compare_url
from tests.support.factories import (
    add_annotator,
    make_method,
    make_result,
    make_study,
    regions,
)
from tests.support.pages import assert_for_people, flat
from tests.support.truths import first_turn, judged

pytestmark = pytest.mark.django_db


def test_matches_are_told_by_class_without_a_script(follow):
    """b finds the ground truth, a something else: matched and unmatched, the reason in words."""
    boxes = {"a": [(300, 300, 320, 320)], "b": [(0, 0, 99, 39)]}
    study = make_study(["a", "b"], boxes=boxes)
    client = follow(study)
    response = client.get(compare_url(study), {"protocol": "iou"})
    left, right = response.context["sides"]
    assert [fate for _, fate in left.polygons] == ["unmatched"]
    assert [fate for _, fate in right.polygons] == ["matched"]
    assert (left.score.recall, right.score.recall) == (0, 1)
    assert re.search(r'<polygon class="unmatched" points="300,300', flat(response.text))
    assert "best IoU" in response.text
    matches = response.context["payload"]["image"]["matches"]
    assert matches["b"] == {"detections": ["matched"], "truth": ["matched"]}
    assert matches["a"]["truth"] == ["unmatched"]


def test_causes_and_what_they_cost_are_told(follow):
    """a finds half of the word (IoU 49/99), b it all: R and P of a would be 1 with a right box."""
    boxes = {"a": [(0, 0, 49, 39)], "b": [(0, 0, 99, 39)]}
    study = make_study(["a", "b"], boxes=boxes)
    response = follow(study).get(compare_url(study), {"protocol": "iou"})
    left, right = response.context["sides"]
    assert [line.cause for line in left.unmatched] == ["too tight", "too tight"]
    assert [(cost.cause, cost.recall, cost.precision) for cost in left.costs] == [
        ("too tight", 1.0, 1.0)
    ]
    assert right.costs == []
    assert "What each cause costs" in response.text
    # The split of one piece earns 0.8.
    boxes = {"a": [(0, 0, 47, 39), (50, 0, 99, 39)], "b": []}
    study = make_study(["a", "b"], boxes=boxes)
    response = follow(study).get(compare_url(study), {"protocol": "icdar13"})
    assert [line.cause for line in response.context["sides"][0].matches] == ["split"]
    response = follow(study).get(compare_url(study), {"protocol": "evaltex"})
    assert "What each cause costs" not in response.text


def test_the_fates_of_the_truth_skip_ignored_regions(follow):
    """The script counts the regions that are not ignored: the second here is its first."""
    study = make_study(["a", "b"], boxes={"a": [(0, 0, 99, 39)], "b": []})
    image = study.images.get()
    [elsewhere] = regions([(200, 200, 220, 220)])
    image.truth = encode_regions([replace(elsewhere, ignored=True), *image.truth_regions])
    image.save()
    response = follow(study).get(compare_url(study), {"protocol": "iou"})
    payload = response.context["payload"]["image"]
    assert payload["matches"]["a"]["truth"] == ["matched"]
    assert payload["matches"]["b"]["truth"] == ["unmatched"]
    assert len(payload["truth"]["ignored"]) == 1


def test_every_protocol_with_matches_can_be_chosen(follow, worked):
    study = worked
    image = study.images.first()
    client = follow(study)
    names = matching_protocols(image, results_of(study, image), study.dataset.runs.all())
    assert {"IOU", "DETEVAL", "TIoU"} <= set(names)
    for name in names:
        response = client.get(compare_url(study, image), {"protocol": name})
        assert response.status_code == 200
        assert response.context["protocol"] == name
        assert_for_people(response.context["refusal"], name)


def test_a_threshold_of_the_address_changes_matches_and_scores(follow):
    """a covers 80 of the truth's 100 columns: IoU 0.8, a match at 0.5 and none at 0.9."""
    study = make_study(["a", "b"], boxes={"a": [(0, 0, 79, 39)], "b": [(0, 0, 99, 39)]})
    client = follow(study)
    usual = client.get(compare_url(study), {"protocol": "IOU"})
    assert [side.score.recall for side in usual.context["sides"]] == [1, 1]
    assert 'name="p-min_iou" value="0.5"' in usual.text
    asked = {"protocol": "IOU", "p-set": "1", "p-min_iou": "0.9"}
    response = client.get(compare_url(study), asked)
    assert [side.score.recall for side in response.context["sides"]] == [0, 1]
    assert response.context["payload"]["image"]["matches"]["a"]["detections"] == ["unmatched"]
    assert "min_iou 0.9 (published 0.5)" in response.text
    # Settings missing from the address stay as they were.
    assert 'name="p-max_ignored_share" value="0.5"' in response.text
    # A run's own parameters colour, and its form begins with them.
    run = score_protocol(dataset=study.dataset, slug="iou", parameters={"min_iou": 0.9})
    assert run.name != "IOU"
    response = client.get(compare_url(study), {"protocol": run.name})
    assert [side.score.recall for side in response.context["sides"]] == [0, 1]
    assert 'name="p-min_iou" value="0.9"' in response.text


@pytest.mark.parametrize("value", ["1.5", "-1", "x", "nan", "inf"])
def test_a_threshold_out_of_its_range_is_422_with_the_reason(follow, value):
    study = make_study(["a", "b"])
    asked = {"protocol": "IOU", "p-set": "1", "p-min_iou": value}
    response = follow(study).get(compare_url(study), asked)
    assert response.status_code == 422
    assert "These parameters are not valid: min_iou" in flat(response.text)
    assert response.context["payload"]["image"]["matches"] is None


def test_every_protocol_takes_its_own_parameters_from_the_address(follow, worked):
    """Sent back as they stand, the parameters of each protocol give what it says without them."""
    study = worked
    image = study.images.first()
    client = follow(study)
    for name in matching_protocols(image, results_of(study, image), []):
        before = client.get(compare_url(study, image), {"protocol": name})
        form = before.context["parameters"]
        sent = {
            field.html_name: field.initial
            for field in form.visible_fields()
            if field.initial is not False
        }
        after = client.get(compare_url(study, image), {"protocol": name, "p-set": "1", **sent})
        assert after.status_code == 200
        assert after.context["changed"] == []
        for old, new in zip(before.context["sides"], after.context["sides"], strict=True):
            assert new == old


@pytest.mark.parametrize("protocol", ["Organisers", "nothing"])
def test_a_protocol_without_matches_is_said_to_have_none(follow, study, protocol):
    response = follow(study).get(compare_url(study), {"protocol": protocol})
    assert response.context["is_unknown"]
    assert response.context["payload"]["image"]["matches"] is None


def test_a_method_that_is_not_in_the_study_is_404(follow, study):
    stranger = make_method(study.dataset)
    make_result(study.images.get(), stranger)
    client = follow(study)
    assert client.get(compare_url(study), {"left": stranger.slug}).status_code == 404


def test_t23_a_pair_tells_who_said_what_with_the_sides_of_the_page_and_what_was_shown(follow):
    study = make_study(["a", "b"], n_checks=0)
    for _ in range(6):
        turn = first_turn(study)
        judged(
            turn,
            dict.fromkeys(("recall", "precision", "preference"), "left"),
            seen={"first": "left", "left": 1.0, "right": 2.0},
        )
    image = study.images.get()
    screens = Screen.objects.filter(assignment__study=study).order_by("pk")
    a_left = [screen.left.method.slug == "a" for screen in screens]
    assert len(set(a_left)) == 2  # sides are drawn: both ways are among the six
    response = follow(study).get(compare_url(study, image), {"left": "a", "right": "b"})
    answers = sorted(response.context["answers"], key=lambda one: one.key)
    for answer, is_as_here in zip(answers, a_left, strict=True):
        side, times = ("left", (1.0, 2.0)) if is_as_here else ("right", (2.0, 1.0))
        assert answer.verdicts == (side,) * 3
        assert answer.was_swapped is not is_as_here
        assert answer.in_sight.first == side
        assert (answer.in_sight.left, answer.in_sight.right) == times


def test_a_pair_that_nobody_was_asked_about_says_so(follow):
    study = make_study(["a", "b"])
    add_annotator(study)
    assert "No one was asked about this pair" in follow(study).get(compare_url(study)).text
