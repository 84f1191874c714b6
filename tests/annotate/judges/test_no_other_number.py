"""A judge changes no number that is not a judge's: every byte of pages and files stays."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from annotate.audit.models import Act
from annotate.datasets.models import Result
from annotate.demo.services import import_finished_study
from annotate.exchange.raw import write_folder
from annotate.judges.models import JudgeAnswer
from annotate.reports.models import content_of, data_of
from annotate.reports.services import asked_now, compute_report, study_report
from annotate.stopping.selectors import n_answers, standings_of
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, make_admin
from tests.support.judges import answer_all, make_judge, release
from tests.support.kept import keep_report

pytestmark = pytest.mark.django_db
# Fresh in every response: tokens of forms, and times of the request.
_FRESH = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"')
# Parts of a report about programs: their question, and their rows under the main table.
_PROGRAMS = re.compile(
    rb'<section class="asked__question"\s+id="part-programs".*?</section>'
    rb'|\s*<tbody class="baselines programs">.*?</tbody>',
    re.DOTALL,
)
ADDRESSES = [
    "/studies/{study}/",
    "/studies/{study}/report/",
    "/studies/{study}/report/?open=all",
    "/studies/{study}/report/images/",
    "/studies/{study}/reports/",
    "/studies/{study}/annotators/",
    "/studies/{study}/disagreement/",
    "/studies/{study}/raw/",
    "/studies/{study}/reports/{kept}/",
    "/data/{dataset}/",
    "/data/{dataset}/plan/",
    "/api/v1/studies/{study}/report",
    "/api/v1/studies/{study}/standings",
    "/api/v1/studies/{study}/progress",
    "/api/v1/studies/{study}/annotators",
    "/api/v1/studies/{study}/assignments",
    "/api/v1/studies/{study}/images",
    "/api/v1/studies/{study}/reports",
    "/api/v1/datasets/{dataset}/plan",
    "/api/v1/datasets/{dataset}/leaderboard",
    "/api/v1/reports/{kept}",
]


def everything(study, kept, admin, folder):
    """All pages, answers of the API and files of a study by name, without cached ones."""
    cache.clear()
    client = Client()
    client.force_login(admin)
    found = {}
    for address in ADDRESSES:
        path = address.format(study=study.slug, dataset=study.dataset.slug, kept=kept.pk)
        response = client.get(path, headers={"Accept": "application/json, text/html"})
        content = _FRESH.sub(b"", response.content)
        found[path] = (response.status_code, _PROGRAMS.sub(b"", content))
    folder.mkdir()
    write_folder(study, folder)
    found |= {path.name: path.read_bytes() for path in folder.iterdir()}
    asked = asked_now(study, Settings())
    computed = data_of(compute_report(asked).content)
    computed.pop("programs", None)
    found["computed"] = content_of(computed)
    found["standings"] = repr(standings_of(study)), n_answers(study)
    found["kept"] = type(kept).objects.values().get(pk=kept.pk)
    return found


def verdict_by_boxes(task):
    n_left, n_right = (
        Result.objects.values_list("n_regions", flat=True).get(pk=pk)
        for pk in (task.left, task.right)
    )
    verdict = "equal" if n_left == n_right else "left" if n_left > n_right else "right"
    return dict.fromkeys(("recall", "precision", "preference"), verdict)


def test_a_judge_on_all_images_of_the_demo_changes_no_other_byte(tmp_path, monkeypatch):
    # Pages say how long ago something was.
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    study, admin = import_finished_study(), make_admin()
    report = study_report(asked_now(study, Settings()))
    kept = keep_report(study=study, settings=Settings(), runs=report.runs, person=admin)
    before = everything(study, kept, admin, tmp_path / "before")
    assert {status for status, _ in (before[path] for path in before if path[0] == "/")} == {200}
    counted = study.assignments.filter(state="complete").count()

    three = ["recall", "precision", "preference"]
    judge = make_judge(study, criteria=three, pairs="people")
    release(study, until=now + timedelta(days=9))
    answer_all(judge, verdict_by_boxes)
    assert JudgeAnswer.objects.values("image").distinct().count() == study.images.count() == 24
    refuser = make_judge(study, name="Refuser", criteria=["recall"], pairs="all")
    answer_all(refuser, lambda _: {}, outcome="refused")

    after = everything(study, kept, admin, tmp_path / "after")
    assert after.keys() == before.keys()
    changed = [name for name in before if before[name] != after[name]]
    own = ["judge_answers.csv", "judge_rankings.csv", "judges.csv"]
    assert sorted(changed) == ["checksums.sha256", *own]
    lines = [{*of["checksums.sha256"].decode().splitlines()} for of in (before, after)]
    assert {line.split()[1] for line in lines[1] - lines[0]} == {*own}
    # Of a study without judges they are headers.
    assert {before[name].count(b"\n") for name in own} == {1}
    assert study.assignments.filter(state="complete").count() == counted
    assert study.memberships.count() == len({*study.memberships.values_list("person", flat=True)})
    acts = study.audit_entries.filter(act__in=[Act.JUDGE_MADE, Act.PICTURES_RELEASED])
    assert acts.count() == 3
    # The comparison sees what one more annotator changes.
    add_annotator(study)
    assert everything_differs(study, admin, before)


def everything_differs(study, admin, before):
    client = Client()
    client.force_login(admin)
    path = f"/api/v1/studies/{study.slug}/annotators"
    return before[path][1] != client.get(path).content
