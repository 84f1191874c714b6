"""A right to long work ends with the membership, the rank or the token it came from.

It is asked when a job is asked for, begun, begun again and published, and when its file is fetched.
The tests walk all kinds: a person who loses the right at that moment gets no byte and writes no row.
"""

import io
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.core import mail
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotate.accounts import mail as letters
from annotate.accounts.services import invite, revoke
from annotate.api.tokens.models import Token
from annotate.api.tokens.services import create_token, find_token, revoke_token
from annotate.codabench import work as codabench
from annotate.codabench.downloads import receive
from annotate.design.planning import work as planning
from annotate.exchange import work as exchange
from annotate.figures import work as figures
from annotate.imports import drafts
from annotate.jobs import files as results
from annotate.jobs import registry, running, services
from annotate.jobs.errors import NotAllowed
from annotate.jobs.models import Job
from annotate.publication import work as publication
from annotate.publication.models import PublicPage
from annotate.report_pages.questions import work as questions
from annotate.reports import background_counts
from annotate.reports import work as reports
from annotate.reports.services import asked_now, available_runs
from annotate.scoring import work as scoring
from annotate.scoring.causes import start_explaining
from annotate.scoring.services import score_protocol
from annotate.studies.services import change_role, remove_member
from rankings.agreement.report import Settings
from rankings.design.simulation import Simulated
from rankings.output.latex import Look
from tests.support.archives import zip_bytes
from tests.support.codabench import SETTINGS as CODABENCH
from tests.support.codabench import name_of, submission
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_person,
    make_study,
)
from tests.support.kept import keep_report
from tests.support.loads import new_dataset
from tests.support.made_once import made_once
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
SETTINGS = Settings(min_annotators=1)
LOST = "You no longer have access"


def ranked_study():
    study = make_study(["a", "b", "c"], images=2)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    score_protocol(dataset=study.dataset, slug="iou")
    return study


made_study = made_once(ranked_study)


@pytest.fixture(autouse=True)
def _one_figure(monkeypatch):
    """One figure of one format is enough to see whether a file is written."""
    monkeypatch.setattr(figures, "NAMES", ("distances",))
    monkeypatch.setattr(figures, "FORMATS", ("svg",))
    monkeypatch.setattr(publication, "NAMES", ("distances",))


@pytest.fixture
def waits(settings):
    """Jobs wait for a worker from the moment this is called."""

    def wait():
        settings.JOBS = "queue"

    return wait


def of_report(study, person):
    return {"asked": asked_now(study, SETTINGS), "person": person}


def file_of_page(study, person):
    runs = available_runs(study)
    report = keep_report(study=study, settings=SETTINGS, runs=runs, person=person)
    page = PublicPage.objects.create(
        report=report, address="page", title="A page", download=PublicPage.Download.STUDY
    )
    return lambda: publication.start_file(page=page, person=person)


def check(study, person):
    draft = new_dataset(person)
    return lambda: drafts.start_check(draft=draft, person=person)


def load(study, person):
    draft = new_dataset(person)
    drafts.start_check(draft=draft)
    return lambda: drafts.confirm(draft=draft, person=person)


def competition(study, person):
    return lambda: codabench.start_write(
        dataset=study.dataset, content=CODABENCH, picture=b"", person=person
    )


def downloads(study, person):
    images = study.dataset.images.values_list("name", flat=True)
    bulk = zip_bytes({name_of(11, "anna"): submission(9, *images)})
    download = receive(study.dataset, [("bulk_submissions.zip", io.BytesIO(bulk))])
    return lambda: codabench.start_load(
        dataset=study.dataset, download=download, chosen={"11": "EAST"}, person=person
    )


