"""An annotator's answers that came from a program: numbers of people are those without them."""

import json

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotate.audit.models import Act
from annotate.errors import Refusal
from annotate.exchange import raw
from annotate.judges.comparison import rankings_of
from annotate.judges.declaring import declare_program
from annotate.judges.models import Judge, JudgeAnswer
from annotate.judging.effort import last_seconds, pairs_an_image
from annotate.judging.models import Assignment, Judgement, Note, Screen, Skip, Withdrawal
from annotate.reports.services import asked_now, study_report
from annotate.stopping.selectors import n_answers, standings_of
from annotate.studies.errors import StudyRefused
from annotate.studies.exclusions import decide
from annotate.studies.models import Membership
from rankings.agreement.report import Settings
from tests.support.factories import add_researcher, make_admin, make_run, make_study
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_by, same_truth

pytestmark = pytest.mark.django_db
ORDER, BACK = [["a"], ["b"], ["c"]], [["c"], ["b"], ["a"]]


def make_with_program():
    """Two people and a program that ranks the other way round, and two protocols."""
    study = make_study([*"abc"], images=2, min_annotators=1, n_checks=0)
    rank_by(2, study, same_truth(ORDER))
    rank_by(1, study, same_truth(BACK))
    for name, scores in (("one", (0.9, 0.5, 0.1)), ("two", (0.1, 0.5, 0.9))):
        make_run(study, name, dict(zip("abc", scores, strict=True)))
    return study


made_study = made_once(make_with_program)


@pytest.fixture
def program(study):
    return Membership.objects.filter(study=study, role="annotator").order_by("pk").last().person


def declared(study, program, **changed):
    given = {"name": "Script", "reason": "it was a script", "admin": make_admin()} | changed
    return declare_program(study=study, person=program, **given)


def numbers(study):
    """Numbers about people and protocols."""
    data = study_report(asked_now(study, Settings()), may_cache=False)
    rows = json.loads(json.dumps(data.report.to_json()))
    tables = [
        [*raw.FILES[name].rows(study)] for name in ("rankings.json", "events.json", "notes.csv")
    ]
    efforts = last_seconds(study, 99), pairs_an_image(study)
    return rows, tables, efforts, n_answers(study), repr(standings_of(study))


def test_numbers_of_people_are_as_if_it_had_never_answered(study, program):
    before = numbers(study)
    n_events = Judgement.objects.count()
    declared(study, program)
    after = numbers(study)
    assert after != before
    # The log has all of it.
    assert Judgement.objects.count() == n_events
    own = Assignment.objects.filter(annotator=program)
    for model in (Note, Withdrawal, Skip, Judgement, Screen):
        of = "screen__assignment__in" if model is Note else "assignment__in"
        model.objects.filter(**{of: own})._raw_delete(using="default")
    for assignment in own:
        row = study.study_images.get(image=assignment.image)
        row.n_complete -= 1
        row.save()
    own.delete()
    assert numbers(study) == after


def test_the_answers_are_those_of_a_closed_judge(study, program):
    judge = declared(study, program)
    assert (judge.kind, judge.orders, judge.criteria) == (
        "command",
        "one",
        ["recall", "precision", "preference"],
    )
    assert judge.closed is not None
    expected = {image.name: (("c",), ("b",), ("a",)) for image in study.images.all()}
    assert rankings_of(judge) == dict.fromkeys(judge.criteria, expected)
    assert JudgeAnswer.objects.count() == 3 * 2


def test_answers_to_an_image_that_is_not_ranked_are_moved_too(study, program):
    last = Assignment.objects.filter(annotator=program).order_by("position").last()
    Assignment.objects.filter(pk=last.pk).update(state="in_work", rankings=None)
    judge = declared(study, program)
    n = Judgement.objects.filter(assignment=last, withdrawal__isnull=True).count()
    assert judge.answers.filter(image=last.image).count() == n > 0


def test_the_log_shows_the_act_and_nothing_counts_the_answers_again(study, program):
    admin = make_admin()
    declared(study, program, admin=admin)
    entry = study.audit_entries.get(act=Act.JUDGE_MADE)
    assert (entry.actor, entry.about, entry.what) == (admin, program, "Script")
    assert entry.details == {"reason": "it was a script", "answers": 6}
    assert study.exclusions.get().reason == "These answers came from a program: it was a script"
    assert not study.memberships.filter(person=program).exists()
    with pytest.raises(StudyRefused, match="never counted as a person"):
        decide(study=study, person=program, is_excluded=False, reason="it was not", by=admin)


def test_a_kept_report_keeps_them_and_says_so(study, program, client):
    admin = make_admin()
    report = study_report(asked_now(study, Settings()))
    kept = keep_report(study=study, settings=Settings(), runs=report.runs, person=admin)
    stored = type(kept).objects.values().get(pk=kept.pk)
    page = reverse("reports:kept", args=[study.slug, kept.pk])
    client.force_login(admin)
    assert "came from a program" not in client.get(page).text
    declared(study, program)
    assert type(kept).objects.values().get(pk=kept.pk) == stored
    assert "answers of annotator-3 were later found to come from a program" in flat(
        client.get(page).text
    )


@pytest.mark.parametrize("change", ["taken", "nobody", "no answers"])
def test_what_cannot_be_declared_is_refused(study, program, change):
    if change == "taken":
        declared(study, program)
        program = study.memberships.filter(role="annotator").first().person
    elif change == "nobody":
        program = add_researcher(study)
    else:
        program = Membership.objects.create(
            study=study, person=User.objects.create(username="new"), role="annotator"
        ).person
    n = Judge.objects.count(), study.memberships.count(), study.exclusions.count()
    with pytest.raises(Refusal):
        declared(study, program)
    assert (Judge.objects.count(), study.memberships.count(), study.exclusions.count()) == n


def test_an_admin_declares_on_the_page(study, program, admin):
    page = reverse("judges:declare", args=[study.slug])
    assert "annotator-3" in admin.get(page).text
    sent = {"annotator": program.pk, "name": "Script", "reason": ""}
    assert admin.post(page, sent).status_code == 422
    assert admin.post(page, sent | {"reason": "a script"}).status_code == 302
    assert study.judges.get().name == "Script"
    assert "annotator-3" not in admin.get(page).text
