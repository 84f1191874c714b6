"""Visits that ask some methods of an image: what is drawn, what is stored, and how they go on."""

from itertools import combinations

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.urls import reverse

from annotate.accounts.privacy.personal_data import everything_about
from annotate.judging import answer_history, image_allocation, services
from annotate.judging.methods import add_method, withdraw_method
from annotate.judging.models import Assignment, Judgement, check_drawn
from annotate.judging.visits import visit_of
from annotate.studies.draws import in_words
from annotate.studies.exclusions import decide
from annotate.studies.models import Membership, StudyImage
from annotate.studies.services import set_state
from tests.support.factories import (
    add_annotator,
    make_admin,
    make_method,
    make_result,
    make_run,
    make_study,
)
from tests.support.truths import answer, rank_by, rank_everything, same_truth, shown_now, undone

pytestmark = pytest.mark.django_db

ABCD = same_truth([["a"], ["b"], ["c"], ["d"]])
JSON = {"Accept": "application/json"}


def pairs_study(methods="abcd", images=6, k=2, **settings):
    return make_study(list(methods), images=images, methods_per_visit=k, **settings)


def chances_of(drawn):
    return {frozenset(pair): chance for *pair, chance in drawn["pairs"]}


def test_a_visit_asks_one_pair_and_the_next_another_image():
    study = pairs_study()
    annotator = add_annotator(study)
    assert rank_everything(study, annotator, ABCD) == 6
    visits = Assignment.objects.order_by("position")
    assert len({visit.image_id for visit in visits}) == 6
    for visit in visits:
        assert (visit.state, len(visit.items), visit.screens.count()) == ("complete", 2, 1)
        # No scores: every one of the six pairs is as likely.
        assert list(chances_of(visit.drawn).values()) == [pytest.approx(1 / 6)]
        assert {m for bucket in visit.rankings["recall"] for m in bucket} == {
            *visit.drawn["methods"]
        }
        assert len(visit.drawn["from"]) == 4
    assert len({tuple(visit.drawn["methods"]) for visit in visits}) > 1
    call_command("replay", "--check")


def test_the_same_seed_draws_the_same_and_each_annotator_something_else():
    study = pairs_study("abcdefgh", images=8)
    first, second = add_annotator(study), add_annotator(study)
    images = list(study.images.values_list("pk", flat=True))

    def draws(person):
        return [visit_of(study, person, image) for image in images]

    assert draws(first) == draws(first)
    assert [one.items for one in draws(first)] != [one.items for one in draws(second)]
    rank_everything(study, first, same_truth([list("abcdefgh")]))
    stored = dict(Assignment.objects.values_list("image", "drawn"))
    assert [stored[image] for image in images] == [one.drawn for one in draws(first)]


def test_protocols_that_disagree_make_a_pair_likelier_and_are_named():
    """Two protocols swap a and b alone: its weight is 1, all others are 0; a tenth goes to all six pairs."""
    study = pairs_study(images=1)
    one = make_run(study, "one", {"a": 0.9, "b": 0.8, "c": 0.5, "d": 0.1})
    two = make_run(study, "two", {"a": 0.8, "b": 0.9, "c": 0.5, "d": 0.1})
    drawn = visit_of(study, add_annotator(study), study.images.get().pk).drawn
    assert drawn["runs"] == [one.pk, two.pk]
    a, b = study.methods.get(name="a").pk, study.methods.get(name="b").pk
    chance = 0.9 + 0.1 / 6 if drawn["methods"] == sorted([a, b]) else 0.1 / 6
    assert list(chances_of(drawn).values()) == [pytest.approx(chance)]


ALIKE = {"a": 0.9, "b": 0.8, "c": 0.5, "d": 0.1}


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([], {}),
        ([ALIKE] * 2, {}),
        ([{"a": 0.9}] * 2, {}),
        ([ALIKE, ALIKE | {"a": 0.7}], {"drawn_by": "random"}),
    ],
)
def test_without_disagreement_or_scores_or_at_random_every_pair_is_as_likely(scores, chosen):
    study = pairs_study(images=1, **chosen)
    for number, of_run in enumerate(scores):
        make_run(study, f"run {number}", of_run)
    drawn = visit_of(study, add_annotator(study), study.images.get().pk).drawn
    assert list(chances_of(drawn).values()) == [pytest.approx(1 / 6)]
    assert not (chosen and drawn["runs"])


