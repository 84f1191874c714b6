"""Admins get one letter when something has been wrong for a while, and one when it is over."""

import os
import sqlite3
import time
from collections import namedtuple
from contextlib import closing
from datetime import timedelta

import pytest
from django.core import mail
from django.db import DatabaseError, connection
from django.urls import reverse
from django.utils import timezone

from annotate import errors
from annotate.accounts.models import Preferences
from annotate.jobs import workers
from annotate.jobs.models import Job
from annotate.operations.backups import daily
from annotate.operations.health import checks, middleware, news
from annotate.operations.health.memory import remembered
from tests.support.factories import make_admin

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")
MINUTE, DAY = 60, 24 * 3600


class Site:
    """A site with admins and a mail server, at a time and with a free disk that the test sets."""

    def __init__(self, monkeypatch):
        self.now, self.free = time.time(), 10**12
        monkeypatch.setattr(news.time, "time", lambda: self.now)
        monkeypatch.setattr(errors.shutil, "disk_usage", lambda path: Usage(10**13, 0, self.free))

    def letters_after(self, seconds):
        self.now += seconds
        mail.outbox.clear()
        news.watch()
        return [(letter.to, letter.subject, letter.body) for letter in mail.outbox]


@pytest.fixture
def site(monkeypatch, settings):
    settings.MAIL_IS_SET_UP = True
    settings.EMAIL_SENT_BY = "django.core.mail.backends.locmem.EmailBackend"
    queue = type("Queue", (), {"pending_count": lambda self: 0})()
    monkeypatch.setattr(checks.queue, "opened", lambda: queue)
    workers.arrive("one")
    daily.folder().mkdir()
    (daily.folder() / f"{timezone.now():%Y-%m-%d}.zip").touch()
    make_admin("ana", email="ana@example.org")
    return Site(monkeypatch)


def test_a_full_disk_is_told_once_after_five_minutes_and_once_when_it_is_over(site):
    site.free = 10**6
    assert site.letters_after(0) == []
    assert site.letters_after(4 * MINUTE) == []
    [(to, subject, body)] = site.letters_after(MINUTE)
    assert to == ["ana@example.org"]
    assert subject == "Something is wrong: disk"
    assert "disk: 0.0 GiB free for data\n  Free some space on it." in body
    assert "“Health of the site”" in body
    assert site.letters_after(10 * MINUTE) == []
    site.free = 10**12
    [(_, subject, body)] = site.letters_after(MINUTE)
    assert subject == "Over: disk"
    assert "disk: over, after 16 minutes" in body
    assert site.letters_after(MINUTE) == []


def test_what_is_over_within_five_minutes_is_not_told(site):
    site.free = 10**6
    site.letters_after(0)
    site.free = 10**12
    assert site.letters_after(4 * MINUTE) == []
    site.free = 10**6
    assert site.letters_after(4 * MINUTE) == []


def test_without_its_database_the_admins_are_still_told(site, client):
    site.letters_after(0)

    def away(*arguments):
        raise DatabaseError("no connection to the server")

    with connection.execute_wrapper(away):
        assert site.letters_after(MINUTE) == []
        [(to, subject, _)] = site.letters_after(5 * MINUTE)
    assert (to, subject) == (["ana@example.org"], "Something is wrong: database")
    assert [subject for _, subject, _ in site.letters_after(MINUTE)] == ["Over: database"]


def test_a_job_that_failed_three_times(site):
    job = Job.objects.create(
        kind="x", title="Score IOU", state="failed", n_attempts=3, finished=timezone.now()
    )
    site.letters_after(0)
    [(_, subject, body)] = site.letters_after(5 * MINUTE)
    assert subject == "Something is wrong: jobs"
    assert "failed three times: Score IOU" in body
    Job.objects.filter(pk=job.pk).update(n_attempts=2)
    assert [subject for _, subject, _ in site.letters_after(MINUTE)] == ["Over: jobs"]


def test_a_backup_older_than_two_days(site):
    [copy] = daily.folder().iterdir()
    site.letters_after(0)
    three_days_ago = (timezone.now() - timedelta(days=3)).timestamp()
    os.utime(copy, (three_days_ago, three_days_ago))
    site.letters_after(MINUTE)
    [(_, subject, _)] = site.letters_after(2 * 60 * MINUTE)
    assert subject == "Something is wrong: backups"


@pytest.mark.parametrize(("free_now", "is_told"), [(75, True), (90, False), (100, False)])
def test_a_disk_that_is_full_within_a_week_at_this_rate(site, free_now, is_told):
    """After two days, 75 of 100 GiB are free: 12.5 a day, so 6 days. 90: 5 a day, so 18."""
    gib = 1024**3
    site.free = 100 * gib
    site.letters_after(0)
    site.free = free_now * gib
    site.letters_after(2 * DAY)
    letters = site.letters_after(5 * MINUTE)
    assert [subject for _, subject, _ in letters] == ["Something is wrong: disk"] * is_told
    assert (
        not is_told or "full in about 6.0 days, at the rate of the last 2.0 days" in letters[0][2]
    )


def test_each_admin_is_told_in_their_language(site):
    Preferences.objects.create(person=make_admin("bea", email="bea@example.org"), language="fr")
    make_admin("cid")  # without an address
    site.free = 10**6
    site.letters_after(0)
    told = {to[0]: subject for to, subject, _ in site.letters_after(5 * MINUTE)}
    assert told.keys() == {"ana@example.org", "bea@example.org"}
    assert told["bea@example.org"] == "Un problème : disque"


def test_a_mail_server_that_is_away_is_tried_again(site, settings):
    site.free = 10**6
    site.letters_after(0)
    settings.EMAIL_SENT_BY = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert site.letters_after(5 * MINUTE) == []
    settings.EMAIL_SENT_BY = "django.core.mail.backends.locmem.EmailBackend"
    assert len(site.letters_after(MINUTE)) == 1


def test_without_mail_it_is_in_the_log(site, settings, caplog):
    settings.MAIL_IS_SET_UP = False
    site.free = 10**6
    site.letters_after(0)
    assert site.letters_after(5 * MINUTE) == []
    assert "Health of the site. Wrong: ['disk']" in caplog.text


def test_only_one_process_looks_at_a_time(site, settings):
    site.letters_after(0)
    site.free = 10**6
    with closing(sqlite3.connect(settings.DATA_DIR / "health.sqlite3")) as other:
        other.execute("BEGIN IMMEDIATE")
        assert site.letters_after(MINUTE) == []
    with remembered() as memory:
        assert memory["troubles"] == {}


def test_the_page_of_health_shows_the_same_with_what_to_do(site, admin):
    Job.objects.create(
        kind="x", title="Score IOU", state="failed", n_attempts=3, finished=timezone.now()
    )
    page = admin.get(reverse("health:health")).text
    assert "failed three times: Score IOU" in page
    assert "“Work” says why" in page


def test_a_web_process_looks_when_the_site_was_red_for_five_minutes(site, client, monkeypatch):
    """Without a worker nothing else looks."""
    looks = []
    monkeypatch.setattr(middleware, "_SECONDS_KEPT", -1.0)
    monkeypatch.setattr(middleware.news, "watch_apart", lambda since: looks.append(since))
    ready = middleware.health(lambda request: None)

    def asked(after):
        site.now += after
        ready(type("Request", (), {"path_info": "/readyz"})())
        time.sleep(0.01)

    site.free = 10**6
    began = site.now
    asked(0)
    asked(4 * MINUTE)
    assert looks == []
    asked(MINUTE)
    assert looks == [began]
    asked(1)
    assert looks == [began], "at most once a minute"
