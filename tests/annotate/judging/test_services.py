"""Asking and answering: what is stored, and what is refused."""

import random

import pytest
from django.db import IntegrityError, transaction

from annotate.errors import NotThere
from annotate.judging import replay, services
from annotate.judging.errors import AlreadyAnswered, StudyNotOpen
from annotate.judging.models import Assignment, Judgement, Screen, Skip, Withdrawal
from annotate.studies.models import Membership, Study
from tests.support.factories import add_annotator, make_study
from tests.support.truths import (
    answer,
    first_turn,
    in_names,
    judged,
    rank_by,
    rank_everything,
    same_truth,
    skipped,
    undone,
)

pytestmark = pytest.mark.django_db

ABC = same_truth([["a"], ["b", "c"]])
TRUTHS = {
    "recall": [["a"], ["b", "c"], ["d"]],
    "precision": [["d"], ["c"], ["b"], ["a"]],
    "preference": [["a", "b", "c", "d"]],
}


@pytest.mark.parametrize("strategy", ["insertion", "balanced"])
def test_consistent_answers_end_in_exactly_those_rankings(strategy):
    study = make_study(["a", "b", "c", "d"], images=2, strategy=strategy)
    annotator = add_annotator(study)
    rank_everything(study, annotator, TRUTHS)
    assignments = Assignment.objects.filter(annotator=annotator)
    assert [assignment.state for assignment in assignments] == ["complete"] * 2
    for assignment in assignments:
        assert in_names(study, assignment.rankings) == TRUTHS


def test_what_follows_is_not_asked_and_not_stored():
    study = make_study(["a", "b", "c", "d"])
    annotator = add_annotator(study)
    rank_everything(study, annotator, TRUTHS)
    for judgement in Judgement.objects.all():
        assert judgement.verdicts, "every screen asks something"
    n_asked = sum(len(judgement.verdicts) for judgement in Judgement.objects.all())
    assert n_asked < 3 * 6, "six pairs, three criteria: transitivity saves some questions"


def test_results_that_look_alike_are_ranked_as_one():
    boxes = {"b": [(1, 1, 9, 9)], "c": [(1, 1, 9, 9)]}
    study = make_study(["a", "b", "c"], boxes=boxes)
    annotator = add_annotator(study)
    n_screens = rank_everything(study, annotator, ABC)
    assert n_screens == 1
    rankings = in_names(study, Assignment.objects.get().rankings)
    assert rankings["recall"] == [["a"], ["b", "c"]]


def test_complete_rankings_are_counted_per_image():
    study = make_study(["a", "b", "c"], images=2)
    rank_by(2, study, ABC)
    assert set(study.study_images.values_list("n_complete", flat=True)) == {2}


def test_t21_the_newcomer_is_left_in_half_of_every_eight_screens():
    # Re-checks do not draw: they take the other sides of the pair's first asking.
    study = make_study(12, n_checks=0)
    annotator = add_annotator(study)
    strict = same_truth([[f"method-{i}"] for i in range(12)])
    rank_everything(study, annotator, strict)
    item_of = replay.item_of_each_result(Assignment.objects.get())
    newcomer_left = [
        item_of[screen.left_id] > item_of[screen.right_id]
        for screen in Screen.objects.order_by("number")
    ]
    for start in range(0, len(newcomer_left) - 7, 8):
        assert sum(newcomer_left[start : start + 8]) == 4


def test_equal_seeds_ask_equal_screens():
    """A screen is a function of the seed, the annotator, the image and the answers."""
    study = make_study(["a", "b", "c", "d"])
    annotator = add_annotator(study)
    rank_everything(study, annotator, TRUTHS)
    first = list(Screen.objects.order_by("number").values_list("left", "right"))
    for model in (Judgement, Screen, Assignment):
        model.objects.all().delete()
    rank_everything(study, annotator, TRUTHS)
    assert list(Screen.objects.order_by("number").values_list("left", "right")) == first


