"""Requests that arrive at the same moment."""

import pytest

from annotate.judging import services
from annotate.judging.errors import AlreadyAnswered
from annotate.judging.models import Assignment, Judgement, Screen, Withdrawal
from tests.support.factories import add_annotator, make_study
from tests.support.together import at_once
from tests.support.truths import answer, asked_verdicts, same_truth

pytestmark = pytest.mark.django_db(transaction=True)
ABC = same_truth([["a"], ["b"], ["c"]])


def test_the_same_answer_at_once_is_one_event():
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator)
    responses = at_once(*[lambda: answer(turn, annotator, ABC)] * 4)
    assert len({response.screen for response in responses}) == 1
    assert Judgement.objects.count() == 1


def test_of_two_answers_at_once_one_is_kept_and_one_refused():
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator)
    other = dict.fromkeys(asked_verdicts(ABC, turn), "equal")

    def answer_equal():
        return services.record_judgement(
            screen_id=turn.screen.public_id, annotator=annotator, verdicts=other
        )

    responses = at_once(lambda: answer(turn, annotator, ABC), answer_equal)
    assert sum(isinstance(response, AlreadyAnswered) for response in responses) == 1
    assert Judgement.objects.count() == 1


def test_an_undo_and_an_answer_at_once_follow_one_another():
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    second = answer(services.start(study=study, annotator=annotator), annotator, ABC)

    def undo():
        return services.undo(study=study, annotator=annotator, screen_id=second.screen.public_id)

    responses = at_once(lambda: answer(second, annotator, ABC), undo)
    assert sum(isinstance(response, AlreadyAnswered) for response in responses) == 1
    assert Judgement.objects.count() + Withdrawal.objects.count() == 2


def test_two_tabs_that_start_at_once_see_the_same_pair():
    study = make_study(["a", "b", "c"], images=3)
    annotator = add_annotator(study)
    turns = at_once(*[lambda: services.start(study=study, annotator=annotator)] * 4)
    assert len({turn.screen for turn in turns}) == 1
    assert Assignment.objects.count() == Screen.objects.count() == 1
