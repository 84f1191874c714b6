"""Changed and disputed answers, re-checks, history, methods that come and go."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.accounts.models import Preferences
from annotate.errors import NotThere
from annotate.judging import answer_history, current_screen, methods, replay, services
from annotate.judging.errors import AlreadyAnswered, Incomplete, StudyNotOpen
from annotate.judging.models import Assignment, Judgement, Screen, Withdrawal
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Study, StudyImage
from protocols.core.regions import Region, encode_regions
from tests.support.factories import add_annotator, make_admin, make_method, make_result, make_study
from tests.support.made_once import made_once
from tests.support.truths import (
    CRITERIA,
    answer,
    asked_verdicts,
    first_turn,
    judged,
    rank_everything,
    same_truth,
    shown_now,
    verdicts,
)

pytestmark = pytest.mark.django_db

NAMES = [f"m{i:02}" for i in range(10)]
STRICT = same_truth([[name] for name in NAMES])
JSON = {"accept": "application/json"}


made_study = made_once(lambda: make_study(["a", "b", "c", "d"]))


ABCD = same_truth([["a"], ["b"], ["c"], ["d"]])


def ranking(study, criterion="recall"):
    name_of = dict(study.dataset.methods.values_list("pk", "name"))
    buckets = Assignment.objects.get(study=study).rankings[criterion]
    return [sorted(name_of[method] for method in bucket) for bucket in buckets]


def test_t9_as_many_undos_as_answers_give_the_empty_ranking_and_twice_as_many_events(
    study, annotator
):
    n = rank_everything(study, annotator, ABCD)
    first = Screen.objects.order_by("number").first()
    for _ in range(n):
        waiting = current_screen.waiting_turn(study, annotator)
        turn = services.undo(
            study=study,
            annotator=annotator,
            screen_id=waiting.screen.public_id if waiting else "",
        ).turn
    assert turn.screen == first
    assert turn.state.n_open == 6
    assert Judgement.objects.count() + Withdrawal.objects.count() == 2 * n
    assert Assignment.objects.get().rankings is None


def test_an_old_answer_is_changed_and_what_contradicts_it_is_set_aside(study, annotator):
    rank_everything(study, annotator, ABCD)
    past = answer_history.history(study, annotator)[-1]
    turn = services.change(screen_id=past.screen.public_id, annotator=annotator).turn
    assert turn.screen == past.screen
    assert turn.answers == past.event.verdicts, "the old answer is chosen"
    assert set(turn.open_criteria) == set(past.event.verdicts)
    assert turn.note
    left, right = past.screen.left.method.name, past.screen.right.method.name
    swapped = {"left": "right", "right": "left", "equal": "left"}
    anew = {criterion: swapped[verdict] for criterion, verdict in past.event.verdicts.items()}
    judged(turn, anew)
    turn = current_screen.waiting_turn(study, annotator)
    while turn is not None:
        turn = answer(turn, annotator, ABCD)
    order = [name for bucket in ranking(study) for name in bucket]
    better, worse = (left, right) if anew["recall"] == "left" else (right, left)
    assert order.index(better) < order.index(worse)
    call_command("replay", "--check")


def test_the_history_says_beforehand_how_many_answers_a_change_may_set_aside(study, annotator):
    rank_everything(study, annotator, ABCD)
    pasts = answer_history.history(study, annotator)
    placed = [past for past in pasts if not past.screen.is_check]
    assert any(past.n_set_aside for past in placed)
    assert all(0 <= past.n_set_aside < len(pasts) for past in pasts)
    # By hand: the log up to the change, every other answer of this screen put at its end.
    numbers = [past.event.number for past in pasts]
    assert numbers == sorted(numbers, reverse=True), "newest first"


def test_history_holds_twenty_screens_over_several_images_and_settles_those_alone(monkeypatch):
    study = make_study(4, images=8)
    annotator = add_annotator(study)
    rank_everything(study, annotator, same_truth([[f"method-{i}"] for i in range(4)]))
    counted = []
    most_set_aside = answer_history._most_set_aside
    monkeypatch.setattr(
        answer_history, "_most_set_aside", lambda *log: counted.append(log) or most_set_aside(*log)
    )
    # A screen's place in its log asks for no state.
    monkeypatch.setattr(replay.Log, "of", None)
    pasts = answer_history.history(study, annotator)
    assert len(counted) == 20
    assert len(pasts) == 20
    positions = [past.screen.assignment.position for past in pasts]
    assert positions == sorted(positions, reverse=True)


def test_only_own_recent_answers_can_be_changed(study, annotator):
    turn = services.start(study=study, annotator=annotator).turn
    with pytest.raises(AlreadyAnswered):
        services.change(screen_id=turn.screen.public_id, annotator=annotator)
    answer(turn, annotator, ABCD)
    other = add_annotator(study)
    with pytest.raises(NotThere):
        services.change(screen_id=turn.screen.public_id, annotator=other)
    Study.objects.update(state="closed")
    with pytest.raises(StudyNotOpen):
        services.change(screen_id=turn.screen.public_id, annotator=annotator)


def answered_until_implied(study, annotator):
    """Answer until a screen has a criterion that follows; recall and precision run opposite ways."""
    truth = {
        "recall": [["a"], ["b"], ["c"], ["d"]],
        "precision": [["d"], ["c"], ["b"], ["a"]],
        "preference": [["b"], ["d"], ["a"], ["c"]],
    }
    turn = services.start(study=study, annotator=annotator).turn
    while turn is not None and not turn.implied:
        turn = answer(turn, annotator, truth)
    return turn, truth


def test_t1_what_follows_is_shown_and_never_contradicts_the_ranking(study, annotator):
    turn, truth = answered_until_implied(study, annotator)
    assert turn is not None, "the truths were chosen so that something follows"
    shown = {entry["name"]: entry for entry in shown_now(turn)["criteria"]}
    for criterion, verdict in turn.implied.items():
        assert shown[criterion]["state"] == "implied"
        assert shown[criterion]["verdict"] == verdict == verdicts(truth, turn.screen)[criterion]


def test_a_disputed_criterion_is_answered_against_what_followed(study, annotator):
    turn, truth = answered_until_implied(study, annotator)
    criterion, follows = next(iter(turn.implied.items()))
    other = "equal" if follows != "equal" else "left"
    given = asked_verdicts(truth, turn) | {criterion: other}
    with pytest.raises(Incomplete) as refusal:
        judged(turn, given)
    assert set(refusal.value.reasons) == {criterion}
    judged(turn, given, disputed=[criterion])
    assert Judgement.objects.latest("number").verdicts[criterion] == other
    assignment = Assignment.objects.get()
    settled = replay.read_log(assignment).settled
    assert settled.state.implied(*turn.pair)[criterion] == other
    call_command("replay", "--check")


def test_re_checks_look_like_any_other_screen_and_count_as_work():
    study = make_study(NAMES)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    purposes, keys = [], set()
    while turn is not None:
        data = shown_now(turn)
        purposes.append(turn.screen.purpose)
        keys.add(tuple(sorted(data)) + tuple(sorted(data["screen"])))
        assert not {"near", "repeat", "again", "repair"} & set(json.dumps(data).split('"'))
        if turn.screen.is_check:
            assert turn.open_criteria == CRITERIA
            assert not turn.implied
        turn = answer(turn, annotator, STRICT)
    assert sorted(set(purposes)) == ["near", "place", "repeat"]
    assert purposes.count("near") == purposes.count("repeat") == 1
    assert len(keys) == 1
    assert ranking(study) == [[name] for name in NAMES]
    assert Assignment.objects.get().unsettled == []


def test_a_study_without_re_checks_asks_none():
    study = make_study(NAMES, n_checks=0)
    annotator = add_annotator(study)
    rank_everything(study, annotator, STRICT)
    assert set(Screen.objects.values_list("purpose", flat=True)) == {"place"}


def test_a_contradicted_re_check_comes_again_with_its_sides_swapped():
    study = make_study(NAMES)
    turn = first_turn(study)
    wrong = {}
    while turn is not None:
        given = asked_verdicts(STRICT, turn)
        if turn.screen.purpose == "repeat":
            mirrored = {"left": "right", "right": "left", "equal": "left"}
            wrong[turn.screen.left_id, turn.screen.right_id] = turn.screen
            given = {**given, "recall": mirrored[given["recall"]]}
        turn = judged(turn, given)
    again = Screen.objects.get(purpose="again")
    ((left, right),) = wrong
    assert (again.left_id, again.right_id) == (right, left)
    # The second answer was right: the ranking stays.
    assert ranking(study) == [[name] for name in NAMES]
    assert Assignment.objects.get().unsettled == []


def test_t23_the_side_shown_first_is_drawn_apart_from_the_newcomers_side():
    study = make_study(NAMES, images=2, n_checks=0)
    rank_everything(study, add_annotator(study), STRICT)
    screens = Screen.objects.order_by("assignment", "number")
    drawn = [screen.first for screen in screens if screen.number <= 16]
    eights = [drawn[at : at + 8] for at in range(0, len(drawn), 8)]
    assert len(eights) == 4
    assert [eight.count("left") for eight in eights] == [4, 4, 4, 4]
    assert len({tuple(eight) for eight in eights}) > 1
    item_of = replay.item_of_each_result(Assignment.objects.first())
    on_first = [
        (item_of[screen.left_id] > item_of[screen.right_id]) == (screen.first == "left")
        for screen in screens.filter(assignment=Assignment.objects.first())
    ]
    assert {True, False} == set(on_first)


UNKNOWN = {"first": "unknown"}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (
            '{"first": "both", "left": 2.5, "right": 2.5}',
            {"first": "both", "left": 2.5, "right": 2.5},
        ),
        (
            '{"first": "right", "left": 0.1, "right": 9}',
            {"first": "right", "left": 0.1, "right": 9},
        ),
        # A page without scripts sends nothing of it.
        (None, UNKNOWN),
        ("", UNKNOWN),
        ('{"first": "right", "right": 9}', None),
        ('{"first": "both", "left": 2, "right": 0}', None),
        ('{"first": "both", "left": 2, "right": true}', None),
        ('{"first": "both", "left": 2, "right": 90000}', None),
        ('{"first": "both", "left": 2, "right": NaN}', None),
        ('{"first": "unknown", "left": 2, "right": 2}', None),
        ("[]", None),
    ],
)
def test_t23_an_answer_that_says_that_a_result_was_not_shown_is_refused(
    client, study, annotator, sent, stored
):
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    given = asked_verdicts(ABCD, turn) | ({} if sent is None else {"seen": sent})
    address = reverse("judging:answer", args=[turn.screen.public_id])
    response = client.post(address, given, headers=JSON)
    if stored is None:
        assert response.status_code == 422
        assert response.json() == {"errors": {"seen": "Look at both results before you answer."}}
        page = client.post(address, given)
        assert page.status_code == 422
        assert "Look at both results before you answer." in page.text
        assert not Judgement.objects.exists()
    else:
        assert Judgement.objects.get().seen == stored


def test_t13_no_byte_sent_names_a_method_and_ids_differ_for_each_annotator(client):
    names = ["Zebrafinch", "Quokka", "Axolotl"]
    study = make_study(names, match_protocol="iou", ground_truth="always")
    first, second = add_annotator(study), add_annotator(study)
    seen = []
    for annotator in (first, second):
        client.force_login(annotator)
        sent = [client.get(reverse("home"))]
        sent.append(client.post(reverse("judging:start", args=[study.slug])))
        turn = current_screen.waiting_turn(study, annotator)
        seen.append(set(shown_now(turn)["image"]["results"]))
        while turn is not None:
            for address in ("judging:judge", "judging:history", "judging:next_image"):
                sent.append(client.get(reverse(address, args=[study.slug])))
            url = reverse("judging:answer", args=[turn.screen.public_id])
            sent.append(client.post(url, dict.fromkeys(turn.open_criteria, "left"), headers=JSON))
            turn = current_screen.waiting_turn(study, annotator)
        sent.append(client.get(reverse("judging:judge", args=[study.slug]), follow=True))
        for response in sent:
            everything = (response.text + str(response.headers)).lower()
            assert not any(name.lower() in everything for name in names)
    assert seen[0].isdisjoint(seen[1])


def test_the_results_of_an_image_are_sent_once(client, study, annotator):
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    data = shown_now(turn)
    assert len(data["image"]["results"]) == 4
    assert {data["left"], data["right"]} <= set(data["image"]["results"])
    given = asked_verdicts(ABCD, turn) | {"have": data["image"]["key"]}
    following = client.post(
        reverse("judging:answer", args=[turn.screen.public_id]), given, headers=JSON
    ).json()
    assert "results" not in following["image"]
    assert following["image"]["key"] == data["image"]["key"]
    assert {following["left"], following["right"]} <= set(data["image"]["results"])
    assert len(json.dumps(following)) < 3000


def test_t43_several_images_are_fetched_in_advance_and_none_that_the_page_has(client):
    study = make_study(3, images=6)
    annotator = add_annotator(study)
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    address = reverse("judging:next_image", args=[study.slug])
    assert len(client.get(address, headers=JSON).json()["images"]) == 1
    ahead = client.get(address, {"n": "9"}, headers=JSON).json()["images"]
    assert len(ahead) == 3
    keys = [image["key"] for image in ahead]
    known = client.get(address, {"n": 3, "have": ",".join(keys[:2])}, headers=JSON).json()["images"]
    assert [image["key"] for image in known] == keys
    assert ["results" in image for image in known] == [False, False, True]
    for n in ("0", "-1", "x", "9" * 5000):
        assert client.get(address, {"n": n}, headers=JSON).status_code == 200
    truth = same_truth([["method-0"], ["method-1"], ["method-2"]])
    seen = []
    while turn is not None:
        shown = shown_now(turn)["image"]
        if [shown["key"]] != [image["key"] for image in seen[-1:]]:
            seen.append(shown)
        turn = answer(turn, annotator, truth)
    for image, coming in zip(seen[1:4], ahead, strict=True):
        assert (image["key"], image["results"]) == (coming["key"], coming["results"])
    assert client.get(address, headers=JSON).json() == {"image": None, "images": []}


@pytest.mark.parametrize(
    ("setting", "shown"), [("never", False), ("request", True), ("always", True)]
)
def test_the_study_says_whether_ground_truth_is_sent(setting, shown):
    study = make_study(2, ground_truth=setting)
    annotator = add_annotator(study)
    data = shown_now(services.start(study=study, annotator=annotator).turn)
    assert (data["image"]["truth"] is not None) == shown
    assert data["study"]["settings"]["ground_truth"] == setting
    assert data["image"]["matches"] is None


def test_fates_of_the_truth_stand_in_the_order_of_its_polygons():
    """Ignored regions have their own list, so they take no place, wherever they stand in the file."""
    boxes = {"one": [(0, 0, 99, 39)], "none": [(300, 300, 340, 340)]}
    study = make_study(["one", "none"], boxes=boxes, match_protocol="iou", ground_truth="always")
    image = study.images.get()
    ignored = Region.from_box(500, 500, 560, 540, ignored=True)
    matched, missed = Region.from_box(0, 0, 99, 39), Region.from_box(100, 100, 160, 140)
    image.truth = encode_regions([ignored, matched, missed])
    image.save()
    turn = services.start(study=study, annotator=add_annotator(study)).turn
    data = shown_now(turn)
    one, none = ("left", "right") if turn.screen.left.method.name == "one" else ("right", "left")
    assert len(data["image"]["truth"]["polygons"]) == 2
    matches = data["image"]["matches"]
    assert matches[data[one]] == {"truth": ["matched", "unmatched"], "detections": ["matched"]}
    assert matches[data[none]] == {"truth": ["unmatched"] * 2, "detections": ["unmatched"]}
    assert data["study"]["settings"]["match_colours"] == "IOU"


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('{"ground_truth": 3.14159, "zoomed": 2}', {"ground_truth": 3.1, "zoomed": 2.0}),
        ('{"ground_truth": -1, "magic": 5, "blink": "x"}', {}),
        ("{", {}),
        ("[1]", {}),
        # Deeper than it can be read.
        pytest.param(100_000 * "[", {}, id="deep"),
        ("", {}),
    ],
)
def test_t6_aids_are_stored_with_the_answer_and_damage_costs_nothing(
    client, study, annotator, sent, stored
):
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    given = asked_verdicts(ABCD, turn) | {"aids": sent}
    assert (
        client.post(
            reverse("judging:answer", args=[turn.screen.public_id]), given, headers=JSON
        ).status_code
        == 200
    )
    assert Judgement.objects.get().aids == stored


def test_a_method_that_comes_later_is_placed_in_finished_rankings_with_few_screens(annotator):
    study = make_study(NAMES[:9], images=2, n_checks=0)
    annotator = add_annotator(study)
    n_before = rank_everything(study, annotator, STRICT)
    late = make_method(study.dataset, NAMES[9])
    for image in study.dataset.images.all():
        make_result(image, late)
    assert methods.add_method(study=study, method=late) == 2
    assert set(Assignment.objects.filter(study=study).values_list("state", flat=True)) == {
        "in_work"
    }
    assert set(StudyImage.objects.filter(study=study).values_list("n_complete", flat=True)) == {0}
    n_added = rank_everything(study, annotator, STRICT)
    assert n_added <= 2 * 9
    assert n_added < n_before
    for assignment in Assignment.objects.filter(study=study):
        assert assignment.state == "complete"
        assert [len(bucket) for bucket in assignment.rankings["recall"]] == [1] * 10
    call_command("replay", "--check")


def test_a_late_result_that_looks_like_another_needs_no_screen():
    study = make_study(["a", "b"], boxes={"a": [(1, 1, 9, 9)], "b": [(5, 5, 20, 20)]}, n_checks=0)
    annotator = add_annotator(study)
    rank_everything(study, annotator, same_truth([["a"], ["b"]]))
    twin = make_method(study.dataset, "twin")
    make_result(study.dataset.images.get(), twin, [(1, 1, 9, 9)])
    assert methods.add_method(study=study, method=twin) == 0
    assert ranking(study) == [["a", "twin"], ["b"]]


def test_a_method_taken_out_leaves_rankings_and_questions_and_its_answers_are_kept(
    study, annotator
):
    rank_everything(study, annotator, ABCD)
    n_events = Judgement.objects.count()
    methods.withdraw_method(study=study, method=study.methods.get(name="b"))
    assert ranking(study) == [["a"], ["c"], ["d"]]
    assert Judgement.objects.count() == n_events
    assert StudyImage.objects.get(study=study).n_complete == 1
    call_command("replay", "--check")


def test_a_screen_that_shows_a_method_taken_out_is_replaced(study, annotator):
    turn = services.start(study=study, annotator=annotator).turn
    methods.withdraw_method(study=study, method=turn.screen.left.method)
    following = current_screen.waiting_turn(study, annotator)
    gone = turn.screen.left.method
    assert following.screen != turn.screen
    assert gone not in (following.screen.left.method, following.screen.right.method)
    with pytest.raises(AlreadyAnswered):
        answer(turn, annotator, ABCD)
    while following is not None:
        following = answer(following, annotator, ABCD)
    assert len(ranking(study)) == 3


def test_a_method_taken_out_and_added_again_has_its_place_back(study, annotator):
    rank_everything(study, annotator, ABCD)
    method = study.methods.get(name="c")
    methods.withdraw_method(study=study, method=method)
    methods.add_method(study=study, method=method)
    rank_everything(study, annotator, ABCD)
    assert ranking(study) == [["a"], ["b"], ["c"], ["d"]]


def test_methods_come_and_go_only_where_it_makes_sense(study, annotator):
    stranger = make_method(make_study(2).dataset, "stranger")
    with pytest.raises(StudyRefused, match="not a method of"):
        methods.add_method(study=study, method=stranger)
    with pytest.raises(StudyRefused, match="already"):
        methods.add_method(study=study, method=study.methods.first())
    with pytest.raises(StudyRefused, match="does not take part"):
        methods.withdraw_method(study=study, method=stranger)
    methods.withdraw_method(study=study, method=study.methods.get(name="a"))
    methods.withdraw_method(study=study, method=study.methods.get(name="b"))
    with pytest.raises(StudyRefused, match="at least two"):
        methods.withdraw_method(study=study, method=study.methods.get(name="c"))


def test_an_admin_takes_methods_out_and_in_on_the_studys_page(client, study, annotator):
    client.force_login(make_admin())
    client.post(reverse("judging:withdraw_method", args=[study.slug]), {"method": "b"}, follow=True)
    assert not study.methods.filter(name="b").exists()
    response = client.post(
        reverse("judging:add_method", args=[study.slug]), {"method": "b"}, follow=True
    )
    assert "takes part" in response.text
    assert study.methods.filter(name="b").exists()
    client.force_login(annotator)
    refused = client.post(reverse("judging:add_method", args=[study.slug]), {"method": "b"})
    assert refused.status_code == 404


def test_preferences_are_kept_and_reach_the_page(client, study, annotator):
    client.force_login(annotator)
    address = reverse("preferences")
    assert client.get(address).status_code == 200
    sent = {"theme": "dark", "advance": "on", "keys": '{"undo": "KeyZ"}'}
    page = client.post(address, sent, follow=True)
    assert 'data-theme="dark"' in page.text
    kept = Preferences.objects.get()
    assert (kept.advance, kept.single_keys, kept.keys) == (True, False, {"undo": "KeyZ"})
    data = shown_now(services.start(study=study, annotator=annotator).turn)
    assert data["person"] == {"advance": True, "single_keys": False, "keys": {"undo": "KeyZ"}}
    assert client.post(address, {"theme": "neon"}).status_code == 422


def test_without_javascript_history_is_a_page_and_a_change_a_form(client, study, annotator):
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    answer(turn, annotator, ABCD)
    page = client.get(reverse("judging:history", args=[study.slug]))
    change = reverse("judging:change", args=[turn.screen.public_id])
    assert change in page.text
    response = client.post(change)
    assert response.status_code == 302
    assert current_screen.waiting_turn(study, annotator).screen == turn.screen
    empty = add_annotator(study)
    client.force_login(empty)
    assert (
        "you have not answered any pairs"
        in client.get(reverse("judging:history", args=[study.slug])).text
    )
