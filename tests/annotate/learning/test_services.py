"""Consent, practice with its retry and note, and the end of a first visit."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.judging import services as judging
from annotate.learning import selectors, services
from annotate.learning.models import FirstVisit
from annotate.learning.pairs import EXERCISES
from annotate.learning.services import StudyNotOpen
from annotate.studies.models import Study
from tests.support.factories import add_newcomer, add_researcher, make_person, make_study
from tests.support.made_once import made_once
from tests.support.practice import as_expected, otherwise, practise

pytestmark = pytest.mark.django_db


made_study = made_once(lambda: make_study(["a", "b"]))


@pytest.fixture
def annotator(study):
    return add_newcomer(study)


@pytest.fixture
def visit(study, annotator):
    services.give_consent(study=study, annotator=annotator)
    return FirstVisit.objects.get()


def outcome(visit):
    visit.refresh_from_db()
    return visit.practice


def test_a_visit_is_due_until_it_is_finished(study, annotator):
    assert services.is_due(study, annotator)
    services.give_consent(study=study, annotator=annotator)
    assert services.is_due(study, annotator)
    services.finish(study=study, annotator=annotator)
    assert not services.is_due(study, annotator)


def test_each_study_has_its_own_visit(study, annotator):
    services.give_consent(study=study, annotator=annotator)
    services.finish(study=study, annotator=annotator)
    other = make_study(["c", "d"])
    add_newcomer(other, annotator)
    assert services.is_due(other, annotator)


def test_no_visit_is_due_for_somebody_who_has_begun_to_judge(study, annotator):
    judging.start(study=study, annotator=annotator)
    assert not services.is_due(study, annotator)
    services.give_consent(study=study, annotator=annotator)
    assert not services.is_due(study, annotator)


def test_consent_is_stored_with_its_date_and_the_first_time_counts(study, annotator):
    before = timezone.now()
    services.give_consent(study=study, annotator=annotator)
    visit = FirstVisit.objects.get()
    assert before <= visit.consented <= timezone.now()
    FirstVisit.objects.update(consented=before - timedelta(days=3))
    services.give_consent(study=study, annotator=annotator)
    again = FirstVisit.objects.get()
    assert again.consented == before - timedelta(days=3)
    assert again.consent_version == "1"


@pytest.mark.parametrize("state", [Study.State.DRAFT, Study.State.CLOSED])
def test_a_study_that_is_not_open_takes_nobody_in(study, annotator, visit, state):
    study.state = state
    study.save()
    with pytest.raises(StudyNotOpen):
        services.give_consent(study=study, annotator=annotator)
    with pytest.raises(StudyNotOpen):
        services.finish(study=study, annotator=annotator)
    with pytest.raises(StudyNotOpen):
        practise(study, annotator, 1)
    assert FirstVisit.objects.get().practice_answers == []


@pytest.mark.parametrize(("n_right", "expected"), [(6, "passed"), (5, "passed"), (4, "open")])
def test_five_of_six_pass(study, annotator, visit, n_right, expected):
    practise(study, annotator, 1, n_right)
    assert outcome(visit) == expected


@pytest.mark.parametrize("criterion", ["recall", "precision"])
def test_five_of_six_are_needed_on_each_of_recall_and_precision(study, annotator, visit, criterion):
    for exercise in EXERCISES[1]:
        answers = as_expected(exercise) | {criterion: otherwise(exercise)[criterion]}
        services.record_practice(
            study=study,
            annotator=annotator,
            round_number=1,
            answers={exercise.pair.slug: answers},
        )
    assert outcome(visit) == "open"
    assert services.next_pair(visit) == (2, 1)


def test_preference_has_no_wrong_answer(study, annotator, visit):
    for exercise, preference in zip(EXERCISES[1], ["left", "right", "equal"] * 2, strict=True):
        answers = exercise.expected | {"preference": preference}
        services.record_practice(
            study=study,
            annotator=annotator,
            round_number=1,
            answers={exercise.pair.slug: answers},
        )
    assert outcome(visit) == "passed"


def test_the_retry_has_other_pairs_and_can_be_passed(study, annotator, visit):
    practise(study, annotator, 1, 0)
    visit.refresh_from_db()
    assert services.next_pair(visit) == (2, 1)
    practise(study, annotator, 2, 5)
    assert outcome(visit) == "passed"
    assert services.next_pair(visit) is None


def test_two_rounds_that_are_not_passed_leave_a_note_and_no_locked_door(study, annotator, visit):
    practise(study, annotator, 1, 0)
    practise(study, annotator, 2, 4)
    assert outcome(visit) == "not_passed"
    rights = [practised.n_right for practised in services.Practice(visit).complete_rounds]
    assert rights == [{"recall": 0, "precision": 0}, {"recall": 4, "precision": 4}]
    services.finish(study=study, annotator=annotator)
    assert outcome(visit) == "not_passed"
    assert judging.start(study=study, annotator=annotator).turn is not None


def test_a_retry_left_out_leaves_the_note_too(study, annotator, visit):
    practise(study, annotator, 1, 0)
    services.finish(study=study, annotator=annotator)
    assert outcome(visit) == "not_passed"


def test_skipped_practice_is_no_note_and_may_be_made_up(study, annotator, visit):
    services.finish(study=study, annotator=annotator)
    assert outcome(visit) == "skipped"
    practise(study, annotator, 1)
    assert outcome(visit) == "passed"


def test_the_first_answer_to_a_pair_stays(study, annotator, visit):
    exercise = EXERCISES[1][0]
    sent = {"study": study, "annotator": annotator, "round_number": 1}
    for answers in (as_expected(exercise), otherwise(exercise)):
        services.record_practice(answers={exercise.pair.slug: answers}, **sent)
    visit.refresh_from_db()
    assert services.stored_answers(visit, 1, exercise) == as_expected(exercise)
    assert services.next_pair(visit) == (1, 2)


def test_the_retry_cannot_be_answered_before_its_time_or_after_passing(study, annotator, visit):
    practise(study, annotator, 2)
    visit.refresh_from_db()
    assert visit.practice_answers == []
    practise(study, annotator, 1)
    practise(study, annotator, 2, 0)
    assert outcome(visit) == "passed"
    assert len(visit.practice_answers) == 6


def test_without_consent_no_practice_is_stored(study, annotator):
    practise(study, annotator, 1)
    assert not FirstVisit.objects.exists()


def test_finishing_twice_keeps_the_first_date(study, annotator, visit):
    first = services.finish(study=study, annotator=annotator).finished
    assert services.finish(study=study, annotator=annotator).finished == first


def test_researchers_of_the_study_are_its_contacts(study):
    researcher = add_researcher(study)
    add_researcher(make_study(["c", "d"]))
    make_person()
    assert selectors.contacts(study) == [researcher]


def test_the_work_is_estimated_by_placing_one_result_after_the_other():
    # Placing the 2nd to 10th result takes 1, 2, 2, 3, 3, 3, 3, 4 and 4 pairs.
    size = selectors.size(make_study(10, images=2), make_person())
    assert (size.n_images, size.n_pairs, size.minutes_an_image) == (2, 25, 4)
    assert size.hours == "10 minutes"  # 2 x 25 x 10 s are 500 s
    assert selectors.Size(40, 25, 200).hours == "3.5 hours"  # 200 minutes, to half an hour
    assert ": about 3.5 hours in all" in selectors.Size(40, 25, 200).sentence
    assert ": less than 5 minutes in all" in selectors.Size(1, 3, 2).sentence


def test_a_visit_of_some_methods_is_estimated_by_their_number():
    """The 2nd to 4th of four take 1, 2 and 2 pairs."""
    study = make_study(10, images=2, methods_per_visit=4)
    assert selectors.size(study, make_person()).n_pairs == 5
