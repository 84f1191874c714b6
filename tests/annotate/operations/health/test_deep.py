"""`doctor --deep` is content with a whole site, and finds each damage that is planted."""

import json

import pytest
from django.core.management import call_command
from django.db import connection

from annotate.datasets.models import Method, Result, stored_path
from annotate.judging.models import Assignment
from annotate.operations.health import checks, deep
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.services import score_protocol
from annotate.studies.models import StudyImage
from protocols import score_versions
from tests.support.factories import add_annotator
from tests.support.made_once import made_once, taken_back
from tests.support.truths import rank_everything
from tests.support.world import TRUTH, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def full():
    world = make_world()
    for slug in ("deteval", "no-ground-truth"):
        score_protocol(dataset=world.study.dataset, slug=slug)
    rank_everything(world.study, add_annotator(world.study), TRUTH)
    return world


world = made_once(full)


def of(check):
    return {finding.subject: (finding.state, finding.said) for finding in check()}


CHECKS = {check.__name__: check for check in deep.DEEP[-6:]}


def test_a_whole_site_has_no_fault(world):
    found = {
        subject: state for check in CHECKS.values() for subject, (state, _) in of(check).items()
    }
    assert found == dict.fromkeys(
        (
            "references",
            "photographs",
            "results",
            "reports",
            "answers",
            "counts",
            "scores",
        ),
        "well",
    )
    assert of(deep.scores)["scores"][1] == "samples of 3 runs give the same scores"


def an_orphan_score(world):
    # Databases compare references when the transaction ends, which this one never does.
    Score.objects.filter(pk=Score.objects.first().pk).update(result=99_999_999)


def a_score(world):
    score = Score.objects.filter(run__protocol="iou").first()
    # The world's methods find no word, or all of them.
    Score.objects.filter(pk=score.pk).update(recall=0.123)


def a_score_of_several_methods(world):
    Score.objects.filter(run__protocol="no-ground-truth", recall__isnull=False).update(recall=0.123)


def a_photograph(world):
    stored_path(world.photograph).write_bytes(b"another")


def a_lost_photograph(world):
    stored_path(world.photograph).unlink()


def regions(world):
    one = Result.objects.filter(n_regions__gt=0).first()
    one.regions["regions"] = []
    one.save()


def unreadable_regions(world):
    one = Result.objects.filter(n_regions__gt=0).first()
    Result.objects.filter(pk=one.pk).update(regions=[])


def a_report(world):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotate_keptreport SET content = replace(content, '{', '{ ')")


def a_ranking(world):
    done = Assignment.objects.exclude(rankings=None).first()
    turned = {criterion: buckets[::-1] for criterion, buckets in done.rankings.items()}
    Assignment.objects.filter(pk=done.pk).update(rankings=turned)


def a_count_of_answers(world):
    Assignment.objects.filter(state="complete").update(n_answered=99)


def a_count_of_rankings(world):
    StudyImage.objects.update(n_complete=99)


def a_count_of_scores(world):
    ProtocolRun.objects.update(n_scores=99)


def a_count_of_results(world):
    Method.objects.update(totals={"n": 99})


def test_scores_of_another_version_are_named_with_the_reason_once_it_matters(world, monkeypatch):
    """Of a protocol that changed since; a newer run of it, and protocols that did not change, are well."""
    change = score_versions.Change(("deteval",), "merges count twice")
    monkeypatch.setattr(score_versions, "CHANGES", (change,))
    monkeypatch.setattr(score_versions, "VERSION", "2")
    [warned, others] = deep.scores()
    assert (warned.state, others.state) == ("warning", "well")
    assert f"DETEVAL on {world.study.dataset} (version 2: merges count twice)" in warned.said
    assert warned.advice == "Score these datasets again."
    score_protocol(dataset=world.study.dataset, slug="deteval")
    assert [finding.state for finding in deep.scores()] == ["well"]
    ProtocolRun.objects.update(version="0.1.0")  # before scores had a version of their own
    assert "merges count twice" in next(iter(deep.scores())).said


def test_scores_of_regions_that_cannot_be_read_end_in_no_traceback(world):
    Result.objects.update(regions=[])
    assert of(deep.scores)["scores"][0] == "well"


@pytest.mark.parametrize(
    ("damage", "check", "subject"),
    [
        (an_orphan_score, "references", "references"),
        (a_score, "scores", "scores"),
        (a_score_of_several_methods, "scores", "scores"),
        (a_photograph, "photographs", "photographs"),
        (a_lost_photograph, "photographs", "photographs"),
        (regions, "results", "results"),
        (unreadable_regions, "results", "results"),
        (a_report, "results", "reports"),
        (a_ranking, "rankings", "answers"),
        (a_count_of_answers, "counts", "counts"),
        (a_count_of_rankings, "counts", "counts"),
        (a_count_of_scores, "counts", "counts"),
        (a_count_of_results, "counts", "counts"),
    ],
)
def test_a_planted_damage_is_found(world, damage, check, subject):
    with taken_back():
        damage(world)
        state, said = of(CHECKS[check])[subject]
    assert state == "fault", said
    assert said.startswith("wrong: ")


def test_the_command_ends_with_2_and_names_the_damage(world, capsys, monkeypatch):
    queue = type("Queue", (), {"pending_count": lambda self: 0})()
    monkeypatch.setattr(checks.queue, "opened", lambda: queue)
    a_count_of_scores(world)
    with pytest.raises(SystemExit) as end:
        call_command("doctor", "--deep", "--json")
    assert end.value.code == 2
    findings = {finding["subject"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert findings["counts"]["state"] == "fault"
    assert findings["counts"]["said"].startswith("wrong: protocolrun ")
    assert findings["scores"]["state"] == "well"