def test_three_of_four_methods_are_ranked_and_every_pair_of_them_keeps_its_probability():
    """Each of the four triples is as likely, and two of them hold a pair."""
    study = pairs_study(images=2, k=3)
    rank_everything(study, add_annotator(study), ABCD)
    for visit in Assignment.objects.all():
        chances = chances_of(visit.drawn)
        assert set(chances) == set(map(frozenset, combinations(visit.drawn["methods"], 2)))
        assert list(chances.values()) == [pytest.approx(1 / 2)] * 3
        # Three methods have a re-check, as in a whole ranking of three.
        assert visit.screens.exclude(purpose="place").count() <= 1


def test_results_that_look_alike_are_drawn_as_one():
    """Three different results: a = b, c, d. A draw holds two of three, so each of them in 2 of 3 draws."""
    study = pairs_study(images=30, boxes={"a": [], "b": []})
    rank_everything(study, add_annotator(study), ABCD | {})
    a, b = study.methods.get(name="a").pk, study.methods.get(name="b").pk
    with_alike = [v.drawn for v in Assignment.objects.all() if a in v.drawn["methods"]]
    assert with_alike
    for drawn in with_alike:
        assert b in drawn["methods"]
        chances = chances_of(drawn)
        assert chances.pop(frozenset((a, b))) == pytest.approx(2 / 3)
        assert list(chances.values()) == [pytest.approx(1 / 3)] * 2


def test_an_image_on_which_all_look_alike_needs_no_answer():
    study = pairs_study("abc", images=2, boxes={"a": [], "b": [], "c": []})
    assert services.start(study=study, annotator=add_annotator(study)).turn is None
    for visit in Assignment.objects.all():
        assert (visit.state, list(chances_of(visit.drawn).values())) == ("complete", [1.0] * 3)


def test_some_images_are_ranked_whole_in_the_same_study():
    study = pairs_study(images=10, whole_percent=30)
    whole = set(study.study_images.filter(asks_all=True).values_list("image", flat=True))
    assert len(whole) == 3
    rank_everything(study, add_annotator(study), ABCD)
    for visit in Assignment.objects.all():
        assert (visit.drawn is None) == (visit.image_id in whole)
        assert len(visit.items) == (4 if visit.image_id in whole else 2)


def test_a_single_pair_that_is_skipped_ends_the_visit_and_frees_the_image():
    study = pairs_study(images=1, min_annotators=1, max_annotators=1)
    first, second = add_annotator(study), add_annotator(study)
    turn = services.start(study=study, annotator=first).turn
    skip = {"screen_id": turn.screen.public_id, "annotator": first, "reason": "other"}
    assert services.record_skip(**skip).turn is None
    assert Assignment.objects.get().state == "incomplete"
    assert services.start(study=study, annotator=second).turn is not None
    assert services.start(study=study, annotator=first).turn is None


def test_undo_goes_back_over_images_and_the_pair_that_waited_waits_on():
    study = pairs_study()
    annotator = add_annotator(study)
    first = services.start(study=study, annotator=annotator).turn
    second = answer(first, annotator, ABCD)
    assert second.assignment != first.assignment
    assert (first.can_undo, second.can_undo) == (False, True)
    back = undone(second)
    assert (back.screen.pk, back.assignment.state) == (first.screen.pk, "in_work")
    assert answer(back, annotator, ABCD).screen.pk == second.screen.pk
    assert StudyImage.objects.get(study=study, image=first.assignment.image_id).n_complete == 1
    call_command("replay", "--check")


def test_the_history_shows_the_pairs_of_the_last_images_and_opens_them():
    study = pairs_study()
    annotator = add_annotator(study)
    first = services.start(study=study, annotator=annotator).turn
    waiting = answer(answer(first, annotator, ABCD), annotator, ABCD)
    pasts = answer_history.history(study, annotator)
    assert [past.screen.assignment.position for past in pasts] == [2, 1]
    again = services.change(screen_id=first.screen.public_id, annotator=annotator).turn
    assert again.screen.pk == first.screen.pk
    assert answer(again, annotator, same_truth([list("abcd")])).screen.pk == waiting.screen.pk
    first.assignment.refresh_from_db()
    assert len(first.assignment.rankings["recall"]) == 1