def test_who_no_longer_takes_part_cannot_answer():
    study = make_study(["a", "b"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    Membership.objects.all().delete()
    with pytest.raises(NotThere):
        answer(turn, annotator, same_truth([["a"], ["b"]]))


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_study_that_is_not_open_takes_no_answer_skip_or_undo(state):
    study = make_study(["a", "b"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    Study.objects.update(state=state)
    study.refresh_from_db()
    screen_id = turn.screen.public_id
    with pytest.raises(StudyNotOpen):
        answer(turn, annotator, same_truth([["a"], ["b"]]))
    with pytest.raises(StudyNotOpen):
        services.record_skip(screen_id=screen_id, annotator=annotator, reason="no_text")
    with pytest.raises(StudyNotOpen):
        services.undo(study=study, annotator=annotator, screen_id=screen_id)
    with pytest.raises(StudyNotOpen):
        services.start(study=study, annotator=annotator)
    assert not Judgement.objects.exists()


def test_an_undo_sent_twice_takes_back_one_answer():
    study = make_study(["a", "b", "c", "d"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    for _ in range(2):
        turn = answer(turn, annotator, TRUTHS)
    shown = turn.screen.public_id
    services.undo(study=study, annotator=annotator, screen_id=shown)
    with pytest.raises(AlreadyAnswered):
        services.undo(study=study, annotator=annotator, screen_id=shown)
    assert Withdrawal.objects.count() == 1


def test_an_answer_to_a_screen_that_an_undo_left_behind_is_refused():
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    second = answer(services.start(study=study, annotator=annotator).turn, annotator, ABC)
    undone(second)
    with pytest.raises(AlreadyAnswered):
        answer(second, annotator, ABC)


def test_a_skip_places_nothing_and_another_pair_comes():
    study = make_study(["a", "b", "c"])
    turn = first_turn(study)
    following = skipped(turn, "cannot_see")
    assert {following.screen.left_id, following.screen.right_id} != {
        turn.screen.left_id,
        turn.screen.right_id,
    }
    assert not Judgement.objects.exists()
    assert Skip.objects.get().reason == "cannot_see"


def test_results_that_look_the_same_are_equal_by_every_criterion_asked():
    """Items 0 = 1 > 2 by recall, so that 1 > 2 follows; by the others 0 is above 1 and 2."""
    study = make_study(["a", "b", "c"])
    turn = first_turn(study)
    while 0 in turn.pair:
        better = "left" if turn.pair[0] == 0 else "right"
        recall = "equal" if 1 in turn.pair else better
        given = {"recall": recall, "precision": better, "preference": better}
        turn = judged(turn, given)
    assert turn.open_criteria == ("precision", "preference")
    for _ in range(2):
        skipped(turn, "same")
    judgement = Judgement.objects.latest("pk")
    assert judgement.verdicts == {"precision": "equal", "preference": "equal"}
    assert [one.looks_same for one in Judgement.objects.order_by("pk")] == [False, False, True]
    assert not Skip.objects.exists()


def test_t11_answers_after_a_skip_count():
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    skipped(turn, "other")
    rank_everything(study, annotator, ABC)
    assert in_names(study, Assignment.objects.get().rankings)["recall"] == [["a"], ["b", "c"]]


def test_a_pair_skipped_twice_ends_the_image_as_incomplete_and_it_does_not_count():
    study = make_study(["a", "b"])
    turn = first_turn(study)
    for _ in range(2):
        turn = skipped(turn, "no_text")
    assert turn is None
    assignment = Assignment.objects.get()
    assert assignment.state == "incomplete"
    assert assignment.rankings is None
    assert study.study_images.get().n_complete == 0


def test_a_skip_can_be_taken_back():
    study = make_study(["a", "b", "c"])
    first = first_turn(study)
    second = skipped(first, "broken")
    back = undone(second)
    assert back.screen == first.screen
    assert back.answers == {}


def test_the_database_refuses_a_second_judgement_in_force():
    study = make_study(["a", "b"])
    annotator = add_annotator(study)
    answer(
        services.start(study=study, annotator=annotator).turn, annotator, same_truth([["a"], ["b"]])
    )
    judgement = Judgement.objects.get()
    judgement.pk, judgement.number = None, judgement.number + 1
    with pytest.raises(IntegrityError), transaction.atomic():
        judgement.save(force_insert=True)


def place_of(study, annotator, n_begun):
    """Return the place drawn for an annotator's next image, a quadratic congruence of their number."""
    rng = random.Random(f"{study.seed}/{annotator.pk}/images")
    a, b, c = rng.randrange(2**28), rng.randrange(2**31 - 1), rng.randrange(2**31 - 1)
    images = sorted(study.images.values_list("pk", flat=True))
    drawn = (a * n_begun**2 + b * n_begun + c) % (2**31 - 1)
    return images[0] + (images[-1] - images[0] + 1) * drawn // (2**31 - 1)


def test_images_that_are_equally_near_are_drawn_for_each_annotator():
    """The next one is the first left from a drawn place on, and after the last comes the first."""
    study = make_study(["a", "b"], images=7)
    orders = []
    for annotator in (add_annotator(study), add_annotator(study)):
        rank_everything(study, annotator, same_truth([["a"], ["b"]]))
        own = Assignment.objects.filter(annotator=annotator).order_by("position")
        orders.append(list(own.values_list("image", flat=True)))
        left, drawn = sorted(study.images.values_list("pk", flat=True)), []
        for n_begun in range(7):
            place = place_of(study, annotator, n_begun)
            drawn.append(min(left, key=lambda image: (image < place, image)))
            left.remove(drawn[-1])
        assert orders[-1] == drawn
    assert orders[0] != orders[1]


def test_the_first_image_of_all_may_be_any():
    """20 draws among 10 images are three images or fewer once in 200 million times."""
    first = set()
    for seed in range(20):
        study = make_study(["a", "b"], images=10, seed=seed)
        turn = services.start(study=study, annotator=add_annotator(study)).turn
        of_study = sorted(study.images.values_list("pk", flat=True))
        first.add(of_study.index(turn.assignment.image_id))
    assert len(first) > 3


def test_images_that_need_no_screen_are_all_passed():
    study = make_study(["a", "b"], images=5, boxes={"a": [], "b": []})
    assert services.start(study=study, annotator=add_annotator(study)).turn is None
    for assignment in Assignment.objects.all():
        assert assignment.state == "complete"
        assert in_names(study, assignment.rankings)["recall"] == [["a", "b"]]
    assert Assignment.objects.count() == 5


def test_a_ranking_that_ends_knows_its_screens():
    study = make_study(["a", "b", "c"], images=2)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    first = turn.assignment
    for _ in range(2):
        turn = skipped(turn, "other")
    while turn.assignment == first:
        turn = answer(turn, annotator, ABC)

    def known() -> tuple[int, int]:
        first.refresh_from_db()
        return first.n_answered, first.n_skipped

    def counted() -> tuple[int, int]:
        return tuple(first.screens.filter(state=state).count() for state in ("answered", "skipped"))

    assert known() == counted() != (0, 0)
    # Taken up again it is in work, and counted once it ends.
    turn = undone(turn)
    assert turn.assignment == first
    assert known() == (0, 0)
    while turn.assignment == first:
        turn = answer(turn, annotator, ABC)
    assert known() == counted()


@pytest.mark.parametrize("act", ["answer", "skip", "undo", "change"])
def test_what_dies_at_its_end_has_stored_nothing(act, monkeypatch):
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    first = services.start(study=study, annotator=annotator).turn
    turn = answer(first, annotator, ABC)
    waiting, answered = turn.screen.public_id, first.screen.public_id
    acts = {
        "answer": lambda: answer(turn, annotator, ABC),
        "skip": lambda: services.record_skip(
            screen_id=waiting, annotator=annotator, reason="broken"
        ),
        "undo": lambda: services.undo(study=study, annotator=annotator, screen_id=waiting),
        "change": lambda: services.change(screen_id=answered, annotator=annotator),
    }

    def stored():
        kinds = (Assignment, Screen, Judgement, Skip, Withdrawal)
        return [list(kind.objects.order_by("pk").values()) for kind in kinds]

    def die(*_):
        raise RuntimeError("the connection is lost")

    before = stored()
    for last in ("go_on", "_waiting"):
        monkeypatch.setattr(services, last, die)
    with pytest.raises(RuntimeError, match="lost"):
        acts[act]()
    assert stored() == before
