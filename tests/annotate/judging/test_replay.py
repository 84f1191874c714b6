"""The log is the truth: stored rankings can be rebuilt from it."""

import pytest
from django.core.management import CommandError, call_command

from annotate.judging import services
from annotate.judging.models import Assignment
from tests.support.factories import add_annotator, make_study
from tests.support.truths import answer, rank_everything, same_truth

pytestmark = pytest.mark.django_db


def test_rankings_rebuilt_from_the_log_are_those_stored(capsys):
    study = make_study(["a", "b", "c"], images=2)
    rank_everything(study, add_annotator(study), same_truth([["c"], ["a", "b"]]))
    call_command("replay", "--check")
    assert capsys.readouterr().out == "2 assignments: identical.\n"


def test_a_stored_ranking_that_the_log_does_not_give_is_found():
    study = make_study(["a", "b"])
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    assignment = Assignment.objects.get()
    assignment.rankings["recall"].reverse()
    assignment.save()
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("replay", "--check")


def test_a_ranking_whose_rechecks_still_wait_does_not_differ():
    """All pairs are placed with the last answer; the ranking is stored after the re-checks."""
    study = make_study(["a", "b", "c", "d"], n_checks=2)
    annotator = add_annotator(study)
    truth = same_truth([["a"], ["b"], ["c"], ["d"]])
    turn = services.start(study=study, annotator=annotator).turn
    while not turn.screen.is_check:
        turn = answer(turn, annotator, truth)
    assert study.assignments.get().rankings is None
    call_command("replay", "--check")
