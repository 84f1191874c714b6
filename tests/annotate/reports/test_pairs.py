"""The report of a study that asks pairs: what each table rests on, and losses that pairs give."""

import json

import pytest
from django.urls import reverse

from annotate.judging import services as judging
from annotate.reports import services
from annotate.reports.presentation import shown_pairs
from annotate.scoring.models import Score
from annotate.studies.exclusions import decide
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, add_researcher, make_admin, make_run, make_study
from tests.support.kept import keep_report
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
    return services.pairs_report(services.asked_now(study, SETTINGS))


def means_of(data, criterion="recall"):
    tested = data["criteria"][criterion]["comparisons"]
    return dict(zip(tested["protocols"], tested["means"], strict=True))


def page_of(client, study, opened="sure"):
    return client.get(reverse("reports:report", args=[study.slug]), {"open": opened}).text


def rows_of(client, study, table):
    address = reverse("reports:export_table", args=[study.slug, table, "csv"])
    return client.get(address).text.splitlines()


def test_pairs_give_losses_and_enter_no_table_of_rankings():
    """The two protocols disagree on every pair, so each of three is as likely: 3 x loss / 3."""
    study = pairs_study()
    assert means_of(pairs_of(study)) == pytest.approx({"right": 0, "wrong": 1})
    built = services.study_report(services.asked_now(study, SETTINGS))
    assert (built.n_rankings, built.n_visits, built.n_annotators) == (0, 12, 2)
    assert built.report.criteria["recall"].n_images == 0


def test_a_study_of_whole_rankings_has_no_such_section(follow):
    study = make_study(["a", "b"])
    assert pairs_of(study) is None
    assert 'id="pairs"' not in page_of(follow(study), study)


def test_the_page_says_what_each_table_rests_on(follow):
    study = pairs_study(whole_percent=34, min_annotators=1)
    client = follow(study)
    text = page_of(client, study)
    assert "are based on whole rankings only: 4." in text
    # Two images ranked whole by two people: 4 x 3 pairs, and 4 images x 2 people single pairs.
    assert "8 visits with drawn methods and on the 4 whole rankings: 20 pairs" in text
    assert reverse("reports:export_table", args=[study.slug, "losses", "csv"]) in text
    rows = rows_of(client, study, "losses")
    assert rows[0] == "Criterion,Protocol,Loss,Cluster,Letters,signature"
    assert rows[1].startswith("recall,right,0")


def test_one_annotator_is_told_that_nothing_can_be_tested(follow):
    study = pairs_study(people=1)
    assert "one annotator says nothing about others" in page_of(follow(study), study)


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
    kept = keep_report(study=study, settings=SETTINGS, runs=runs, person=person)
    assert json.loads(kept.content)["pairs"]["criteria"].keys() == {
        "recall",
        "precision",
        "preference",
    }
    client.force_login(person)
    page = client.get(reverse("reports:kept", args=[study.slug, kept.pk]), {"open": "sure"}).text
    assert "12 visits with drawn methods" in page
    table = reverse("reports:kept_table", args=[study.slug, kept.pk, "lossdifferences", "json"])
    assert client.get(table).status_code == 200


def test_the_time_of_an_answer_stands_in_the_report():
    study = pairs_study(people=0)
    person = add_annotator(study)
    turn = judging.start(study=study, annotator=person).turn
    for seconds in (4.0, 6.0, 11.0):
        turn = judging.record_judgement(
            screen_id=turn.screen.public_id,
            annotator=person,
            verdicts=dict.fromkeys(ABC, "equal"),
            seconds_taken=seconds,
        ).turn
    assert pairs_of(study)["seconds"] == {"drawn": 6.0, "whole": None}
    assert answer(turn, person, ABC) is not None


ALIKE = same_truth([["a", "b", "c"]])


