"""An annotator's own part in a study: what is done and left, repeated pairs, and the answers as a file."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from annotate.judging import annotator_summary, services
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.studies.models import Study
from rankings.elicitation.log import Remaining
from tests.support.factories import add_annotator, add_newcomer, make_person, make_study
from tests.support.pages import flat
from tests.support.truths import (
    answer,
    asked_verdicts,
    judged,
    rank_everything,
    same_truth,
    skipped,
)

pytestmark = pytest.mark.django_db

TRUTH = same_truth([["a"], ["b"], ["c"]])
NOTHING_TIMED = annotator_summary.OwnWork(
    n_images=10,
    n_done=0,
    n_answered=0,
    n_skipped=0,
    minutes=None,
    n_days=0,
    seconds_a_pair=None,
    pairs_an_image=None,
)


@pytest.fixture
def study():
    return make_study(["a", "b", "c"], images=2, n_checks=0)


@pytest.fixture
def page(client, study, annotator):
    client.force_login(annotator)
    return lambda: client.get(reverse("judging:own", args=[study.slug])).text


def said(assignment, number, left, right, purpose, **verdicts):
    """Store an answer as if the pair had been asked for this purpose."""
    screen = Screen.objects.create(
        assignment=assignment,
        number=number,
        left=left,
        right=right,
        purpose=purpose,
        strategy="insertion",
        state=Screen.State.ANSWERED,
    )
    return Judgement.objects.create(assignment=assignment, number=number, screen=screen, **verdicts)


def test_t30_a_repeated_pair_is_alike_when_it_says_the_same_with_the_sides_swapped(
    study, annotator
):
    image = study.images.first()
    a, b, c = image.results.order_by("pk")
    mine = Assignment.objects.create(
        study=study, image=image, annotator=annotator, position=1, items=[[a.pk], [b.pk], [c.pk]]
    )
    said(mine, 1, a, b, "place", recall="left", precision="equal", preference="left")
    said(mine, 2, b, c, "place", recall="left")
    # Alike in recall and precision, not in preference: 2 of 3.
    said(mine, 3, b, a, "near", recall="right", precision="equal", preference="left")
    # Asked twice in recall alone, and the other way round now: 2 of 4.
    said(mine, 4, b, c, "repeat", recall="right", precision="left")
    # Doubtful pairs are asked again because they differed: they count for nothing.
    said(mine, 5, a, b, "again", preference="left")
    found = annotator_summary.consistency_of(study, annotator)
    assert (found.n, found.n_alike, found.is_enough) == (4, 2, False)
    assert found.percent == 50


def test_t30_thirty_repeated_answers_are_enough_for_a_share_with_its_interval():
    assert not annotator_summary.Consistency(29, 29).is_enough
    enough = annotator_summary.Consistency(30, 27)
    assert enough.is_enough
    # Wilson's interval of 27 of 30, from its formula by hand: (0.9 + 0.0640) / 1.1280 -+ 0.1115.
    assert enough.interval == pytest.approx((74.4, 96.5), abs=0.1)


def test_t30_what_is_left_goes_by_the_persons_own_pace():
    """12 s a pair, 20 pairs an image: 6 images not begun and 5 pairs of the one in progress."""
    work = annotator_summary.OwnWork(10, 3, 60, 0, 12.0, 1, seconds_a_pair=12, pairs_an_image=20)
    assert annotator_summary.minutes_left(work, 4, 5, 15) == pytest.approx((6 * 20 + 5) * 12 / 60)


def test_t30_before_the_first_image_is_done_it_stands_for_the_others():
    work = annotator_summary.OwnWork(10, 0, 8, 0, 1.6, 1, seconds_a_pair=12, pairs_an_image=None)
    assert annotator_summary.minutes_left(work, 1, 4, 8) == pytest.approx((4 + 9 * 12) * 12 / 60)
    assert annotator_summary.minutes_left(NOTHING_TIMED, 0, 0, 0) is None


@pytest.mark.parametrize(
    ("minutes", "words", "french"),
    [
        (0, "less than 5 minutes", "moins de 5 minutes"),
        (4.9, "less than 5 minutes", "moins de 5 minutes"),
        (5, "5 minutes", "5 minutes"),
        (7, "5 minutes", "5 minutes"),
        (89, "90 minutes", "90 minutes"),
        (150, "2.5 hours", "2,5 h"),
        (120, "2 hours", "2 h"),
        (620, "10 hours", "10 h"),
    ],
)
def test_t30_times_are_as_people_say_them_and_an_estimate_is_about_one(minutes, words, french):
    is_bound = minutes < 5
    assert annotator_summary.in_words(minutes) == words
    assert annotator_summary.about_in_words(minutes) == ("" if is_bound else "about ") + words
    with override("fr"):
        about = annotator_summary.about_in_words(minutes)
    assert about == ("" if is_bound else "environ ") + french


def test_what_is_left_is_an_estimate_in_french_too():
    remaining = Remaining(2, 4.6, 8)
    assert annotator_summary._remaining_text(remaining) == "About 5 pairs left (2 to 8)"
    with override("fr"):
        assert annotator_summary._remaining_text(remaining) == "Encore environ 5 paires (2 à 8)"


def test_t30_at_work_the_page_tells_what_is_left_and_nothing_of_repeated_pairs(
    page, study, annotator
):
    turn = services.start(study=study, annotator=annotator).turn
    judged(turn, asked_verdicts(TRUTH, turn), seconds_taken=30.0)
    text = page()
    assert "Time left, at your pace" in text
    assert "Pairs you saw twice" not in text
    for name in ("welcome", "practice", "keys"):
        assert reverse(f"learning:{name}", args=[study.slug]) in text
    assert reverse("judging:judge", args=[study.slug]) in text


def test_t30_at_the_end_the_page_says_what_was_done_and_thanks(page, study, annotator):
    rank_everything(study, annotator, TRUTH)
    text = page()
    assert "All done. Thank you." in text
    assert "2 <small>of 2</small>" in flat(text)
    assert "Pairs you saw twice" not in text
    assert "Time left" not in text


def test_t30_a_closed_study_keeps_the_page_and_the_answers(page, client, study, annotator):
    rank_everything(study, annotator, TRUTH)
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    assert "What you answered is kept." in page()
    assert answers_of(client, study)


def test_t30_who_has_not_begun_finds_the_way_in(client, study):
    client.force_login(add_newcomer(study))
    text = client.get(reverse("judging:own", args=[study.slug])).text
    assert ">Start</a>" in flat(text)
    assert "Download" not in text


def answers_of(client, study, kind="csv"):
    response = client.get(reverse("exchange:own_answers", args=[study.slug, kind]))
    assert response.status_code == 200
    assert response["Content-Disposition"] == (
        f'attachment; filename="{study.slug}-own-answers.{kind}"'
    )
    text = response.getvalue().decode()
    return list(csv.DictReader(io.StringIO(text))) if kind == "csv" else json.loads(text)


def test_t30_the_file_holds_ones_own_answers_undone_ones_and_skips_and_no_method(client):
    study = make_study(["first-method", "second-method"], images=1)
    annotator, other = add_annotator(study), add_annotator(study)
    rank_everything(study, other, same_truth([["first-method"], ["second-method"]]))
    turn = services.start(study=study, annotator=annotator).turn
    seen = {"first": "right", "left": 2.5, "right": 3.0}
    given = {"recall": "left", "precision": "equal", "preference": "right"}
    judged(turn, given, seconds_taken=4.5, seen=seen)
    after = services.undo(
        study=study, annotator=annotator, screen_id=waiting_id(study, annotator)
    ).turn
    skipped(after, "other", text="=too dark")
    client.force_login(annotator)
    answered, left_out = answers_of(client, study)
    assert {name: answered[name] for name in given} == given
    assert (answered["image"], answered["image_number"]) == (study.images.get().name, "1")
    assert (answered["seconds"], answered["undone"]) == ("4.5", "true")
    assert [answered[f"seen_{what}"] for what in ("first", "left_seconds", "right_seconds")] == [
        "right",
        "2.5",
        "3.0",
    ]
    assert left_out["skipped"] == "Another reason: =too dark"
    assert (left_out["recall"], left_out["undone"]) == ("", "false")
    again = answers_of(client, study, "json")
    assert [row["undone"] for row in again] == [True, False]
    assert "method" not in json.dumps(again)
    from_api = reverse("api:own_answers", args=[study.slug, "json"])
    assert json.loads(client.get(from_api).getvalue()) == again


def waiting_id(study, annotator):
    waiting = Screen.objects.filter(
        assignment__annotator=annotator, assignment__study=study, state=Screen.State.WAITING
    ).first()
    return waiting.public_id if waiting else ""


def test_t30_nobody_elses_answers_can_be_asked_for(client, study, annotator):
    rank_everything(study, annotator, TRUTH)
    client.force_login(make_person())
    address = reverse("exchange:own_answers", args=[study.slug, "csv"])
    assert client.get(address).status_code == 404
    client.force_login(add_annotator(study))
    assert answers_of(client, study) == []
    for name in ("exchange:own_answers", "api:own_answers"):
        assert client.get(reverse(name, args=[study.slug, "xml"])).status_code == 404


def test_t45_consistency_is_told_by_day_and_never_of_today_before_the_end():
    study = make_study(["a", "b", "c", "d"], images=12, n_checks=2)
    annotator = add_annotator(study)
    rank_everything(study, annotator, same_truth([["a"], ["b"], ["c"], ["d"]]))
    everything = annotator_summary.consistency_of(study, annotator)
    today = timezone.localdate()
    [(day, same)] = annotator_summary.consistency_by_day(study, annotator)
    assert (day, same) == (today, everything)
    assert annotator_summary.consistency_by_day(study, annotator, before=today) == []
    # The first half was answered eight days ago.
    half = Judgement.objects.filter(assignment__position__lte=6)
    half.update(created=F("created") - timedelta(days=8))
    days = annotator_summary.consistency_by_day(study, annotator)
    assert [day for day, _ in days] == [today - timedelta(days=8), today]
    assert sum(own.n for _, own in days) == everything.n
    assert all(own.n_alike == own.n for _, own in days), "it never contradicts itself"
    assert "Your days" in render_to_string(
        "judging/own.html", annotator_summary.own_page(study, annotator)
    )


def test_t45_who_returns_after_a_week_gets_two_known_pairs_and_only_then():
    study = make_study(["a", "b", "c", "d"], images=3)
    annotator = add_annotator(study)
    truth = same_truth([["a"], ["b"], ["c"], ["d"]])
    turn = services.start(study=study, annotator=annotator).turn
    first = turn.assignment
    turn = answer(turn, annotator, truth)
    assert turn.assignment == first
    Judgement.objects.update(created=F("created") - timedelta(days=7))
    Assignment.objects.update(created=F("created") - timedelta(days=7))
    while turn is not None:
        turn = answer(turn, annotator, truth)
    counts = Assignment.objects.order_by("position").values_list("known", flat=True)
    assert [len(known) for known in counts] == [0, 2, 0]
