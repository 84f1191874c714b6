"""The pages about single images: orders, distances and steps worked out by hand, and every edge."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from annotate.evidence.images.compare import matching_protocols
from annotate.evidence.images.page import find_image, results_of
from annotate.judging import services
from annotate.judging.models import Assignment
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.services import score_protocol
from protocols.core.regions import encode_regions
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_image,
    make_method,
    make_person,
    make_result,
    make_run,
    make_study,
    regions,
)
from tests.support.truths import answer, rank_everything, same_truth
from tests.support.worked import worked_study

pytestmark = pytest.mark.django_db

STRICT = [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]
# The paper's figure 3: a = d > b > c > f > e.
FIGURE_3 = {"a": 0.9, "d": 0.9, "b": 0.8, "c": 0.7, "f": 0.6, "e": 0.5}
NOT_FOR_PEOPLE = re.compile(r"\b(nan|inf|None)\b")


@pytest.fixture
def study():
    """One image that three annotators rank a > b > c > d > e > f, and the protocol of figure 3."""
    study = make_study(list("abcdef"))
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth(STRICT))
    make_run(study, "Figure 3", FIGURE_3)
    return study


@pytest.fixture
def follow(client):
    """Sign a researcher of a study in."""

    def follow(study):
        client.force_login(add_researcher(study))
        return client

    return follow


def image_url(study, image=None):
    return reverse("evidence:image", args=[study.slug, (image or study.images.first()).name])


def compare_url(study, image=None):
    return reverse("evidence:compare", args=[study.slug, (image or study.images.first()).name])


def letters(order):
    return ["".join(pane.letter for pane in bucket.panes) for bucket in order.buckets]


def drawn(cells):
    return [cell.letters for cell in cells]


# The image page


def test_the_steps_of_the_papers_figure_3_are_drawn_one_by_one(follow, study):
    """One split (0.5) and three swaps: 3.5. Kemeny: b-d, c-d and e-f the other way, a-d half: 3.5."""
    page = follow(study).get(image_url(study)).context["page"]
    [order] = page.protocols
    assert letters(order) == ["ad", "b", "c", "f", "e"]
    assert (order.edit.distance, order.kemeny) == (3.5, 3.5)
    assert order.opposite == ["b–d", "c–d", "e–f"]
    assert order.half_tied == ["a–d"]
    assert drawn(order.start) == ["a d", "b", "c", "f", "e"]
    assert [(move.edit, move.cost, move.words) for move in order.moves] == [
        ("split", 0.5, "a before d"),
        ("swap", 1.0, "b passes d"),
        ("swap", 1.0, "c passes d"),
        ("swap", 1.0, "e passes f"),
    ]
    assert [drawn(move.cells) for move in order.moves] == [
        ["a", "d", "b", "c", "f", "e"],
        ["a", "b", "d", "c", "f", "e"],
        ["a", "b", "c", "d", "f", "e"],
        ["a", "b", "c", "d", "e", "f"],
    ]
    assert [[cell.letters for cell in move.cells if cell.is_new] for move in order.moves] == [
        ["a", "d"],
        ["b", "d"],
        ["c", "d"],
        ["e", "f"],
    ]


def test_merges_are_drawn_too_and_passing_a_tie_costs_a_swap_for_each(follow):
    """b = c > a to a > b = c: a passes two tied methods, 2 swaps. c > b > a to the same: a passes
    b and c, one swap each, after that b and c merge: 2.5."""
    study = make_study(list("abc"))
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a"], ["b", "c"]]))
    make_run(study, "Tie", {"a": 0.1, "b": 0.5, "c": 0.5})
    make_run(study, "Strict", {"a": 0.1, "b": 0.5, "c": 0.9})
    page = follow(study).get(image_url(study)).context["page"]
    tie, strict = page.protocols
    assert [(move.edit, move.cost, move.words) for move in tie.moves] == [
        ("swap", 2.0, "a passes b c")
    ]
    assert (strict.name, strict.edit.distance) == ("Strict", 2.5)
    assert (strict.moves[-1].edit, strict.moves[-1].cost) == ("merge", 0.5)
    assert drawn(strict.moves[-1].cells) == ["a", "b c"]


def test_the_wall_stands_in_consensus_order_and_ties_share_a_frame(follow):
    study = make_study(list("abcd"))
    truth = {
        "recall": [["d"], ["a", "b"], ["c"]],
        "precision": [["a", "b", "c", "d"]],
        "preference": [["c"], ["b"], ["a"], ["d"]],
    }
    for _ in range(3):
        rank_everything(study, add_annotator(study), truth)
    client = follow(study)
    walls = {
        criterion: client.get(image_url(study), {"criterion": criterion}).context["page"].wall
        for criterion in truth
    }
    for criterion, buckets in truth.items():
        shown = [[pane.method.name for pane in bucket.panes] for bucket in walls[criterion]]
        assert shown == buckets
    assert [bucket.place for bucket in walls["recall"]] == ["1", "2–3", "4"]
    assert (
        "The consensus ties all methods"
        in client.get(image_url(study), {"criterion": "precision"}).text
    )


def test_each_annotators_order_has_its_distance_to_the_consensus(follow):
    """Mean ranks of a, b, c are 5/3, 2 and 7/3: a > b > c. Reversed it is three swaps away."""
    study = make_study(list("abc"))
    rankings = [[["a"], ["b"], ["c"]], [["a"], ["b"], ["c"]], [["c"], ["b"], ["a"]]]
    for ranking in rankings:
        rank_everything(study, add_annotator(study), same_truth(ranking))
    page = follow(study).get(image_url(study)).context["page"]
    assert [letters(order) for order in page.annotators] == [list("abc"), list("abc"), list("cba")]
    assert [order.edit.distance for order in page.annotators] == [0, 0, 3]
    assert [order.kemeny for order in page.annotators] == [0, 0, 3]
    assert page.annotators[0].moves == []


def test_names_can_be_hidden(follow, study):
    client = follow(study)
    names = list(study.assignments.values_list("annotator__username", flat=True))
    shown = client.get(image_url(study), {"annotator": "annotator-1"}).text
    hidden = client.get(image_url(study), {"annotator": "annotator-1", "pseudonyms": "1"}).text
    assert all(name in shown for name in names)
    assert not any(re.search(rf"\b{name}\b", hidden) for name in names)
    assert "annotator-3" in hidden


def test_settings_in_the_address_change_the_orders(follow, study):
    """0.90004 and 0.90003 tie to four decimals, and not when they are not rounded."""
    make_run(study, "Near", {"a": 0.90004, "b": 0.90003, "c": 0.5, "d": 0.4, "e": 0.3, "f": 0.2})
    client = follow(study)

    def near(**query):
        page = client.get(image_url(study), query).context["page"]
        return next(letters(order) for order in page.protocols if order.name == "Near")

    assert near()[0] == "ab"
    assert near(decimals="none")[0] == "a"
    only = client.get(image_url(study), {"protocol": "Near"}).context["page"].protocols
    assert [order.name for order in only] == ["Near"]


def test_a_score_leads_to_the_matches_behind_it(follow, study):
    score_protocol(dataset=study.dataset, slug="iou")
    client = follow(study)
    text = client.get(image_url(study)).text
    [link] = set(re.findall(r'order__score" href="([^"]*)"', text))
    response = client.get(link.replace("&amp;", "&"))
    assert response.context["protocol"] == "IOU"
    assert [side.method.name for side in response.context["sides"]] == ["a", "b"]


@pytest.mark.parametrize(
    "query",
    [{"criterion": "beauty"}, {"decimals": "x"}, {"beta": "0"}, {"protocol": "none"}],
)
def test_settings_that_cannot_be_are_422(follow, study, query):
    response = follow(study).get(image_url(study), query)
    assert response.status_code == 422
    assert "errorlist" in response.text


def test_long_scripts_are_drawn_when_they_are_asked_for(follow, study, monkeypatch):
    monkeypatch.setattr("annotate.evidence.images.orders._MAX_CELLS", 0)
    client = follow(study)
    page = client.get(image_url(study)).context["page"]
    assert [order.moves for order in page.orders] == [None] * 4
    key = page.protocols[0].key
    response = client.get(image_url(study), {"script": key})
    assert len(response.context["page"].protocols[0].moves) == 4
    assert "Show the 4 steps" not in response.text


def test_an_image_is_found_by_name_or_number_and_only_in_its_study(follow, study):
    image = study.images.get()
    other = make_image(study.dataset, name="elsewhere")
    assert find_image(study, image.name) == image
    assert find_image(study, str(image.pk)) == image
    image.name = "folder/12"
    image.save()
    client = follow(study)
    assert client.get(image_url(study, image)).status_code == 200
    assert client.get(compare_url(study, image)).context["sides"]
    for name in (other.name, str(other.pk), "9" * 30, "nothing"):
        assert client.get(reverse("evidence:image", args=[study.slug, name])).status_code == 404


# The screens of an annotator


def test_every_screen_is_listed_with_whether_it_counts(follow):
    study = worked_study(photographs=False)
    client = follow(study)
    seen = set()
    for image in study.images.all():
        for assignment in study.assignments.filter(image=image):
            people = client.get(image_url(study, image)).context["page"].annotators
            screens = [
                response.context["screens"]
                for one in people
                if (
                    response := client.get(image_url(study, image), {"annotator": one.key})
                ).context["screens_by"]
                == assignment.annotator.username
            ]
            [shown] = screens
            assert {one.number for one in shown} == set(
                assignment.screens.values_list("number", flat=True)
            )
            seen |= {one.counts.split(":")[0] for one in shown}
    assert {"yes", "no, taken back", "skipped", "waits for an answer"} <= seen


def test_an_answer_that_was_taken_back_does_not_count(follow):
    study = make_study(list("ab"))
    person = add_annotator(study)
    turn = services.start(study=study, annotator=person)
    answer(turn, person, same_truth([["a"], ["b"]]))
    services.undo(study=study, annotator=person, screen_id="")
    response = follow(study).get(image_url(study), {"annotator": "annotator-1"})
    counts = [shown.counts for shown in response.context["screens"]]
    assert counts == ["no, taken back", "waits for an answer"]


def test_nobody_of_that_name_is_404(follow, study):
    assert follow(study).get(image_url(study), {"annotator": "annotator-9"}).status_code == 404


# Comparing two methods


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
    assert re.search(r'<polygon class="unmatched" points="300,300', response.text)
    assert "best IoU" in response.text
    matches = response.context["payload"]["image"]["matches"]
    assert matches["b"] == {"detections": ["matched"], "truth": ["matched"]}
    assert matches["a"]["truth"] == ["unmatched"]


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


def test_every_protocol_with_matches_can_be_chosen(follow):
    study = worked_study(photographs=False)
    image = study.images.first()
    client = follow(study)
    names = matching_protocols(image, results_of(study, image), study.dataset.runs.all())
    assert {"IOU", "DETEVAL", "TIoU"} <= set(names)
    for name in names:
        response = client.get(compare_url(study, image), {"protocol": name})
        assert response.status_code == 200
        assert response.context["protocol"] == name
        assert not NOT_FOR_PEOPLE.search(response.context["refusal"])


def test_a_run_with_other_parameters_colours_by_them(follow):
    study = make_study(["a", "b"], boxes={"a": [(0, 0, 79, 39)], "b": [(0, 0, 99, 39)]})
    run = score_protocol(dataset=study.dataset, slug="iou", parameters={"min_iou": 0.9})
    response = follow(study).get(compare_url(study), {"protocol": run.name})
    assert run.name != "IOU"
    assert [side.score.recall for side in response.context["sides"]] == [0, 1]


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
    # What the address leaves out is as it was.
    assert 'name="p-max_ignored_share" value="0.5"' in response.text
    # A run's own parameters are where its form begins.
    run = score_protocol(dataset=study.dataset, slug="iou", parameters={"min_iou": 0.9})
    assert (
        'name="p-min_iou" value="0.9"'
        in client.get(compare_url(study), {"protocol": run.name}).text
    )


@pytest.mark.parametrize("value", ["1.5", "-1", "x", "nan", "inf"])
def test_a_threshold_out_of_its_range_is_422_with_the_reason(follow, value):
    study = make_study(["a", "b"])
    asked = {"protocol": "IOU", "p-set": "1", "p-min_iou": value}
    response = follow(study).get(compare_url(study), asked)
    assert response.status_code == 422
    assert "These parameters are not valid: min_iou" in response.text
    assert response.context["payload"]["image"]["matches"] is None


def test_every_protocol_takes_its_own_parameters_from_the_address(follow):
    """Sent back as they stand, the parameters of each protocol give what it says without them."""
    study = worked_study(photographs=False)
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


# Where they disagree


@pytest.mark.parametrize("among", [None, ["Right", "Reversed"]])
def test_the_counts_of_a_report_open_the_images_they_count(follow, among):
    """Best and Worst of each protocol are as many as the images behind them."""
    study = make_study(list("abc"), images=3)
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    make_run(study, "Worse still", {"a": 0.1, "b": 0.5, "c": 0.9})
    Score.objects.filter(run__name="Right", result__image=study.images.first()).update(recall=0.5)
    client = follow(study)
    page = client.get(
        reverse("reports:report", args=[study.slug]), {"protocol": among} if among else {}
    )
    recall = page.text.split('id="recall"')[1].split("</table>")[0]
    links = re.findall(r'href="([^"]*only=(?:best|worst)[^"]*)" aria-label="(\d+) ', recall)
    assert len(links) == 2 * (len(among) if among else 3)
    for url, n in links:
        response = client.get(url.replace("&amp;", "&"))
        assert response.status_code == 200
        assert len(response.context["found"].rows) == int(n), url


@pytest.fixture
def apart():
    """Three images; Right is 0, 1 and 3 swaps away from a > b > c on them."""
    study = make_study(list("abc"), images=3)
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    run = ProtocolRun.objects.create(
        dataset=study.dataset, name="Right", version="1", origin=ProtocolRun.Origin.IMPORTED
    )
    orders = ["abc", "bac", "cba"]
    for image, order in zip(study.images.in_order(), orders, strict=True):
        for result in image.results.all():
            share = 1 - order.index(result.method.name) / 10
            Score.objects.create(
                run=run, result=result, recall=share, precision=share, f_score=share
            )
    return study


def disagreement_url(study):
    return reverse("evidence:disagreement", args=[study.slug])


def test_images_stand_by_their_distance_the_largest_first(follow, apart):
    response = follow(apart).get(disagreement_url(apart))
    names = list(apart.images.in_order().values_list("name", flat=True))
    found = response.context["found"]
    assert [(row.name, row.distance) for row in found.rows] == [
        (names[2], 3),
        (names[1], 1),
        (names[0], 0),
    ]
    assert found.mean == pytest.approx(4 / 3)
    assert found.rows[0].most == 3


def test_a_distance_leads_to_the_steps_behind_it(follow, apart):
    client = follow(apart)
    text = client.get(disagreement_url(apart), {"criterion": "precision"}).text
    links = re.findall(r'href="([^"]*script=[^"]*)"', text)
    response = client.get(links[0].replace("&amp;", "&").split("#")[0])
    assert response.context["page"].criterion == "precision"
    assert [order.edit.distance for order in response.context["page"].protocols] == [3]
    assert re.search(r'<details class="steps" id="protocol-\d+" open>', response.text)


def test_images_come_page_by_page(follow, apart, monkeypatch):
    monkeypatch.setattr("annotate.evidence.images.views._IMAGES_PER_PAGE", 2)
    client = follow(apart)
    assert len(client.get(disagreement_url(apart)).context["rows"]) == 2
    assert len(client.get(disagreement_url(apart), {"page": "2"}).context["rows"]) == 1


@pytest.mark.parametrize("query", [{"protocol": "none"}, {"criterion": "x"}, {"distance": "far"}])
def test_what_cannot_be_chosen_is_422(follow, apart, query):
    assert follow(apart).get(disagreement_url(apart), query).status_code == 422


def test_images_that_do_not_count_are_named_with_the_reason(follow, apart):
    response = follow(apart).get(disagreement_url(apart), {"min_annotators": "4"})
    assert response.context["found"].mean is None
    assert len(response.context["found"].left_out) == 3
    assert "No image counts yet" in response.text


# Edges and access


def _nobody_began():
    return make_study(["a", "b"])


def _one_annotator():
    study = make_study(["a", "b"])
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    return study


def _one_method():
    study = _one_annotator()
    study.methods.set(study.methods.filter(name="a"))
    return study


def _all_ties():
    study = make_study(["a", "b", "c"])
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a", "b", "c"]]))
    make_run(study, "Ties", {"a": 0.5, "b": 0.5, "c": 0.5})
    return study


def _without_scores():
    study = _all_ties()
    make_run(study, "Nothing", {})
    make_run(study, "Some", {"a": 0.5})
    return study


def _without_result():
    study = make_study(["a", "b"])
    image = study.images.get()
    Assignment.objects.all().delete()
    image.results.all().delete()
    return study


def _added_method():
    study = _one_annotator()
    method = make_method(study.dataset, "new")
    make_result(study.images.get(), method)
    study.methods.add(method)
    make_run(study, "All", {"a": 0.5, "b": 0.1, "new": 0.9})
    return study


EDGES = [
    _nobody_began,
    _one_annotator,
    _one_method,
    _all_ties,
    _without_scores,
    _without_result,
    _added_method,
    worked_study,
]


@pytest.mark.parametrize("make", EDGES)
def test_no_edge_crashes_or_prints_what_is_not_for_people(follow, make):
    study = make()
    client = follow(study)
    for image in study.images.all():
        for criterion in ("recall", "precision", "preference"):
            response = client.get(image_url(study, image), {"criterion": criterion})
            assert response.status_code == 200
            assert not NOT_FOR_PEOPLE.search(response.text)
        for protocol in ("", "IOU", "Some"):
            response = client.get(compare_url(study, image), {"protocol": protocol})
            assert response.status_code == 200
            assert not NOT_FOR_PEOPLE.search(response.text)
    for run in [*study.dataset.runs.all()]:
        response = client.get(disagreement_url(study), {"protocol": run.name})
        assert response.status_code == 200
        assert not NOT_FOR_PEOPLE.search(response.text)
    assert client.get(disagreement_url(study)).status_code == 200


def test_what_lacks_is_said(follow):
    study = _without_scores()
    page = follow(study).get(image_url(study)).context["page"]
    lacks = {order.name: order.lacks for order in page.protocols}
    assert lacks == {"Nothing": "no scores on this image", "Some": "b has no score", "Ties": ""}


def test_a_method_that_nobody_ranked_yet_stands_apart(follow):
    study = _added_method()
    page = follow(study).get(image_url(study)).context["page"]
    assert [pane.method.name for pane in page.unranked] == ["new"]
    assert [letters(order) for order in page.protocols] == [["a", "b"]]


def test_the_image_says_when_it_does_not_count(follow):
    study = _one_annotator()
    response = follow(study).get(image_url(study))
    assert response.context["page"].does_not_count == "1 of 3 complete rankings"


@pytest.mark.parametrize("name", ["image", "compare", "disagreement", "annotators"])
@pytest.mark.parametrize(
    ("role", "status"),
    [("nobody", 302), ("stranger", 404), ("annotator", 404), ("researcher", 200), ("admin", 200)],
)
def test_researchers_of_the_study_and_admins_see_the_pages(client, study, name, role, status):
    people = {
        "stranger": make_person,
        "annotator": lambda: study.assignments.first().annotator,
        "researcher": lambda: add_researcher(study),
        "admin": make_admin,
    }
    if role != "nobody":
        client.force_login(people[role]())
    arguments = [study.slug]
    if name in ("image", "compare"):
        arguments.append(study.images.get().name)
    assert client.get(reverse(f"evidence:{name}", args=arguments)).status_code == status


def test_a_researcher_of_another_study_sees_nothing(client, study):
    client.force_login(add_researcher(make_study(["a", "b"])))
    assert client.get(image_url(study)).status_code == 404


def test_queries_do_not_grow_with_methods_or_people(follow, django_assert_max_num_queries):
    study = make_study(8, images=2)
    ranking = [[f"method-{at}"] for at in range(8)]
    for _ in range(4):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    for at in range(5):
        make_run(study, f"run {at}", {f"method-{n}": n / 10 for n in range(8)})
    client = follow(study)
    with django_assert_max_num_queries(20):
        client.get(image_url(study))
    with django_assert_max_num_queries(26):
        client.get(image_url(study), {"annotator": "annotator-2"})
    with django_assert_max_num_queries(12):
        client.get(compare_url(study), {"protocol": "IOU"})
    with django_assert_max_num_queries(16):
        client.get(disagreement_url(study))
