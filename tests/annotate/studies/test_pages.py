"""The start page and the study page."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from annotate.judging import services
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.progress import selectors
from annotate.studies.exclusions import decide
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_person,
    make_study,
)
from tests.support.truths import answer, rank_everything, same_truth, skipped

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])


def page_of(client, study):
    return client.get(reverse("studies:detail", args=[study.slug]))


def rows(response, caption):
    """The cells of a table of the page, as text."""
    table = re.search(rf"id=\"{caption}\".*?<tbody>(.*?)</tbody>", response.text, re.S)[1]
    return [
        [
            " ".join(re.sub(r"<[^>]*>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)
    ]


def test_progress_is_shown_per_annotator_and_per_image(follow):
    study = make_study(["a", "b"], images=3, min_annotators=2)
    done, begun, idle = (add_annotator(study, make_person(name)) for name in ("ana", "ben", "cem"))
    rank_everything(study, done, AB)
    services.start(study=study, annotator=begun)
    response = page_of(follow(study), study)
    people = {row[0]: row[2:] for row in rows(response, "annotators")}
    assert people == {
        "ana": ["3", "0", "0", "3", "0"],
        "ben": ["0", "1", "0", "0", "0"],
        "cem": ["0", "0", "0", "0", "0"],
    }
    images = rows(response, "images")
    assert [row[1] for row in images] == ["1 of 2"] * 3
    assert [row[2] for row in images] == ["D", "D", "D"]
    assert sorted(row[3] for row in images) == ["W", "·", "·"]
    cell = response.context["images"][0].cells[0]
    assert cell == ("annotator-1", selectors.DONE)
    image = reverse("evidence:image", args=[study.slug, response.context["images"][0].name])
    assert f'data-address="{image}?annotator=annotator-1#screens"' in response.text
    figures = response.context["figures"]
    assert (figures.n_images, figures.n_ready, figures.n_begun, figures.n_untouched) == (3, 0, 3, 0)
    assert (figures.n_rankings, response.context["counts"].n_screens) == (3, 3)
    assert idle.username in response.text


def test_the_study_page_says_what_is_missing(follow):
    study = make_study(["a", "b"], images=2, state="draft")
    response = page_of(follow(study), study)
    assert response.context["blocks"] == [
        "The study is not open yet: annotators cannot answer.",
        "No annotator takes part yet.",
        "2 of 2 images still need 6 complete rankings in all.",
    ]


def test_images_that_lack_rankings_are_counted_by_how_many_they_lack(follow):
    """Of three images one has two rankings, one has one and one has none; three are asked for."""
    study = make_study(["a", "b"], images=3, min_annotators=3)
    ana, ben = (add_annotator(study) for _ in range(2))
    for person in (ana, ben):
        rank_everything(study, person, AB)
    kept = study.images.in_order().values_list("pk", flat=True)
    forget(study.assignments.filter(annotator=ana, image__in=kept[2:]))
    forget(study.assignments.filter(annotator=ben, image__in=kept[1:]))
    response = page_of(follow(study), study)
    assert response.context["blocks"][1:] == [
        "3 of 3 images still need 6 complete rankings in all."
    ]
    figures = response.context["figures"]
    assert (figures.n_ready, figures.n_begun, figures.n_untouched) == (0, 2, 1)
    assert figures.n_rankings_lacking == 6


def forget(assignments):
    """Take complete rankings back, as if they had not been begun."""
    for assignment in assignments:
        assignment.study.study_images.filter(image=assignment.image).update(
            n_complete=F("n_complete") - 1
        )
        assignment.judgements.all().delete()
        assignment.screens.all().delete()
        assignment.delete()


def test_rankings_of_who_is_left_out_do_not_make_an_image_complete(client):
    study = make_study(["a", "b"], images=2, min_annotators=2)
    ana, ben = (add_annotator(study, make_person(name)) for name in ("ana", "ben"))
    for person in (ana, ben):
        rank_everything(study, person, AB)
    assert selectors.figures(study).n_ready == 2
    researcher = add_researcher(study)
    decide(study=study, person=ben, is_excluded=True, reason="x", by=researcher)
    figures = selectors.figures(study)
    assert (figures.n_ready, figures.n_begun, figures.n_rankings) == (0, 2, 2)
    assert figures.n_lacking == {1: 2}
    client.force_login(researcher)
    response = client.get(reverse("studies:detail", args=[study.slug]))
    assert [row[1] for row in rows(response, "images")] == ["1 of 2", "1 of 2"]
    assert "left out of reports" in response.text


def test_cells_say_what_was_skipped_and_what_was_flagged(follow):
    study = make_study(["a", "b"], images=2)
    person = add_annotator(study)
    rank_everything(study, person, AB)
    first, second = study.assignments.order_by("image__position")
    Assignment.objects.filter(pk=first.pk).update(unsettled=["recall"])
    Assignment.objects.filter(pk=second.pk).update(state="incomplete", rankings=None)
    response = page_of(follow(study), study)
    assert [row[2] for row in rows(response, "images")] == ["F", "S"]
    assert "1 ranking stays incomplete" in response.text


def test_the_forecast_follows_the_last_seven_days():
    """Six rankings a week; nine lack: 9 * 7 / 6 = 10.5, so the eleventh day from now."""
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    counted = figures_of(n_lacking={1: 3, 3: 2}, n_last_days=6)
    forecast = selectors.forecast(counted, now)
    assert (forecast.n_lacking, forecast.day) == (9, date(2026, 3, 12))
    assert selectors.forecast(figures_of(n_lacking={1: 3}, n_last_days=0), now).day is None
    assert selectors.forecast(figures_of(n_lacking={1: 10**6}, n_last_days=1), now).day is None
    assert selectors.forecast(figures_of(n_lacking={}, n_last_days=6), now) is None


def figures_of(**counts):
    others = {"n_images": 9, "n_ready": 0, "n_begun": 0, "n_rankings": 0, "n_incomplete": 0}
    return selectors.Figures(**others | counts)


def test_as_many_people_as_an_image_needs_are_enough():
    study = make_study(["a", "b"], min_annotators=2)
    counted = figures_of(n_lacking={}, n_last_days=0)
    told = [" ".join(selectors.what_blocks(study, counted, n)) for n in range(3)]
    assert "No annotator takes part yet" in told[0]
    assert ["A report needs 2" in sentence for sentence in told] == [False, True, False]


def test_only_rankings_of_the_last_seven_days_make_the_pace():
    study = make_study(["a", "b"], images=3)
    rank_everything(study, add_annotator(study), AB)
    now = timezone.now()
    for days, assignment in zip((1, 6.9, 7.1), study.assignments.all(), strict=True):
        Assignment.objects.filter(pk=assignment.pk).update(finished=now - timedelta(days=days))
    assert selectors.figures(study, now).n_last_days == 2


def test_the_median_time_is_that_of_answers_in_force():
    study = make_study(["a", "b"], images=4)
    person = add_annotator(study)
    assert selectors.median_seconds(study) is None
    rank_everything(study, person, AB)
    assert selectors.median_seconds(study) is None
    answers = Judgement.objects.filter(assignment__study=study)
    for judgement, seconds in zip(answers.order_by("pk"), (2, 4, 9, None), strict=True):
        type(judgement).objects.filter(pk=judgement.pk).update(seconds_taken=seconds)
    assert selectors.median_seconds(study) == 4
    services.undo(study=study, annotator=person, screen_id="")
    assert selectors.median_seconds(study) == 4


def test_screens_are_counted_whether_their_ranking_has_ended_or_not():
    study = make_study(["a", "b", "c"], images=3)
    ana, ben = add_annotator(study), add_annotator(study)
    rank_everything(study, ana, same_truth([["a"], ["b"], ["c"]]))
    turn = services.start(study=study, annotator=ben).turn
    for _ in range(4):
        turn = answer(turn, ben, same_truth([["c"], ["b"], ["a"]]))
    skipped(turn, "other")
    counted = selectors.counts(study).screens
    for person in (ana, ben):
        screens = Screen.objects.filter(assignment__annotator=person)
        for state in ("answered", "skipped"):
            assert counted[person.pk, state] == screens.filter(state=state).count()
    assert study.assignments.filter(state="in_work").exists()
    assert selectors.counts(study).n_screens == Screen.objects.filter(state="answered").count()
    answered = {member.membership.person: member.n_screens for member in selectors.members(study)}
    assert answered == {person: counted[person.pk, "answered"] for person in (ana, ben)}


def test_an_unknown_person_is_422_with_the_reason(admin):
    study = make_study(["a", "b"])
    url = reverse("studies:add_member", args=[study.slug])
    response = admin.post(url, {"username": "nobody", "role": "annotator"})
    assert response.status_code == 422
    assert "There is no user named" in response.text


def test_long_studies_come_in_pages(client):
    study = make_study(["a", "b"], images=51)
    client.force_login(add_researcher(study))
    url = reverse("studies:detail", args=[study.slug])
    assert len(client.get(url).context["images"]) == 50
    assert len(client.get(url, {"page": 2}).context["images"]) == 1
    assert client.get(url, {"page": "x"}).status_code == 200