# By kind, a function that makes what the job is about and returns how a person asks for it.
ADMINS = {
    "codabench.load": downloads,
    "codabench.write": competition,
    "imports.check": check,
    "imports.load": load,
    "scoring.score": lambda study, person: (
        lambda: scoring.start(dataset=study.dataset, slug="deteval", parameters={}, person=person)
    ),
}
FOLLOWERS = {
    "reports.keep": lambda study, person: lambda: reports.start(**of_report(study, person)),
    "figures.files": lambda study, person: lambda: figures.start(**of_report(study, person)),
    "questions.changes": lambda study, person: lambda: questions.start(**of_report(study, person)),
    "evidence.count": lambda study, person: (
        lambda: background_counts.count(
            study, background_counts.ANNOTATORS, person=person, consensus="mean_rank"
        )
    ),
    "publication.paper": lambda study, person: (
        lambda: publication.start_paper(**of_report(study, person), look=Look())
    ),
    "publication.file": file_of_page,
    "planning.try": lambda study, person: (
        lambda: planning.start(
            study=Simulated(3, 4, 2, farther=1, model="normal"),
            dataset=study.dataset,
            query="",
            person=person,
        )
    ),
    "scoring.explain": lambda study, person: (
        lambda: start_explaining(run=study.dataset.runs.first(), person=person, address="/")
    ),
    "exchange.bundle": lambda study, person: (
        lambda: exchange.start(exchange.BUNDLE, study, photographs=False, names=True, person=person)
    ),
    "exchange.raw": lambda study, person: (
        lambda: exchange.start(exchange.RAW, study, names=True, person=person)
    ),
    "exchange.truth": lambda study, person: (
        lambda: exchange.start(exchange.TRUTH, study.dataset, extension="zip", person=person)
    ),
    "exchange.photographs": lambda study, person: (
        lambda: exchange.start(exchange.PHOTOGRAPHS, study.dataset, person=person)
    ),
    "exchange.results": lambda study, person: (
        lambda: exchange.start(
            exchange.RESULTS, study.dataset.methods.first(), extension="zip", person=person
        )
    ),
    "exchange.causes": lambda study, person: (
        lambda: exchange.start(exchange.CAUSES, study.dataset.runs.first(), person=person)
    ),
}
# Only the site asks for these, in no person's name.
OF_THE_SITE = {"mail.send", "mail.lost_password"}
KINDS = sorted(ADMINS | FOLLOWERS)


def person_for(kind, study):
    return make_admin() if kind in ADMINS else add_researcher(study)


def end_right(kind, study, person):
    if kind in ADMINS:
        person.is_staff = person.is_superuser = False
        person.save()
    else:
        remove_member(membership=study.memberships.get(person=person, role="researcher"))


def prepared(kind, study):
    """Return a person with the right, and how they ask for a job of this kind."""
    person = person_for(kind, study)
    return person, (ADMINS | FOLLOWERS)[kind](study, person)


def written():
    """Return all that a job may write: rows of every table, kept counts, and files.

    Left out are jobs, what the end of the right itself writes, and the scratch rows of a check,
    which belong to its draft.
    """
    of_jobs = {"Job", "AuditEntry", "Membership", "Pseudonym"}
    rows = {
        model.__name__: list(model._default_manager.order_by("pk").values())
        for model in apps.get_app_config("annotate").get_models()
        if model.__name__ not in of_jobs
    }
    paths = [path for path in Path(django_settings.DATA_DIR).rglob("*") if path.is_file()]
    files = [path.name for path in paths if "rows" not in path.parts]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT cache_key FROM shared_reports"
            " WHERE cache_key LIKE '%evidence-%' OR cache_key LIKE '%trial-%'"
        )
        counts = cursor.fetchall()
    return rows, sorted(files), counts


def ended_without_right(job):
    job.refresh_from_db()
    return (job.state, job.file, job.made, job.address) == ("failed", "", {}, "") and (
        LOST in job.failure
    )


