"""Plain SQL gives what the same query of the models gives."""

import pytest
from django.forms.models import model_to_dict

from annotate.judging import services
from annotate.judging.models import Judgement, Screen, Skip
from annotate.judging.quotas import n_asked
from annotate.judging.replay import read_log, stored_events
from annotate.prepared_sql import known_answers, log_of_an_assignment, study_of_a_screen
from annotate.studies.models import Role, Study
from rankings.elicitation.log import CRITERIA
from tests.support.factories import add_annotator, add_researcher, make_study
from tests.support.participants import BOXES as FOUND
from tests.support.truths import answer, rank_everything, same_truth, skipped, undone

pytestmark = [pytest.mark.django_db, pytest.mark.database]
BOXES = dict(zip("abcd", FOUND.values(), strict=True))
ABCD = same_truth([["a"], ["b"], ["c"], ["d"]])
COLUMNS = (
    *("number", "id", "left", "right", "purpose", "known"),
    *(f"judgements__{name}" for name in ("id", "number", "withdrawal__number", "seconds_taken")),
    *(f"judgements__{name}" for name in ("recall", "precision", "preference")),
    *(f"skips__{name}" for name in ("id", "number", "withdrawal__number", "reason")),
)


def skip(turn, annotator):
    return skipped(turn, "cannot_see")


def undo(turn, annotator):
    return undone(turn)


def test_the_log_has_the_rows_of_the_models_for_answers_skips_and_undone_ones():
    study = make_study(["a", "b", "c", "d"])
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    # A screen with both, each withdrawn, and one in force of either kind.
    turn = undo(answer(turn, annotator, ABCD), annotator)
    turn = undo(skip(turn, annotator), annotator)
    turn = skip(answer(turn, annotator, ABCD), annotator)
    rank_by_another = add_annotator(study)
    answer(services.start(study=study, annotator=rank_by_another).turn, rank_by_another, ABCD)

    assignment = turn.assignment
    screens = Screen.objects.filter(assignment=assignment)
    expected = list(screens.values_list(*COLUMNS))
    assert sorted(log_of_an_assignment(assignment.pk), key=str) == sorted(expected, key=str)

    log = read_log(assignment)
    stored = [(event.pk, event.number, event.screen_id) for event in stored_events(assignment)]
    assert [(event.pk, event.number, event.screen) for event in log.events] == stored
    assert len(stored) == 4
    assert log.last_screen == max(screens.values_list("number", flat=True))


def test_the_log_of_an_image_without_an_answer_has_its_screen_alone():
    study = make_study(["a", "b"])
    turn = services.start(study=study, annotator=add_annotator(study)).turn
    log = read_log(turn.assignment)
    assert (log.events, log.last_screen) == ((), 1)


def found(person, screen_id):
    return list(Study.objects.raw(study_of_a_screen(), [person.pk, Role.ANNOTATOR, screen_id]))


def test_the_study_of_a_screen_is_whole_and_found_for_its_annotator_alone():
    study = make_study(["a", "b"])
    annotator, other, researcher = add_annotator(study), add_annotator(study), add_researcher(study)
    screen_id = services.start(study=study, annotator=annotator).turn.screen.public_id

    by_models = Study.objects.get(
        memberships__person=annotator,
        memberships__role=Role.ANNOTATOR,
        assignments__annotator=annotator,
        assignments__screens__public_id=screen_id,
    )
    [by_sql] = found(annotator, screen_id)
    assert by_sql.get_deferred_fields() == set()
    assert model_to_dict(by_sql) == model_to_dict(by_models)

    assert found(other, screen_id) == found(researcher, screen_id) == []
    assert found(annotator, "'; DROP TABLE x") == []
    study.memberships.filter(person=annotator).delete()
    assert found(annotator, screen_id) == []


def test_pairs_are_counted_and_known_answers_found_as_by_the_models():
    """Ended images and one in progress, with answers, skips and undone ones; another person's stay out."""
    study = make_study(["a", "b", "c", "d"], images=4, n_known=20, boxes=BOXES)
    annotator, other = add_annotator(study), add_annotator(study)
    rank_everything(study, other, ABCD)
    turn = services.start(study=study, annotator=annotator).turn
    for act in (answer, skip, undo, answer, answer, undo, *[answer] * 12, skip, undo):
        turn = act(turn, annotator) if act in (skip, undo) else act(turn, annotator, ABCD)
    in_force = {"assignment__annotator": annotator, "withdrawal__isnull": True}
    said = [
        *Judgement.objects.filter(**in_force).order_by("pk"),
        *Skip.objects.filter(**in_force).order_by("pk"),
    ]
    assert n_asked(study, annotator) == len(said)
    assert turn.assignment.position > 1
    known = sorted(
        (one for one in said if one.screen.known is not None), key=lambda one: one.created
    )
    assert len(known) > 2
    assert known_answers(study.pk, annotator.pk) == [
        (
            one.screen.assignment.known[one.screen.known],
            [getattr(one, name, None) for name in CRITERIA],
        )
        for one in known
    ]
