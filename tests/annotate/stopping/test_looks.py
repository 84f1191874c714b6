"""Planned looks at a study that runs: when they are due, what they decide, withdraw and end."""

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.audit.models import Act, AuditEntry
from annotate.jobs.queue import look_after
from annotate.judging.models import Assignment
from annotate.reports.services import asked_now, study_report
from annotate.stopping import services
from annotate.stopping.models import Look
from annotate.stopping.selectors import planned_rankings
from annotate.studies.models import Study, StudyImage
from annotate.studies.services import set_state
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, add_researcher, make_run, make_study

pytestmark = pytest.mark.django_db
CRITERIA = ("recall", "precision", "preference")
# A ranking like that of p, and one like that of q.
LIKE_P, LIKE_Q = [["a"], ["b"], ["c"]], [["c"], ["b"], ["a"]]


def two_protocols(**settings):
    """Return a study of 24 images with protocols p and q; every annotator ranks all images."""
    study = make_study(["a", "b", "c"], images=24, **settings)
    make_run(study, "p", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "q", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study


def rank(study, ranking, n_people=6, others=1, images=slice(0, 12)):
    """Let annotators rank images in this way, ``others`` of them the other way round."""
    keys = dict(study.methods.values_list("name", "pk"))
    now = timezone.now()
    for _ in range(n_people):
        person = add_annotator(study)
        for at, image in enumerate(study.images.in_order()[images]):
            own = ranking if at >= others else ranking[::-1]
            buckets = [[keys[name] for name in bucket] for bucket in own]
            Assignment.objects.create(
                study=study,
                image=image,
                annotator=person,
                position=at,
                state=Assignment.State.COMPLETE,
                items=[],
                rankings=dict.fromkeys(CRITERIA, buckets),
                finished=now,
            )


def entries(study):
    return AuditEntry.objects.filter(study=study, act=Act.LOOK_TAKEN).order_by("pk")


def standings(client, study):
    page = client.get(reverse("studies:detail", args=[study.slug])).text
    begin = page.index('<summary id="standings">')
    return page[begin : page.index("<summary>Design</summary>", begin)]


def test_looks_are_planned_after_each_eighth_of_the_rankings():
    """24 images by at least six people are 144 rankings; a draft is not looked at."""
    study, draft = two_protocols(), make_study(["a", "b"], state="draft")
    look_after()
    assert list(study.looks.values_list("due", flat=True)) == [18, 36, 54, 72, 90, 108, 126, 144]
    assert not draft.looks.exists()
    # Members that join later change no plan.
    add_annotator(study)
    look_after()
    assert study.looks.count() == 8


@pytest.mark.parametrize(
    ("chosen", "n_members", "expected"),
    [
        ({"max_annotators": 3}, 0, 72),
        ({"min_annotators": 9}, 0, 216),
        ({}, 10, 240),
    ],
)
def test_the_planned_rankings_by_hand(chosen, n_members, expected):
    study = make_study(["a", "b"], images=24, **chosen)
    for _ in range(n_members):
        add_annotator(study)
    assert planned_rankings(study) == expected


def test_images_that_more_people_see_count_with_their_own_number():
    """Four images are seen by five people and 20 by two: 20 + 40 rankings."""
    study = make_study(["a", "b"], images=24, min_annotators=1, max_annotators=2)
    some = StudyImage.objects.filter(study=study).values_list("pk", flat=True)[:4]
    StudyImage.objects.filter(pk__in=list(some)).update(n_annotators=5)
    assert planned_rankings(study) == 60


def test_a_clear_difference_is_decided_once_held_shown_and_logged(client):
    study = two_protocols()
    rank(study, LIKE_P)
    assert services.look_if_due(study)
    # 72 of 144 rankings are four eighths.
    look = study.looks.get(taken__isnull=False)
    assert (look.number, look.n_counted) == (4, 72)
    assert look.found == {
        name: {"decided": [["p", "q"]], "withdrawn": [], "held": [["p", "q"]]} for name in CRITERIA
    }
    assert [entry.details for entry in entries(study)] == [
        {"look": 4, "rankings": 72, **{f"decided, {name}": [["p", "q"]] for name in CRITERIA}}
    ]
    assert not services.look_if_due(study)
    client.force_login(add_researcher(study))
    text = standings(client, study)
    assert "1 of 8 planned looks taken" in text
    assert text.count("p is nearer to people than q") == 6
    data = client.get(reverse("api:standings", args=[study.slug])).json()
    assert [one["taken"] is not None for one in data["looks"]] == [False] * 3 + [True] + [False] * 4
    assert data["looks"][3]["found"]["recall"]["held"] == [["p", "q"]]
    study.refresh_from_db()
    assert study.state == Study.State.OPEN


def test_a_decision_that_later_answers_contradict_is_withdrawn_on_the_page_and_in_the_log(client):
    study = two_protocols()
    rank(study, LIKE_P)
    services.take_looks()
    rank(study, LIKE_Q, images=slice(12, 24), others=2)
    services.take_looks()
    assert study.looks.get(number=8).found["recall"]["held"] == []
    assert entries(study).last().details["withdrawn, recall"] == [["p", "q"]]
    client.force_login(add_researcher(study))
    text = standings(client, study)
    assert "Nothing is decided" in text
    row = text[text.index('<th scope="row" class="number">8</th>') :]
    assert row.count("p is nearer to people than q") == 3


def test_a_closed_study_has_its_last_look_once_at_the_answers_there_are():
    study = two_protocols()
    rank(study, LIKE_P)
    services.take_looks()
    # One more annotator and no eighth more; then the study is closed by hand.
    rank(study, LIKE_Q, n_people=1, images=slice(12, 22), others=0)
    services.take_looks()
    assert entries(study).count() == 1
    Study.objects.update(state=Study.State.CLOSED)
    for _ in range(2):
        services.take_looks()
    assert [entry.details["look"] for entry in entries(study)] == [4, 8]
    last = study.looks.get(number=8)
    assert (last.n_counted, last.found["recall"]["held"]) == (82, [["p", "q"]])
    assert last.found["recall"]["decided"] == []


def test_a_study_opened_again_after_its_last_look_decides_nothing_more_and_says_so(client):
    study = two_protocols(ends_by="decided")
    rank(study, LIKE_P, others=6)
    services.take_looks()
    researcher = add_researcher(study)
    set_state(study=study, state=Study.State.CLOSED)
    services.take_looks()
    assert entries(study).last().details["look"] == 8
    held = study.looks.get(number=8).found
    set_state(study=study, state=Study.State.OPEN)
    rank(study, LIKE_Q, n_people=12, others=0, images=slice(0, 24))
    services.take_looks()
    assert study.looks.get(number=8).found == held
    assert entries(study).count() == 2
    client.force_login(researcher)
    text = " ".join(standings(client, study).split())
    assert "The last look has been taken. Later answers count in the report" in text
    assert "The study ends by itself" not in text
    assert "Nothing is decided. The last look" in text
    study.refresh_from_db()
    assert study.state == Study.State.OPEN
    # The report counts all 18 people.
    assert "18" in study_report(asked_now(study, Settings())).header["annotators"]


@pytest.mark.parametrize(
    ("n_people", "images", "lacking"),
    [
        (5, slice(0, 24), ""),
        (20, slice(0, 9), ""),
        (6, slice(0, 12), "a protocol"),
        (6, slice(0, 12), "an open study"),
    ],
    ids=["five people", "nine images", "one protocol", "closed before"],
)
def test_no_look_is_taken_before_six_people_have_ten_images_by_two_protocols(
    n_people, images, lacking
):
    study = two_protocols()
    if lacking == "a protocol":
        study.dataset.runs.filter(name="q").delete()
    services.take_looks()
    rank(study, LIKE_P, n_people, images=images)
    if lacking == "an open study":
        Study.objects.update(state=Study.State.CLOSED)
    services.take_looks()
    assert study.looks.count() == 8
    assert not study.looks.exclude(taken=None).exists()


def test_a_study_that_ends_when_all_is_decided_ends_then_and_the_log_says_why():
    study = two_protocols(ends_by="decided")
    rank(study, LIKE_P)
    look_after()
    study.refresh_from_db()
    assert study.state == Study.State.CLOSED
    closed = AuditEntry.objects.get(study=study, act=Act.STUDY_CLOSED)
    assert (closed.details["rule"], closed.details["why"]) == (
        "decided",
        "every pair of protocols is decided",
    )


def test_a_pair_that_is_undecided_by_one_criterion_keeps_the_study_open():
    study = two_protocols(ends_by="decided")
    rank(study, LIKE_P)
    middle = [sorted(study.methods.values_list("pk", flat=True))]
    for assignment in study.assignments.all():
        assignment.rankings["recall"] = middle
        assignment.save()
    look_after()
    study.refresh_from_db()
    assert study.state == Study.State.OPEN
    assert study.looks.get(number=4).found["precision"]["held"] == [["p", "q"]]


def test_another_worker_that_took_the_look_meanwhile_keeps_this_one_from_storing_it(monkeypatch):
    study = two_protocols()
    rank(study, LIKE_P)
    real = services.look_at

    def slow(*arguments):
        found = real(*arguments)
        Look.objects.filter(study=study, number=4).update(taken=timezone.now())
        return found

    monkeypatch.setattr(services, "look_at", slow)
    assert not services.look_if_due(study)
    assert not entries(study).exists()


def test_an_open_study_takes_a_few_queries_a_minute_when_no_look_is_due(
    django_assert_max_num_queries,
):
    study = two_protocols()
    rank(study, LIKE_P, 1)
    services.take_looks()
    with django_assert_max_num_queries(4):
        assert not services.look_if_due(study)


@pytest.mark.parametrize("seed", range(3))
def test_people_who_come_one_after_another_and_differ_in_taste_decide_nothing(client, seed):
    """Two protocols equally near to people on average; each annotator has a taste for one of them.

    Images of one annotator all point the same way, so a test that takes the next image for one like
    the last finds a difference that is not there.
    """
    study = two_protocols(ends_by="decided", max_annotators=6, min_annotators=1)
    client.force_login(add_researcher(study))
    rng = np.random.default_rng(seed)
    for taste in rng.permutation([0.9] * 3 + [0.1] * 3):
        rank(study, LIKE_P if taste > 0.5 else LIKE_Q, 1, others=2, images=slice(0, 24))
        look_after()
        study.refresh_from_db()
        assert study.state == Study.State.OPEN
        assert "Nothing is decided" in standings(client, study)
    assert study.looks.get(number=8).taken is not None


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("decided", "planned looks had decided every pair of protocols"),
        ("budget", "the budget of answers was used up"),
    ],
)
def test_a_report_names_the_rule_that_ended_the_study(rule, words):
    study = two_protocols(ends_by=rule, answer_budget=None if rule == "decided" else 1)
    rank(study, LIKE_P)
    study.ended = timezone.now()
    study.save()
    report = study_report(asked_now(study, Settings()))
    assert report.header["end of the study"] == words