class TestTokens:
    """A token's jobs end with the token, though its person keeps the right."""

    @pytest.fixture
    def asked(self, study, waits):
        person = add_researcher(study)
        token, secret = create_token(person=person, name="script", scopes=["manage"])
        waits()
        job = reports.start(**of_report(study, find_token(secret).person))
        return job, person, token

    def test_with_the_token_it_is_done(self, asked):
        job, _, token = asked
        assert job.token_key == token.pk
        running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert job.state == "done"

    @pytest.mark.parametrize("how", ["revoked", "expired"])
    def test_a_waiting_job_is_not_begun_after_the_token(self, asked, how):
        job, person, token = asked
        if how == "revoked":
            revoke_token(person=person, pk=token.pk)
        else:
            Token.objects.update(expires=timezone.now())
        before = written()
        running.run_one(job.pk, beats_beside=False)
        assert ended_without_right(job)
        assert written() == before

    def test_the_person_may_begin_it_again_without_the_token(self, asked):
        job, person, token = asked
        revoke_token(person=person, pk=token.pk)
        running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        again = services.again(job=job, person=person)
        running.run_one(again.pk, beats_beside=False)
        again.refresh_from_db()
        assert (again.state, again.token_key) == ("done", None)


class TestLetters:
    """A letter that waits for a worker is not sent if what it is about has ended."""

    @pytest.fixture
    def queued(self, settings, waits):
        settings.MAIL_IS_SET_UP = True
        settings.EMAIL_BACKEND = "annotate.jobs.mail.Backend"
        settings.EMAIL_SENT_BY = "django.core.mail.backends.locmem.EmailBackend"
        waits()

    def sent(self):
        for job in Job.objects.filter(kind__startswith="mail.", state="waiting"):
            running.run_one(job.pk, beats_beside=False)
        return [letter.to for letter in mail.outbox]

    @pytest.mark.parametrize("is_revoked", [False, True])
    def test_an_invitation(self, study, queued, is_revoked):
        made = invite(study=study, role="annotator", emails=["zoe@example.org"])
        letters.send(made, lambda token: f"https://site/{token}", "site")
        if is_revoked:
            revoke(invitation=made[0].invitation)
        assert self.sent() == [["zoe@example.org"]] * (not is_revoked)

    def test_an_invitation_by_an_admin_who_is_none_any_more(self, study, queued):
        admin = make_admin()
        made = invite(study=study, role="annotator", emails=["zoe@example.org"], made_by=admin)
        letters.send(made, lambda token: f"https://site/{token}", "site")
        end_right("imports.load", study, admin)
        assert self.sent() == []

    @pytest.mark.parametrize("removed", ["", "before it ends", "before it is sent"])
    def test_the_end_of_a_job(self, study, queued, removed):
        person = add_researcher(study)
        person.email = "ria@example.org"
        person.save()
        job = reports.start(**of_report(study, person))
        services.ask_for_mail(job=job)
        if removed == "before it ends":
            end_right("reports.keep", study, person)
        running.run_one(job.pk, beats_beside=False)
        if removed == "before it is sent":
            end_right("reports.keep", study, person)
        assert self.sent() == [["ria@example.org"]] * (not removed)

    @pytest.mark.parametrize("is_closed", [False, True])
    def test_a_lost_password(self, client, queued, is_closed):
        person = make_person(email="ria@example.org")
        client.post(reverse("account_reset_password"), {"email": "ria@example.org"})
        [job] = Job.objects.filter(state="waiting")
        running.run_one(job.pk, beats_beside=False)
        if is_closed:
            person.is_active = False
            person.save()
        assert self.sent() == [["ria@example.org"]] * (not is_closed)


def test_a_role_that_changes_ends_the_right_too(study, waits):
    person = add_researcher(study)
    waits()
    job = reports.start(**of_report(study, person))
    change_role(membership=study.memberships.get(person=person), role="annotator")
    running.run_one(job.pk, beats_beside=False)
    assert ended_without_right(job)


