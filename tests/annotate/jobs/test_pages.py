"""The pages of long work: what it says while it waits, runs and has ended, and to whom."""

from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone, translation

from annotate.jobs import files, registry, services, workers
from annotate.jobs.models import Job, Worker
from tests.support.factories import make_admin, make_dataset, make_person
from tests.support.pages import flat
from tests.support.work import make_follower, work_for_followers

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    person = make_follower()
    person.email = "ann@example.org"
    person.save()
    return person


@pytest.fixture
def browser_of(client):
    def sign_in(person):
        client.force_login(person)
        return client

    return sign_in


@pytest.fixture(autouse=True)
def _kind(monkeypatch):
    monkeypatch.setitem(registry._KINDS, "test", work_for_followers(lambda arguments, job: None))


def make_job(person, **fields):
    fields = {"kind": "test", "title": "Count the words"} | fields
    return Job.objects.create(person=person, **fields)


def ended(person, state="done", **fields):
    return make_job(person, state=state, finished=timezone.now(), **fields)


def page(client, job):
    return client.get(reverse("jobs:job", args=[job.pk]))


class TestWaiting:
    def test_without_a_worker_it_is_said_with_what_to_do(self, browser_of, person):
        text = page(browser_of(make_admin()), make_job(person)).text
        assert "No worker is running here yet" in text
        assert "python manage.py worker" in text

    def test_people_who_do_not_run_the_site_are_told_whom_to_ask(self, browser_of, person):
        text = page(browser_of(person), make_job(person)).text
        assert "inform the administrators of this site" in text
        assert "manage.py" not in text

    def test_it_is_said_since_when_there_is_no_worker(self, browser_of, person):
        workers.arrive("elsewhere, process 1")
        at = timezone.now().replace(hour=14, minute=2) - timedelta(days=1)
        Worker.objects.update(heartbeat=at)
        text = flat(page(browser_of(make_admin()), make_job(person)).text)
        assert f'No worker has been running since <time datetime="{at.isoformat()}"' in text
        assert "14:02 UTC</time>" in text

    def test_with_a_worker_nothing_is_said(self, browser_of, person):
        workers.arrive("elsewhere, process 1")
        text = page(browser_of(make_admin()), make_job(person)).text
        assert "No worker " not in text
        assert "Waiting in the queue" in text

    def test_a_job_that_waits_for_others_of_its_user_says_for_how_many(self, browser_of, person):
        workers.arrive("elsewhere, process 1")
        make_job(make_person("someone else"))
        first, _second, third = (make_job(person) for _ in range(3))
        client = browser_of(person)
        assert "Waiting for 2 other jobs …" in flat(page(client, third).text)
        address = reverse("jobs:job", args=[third.pk])
        services.cancel(job=first)
        told = client.get(address, {"as": "json"}).json()
        assert told["doing"] == "Waiting for 1 other job"

    def test_an_older_worker_is_said_to_be_older(self, browser_of, person):
        workers.arrive("elsewhere, process 1")
        Worker.objects.update(version="0.0.1")
        text = page(browser_of(make_admin()), make_job(person)).text
        assert "runs version 0.0.1, which is older than the site" in text

    def test_the_script_is_told_how_far_it_is_and_then_to_look_again(self, browser_of, person):
        client = browser_of(person)
        job = make_job(person, done=3, total=8, doing="Methods scored")
        address = reverse("jobs:job", args=[job.pk])
        told = client.get(address, {"as": "json"}).json()
        assert told == {
            "done": 3,
            "total": 8,
            "doing": "Methods scored",
            "stopping": False,
            "nobody": True,
        }
        services.cancel(job=job)
        assert client.get(address, {"as": "json"}).json() == {"next": address}


