"""The pages about single images: orders, distances and steps worked out by hand, and every edge."""

import re

import pytest
from django.urls import reverse

from annotate.drilldown.images.page import find_image
from annotate.judging import services
from annotate.scoring.services import score_protocol
from tests.support.evidence import compare_url, image_url
from tests.support.factories import (
    add_annotator,
    make_image,
    make_method,
    make_result,
    make_run,
    make_study,
)
from tests.support.pages import flat
from tests.support.truths import (
    answer,
    asked_verdicts,
    first_turn,
    judged,
    rank_by,
    rank_everything,
    same_truth,
)

pytestmark = pytest.mark.django_db


def letters(order):
    return ["".join(pane.letter for pane in bucket.panes) for bucket in order.buckets]


def drawn(cells):
    return [cell.letters for cell in cells]


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


def test_the_baselines_stand_below_the_protocols(follow, study):
    """Five splits of a half each, or 15 pairs tied on one side; a random order has half of them wrong."""
    page = follow(study).get(image_url(study)).context["page"]
    assert [(one.name, one.edit, one.kemeny) for one in page.baselines] == [
        ("all tied", 2.5, 7.5),
        ("random order", 7.5, 7.5),
        ("a person", 0.0, 0.0),
    ]
    [steps] = [order for order in page.orders if order.key == page.baselines[0].key]
    assert [move.edit for move in steps.moves] == ["split"] * 5


def test_merges_are_drawn_too_and_passing_a_tie_costs_a_swap_for_each(follow):
    """b = c > a to a > b = c: a passes two tied methods, 2 swaps. c > b > a to the same: a passes
    b and c, one swap each, after that b and c merge: 2.5.
    """
    study = make_study(list("abc"))
    rank_by(3, study, same_truth([["a"], ["b", "c"]]))
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
    rank_by(3, study, truth)
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


@pytest.mark.parametrize(
    ("pairs", "wall"),
    [(["ab", "cd"], []), (["abcd", "cd"], list("abcd"))],
    ids=["no answer connects them", "one ranked all"],
)
def test_rankings_of_different_methods_give_the_order_of_compared_pairs_or_none(
    follow, pairs, wall
):
    """Rankings of an image whose methods changed while the study ran."""
    study = make_study(list("abcd"), min_annotators=2)
    number = {method.name: method.pk for method in study.methods.all()}
    for names in pairs:
        person = add_annotator(study)
        rank_everything(study, person, same_truth([[name] for name in "abcd"]))
        own = [[number[name]] for name in names]
        study.assignments.filter(annotator=person).update(rankings={"recall": own})
    response = follow(study).get(image_url(study), {"criterion": "recall"})
    assert response.status_code == 200
    page = response.context["page"]
    assert [pane.method.name for bucket in page.wall for pane in bucket.panes] == wall
    assert "not ranked by every annotator" in response.text


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
    [link] = set(re.findall(r'order__score" href="([^"]*)"', flat(text)))
    response = client.get(link.replace("&amp;", "&"))
    assert response.context["protocol"] == "IOU"
    assert [side.method.name for side in response.context["sides"]] == ["a", "b"]


def test_long_scripts_are_drawn_when_they_are_asked_for(follow, study, monkeypatch):
    monkeypatch.setattr("annotate.drilldown.images.orders._MAX_CELLS", 0)
    client = follow(study)
    page = client.get(image_url(study)).context["page"]
    # Those of the protocol, of all tied and of three annotators.
    assert [order.moves for order in page.orders] == [None] * 5
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
    assert client.get(image_url(study, image), {"annotator": "annotator-9"}).status_code == 404


# The screens of an annotator


def test_every_screen_is_listed_with_whether_it_counts(follow, worked):
    study = worked
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
    assert {"yes", "no, withdrawn", "skipped", "waits for an answer"} <= seen


def test_t23_a_screen_tells_what_was_shown_first_and_for_how_long(follow):
    study = make_study(list("ab"))
    turn = first_turn(study)
    judged(
        turn,
        asked_verdicts(same_truth([["a"], ["b"]]), turn),
        seen={"first": "right", "left": 1.5, "right": 6.0},
    )
    response = follow(study).get(image_url(study), {"annotator": "annotator-1"})
    [shown] = response.context["screens"]
    assert (shown.in_sight.first, shown.in_sight.left, shown.in_sight.right) == ("right", 1.5, 6.0)
    assert '<td class="number">1.5 / 6.0</td>' in flat(response.text)


def test_an_answer_that_was_taken_back_does_not_count(follow):
    study = make_study(list("ab"))
    person = add_annotator(study)
    turn = services.start(study=study, annotator=person).turn
    answer(turn, person, same_truth([["a"], ["b"]]))
    services.undo(study=study, annotator=person, screen_id="")
    response = follow(study).get(image_url(study), {"annotator": "annotator-1"})
    counts = [shown.counts for shown in response.context["screens"]]
    assert counts == ["no, withdrawn", "waits for an answer"]


def test_a_protocol_without_a_score_says_which_it_lacks(follow):
    study = make_study(["a", "b", "c"])
    rank_by(3, study, same_truth([["a", "b", "c"]]))
    make_run(study, "Ties", dict.fromkeys("abc", 0.5))
    make_run(study, "Nothing", {})
    make_run(study, "Some", {"a": 0.5})
    page = follow(study).get(image_url(study)).context["page"]
    lacks = {order.name: order.lacks for order in page.protocols}
    assert lacks == {"Nothing": "no scores on this image", "Some": "b has no score", "Ties": ""}


def test_a_method_without_rankings_is_shown_apart_and_too_few_rankings_do_not_count(follow):
    study = make_study(["a", "b"])
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    method = make_method(study.dataset, "new")
    make_result(study.images.get(), method)
    study.methods.add(method)
    make_run(study, "All", {"a": 0.5, "b": 0.1, "new": 0.9})
    page = follow(study).get(image_url(study)).context["page"]
    assert [pane.method.name for pane in page.unranked] == ["new"]
    assert [letters(order) for order in page.protocols] == [["a", "b"]]
    assert page.does_not_count == "1 of 3 complete rankings"