def test_the_page_gets_the_results_asked_of_and_how_many_images_are_left(client):
    study = pairs_study()
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    data = shown_now(turn)
    assert data["image"]["results"].keys() == {data["left"], data["right"]}
    assert (data["progress"]["text"], data["progress"]["share"]) == ("6 images left", 0)
    client.force_login(annotator)
    ahead = client.get(reverse("judging:next_image", args=[study.slug]), headers=JSON).json()[
        "image"
    ]
    data = shown_now(answer(turn, annotator, ABCD))
    assert ahead["key"] == data["image"]["key"]
    assert ahead["results"] == data["image"]["results"]
    assert (data["progress"]["text"], data["progress"]["share"]) == (
        "5 images left",
        round(1 / 6, 4),
    )


def test_a_method_that_joins_is_drawn_from_now_on_and_asks_nothing_of_old_visits():
    study = pairs_study("abc", images=40)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    for _ in range(4):
        turn = answer(turn, annotator, same_truth([["a"], ["b"], ["c"], ["d"]]))
    before = list(Assignment.objects.order_by("position").values_list("items", "drawn", "state"))
    new = make_method(study.dataset, "d")
    for image in study.images.all():
        make_result(image, new)
    assert add_method(study=study, method=new) == 0  # no ranking waits for it
    assert (
        list(Assignment.objects.order_by("position").values_list("items", "drawn", "state"))
        == before
    )
    rank_everything(study, annotator, ABCD)
    later = Assignment.objects.filter(position__gt=5)
    assert all(new.pk in visit.drawn["from"] for visit in later)
    assert any(new.pk in visit.drawn["methods"] for visit in later)
    call_command("replay", "--check")


def test_a_method_that_leaves_takes_its_pairs_along_and_brings_them_back():
    # Two of three are drawn for each image: of so many, hardly ever the same two.
    study = pairs_study("abc", images=40, min_annotators=1, max_annotators=1)
    annotator = add_annotator(study)
    rank_everything(study, annotator, ABCD)
    gone = study.methods.get(name="c")
    with_it = {v.pk for v in Assignment.objects.all() if gone.pk in v.drawn["methods"]}
    assert 0 < len(with_it) < 40
    withdraw_method(study=study, method=gone)
    assert {v.pk for v in Assignment.objects.filter(state="incomplete")} == with_it
    # Their places are free: another annotator is asked the pair that is left.
    other = add_annotator(study)
    assert image_allocation.n_images_of(study, other) == len(with_it)
    call_command("replay", "--check")
    add_method(study=study, method=gone)
    assert not Assignment.objects.exclude(state="complete").exists()
    call_command("replay", "--check")


def test_a_method_that_leaves_while_its_pair_waits_ends_the_visit():
    study = pairs_study("abc", images=3)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    gone = study.methods.get(pk=turn.assignment.drawn["methods"][0])
    withdraw_method(study=study, method=gone)
    turn.assignment.refresh_from_db()
    assert turn.assignment.state == "incomplete"
    following = services.start(study=study, annotator=annotator).turn
    assert following.assignment.pk != turn.assignment.pk
    assert gone.pk not in following.assignment.drawn["from"]


def test_a_study_that_closes_in_the_middle_of_a_pair_goes_on_with_it_when_it_opens():
    study = pairs_study()
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    set_state(study=study, state="closed")
    call_command("replay", "--check")
    set_state(study=study, state="open")
    assert services.start(study=study, annotator=annotator).turn.screen.pk == turn.screen.pk
    assert Judgement.objects.count() == 0


def test_what_is_given_out_to_a_person_does_not_tell_which_methods_were_drawn():
    study = pairs_study(images=1)
    annotator = add_annotator(study)
    rank_everything(study, annotator, ABCD)
    [own] = everything_about(annotator)["stored"]["annotate.assignment"]
    assert own["state"] == "complete"
    assert own.keys().isdisjoint({"drawn", "items", "rankings"})


DRAWN = {"methods": [1, 2], "from": [1, 2, 3], "pairs": [[1, 2, 0.5]], "runs": []}


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs": [[1, 2, 0]]},
        {"pairs": [[1, 2, 1.5]]},
        {"pairs": [[1, 2, True]]},
        {"pairs": []},
        {"pairs": [[1, 3, 0.5]]},
        {"pairs": [[1, 2, 0.5], [2, 1, 0.5]]},
        {"methods": [1]},
        {"methods": [1, 1]},
        {"from": [1, 3]},
        {"runs": ["x"]},
        {"more": 1},
    ],
)
def test_a_draw_without_a_probability_above_0_for_each_of_its_pairs_is_refused(wrong):
    check_drawn(DRAWN)
    with pytest.raises(ValidationError):
        check_drawn(DRAWN | wrong)


