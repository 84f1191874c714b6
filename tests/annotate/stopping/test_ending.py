"""A study's page while people answer, and the end of a study by its rule."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from annotate.audit.models import Act, AuditEntry
from annotate.jobs.queue import look_after
from annotate.judging import services as judging
from annotate.judging.errors import StudyNotOpen
from annotate.judging.models import Assignment, Judgement
from annotate.stopping.presentation import needed_in_words
from annotate.stopping.selectors import Missing, missing, n_answers, standings_of
from annotate.stopping.services import end_by_rules
from annotate.studies.errors import StudyRefused
from annotate.studies.models import LAST_ANSWERS, Study
from annotate.studies.services import change_settings, create_study, set_state
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.pages import flat
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db

EQUAL = dict.fromkeys(("recall", "precision", "preference"), "equal")


def ruled(study, **settings):
    """Choose the rule as if before the study opened."""
    Study.objects.filter(pk=study.pk).update(**settings)
    study.refresh_from_db()
    return study


def closing(study):
    return AuditEntry.objects.filter(study=study, act=Act.STUDY_CLOSED)


@pytest.fixture
def with_budget():
    """Three methods on two images; the study ends after two answers."""
    return ruled(make_study(["a", "b", "c"], images=2), ends_by="budget", answer_budget=2)


def answer(turn, annotator):
    return judging.record_judgement(
        screen_id=turn.screen.public_id, annotator=annotator, verdicts=EQUAL
    ).turn


def test_a_budget_ends_the_study_once_it_is_reached_and_that_is_logged(with_budget):
    person = add_annotator(with_budget)
    turn = answer(judging.start(study=with_budget, annotator=person).turn, person)
    end_by_rules()
    with_budget.refresh_from_db()
    assert with_budget.state == Study.State.OPEN
    answer(turn, person)
    # The work of a worker every minute.
    look_after()
    with_budget.refresh_from_db()
    assert with_budget.state == Study.State.CLOSED
    assert with_budget.ended is not None
    [entry] = closing(with_budget)
    assert entry.actor is None
    assert entry.details == {
        "rule": "budget",
        "answers": 2,
        "why": "the budget of answers is used up",
    }
    # Done twice it is done once.
    look_after()
    assert closing(with_budget).count() == 1


def test_a_pair_that_is_on_screen_can_be_answered_after_the_end_and_no_other_comes(with_budget):
    first, second = add_annotator(with_budget), add_annotator(with_budget)
    on_screen = judging.start(study=with_budget, annotator=second).turn
    turn = answer(judging.start(study=with_budget, annotator=first).turn, first)
    answer(turn, first)
    end_by_rules()
    assert answer(on_screen, second) is None
    assert n_answers(with_budget) == 3
    # The same answer twice is stored once, as ever.
    assert answer(on_screen, second) is None
    with pytest.raises(StudyNotOpen):
        judging.start(study=with_budget, annotator=second)


def test_an_answer_that_completes_a_ranking_after_the_end_counts():
    study = ruled(make_study(["a", "b"]), ends_by="budget", answer_budget=1)
    first, second = add_annotator(study), add_annotator(study)
    turns = [judging.start(study=study, annotator=person).turn for person in (first, second)]
    answer(turns[0], first)
    end_by_rules()
    answer(turns[1], second)
    states = study.assignments.filter(annotator=second).values_list("state", flat=True)
    assert list(states) == ["complete"]


def test_long_after_the_end_nothing_is_answered(with_budget):
    person, other = add_annotator(with_budget), add_annotator(with_budget)
    on_screen = judging.start(study=with_budget, annotator=other).turn
    answer(answer(judging.start(study=with_budget, annotator=person).turn, person), person)
    end_by_rules()
    # The log's own queryset refuses to change it.
    long_ago = timezone.now() - LAST_ANSWERS - timedelta(1)
    QuerySet(AuditEntry).filter(act=Act.STUDY_CLOSED).update(created=long_ago)
    with pytest.raises(StudyNotOpen):
        answer(on_screen, other)


def test_a_study_that_is_closed_by_hand_takes_the_pair_on_screen_and_no_other(with_budget):
    person = add_annotator(with_budget)
    turn = judging.start(study=with_budget, annotator=person).turn
    set_state(study=with_budget, state="closed")
    assert answer(turn, person) is None
    assert Judgement.objects.count() == 1
    with pytest.raises(StudyNotOpen):
        judging.start(study=with_budget, annotator=person)


def test_a_study_that_is_opened_again_is_not_ended_by_its_rule_again(with_budget):
    person = add_annotator(with_budget)
    answer(answer(judging.start(study=with_budget, annotator=person).turn, person), person)
    end_by_rules()
    with_budget.refresh_from_db()
    set_state(study=with_budget, state="open")
    end_by_rules()
    with_budget.refresh_from_db()
    assert with_budget.state == Study.State.OPEN


def test_without_a_rule_nothing_ends_a_study():
    study = make_study(["a", "b"])
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    end_by_rules()
    study.refresh_from_db()
    assert study.state == Study.State.OPEN


def test_the_rule_is_chosen_before_the_study_opens_and_logged_when_it_does():
    study = make_study(["a", "b"])
    with pytest.raises(StudyRefused, match="chosen before it opens"):
        change_settings(study=study, is_answered=lambda _: False, ends_by="budget")
    Study.objects.filter(pk=study.pk).update(state="draft")
    study.refresh_from_db()
    change_settings(study=study, is_answered=lambda _: False, ends_by="budget", answer_budget=9)
    set_state(study=study, state="open", on_blank_pages=True)
    opened = AuditEntry.objects.filter(study=study, act=Act.STUDY_OPENED).first()
    assert opened.details == {"ends_by": "budget", "answer_budget": 9}


def test_a_budget_without_a_number_is_refused_everywhere(admin):
    study = make_study(["a", "b"])
    with pytest.raises(StudyRefused, match="number of answers after which"):
        create_study(
            name="x", dataset=study.dataset, methods=list(study.methods.all()), ends_by="budget"
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(ends_by="budget")
    Study.objects.filter(pk=study.pk).update(state="draft")
    address = reverse("studies:settings", args=[study.slug])
    sent = {"name": study.name, "min_annotators": 1, "ends_by": "budget"}
    assert (
        "Enter the number of answers after which the study ends." in admin.post(address, sent).text
    )
    sent = {"name": study.name, "min_annotators": 1, "answer_budget": 5}
    assert "It only counts if the study ends by a rule." in admin.post(address, sent).text


@pytest.fixture
def many_images():
    """Twenty-five images which one person ranks a > b > c; by IOU so, by Reversed the other way."""
    boxes = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 99, 39), (200, 0, 299, 39)], "c": []}
    study = make_study(["a", "b", "c"], images=25, boxes=boxes, min_annotators=1)
    make_run(study, "Forward", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study


def test_without_protocols_the_page_says_so(client):
    study = make_study(["a", "b"])
    client.force_login(add_researcher(study))
    text = client.get(reverse("studies:detail", args=[study.slug])).text
    assert "There are fewer than two protocols to compare" in text
    assert "Looks decide nothing here: they need 10 images, and the study has fewer." in text


def test_a_large_study_is_not_computed_while_somebody_waits(client, many_images, monkeypatch):
    monkeypatch.setattr("annotate.stopping.presentation.MAX_IMAGES", 20)
    client.force_login(add_researcher(many_images))
    text = client.get(reverse("studies:detail", args=[many_images.slug])).text
    assert "Above 20 images this is not computed while you wait" in text


def test_exports_of_an_open_study_say_what_looking_at_tests_costs(client):
    study = make_study(["a", "b"], min_annotators=1)
    make_run(study, "Forward", {"a": 0.9, "b": 0.5})
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    client.force_login(add_researcher(study))
    file = reverse("reports:export", args=[study.slug, "md"])
    asked = {"min_annotators": 1}
    assert "in 22 % of studies" in client.get(file, asked).text
    set_state(study=study, state="closed")
    assert "in 22 % of studies" not in client.get(file, asked).text


def test_a_study_that_cannot_be_looked_at_keeps_no_other_from_ending(with_budget, monkeypatch):
    odd = ruled(make_study(["a", "b"], name="A broken one"), ends_by="budget", answer_budget=1)
    ruled(with_budget, answer_budget=1)

    def count(study):
        if study == odd:
            raise ZeroDivisionError
        return n_answers(study)

    monkeypatch.setattr("annotate.stopping.services.n_answers", count)
    person = add_annotator(with_budget)
    answer(judging.start(study=with_budget, annotator=person).turn, person)
    # They come by name.
    assert Study.objects.first() == odd
    end_by_rules()
    with_budget.refresh_from_db()
    assert with_budget.state == Study.State.CLOSED


# While people answer


def test_standings_are_mean_losses_by_hand(many_images, django_assert_max_num_queries):
    """Forward orders all 3 pairs of each image as the annotator does, Reversed none."""
    rank_everything(many_images, add_annotator(many_images), same_truth([["a"], ["b"], ["c"]]))
    found = standings_of(many_images)
    n = many_images.images.count()
    rows = [("Forward", 0.0, n, n), ("Reversed", 1.0, n, n)]
    assert found == dict.fromkeys(found, rows)
    assert set(found) == {"recall", "precision", "preference"}
    with django_assert_max_num_queries(10):
        assert standings_of(many_images) == found


def test_unequal_sets_of_images_are_visible(client):
    """Losses are over the image that both protocols have scored; Right has a second one."""
    study = make_study(["a", "b"], images=2, min_annotators=1)
    right = make_run(study, "Right", {"a": 0.9, "b": 0.1})
    partial = make_run(study, "Partial", {"a": 0.1, "b": 0.9})
    partial.scores.filter(result__image=study.images.last()).delete()
    client.force_login(add_researcher(study))
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    assert standings_of(study)["recall"] == [(right.name, 0.0, 1, 2), (partial.name, 1.0, 1, 1)]
    answer = client.get(reverse("api:standings", args=[study.slug])).json()
    row, other = answer["criteria"]["recall"]
    assert (row["n_images"], row["n_scored"], other["n_scored"]) == (1, 2, 1)
    page = client.get(reverse("studies:detail", args=[study.slug])).text
    assert flat(page).count("<mark>2</mark>") == 3, "once for each criterion"


def test_images_count_once_they_have_the_annotators_that_the_study_asks_for():
    study = make_study(["a", "b"], images=2, min_annotators=1)
    make_run(study, "Right", {"a": 0.9, "b": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.9})
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    assert standings_of(study)["recall"] == [("Right", 0.0, 2, 2), ("Reversed", 1.0, 2, 2)]
    change_settings(study=study, is_answered=lambda _study: True, min_annotators=2)
    assert standings_of(study)["recall"] == []


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ([], Missing(0, 6, 60)),
        ([12, 10, 3], Missing(2, 3, 37)),
        ([10, 10, 10, 10, 10, 9, 2], Missing(5, 0, 1)),
        ([10] * 7, Missing(7, 0, 0)),
    ],
)
def test_what_is_missing_by_hand(done, expected):
    """Six annotators with ten images each; [12, 10, 3] lack three people and 7 + 30 images."""
    study = make_study(["a", "b"], images=12)
    images = list(study.images.all())
    for n in done:
        person = add_annotator(study)
        Assignment.objects.bulk_create(
            Assignment(
                study=study,
                image=image,
                annotator=person,
                position=at,
                items=[],
                state=Assignment.State.COMPLETE,
                rankings={"recall": [], "precision": [], "preference": []},
                finished=timezone.now(),
            )
            for at, image in enumerate(images[:n])
        )
    assert missing(study) == expected


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        (
            Missing(2, 3, 37),
            "so far 2 have them. Still needed: 3 more annotators and 37 more images, each counted per",
        ),
        (Missing(5, 0, 1), "so far 5 have them. Still needed: 1 more image."),
        (Missing(7, 0, 0), "7 annotators have at least 10 images each."),
    ],
)
def test_what_is_missing_in_words(lacking, words):
    assert words in needed_in_words(lacking)