def test_a_closed_account_ends_every_right(study, waits):
    person = make_admin()
    waits()
    job = reports.start(**of_report(study, person))
    person.is_active = False
    person.save()
    running.run_one(job.pk, beats_beside=False)
    assert ended_without_right(job)


def test_every_kind_names_the_permission_it_needs():
    assert registry.kinds() == {*KINDS, *OF_THE_SITE}
    for kind in KINDS:
        assert registry.needed_for(kind) is not None, kind
    for kind in OF_THE_SITE:
        assert registry.needed_for(kind) is None, kind


@pytest.mark.parametrize("kind", KINDS)
class TestEachKind:
    def test_with_the_right_it_is_done(self, study, kind, waits):
        _, ask = prepared(kind, study)
        waits()
        job = ask()
        before = written()
        running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert job.state == "done", job.failure
        assert written() != before, "the snapshot sees what jobs write"

    def test_it_is_refused_when_asked_for_without_the_right(self, study, kind, waits):
        person, ask = prepared(kind, study)
        end_right(kind, study, person)
        waits()
        n_jobs, before = Job.objects.count(), written()
        with pytest.raises(NotAllowed, match=LOST):
            ask()
        assert (Job.objects.count(), written()) == (n_jobs, before)

    def test_a_waiting_or_ended_job_is_not_begun(self, study, kind, waits, monkeypatch, client):
        person, ask = prepared(kind, study)
        waits()
        job = ask()
        end_right(kind, study, person)
        n_jobs, before = Job.objects.count(), written()
        monkeypatch.setattr(running, "work_of", lambda kind: pytest.fail("it was begun"))
        running.run_one(job.pk, beats_beside=False)
        assert ended_without_right(job)
        client.force_login(person)
        for state in ("failed", "cancelled"):
            Job.objects.filter(pk=job.pk).update(state=state, finished=timezone.now())
            assert "Run again" not in client.get(reverse("jobs:job", args=[job.pk])).text
            client.post(reverse("jobs:again", args=[job.pk]))
        assert (Job.objects.count(), written()) == (n_jobs, before)

    def test_a_running_job_is_not_published(self, study, kind, waits, monkeypatch):
        person, ask = prepared(kind, study)
        waits()
        job = ask()
        before = written()
        work = registry.work_of(kind)

        def work_while_the_right_ends(arguments, pulse):
            end_right(kind, study, person)
            work(arguments, pulse)

        monkeypatch.setattr(running, "work_of", lambda kind: work_while_the_right_ends)
        running.run_one(job.pk, beats_beside=False)
        assert ended_without_right(job)
        assert written() == before

    def test_the_file_of_a_done_job_is_not_given(self, study, kind, waits, client):
        person, ask = prepared(kind, study)
        waits()
        job = ask()
        (results.folder() / "made.zip").write_bytes(b"answers")
        done = {"state": "done", "finished": timezone.now(), "file": "made.zip"}
        Job.objects.filter(pk=job.pk).update(**done, file_name="made.zip")
        token = create_token(person=person, name="script", scopes=["read"])[1]
        by_token = {"authorization": f"Bearer {token}"}
        page, file = (reverse(f"jobs:{name}", args=[job.pk]) for name in ("job", "file"))
        client.force_login(person)
        assert client.get(file).getvalue() == b"answers"
        assert client.get(f"/api/v1/jobs/{job.pk}", headers=by_token).json()["file"] is not None
        assert client.get(f"/api/v1/jobs/{job.pk}/file", headers=by_token).getvalue() == b"answers"
        end_right(kind, study, person)
        assert client.get(file).status_code == 404
        assert "Download" not in client.get(page).text
        assert LOST in client.get(page).text
        assert client.get(f"/api/v1/jobs/{job.pk}", headers=by_token).json()["file"] is None
        assert client.get(f"/api/v1/jobs/{job.pk}/file", headers=by_token).status_code == 404