def alike_study(*, skips, people=2, images=8, reasons=("cannot_see", "other"), **settings):
    """Return a study of methods that look alike to people on every second image.

    "near" orders them a, b, c everywhere; "far" orders them oppositely, and ties them where they look
    alike. Losses: near 0 and 1/2, mean .25; far 1 and 0, mean .50. Each of the three pairs is as likely
    and has the same loss on an image, so that every draw gives these losses.
    """
    study = make_study(["a", "b", "c"], images=images, methods_per_visit=2, **settings)
    make_run(study, "near", {"a": 0.9, "b": 0.5, "c": 0.1})
    far = make_run(study, "far", {"a": 0.1, "b": 0.5, "c": 0.9})
    alike = {*study.images.order_by("pk").values_list("pk", flat=True)[::2]}
    Score.objects.filter(run=far, result__image__in=alike).update(
        recall=0.5, precision=0.5, f_score=0.5
    )
    for _ in range(people):
        judge_alike(study, add_annotator(study), alike, skips=skips, reasons=reasons)
    return study


def judge_alike(study, person, alike, *, skips, reasons=("cannot_see", "other")):
    turn, n_skipped = judging.start(study=study, annotator=person).turn, 0
    while turn is not None:
        is_alike = turn.assignment.image_id in alike
        if is_alike and skips:
            turn = judging.record_skip(
                screen_id=turn.screen.public_id,
                annotator=person,
                reason=reasons[n_skipped % len(reasons)],
            ).turn
            n_skipped += 1
        else:
            turn = answer(turn, person, ALIKE if is_alike else ABC)


def limits_of(data, criterion="recall"):
    own = data["criteria"][criterion]
    skipped = own["skipped"]
    limits = zip(skipped["low"], skipped["high"], strict=True)
    return dict(zip(own["comparisons"]["protocols"], limits, strict=True))


def test_limits_contain_the_losses_that_skipped_pairs_hide():
    """With answers .25 and .50; when all alike pairs are skipped .00 and 1.00, and limits say so."""
    answered = pairs_of(alike_study(skips=False))
    assert means_of(answered) == pytest.approx({"near": 0.25, "far": 0.5})
    assert answered["criteria"]["recall"]["skipped"]["n_pairs"] == 0
    data = pairs_of(alike_study(skips=True))
    assert means_of(data) == pytest.approx({"near": 0, "far": 1})
    # Half of the cells are skipped pairs: near can lose 0 to 1 there, far, which ties them, 0 to 1/2.
    assert limits_of(data) == {"near": (0, pytest.approx(0.5)), "far": (pytest.approx(0.5), 0.75)}
    skipped = data["criteria"]["recall"]["skipped"]
    assert (skipped["n_visits"], skipped["n_rankings"], skipped["n_pairs"]) == (8, 0, 8)
    # The difference far - near: 1 on half of the cells, on the others from -1/2 to 1/2.
    [difference] = skipped["pairs"]
    assert (difference["first"], difference["second"]) == ("far", "near")
    assert (difference["low"], difference["high"]) == pytest.approx((0.25, 0.75))


def test_losses_are_true_where_alike_pairs_are_said_to_look_the_same():
    study = alike_study(skips=True, reasons=["same"])
    data = pairs_of(study)
    assert means_of(data) == pytest.approx({"near": 0.25, "far": 0.5})
    assert data["criteria"]["recall"]["skipped"]["n_pairs"] == 0
    counted = services.study_report(services.asked_now(study, SETTINGS)).not_counted
    assert counted == {"pairs that look the same": "8"}


