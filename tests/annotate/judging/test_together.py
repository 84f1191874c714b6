"""Requests that arrive at the same moment."""

import fcntl

import pytest
from django.db import connection, transaction

from annotate.errors import NotThere
from annotate.judging import services
from annotate.judging.errors import AlreadyAnswered
from annotate.judging.models import Assignment, Judgement, Screen, Withdrawal
from tests.support.factories import add_annotator, make_study
from tests.support.together import at_once
from tests.support.truths import answer, rank_everything, same_truth, undone

pytestmark = pytest.mark.django_db(transaction=True)
ABC = same_truth([["a"], ["b"], ["c"]])


def test_an_undo_and_an_answer_at_once_follow_one_another():
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    second = answer(services.start(study=study, annotator=annotator).turn, annotator, ABC)

    def undo():
        return undone(second)

    responses = at_once(lambda: answer(second, annotator, ABC), undo)
    assert sum(isinstance(response, AlreadyAnswered) for response in responses) == 1
    assert Judgement.objects.count() + Withdrawal.objects.count() == 2


def test_two_tabs_that_start_at_once_see_the_same_pair():
    study = make_study(["a", "b", "c"], images=3)
    annotator = add_annotator(study)
    turns = at_once(*[lambda: services.start(study=study, annotator=annotator).turn] * 4)
    assert len({turn.screen for turn in turns}) == 1
    assert Assignment.objects.count() == Screen.objects.count() == 1


def test_no_answer_of_many_annotators_at_once_is_refused_or_lost():
    study = make_study(["a", "b", "c"], images=3)
    people = [add_annotator(study) for _ in range(8)]
    answered = at_once(*[lambda one=one: rank_everything(study, one, ABC) for one in people])
    assert Judgement.objects.count() == sum(answered)
    assert Assignment.objects.filter(state="complete").count() == 3 * len(people)


def is_held(path):
    """Say whether an answer of any process holds the lock of this file."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_on_sqlite_threads_and_processes_store_answers_one_after_the_other(monkeypatch, settings):
    lock = settings.DATA_DIR / "answers.lock"
    study = make_study(["a", "b", "c"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    waits_for_us, read_log = [], services.read_log

    def watched(assignment):
        waits_for_us.extend([services._turn.locked(), is_held(lock)])
        return read_log(assignment)

    monkeypatch.setattr(services, "read_log", watched)
    answer(turn, annotator, ABC)
    assert waits_for_us == [connection.vendor == "sqlite"] * 2
    # A refused answer gives its place up, too.
    with pytest.raises(NotThere):
        services.record_judgement(screen_id="none", annotator=annotator, verdicts={})
    assert not services._turn.locked()
    assert not is_held(lock)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks no rows")
def test_an_answer_holds_the_lock_of_its_membership_alone(monkeypatch):
    study = make_study(["a", "b", "c"])
    annotator, other = add_annotator(study), add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    free, read_log = [], services.read_log

    @transaction.atomic
    def not_locked():
        rows = study.memberships.select_for_update(skip_locked=True)
        return list(rows.values_list("person", flat=True))

    def watched(assignment):
        free.extend(at_once(not_locked))
        return read_log(assignment)

    monkeypatch.setattr(services, "read_log", watched)
    answer(turn, annotator, ABC)
    assert free == [[other.pk]]
