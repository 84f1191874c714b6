"""The log is the truth: stored rankings can be rebuilt from it."""

import pytest
from django.core.management import CommandError, call_command

from annotate.judging.models import Assignment
from tests.factories import add_annotator, make_study

from .truths import rank_everything, same_truth

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