class TestConnected:
    """Every two annotators share images through others."""

    def groups(self, study):
        """The annotators that are connected, found by joining those of each image."""
        groups = []
        images = {}
        for image, person in Assignment.objects.filter(study=study).values_list(
            "image", "annotator"
        ):
            images.setdefault(image, set()).add(person)
        for people in images.values():
            touching = [group for group in groups if group & people]
            groups = [group for group in groups if group not in touching]
            groups.append(people.union(*touching))
        return groups

    @pytest.mark.parametrize(
        ("n", "shared"),
        [
            (7, {"max_annotators": 1, "agreement_percent": 10, "agreement_annotators": 3}),
            # Two images with four places each at most: three people may be on both, which leaves two.
            (5, {"max_annotators": 1, "agreement_percent": 3, "agreement_annotators": 3}),
            (7, {"max_annotators": 2}),
            (7, {}),
        ],
    )
    def test_from_the_first_images_on_whoever_comes_and_in_whatever_order(self, n, shared):
        study = pairs_study(images=60, min_annotators=1, **shared)
        people = [add_annotator(study) for _ in range(n)]
        turns = {}
        for n_people in range(1, len(people) + 1):
            # One more joins while the others go on.
            for each in people[:n_people]:
                turn = turns.get(each) or services.start(study=study, annotator=each).turn
                turns[each] = answer(turn, each, ABCD)
        assert [len(group) for group in self.groups(study)] == [n]

    def test_the_page_of_a_study_says_how_many_people_few_shared_images_connect(self):
        """Three people may be on both images; each image then takes one more."""
        study = pairs_study(
            images=60,
            min_annotators=1,
            max_annotators=1,
            agreement_percent=3,
            agreement_annotators=3,
        )
        assert "These images connect 5 annotators for certain" in in_words(study)[-1]

    def test_images_for_agreement_get_their_people_and_the_others_one(self):
        study = pairs_study(
            images=20,
            min_annotators=1,
            max_annotators=1,
            agreement_percent=15,
            agreement_annotators=3,
        )
        wanted = dict(study.study_images.values_list("image", "n_annotators"))
        assert sorted(filter(None, wanted.values())) == [3, 3, 3]
        rank_by(3, study, ABCD)
        taken = list(Assignment.objects.values_list("image", flat=True))
        assert {image: taken.count(image) for image in wanted} == {
            image: n or 1 for image, n in wanted.items()
        }


def test_who_leaves_frees_the_places_of_what_is_not_done():
    study = pairs_study(images=3, min_annotators=1, max_annotators=1)
    first, second = add_annotator(study), add_annotator(study)
    answer(services.start(study=study, annotator=first).turn, first, ABCD)
    assert image_allocation.n_images_of(study, second) == 1
    Membership.objects.get(study=study, person=first).delete()
    assert image_allocation.n_images_of(study, second) == 2
    assert rank_everything(study, second, ABCD) == 2


def test_who_is_left_out_of_the_reports_frees_places():
    study = pairs_study(images=3, min_annotators=1, max_annotators=1)
    first, second = add_annotator(study), add_annotator(study)
    rank_everything(study, first, ABCD)
    assert image_allocation.n_images_of(study, second) == 0
    decide(study=study, person=first, is_excluded=True, reason="too quick", by=make_admin())
    assert rank_everything(study, second, ABCD) == 3
    assert image_allocation.n_images_of(study, add_annotator(study)) == 0


def test_whoever_takes_an_image_looks_again_whether_others_have_just_taken_its_places():
    study = pairs_study(images=2, min_annotators=1, max_annotators=1)
    first = add_annotator(study)
    turn = services.start(study=study, annotator=first).turn
    taken = turn.assignment.image_id

    own = image_allocation.own_images(study, add_annotator(study))

    def is_to_be_had():
        return [
            image_allocation.is_still_to_be_had(own, image)
            for image in sorted(study.images.values_list("pk", flat=True), key=taken.__ne__)
        ]

    assert is_to_be_had() == [False, True]
    answer(turn, first, ABCD)
    assert is_to_be_had() == [False, False]
    decide(study=study, person=first, is_excluded=True, reason="too quick", by=make_admin())
    assert is_to_be_had() == [True, False]