class TestStuck:
    def test_an_admin_is_told_on_every_page_that_nobody_works_on_what_waits(
        self, browser_of, person
    ):
        make_job(person)
        client = browser_of(make_admin())
        assert "No worker " not in client.get(reverse("home")).text, "it waits only now"
        Job.objects.update(created=timezone.now() - timedelta(minutes=1))
        assert "No worker is running here yet" in client.get(reverse("home")).text
        assert client.get(reverse("jobs:work")).text.count("No worker ") == 1
        workers.arrive("elsewhere, process 1")
        assert "No worker " not in client.get(reverse("home")).text

    def test_others_are_not_told_of_what_they_cannot_mend(self, browser_of, person):
        make_job(person)
        Job.objects.update(created=timezone.now() - timedelta(minutes=1))
        assert "No worker " not in browser_of(person).get(reverse("home")).text


class TestEnds:
    def test_the_next_page_says_how_it_ended_until_it_was_opened(self, browser_of, person):
        client = browser_of(person)
        job = ended(person, outcome="IOU scored 40 results.")
        home = reverse("home")
        assert "“Count the words” is done: IOU scored 40 results." in client.get(home).text
        assert "“Count the words” is done" in client.get(home).text
        assert "IOU scored 40 results." in page(client, job).text
        assert "“Count the words” is done" not in client.get(home).text

    def test_opening_the_page_of_the_result_is_seeing_the_job(self, browser_of, person):
        client = browser_of(person)
        ended(person, address=f"{reverse('accounts:account')}?x=1")
        assert f'href="{reverse("accounts:account")}?x=1"' in client.get(reverse("home")).text
        client.get(reverse("accounts:account"))
        assert "“Count the words” is done" not in client.get(reverse("home")).text

    def test_several_ended_jobs_are_one_line_and_a_number_at_the_bell(self, browser_of, person):
        client = browser_of(person)
        ended(person)
        ended(person, state=Job.State.FAILED, failure="No.")
        shown = client.get(reverse("home")).text
        assert "2 jobs have ended. 1 failed." in " ".join(shown.split())
        assert "Finished work, 2 new" in shown
        assert "Count the words" in client.get(reverse("jobs:work")).text
        assert "jobs have ended" not in client.get(reverse("home")).text

    def test_a_job_leads_back_to_its_dataset(self, browser_of):
        admin, dataset = make_admin(), make_dataset("street")
        job = ended(
            admin, kind="scoring.score", state=Job.State.FAILED, arguments={"dataset": dataset.pk}
        )
        shown = flat(page(browser_of(admin), job).text)
        assert (
            f'<a href="{reverse("datasets:detail", args=["street"])}">Back to street</a>' in shown
        )

    def test_nobody_else_is_told(self, browser_of, person):
        ended(person)
        assert "Count the words" not in browser_of(make_person()).get(reverse("home")).text

    def test_a_failure_is_told_with_its_sentence_and_can_be_done_again(
        self, browser_of, person, monkeypatch
    ):
        ran = []
        monkeypatch.setitem(
            registry._KINDS,
            "test",
            work_for_followers(lambda arguments, job: ran.append(arguments)),
        )
        job = ended(person, "failed", failure="The study is no longer here.", arguments={"n": 1})
        client = browser_of(person)
        assert "The study is no longer here." in page(client, job).text
        client.post(reverse("jobs:again", args=[job.pk]))
        assert ran == [{"n": 1}]
        assert Job.objects.latest("pk").state == "done"

    def test_what_is_done_is_not_done_again(self, browser_of, person):
        job = ended(person)
        text = browser_of(person).post(reverse("jobs:again", args=[job.pk]), follow=True).text
        assert "Only work that failed or was cancelled can be run again." in text
        assert Job.objects.count() == 1

    def test_a_file_that_is_gone_is_said_to_be_gone(self, browser_of, person):
        name = "f" * 32 + ".zip"
        (files.folder() / name).write_bytes(b"abc")
        job = ended(person, file=name, file_name="study.zip")
        client = browser_of(person)
        assert "Download study.zip" in page(client, job).text
        response = client.get(reverse("jobs:file", args=[job.pk]))
        assert response.getvalue() == b"abc"
        assert response["Content-Disposition"] == 'attachment; filename="study.zip"'
        (files.folder() / name).unlink()
        assert "has been deleted; request it again" in page(client, job).text
        assert client.get(reverse("jobs:file", args=[job.pk])).status_code == 404

    def test_work_of_others_is_not_there(self, browser_of, person):
        job = ended(person)
        client = browser_of(make_person())
        assert page(client, job).status_code == 404
        assert client.post(reverse("jobs:cancel", args=[job.pk])).status_code == 404
        assert "Count the words" not in client.get(reverse("jobs:work")).text
        assert "Count the words" in browser_of(make_admin()).get(reverse("jobs:work")).text


