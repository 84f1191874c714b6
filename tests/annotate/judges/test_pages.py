"""Pages about programs: the table and the statement, and the release of pictures."""

import json
from itertools import permutations

import pytest
from django.test import Client
from django.urls import reverse

from annotate.judges import comparison, services
from annotate.judges.comparison import programs_and_people
from annotate.judges.models import PicturesSent
from annotate.judges.pictures import picture_of
from annotate.judges.services import count_picture
from annotate.judges.tasks import tasks_of
from annotate.judging.models import Assignment
from annotate.publication.descriptions import public_json
from annotate.publication.models import PublicPage
from annotate.reports.services import asked_now
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from rankings.orders.distances import kemeny_distance
from rankings.orders.edit_distance import edit_distance
from tests.support.factories import add_researcher, make_person, make_run, make_study
from tests.support.judges import (
    PEOPLE,
    RANKED,
    answer_all,
    buckets,
    make_judge,
    make_worked_example,
    release,
    verdicts_of,
)
from tests.support.kept import keep_report
from tests.support.made_once import made_once

pytestmark = pytest.mark.django_db

made_study = made_once(make_worked_example)


def compared(study):
    return programs_and_people(asked_now(study, Settings()))


def test_the_worked_example_from_the_database_to_1e_12(study):
    judge = make_judge(study, pairs="people")
    answer_all(judge, verdicts_of(study))
    table = compared(study)["judges"]
    assert [*table] == ["recall", "precision"]
    [row] = table["recall"]
    assert row["difference"] / 100 == pytest.approx(1 / 9, abs=1e-12)
    assert (row["rho"], row["done"]) == (0.5, 1.0)
    assert (row["low"], row["high"]) == pytest.approx((-54.9, 77.1), abs=0.05)


def test_a_report_has_programs_under_its_table_and_in_a_question_of_their_own(study, researcher):
    judge = make_judge(study, pairs="people")
    answer_all(judge, verdicts_of(study))
    half = make_judge(study, name="Half", pairs="people")
    services.record_answers(
        judge=half,
        sent=[
            {"task": task.name, "attempt": 1, "outcome": "refused", "verdicts": {}}
            for task in [*tasks_of(half)][:3]
        ],
    )
    make_run(study, "Protocol", {"a": 0.9, "b": 0.5, "c": 0.1})
    url = reverse("reports:report", args=[study.slug])
    closed = researcher.get(url)
    assert "Three annotators cannot show this" not in closed.text
    _, _, (classes, [line]) = closed.context["shown"].bodies
    assert classes == "baselines programs"
    assert (line.name, line.kind, line.address) == ("Counter", "program", "")
    # The ranking of each image is the judge's own, as its verdicts are a weak order.
    consensus = closed.context["shown"].table.consensus
    apart = [
        edit_distance(tuple(map(tuple, buckets(text))), consensus[image.name]).distance
        for text, image in zip(RANKED, study.images.in_order(), strict=True)
    ]
    assert line.cells[2].text == f"{sum(apart) / 2:.2f}"
    page = researcher.get(url, {"open": "programs"}).text
    assert "Three annotators cannot show this" in page
    assert "Half has no row: 25 % of its tasks are done." in page
    found = compared(study)
    assert [row["protocol"] for row in found["protocols"]["recall"]] == ["Protocol"]
    [pair] = found["judges"]["recall"][0]["against"]
    # In 100 pairs of an image of three: the judge is 5/9 and 2/9, the protocol 1/3 and 1/9 away.
    protocol = found["protocols"]["recall"][0]["difference"]
    assert pair["difference"] == pytest.approx(100 / 9 - protocol, abs=1e-9)
    assert pair["adjusted_p_value"] == pair["p_value"]


def test_a_kept_report_holds_its_programs_and_its_page_shows_them_later_answers_or_not(
    study, researcher, monkeypatch
):
    answer_all(make_judge(study, pairs="people"), verdicts_of(study))
    make_judge(study, name="Idle")
    make_run(study, "Protocol", {"a": 0.9, "b": 0.5, "c": 0.1})
    asked = asked_now(study, Settings())
    kept = keep_report(study=study, settings=Settings(), runs=asked.runs, person=None)
    live = researcher.get(reverse("reports:report", args=[study.slug]), {"open": "programs"})
    answer_all(make_judge(study, name="Later", pairs="people"), verdicts_of(study))
    page = researcher.get(reverse("reports:kept", args=[study.slug, kept.pk]), {"open": "programs"})
    assert page.context["shown"].programs == live.context["shown"].programs != []
    shown = [
        next(one for one in of.context["questions"] if one.slug == "programs").content
        for of in (page, live)
    ]
    assert shown[0] == shown[1]
    assert [name for name, _ in shown[0]["sentences"]] == ["Counter"]
    assert shown[0]["unfinished"] == [("Idle", 0)]
    assert "Later" not in page.text
    assert page.text.count("program</") == live.text.count("program</") > 0
    # Of the worked example: 1 of 9 pairs.
    assert kept.data["programs"]["judges"]["recall"][0]["difference"] == pytest.approx(100 / 9)
    assert "answers" in kept.data["programs"]
    public = json.loads(public_json(PublicPage(report=kept)))
    assert {*kept.data["programs"]} - {*public["programs"]} == {"answers"}
    monkeypatch.setattr(comparison, "MOST_ANSWERS", 1)
    kept = keep_report(study=study, settings=Settings(), runs=asked.runs, person=None)
    page = researcher.get(reverse("reports:kept", args=[study.slug, kept.pk]), {"open": "programs"})
    assert "too much for this page" in page.text


