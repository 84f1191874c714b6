"""The report of a study that asks pairs: what each table rests on, and losses that pairs give."""

import json

import pytest
from django.urls import reverse

from annotate.judging import services as judging
from annotate.reports import services
from annotate.studies.exclusions import decide
from rankings.report import Settings
from tests.support.factories import add_annotator, add_researcher, make_admin, make_run, make_study
from tests.support.truths import answer, rank_everything, same_truth

pytestmark = pytest.mark.django_db

ABC = same_truth([["a"], ["b"], ["c"]])
SETTINGS = Settings(min_annotators=1)


def pairs_study(images=6, people=2, **settings):
    study = make_study(["a", "b", "c"], images=images, methods_per_visit=2, **settings)
    make_run(study, "right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "wrong", {"a": 0.1, "b": 0.5, "c": 0.9})
    for _ in range(people):
        rank_everything(study, add_annotator(study), ABC)
    return study


def pairs_of(study):
    return services.pairs_report(
        study=study, settings=SETTINGS, runs=services.available_runs(study)
    )


def means_of(data, criterion="recall"):
    tested = data["criteria"][criterion]["comparisons"]
    return dict(zip(tested["protocols"], tested["means"], strict=True))


def test_pairs_give_losses_and_enter_no_table_of_rankings():
    """The two protocols disagree on every pair, so each of three is as likely: 3 x loss / 3."""
    study = pairs_study()
    assert means_of(pairs_of(study)) == pytest.approx({"right": 0, "wrong": 1})
    built = services.study_report(study=study, settings=SETTINGS)
    assert (built.n_rankings, built.n_visits, built.n_annotators) == (0, 12, 2)
    assert built.report.criteria["recall"].n_images == 0


def test_a_study_of_whole_rankings_has_no_such_section(client):
    study = make_study(["a", "b"])
    assert pairs_of(study) is None
    client.force_login(add_researcher(study))
    assert (
        'id="pairs"'
        not in client.get(reverse("reports:report", args=[study.slug])).content.decode()
    )


def test_the_page_says_what_each_table_rests_on(client):
    study = pairs_study(whole_percent=34, min_annotators=1)
    client.force_login(add_researcher(study))
    text = client.get(reverse("reports:report", args=[study.slug])).content.decode()
    assert "rest on whole rankings alone: 4." in text
    # Two images ranked whole by two people: 4 x 3 pairs, and 4 images x 2 people single pairs.
    assert "8 visits that asked methods that were drawn and the 4 whole rankings: 20 pairs" in text
    table = reverse("reports:export_table", args=[study.slug, "losses", "csv"])
    assert table in text
    rows = client.get(table).content.decode().splitlines()
    assert rows[0] == "Criterion,Protocol,Loss,Cluster,Letters"
    assert rows[1].startswith("recall,right,0")


def test_one_annotator_is_told_that_nothing_can_be_tested(client):
    study = pairs_study(people=1)
    client.force_login(add_researcher(study))
    text = client.get(reverse("reports:report", args=[study.slug])).content.decode()
    assert "one annotator says nothing about others" in text


def test_a_protocol_that_comes_after_the_pairs_is_estimated_with_their_probabilities():
    study = pairs_study()
    before = pairs_of(study)
    make_run(study, "late", {"a": 0.5, "b": 0.5, "c": 0.5})
    after = pairs_of(study)
    # It ties what people order: a half of each pair; the others stay as they were.
    assert means_of(after) == pytest.approx({**means_of(before), "late": 0.5})


def test_who_is_left_out_counts_in_no_loss():
    study = pairs_study()
    careless = add_annotator(study)
    rank_everything(study, careless, same_truth([["c"], ["b"], ["a"]]))
    assert means_of(pairs_of(study))["right"] == pytest.approx(1 / 3)
    decide(study=study, person=careless, is_excluded=True, reason="careless", by=make_admin())
    assert means_of(pairs_of(study))["right"] == pytest.approx(0)


def test_a_kept_report_keeps_what_pairs_say(client):
    study = pairs_study()
    person = add_researcher(study)
    runs = services.available_runs(study)
    kept = services.keep_report(study=study, settings=SETTINGS, runs=runs, person=person)
    assert json.loads(kept.content)["pairs"]["criteria"].keys() == {
        "recall",
        "precision",
        "preference",
    }
    client.force_login(person)
    page = client.get(reverse("reports:kept", args=[study.slug, kept.pk])).content.decode()
    assert "12 visits that asked methods that were drawn" in page
    table = reverse("reports:kept_table", args=[study.slug, kept.pk, "lossdifferences", "json"])
    assert client.get(table).status_code == 200


def test_the_time_of_an_answer_stands_in_the_report():
    study = pairs_study(people=0)
    person = add_annotator(study)
    turn = judging.start(study=study, annotator=person)
    for seconds in (4.0, 6.0, 11.0):
        turn = judging.record_judgement(
            screen_id=turn.screen.public_id,
            annotator=person,
            verdicts=dict.fromkeys(ABC, "equal"),
            seconds_taken=seconds,
        )
    assert pairs_of(study)["seconds"] == {"drawn": 6.0, "whole": None}
    assert answer(turn, person, ABC) is not None