class TestWork:
    def test_an_admin_sees_what_runs_waits_and_failed_with_the_reason(self, browser_of, person):
        workers.arrive("elsewhere, process 1")
        make_job(person, done=3, total=8)
        ended(person, "failed", failure="The study is no longer here.")
        text = flat(browser_of(make_admin()).get(reverse("jobs:work")).text)
        assert "elsewhere, process 1" in text
        assert "waiting, 3 of 8" in text
        assert "failed: The study is no longer here." in text

    def test_an_empty_page_says_so(self, browser_of, person):
        text = browser_of(person).get(reverse("jobs:work")).text
        assert "Nothing is waiting or running." in text
        assert "No work has ended yet." in text

    def test_queries_do_not_grow_with_the_work(
        self, browser_of, person, django_assert_max_num_queries
    ):
        for _ in range(60):
            make_job(person)
            ended(person)
        client = browser_of(make_admin())
        with django_assert_max_num_queries(12):
            client.get(reverse("jobs:work"))


class TestMail:
    def test_a_letter_goes_to_who_asked_for_one(self, person, settings, monkeypatch):
        settings.MAIL_IS_SET_UP = True

        def work(arguments, job):
            services.ask_for_mail(job=Job.objects.get())

        monkeypatch.setitem(registry._KINDS, "test", work_for_followers(work))
        services.start(kind="test", title="Count the words", person=person)
        assert [letter.to for letter in mail.outbox] == [["ann@example.org"]]
        assert mail.outbox[0].body == "“Count the words” is done."

    def test_a_letter_is_in_the_language_in_which_it_was_asked_for(
        self, person, settings, monkeypatch
    ):
        settings.MAIL_IS_SET_UP = True

        def work(arguments, job):
            with translation.override("fr"):
                services.ask_for_mail(job=Job.objects.get())

        monkeypatch.setitem(registry._KINDS, "test", work_for_followers(work))
        services.start(kind="test", title="E-mail for a lost password", person=person)
        assert mail.outbox[0].subject == "E-mail for a lost password"
        assert "est terminé" in mail.outbox[0].body

    def test_nobody_is_written_to_unasked(self, person, settings, monkeypatch):
        settings.MAIL_IS_SET_UP = True
        monkeypatch.setitem(
            registry._KINDS, "test", work_for_followers(lambda arguments, job: None)
        )
        services.start(kind="test", person=person)
        assert mail.outbox == []

    def test_letters_go_through_a_worker_and_are_forgotten(self, settings):
        from annotate.jobs.mail import forget_letters

        settings.EMAIL_BACKEND = "annotate.jobs.mail.Backend"
        settings.EMAIL_SENT_BY = "django.core.mail.backends.locmem.EmailBackend"
        message = mail.EmailMultiAlternatives("A link", "Text", to=["ann@example.org"])
        message.attach_alternative("<p>Text</p>", "text/html")
        assert message.send() == 1
        assert [(sent.subject, sent.body, sent.to) for sent in mail.outbox] == [
            ("A link", "Text", ["ann@example.org"])
        ]
        assert mail.outbox[0].alternatives[0].content == "<p>Text</p>"
        job = Job.objects.get()
        assert (job.state, job.title) == ("done", "E-mail to ann@example.org")
        forget_letters()
        job.refresh_from_db()
        assert job.arguments == {}

    def test_a_mail_server_that_is_away_is_tried_again(self, settings):
        settings.EMAIL_BACKEND = "annotate.jobs.mail.Backend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        mail.send_mail("A link", "Text", "r@example.org", ["ann@example.org"])
        job = Job.objects.get()
        assert (job.state, job.n_attempts) == ("waiting", 1)
        assert job.not_before > timezone.now()