def test_skips_are_counted_beside_the_losses_on_the_page_and_in_files(follow):
    study = alike_study(skips=True)
    client = follow(study)
    text = page_of(client, study, "all")
    assert "8 of 16 visits are missing, because pairs in them were skipped." in text
    assert "If a loss is outside its limits" in text
    assert "I cannot see it well enough (4); Another reason (4)" in text
    for extension in ("json", "tex", "md"):
        address = reverse("reports:export_table", args=[study.slug, "losses", extension])
        assert "At most" in client.get(address).content.decode(), extension
    rows = rows_of(client, study, "losses")
    head = "Criterion,Protocol,Loss,Cluster,Letters,At least,At most,Skipped pairs,signature"
    assert rows[0] == head
    assert rows[1].split(",")[1:3] == ["near", "0.0"]
    assert rows[1].split(",")[-4:-1] == ["0.0", "0.5", "8"]
    [head, *_] = rows_of(client, study, "lossdifferences")
    assert head.endswith("At least,At most,signature")


def test_a_study_without_a_skip_says_nothing_of_skips(follow):
    study = alike_study(skips=False)
    text = page_of(follow(study), study)
    assert "skipped" not in text
    assert "At most" not in text
    header = services.study_report(services.asked_now(study, SETTINGS)).header
    assert not [name for name in header if "skip" in name]


def test_a_study_whose_pairs_were_all_skipped_has_limits_and_no_loss(follow):
    study = make_study(["a", "b", "c"], images=3, methods_per_visit=2)
    make_run(study, "near", {"a": 0.9, "b": 0.5, "c": 0.1})
    person = add_annotator(study)
    judge_alike(study, person, {*study.images.values_list("pk", flat=True)}, skips=True)
    assert limits_of(pairs_of(study)) == {"near": (0, 1)}
    [_, row, *_] = rows_of(follow(study), study, "losses")
    assert row.startswith("recall,near,,,,0.0,1.0,3,report|")


def test_a_skip_that_is_undone_or_of_who_is_left_out_is_not_counted():
    study = alike_study(skips=True, people=1, images=1)
    person = study.assignments.get().annotator

    def skips():
        return services.study_report(services.asked_now(study, SETTINGS)).not_counted

    assert skips() == {
        "visits lost to skips": "1 missing of 1",
        "skipped pairs by reason": "I cannot see it well enough (1)",
    }
    decide(study=study, person=person, is_excluded=True, reason="careless", by=make_admin())
    assert skips() == {}
    assert pairs_of(study) is None
    decide(study=study, person=person, is_excluded=False, reason="a mistake", by=make_admin())
    assert pairs_of(study)["criteria"]["recall"]["skipped"]["n_visits"] == 1
    answer(judging.undo(study=study, annotator=person, screen_id="").turn, person, ALIKE)
    assert skips() == {}
    assert pairs_of(study)["criteria"]["recall"]["skipped"]["n_visits"] == 0


def test_what_was_answered_before_a_skip_narrows_the_limits():
    """Three of four methods: the first pair is answered, the others skipped. Pairs weigh 2 / 6 each."""
    study = make_study(["a", "b", "c", "d"], images=1, methods_per_visit=3, n_checks=0)
    make_run(study, "right", {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.05})
    person = add_annotator(study)
    truth = same_truth([["a"], ["b"], ["c"], ["d"]])
    turn = answer(judging.start(study=study, annotator=person).turn, person, truth)
    while turn is not None:
        turn = judging.record_skip(
            screen_id=turn.screen.public_id, annotator=person, reason="broken"
        ).turn
    data = pairs_of(study)
    skipped = data["criteria"]["recall"]["skipped"]
    assert (skipped["n_visits"], skipped["n_kept"], skipped["n_pairs"]) == (1, 1, 2)
    assert limits_of(data) == {"right": (0, pytest.approx(2 / 3))}
    # The answered pair counts for the visit: "right" orders it as the person does.
    assert means_of(data) == {"right": 0}
    assert data["criteria"]["recall"]["comparisons"]["n_rankings"] == 1
    counted = services.study_report(services.asked_now(study, SETTINGS)).not_counted
    assert counted["of these visits, with other answers"] == "1"
    assert "The other answers of 1 of these count in the losses." in str(shown_pairs(data).rests)
