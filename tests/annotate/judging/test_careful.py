"""Studies in the careful order: what is asked, stored and read again."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from annotate.judging import answer_history, services
from annotate.judging.methods import add_method, withdraw_method
from annotate.judging.models import Assignment, Judgement, check_slip_prior
from annotate.judging.replay import careful_rules_of, read_log
from annotate.studies.errors import StudyRefused
from annotate.studies.services import change_settings
from rankings.elicitation.careful import FIRST_ANSWERS, FIRST_SLIPS
from tests.support.factories import add_annotator, make_method, make_result, make_study
from tests.support.truths import (
    CRITERIA,
    answer,
    first_turn,
    in_names,
    judged,
    rank_everything,
    same_truth,
    shown_now,
    skipped,
    undone,
)

pytestmark = pytest.mark.django_db

ABCDE = {
    "recall": [["a"], ["b", "c"], ["d"], ["e"]],
    "precision": [["e"], ["d"], ["c"], ["b"], ["a"]],
    "preference": [["a", "b", "c", "d", "e"]],
}


def careful_study(methods="abcde", **settings):
    return make_study(list(methods), strategy="careful", **settings)


def test_consistent_answers_end_in_exactly_those_rankings_without_a_check():
    study = careful_study(images=2)
    rank_everything(study, add_annotator(study), ABCDE)
    for assignment in Assignment.objects.all():
        assert assignment.state == "complete"
        assert in_names(study, assignment.rankings) == ABCDE
        purposes = assignment.screens.values_list("purpose", "strategy")
        assert {*purposes} == {("place", "careful")}
    call_command("replay", "--check")


def test_an_image_starts_from_what_the_earlier_ones_said_of_the_annotator():
    study = careful_study(images=3)
    rank_everything(study, add_annotator(study), ABCDE)
    first, second, third = Assignment.objects.order_by("position")
    assert first.slip_prior is None
    rules = [careful_rules_of(one) for one in (first, second, third)]
    assert (rules[0].n_slips, rules[0].n_answers) == (FIRST_SLIPS, FIRST_ANSWERS)
    rates = [rule.n_slips / rule.n_answers for rule in rules]
    assert rates[0] > rates[1] > rates[2], "no answer contradicted another"
    n_answers = sum(len(judgement.verdicts) for judgement in first.judgements.all())
    assert second.slip_prior[1] == FIRST_ANSWERS + n_answers
    # Undoing answers of an earlier image does not move what a later one started from.
    before = read_log(third).settled.state.rate
    first.judgements.all()
    assert read_log(Assignment.objects.get(pk=third.pk)).settled.state.rate == before


def test_other_orders_store_no_prior():
    study = make_study(["a", "b", "c"], images=2)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    assert {*Assignment.objects.values_list("slip_prior", flat=True)} == {None}


def test_undo_brings_back_the_pair_and_a_changed_answer_is_new_evidence():
    study = careful_study()
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    second = answer(turn, annotator, ABCDE)
    back = undone(second)
    assert back.screen.public_id == turn.screen.public_id
    again = answer(back, annotator, ABCDE)
    assert {*again.pair} == {*second.pair}
    assert [past.n_set_aside for past in answer_history.history(study, annotator)] == [0]
    services.change(screen_id=turn.screen.public_id, annotator=annotator)
    rank_everything(study, annotator, ABCDE)
    assert in_names(study, Assignment.objects.get().rankings) == ABCDE
    call_command("replay", "--check")


def test_the_page_says_what_is_left_within_bounds():
    study = careful_study()
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    left = []
    while turn is not None:
        progress = shown_now(turn)["progress"]
        left.append((progress["least"], progress["most"]))
        assert 0 <= progress["share"] < 1
        turn = answer(turn, annotator, ABCDE)
    for at, (least, most) in enumerate(left):
        assert least <= len(left) - at <= most


def test_visits_of_a_pair_ask_once_and_visits_of_three_are_careful():
    for k, n_screens in ((2, 1), (3, 2)):
        study = careful_study(images=2, methods_per_visit=k, certainty=0.95)
        rank_everything(study, add_annotator(study), ABCDE)
        for visit in Assignment.objects.filter(study=study):
            assert visit.state == "complete"
            assert visit.screens.count() >= n_screens
            assert (careful_rules_of(visit) is None) == (k == 2)
            assert k == 3 or visit.screens.get().strategy == "insertion"


def test_a_skip_leaves_the_other_pairs_to_be_asked():
    study = careful_study(methods_per_visit=4)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    skipped(turn, "cannot_see")
    rank_everything(study, annotator, ABCDE)
    visit = Assignment.objects.get()
    assert visit.state == "incomplete"
    asked = {item for log in [read_log(visit)] for e in log.entries for item in (e.left, e.right)}
    assert asked == {0, 1, 2, 3}
    call_command("replay", "--check")


def test_methods_join_and_leave():
    study = careful_study("abcd")
    annotator = add_annotator(study)
    truth = {criterion: [[m for m in b if m != "e"] for b in of] for criterion, of in ABCDE.items()}
    rank_everything(study, annotator, {c: [b for b in of if b] for c, of in truth.items()})
    late = make_method(study.dataset, "e")
    make_result(study.images.get(), late)
    assert add_method(study=study, method=late) == 1
    rank_everything(study, annotator, ABCDE)
    assert in_names(study, Assignment.objects.get().rankings) == ABCDE
    withdraw_method(study=study, method=study.methods.get(name="b"))
    recall = in_names(study, Assignment.objects.get().rankings)["recall"]
    assert recall == [["a"], ["c"], ["d"], ["e"]]
    call_command("replay", "--check")


def test_a_result_asked_as_often_as_allowed_is_flagged():
    """Two results are one pair, so one screen, and no place is as probable as this study wants."""
    study = careful_study("ab", certainty=0.99)
    turn = first_turn(study)
    turn = judged(turn, dict.fromkeys(CRITERIA, "left"))
    assert turn is None
    assert Assignment.objects.get().unsettled == sorted(CRITERIA)
    assert Judgement.objects.count() == 1


def test_the_careful_order_has_no_re_checks():
    study = careful_study()
    with pytest.raises(StudyRefused, match="no re-checks"):
        change_settings(study=study, is_answered=lambda study: False, n_checks=2)
    change_settings(study=study, is_answered=lambda study: False, certainty=0.95, may_repeat=False)
    rules = careful_rules_of(Assignment(study=study, items=[[1], [2], [3]]))
    assert (rules.certainty, rules.repeats) == (0.95, False)


@pytest.mark.parametrize("prior", [[], [1], [1, 2, 3], [0, 10], [11, 10], ["1", 10], "ab", 5, {}])
def test_a_prior_that_counts_nothing_is_refused(prior):
    with pytest.raises(ValidationError):
        check_slip_prior(prior)