def test_a_judge_that_copies_a_person_is_as_far_from_the_others(study):
    """The mean loss of P's copy to the others, less the mean loss of two others, by hand."""
    copy = [of["P"] for of in PEOPLE]
    judge = make_judge(study, criteria=["recall"])
    Assignment.objects.filter(study=study, annotator=study.memberships.first().person).delete()
    answer_all(judge, verdicts_of(study, copy, ["recall"]))
    [row] = compared(study)["judges"]["recall"]

    def loss(one, other):
        return kemeny_distance(*(tuple(map(tuple, buckets(text))) for text in (one, other))) / 3

    expected = [
        sum(loss(of["P"], of[name]) for name in "QR") / 2
        - sum(loss(of[g], of[h]) for g, h in permutations("QR", 2)) / 2
        for of in PEOPLE
    ]
    assert row["difference"] / 100 == pytest.approx(sum(expected) / 2, abs=1e-12)
    assert row["low"] is None
    assert "two annotators" in row["sentence"]


def test_the_page_has_the_statement_and_what_it_lacks(study, researcher):
    url = reverse("judges:judges", args=[study.slug])
    assert "No program has answered yet" in researcher.get(url).text
    judge = make_judge(study, pairs="people", tuned_on=[study.images.first().name])
    answer_all(judge, verdicts_of(study))
    release(study)
    page = researcher.get(url).text
    assert "Of 100 pairs it differs from a person on 11.1 more" in page
    assert "Three annotators cannot show this" in page
    assert "It was tuned on some of these images." in page
    assert "released to 127.0.0.1" in page
    assert reverse("judges:release", args=[study.slug]) not in page
    table = reverse("api:judge_answers", args=[judge.pk]) + "?as=csv"
    assert table in page
    assert researcher.get(table).getvalue().decode().count("\n") == 13


def test_the_answers_page_has_each_pair_with_people_both_orders_raw_text_and_pictures(
    study, researcher
):
    url = reverse("judges:answers", args=[study.slug])
    assert "No program has answered yet" in researcher.get(url).text
    judge = make_judge(study, pairs="people", max_side=512)
    first = study.images.in_order().first()
    verdicts = verdicts_of(study)
    tasks = [task for task in tasks_of(judge) if task.image == first.pk]
    sent = [
        {
            "task": task.name,
            "attempt": 1,
            "outcome": "answered",
            "verdicts": verdicts(task),
            "raw": f"<b>{task.left}",
            "pictures": ["0" * 64],
        }
        for task in tasks
    ]
    services.record_answers(judge=judge, sent=sent)
    response = researcher.get(url)
    (pair, _, answers), *others = response.context["pairs"]
    assert (pair.one.method.name, pair.other.method.name, len(others)) == ("a", "b", 2)
    # By hand: P and Q have a before b, R has b before a.
    assert pair.people["recall"] == (2, 0, 1)
    assert [(one["left"], one["right"]) for one in answers] == [("a", "b"), ("b", "a")]
    assert dict(answers[0]["said"]) == {"Recall": "equal", "Precision": "equal"}
    assert f"&lt;b&gt;{tasks[0].left}" in response.text
    [(part, address)] = answers[0]["pictures"]
    assert part == "both"
    assert f"{address}?small=1" in response.text
    # As the program gets it.
    released = picture_of(study, tasks[0], "both", judge.max_side)
    assert researcher.get(address).content == released
    assert researcher.get(address, {"small": 1})["Content-Type"] == "image/png"
    stranger, other = Client(), make_study(2)
    stranger.force_login(make_person())
    add_researcher(other, study.memberships.get(role="researcher").person)
    of_other = reverse("judges:sent", args=[other.slug, judge.pk, tasks[0].name, "both"])
    assert stranger.get(address).status_code == 404
    assert researcher.get(of_other).status_code == 404
    assert researcher.get(address.replace("both", "crop-6")).status_code == 404
    assert researcher.get(url, {"image": "elsewhere.jpg"}).status_code == 404


def test_people_of_drawn_methods_are_not_compared_with_pairs_that_they_did_not_rank(study):
    judge = make_judge(study, criteria=["recall"])
    answer_all(judge, lambda task: {"recall": "left"})
    one = Assignment.objects.filter(study=study).first()
    one.rankings = {name: of[:1] for name, of in one.rankings.items()}
    one.save()
    [row] = compared(study)["judges"]["recall"]
    assert row["n_annotators"] == 3
    assert row["contradictions"] == 1


def test_an_admin_releases_and_ends(study, admin):
    url = reverse("judges:release", args=[study.slug])
    assert "none was given" in admin.get(url).text
    sent = {"hosts": "127.0.0.1, Model.example", "purpose": "Try", "days": 3, "licence": ""}
    assert admin.post(url, sent).status_code == 422
    wrong = sent | {"may_send": "on", "hosts": "https://model.example/v1"}
    assert "not a host name" in admin.post(url, wrong).text
    Study.objects.get(pk=study.pk).dataset.__class__.objects.update(licence="CC BY")
    stale = admin.post(url, sent | {"may_send": "on"})
    assert "licence note" in stale.text
    good = sent | {"may_send": "on", "licence": "CC BY"}
    assert admin.post(url, good).status_code == 302
    assert study.releases.get().hosts == ["127.0.0.1", "model.example"]
    count_picture(judge=make_judge(study), token="tdr_abcd", n_bytes=1234)
    assert PicturesSent.objects.get().n_bytes == 1234
    page = admin.get(url).text
    assert "tdr_abcd" in page
    assert admin.post(reverse("judges:end_release", args=[study.slug])).status_code == 302
    assert not study.releases.filter(ended=None).exists()
