"""Addresses for a proxy, the page of an admin, and `manage.py doctor`."""

import io
import json
import os
import socket
import ssl
import subprocess
import threading
from collections import namedtuple
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import reverse
from django.utils import timezone

from annotate import errors
from annotate.audit.models import Act, AuditEntry
from annotate.datasets.models import Image
from annotate.jobs import workers
from annotate.jobs.errors import QueueAway
from annotate.jobs.models import Job
from annotate.operations.health import checks, middleware
from tests.support.factories import make_dataset, make_image

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch):
    monkeypatch.setattr(middleware, "_SECONDS_KEPT", -1.0)


@pytest.fixture(autouse=True)
def _queue_of_a_file(monkeypatch):
    monkeypatch.setattr(
        checks.queue, "opened", lambda: type("Queue", (), {"pending_count": lambda self: 0})()
    )


def disk_of(monkeypatch, free):
    monkeypatch.setattr(errors.shutil, "disk_usage", lambda path: Usage(10**12, 0, free))


def faults(check):
    return [(found.subject, found.state) for found in check() if found.state != "well"]


def refuse(*args, **kwargs):
    raise DatabaseError("no connection")


@contextmanager
def served_over_tls(folder, days):
    """Serve handshakes with a new certificate of localhost; yield the port."""
    key, certificate = folder / "key", folder / "certificate"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-days", str(days)]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("localhost", 0)) as listener:

        def shake_hands():
            client, _ = listener.accept()
            with client, suppress(OSError), context.wrap_socket(client, server_side=True) as stream:
                stream.recv(1)

        thread = threading.Thread(target=shake_hands)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


class TestAddresses:
    def test_a_site_that_can_work_is_ready_whatever_its_name(self, client, monkeypatch):
        disk_of(monkeypatch, 10**12)
        for address in ("/healthz", "/readyz"):
            response = client.get(address, headers={"host": "10.0.0.7"})
            assert response.status_code == 200, response.text
            assert response["Cache-Control"] == "no-store"

    def test_without_its_database_it_lives_and_is_not_ready(self, client, monkeypatch):
        monkeypatch.setattr(checks.caches["default"].__class__, "set", refuse)
        assert client.get("/healthz").status_code == 200
        response = client.get("/readyz")
        assert response.status_code == 503
        assert response.json() == {"ready": False, "faults": ["database"]}

    def test_a_full_disk_is_no_site_that_is_ready(self, client, monkeypatch):
        disk_of(monkeypatch, 10**6)
        assert client.get("/readyz").json()["faults"] == ["disk"]

    def test_who_asks_again_at_once_gets_the_same_answer_without_a_query(
        self, client, monkeypatch, django_assert_num_queries
    ):
        monkeypatch.setattr(middleware, "_SECONDS_KEPT", 60.0)
        client.get("/readyz")
        with django_assert_num_queries(0):
            client.get("/readyz")

    def test_jobs_that_wait_long_without_a_worker_are_a_fault(self, client, monkeypatch):
        disk_of(monkeypatch, 10**12)
        job = Job.objects.create(kind="x", title="", arguments={}, version="1")
        assert client.get("/readyz").status_code == 200
        Job.objects.filter(pk=job.pk).update(created=timezone.now() - timedelta(hours=1))
        assert client.get("/readyz").json()["faults"] == ["workers"]
        workers.arrive("one")
        assert client.get("/readyz").status_code == 200


class TestEachCheck:
    def test_a_database_of_other_migrations_than_the_program(self):
        assert faults(checks.migrations) == []
        MigrationRecorder.Migration.objects.create(app="annotate", name="9999_later")
        (foreign,) = checks.migrations()
        assert foreign.state == "fault"
        assert foreign.said == "the database was made by migrations that this program does not have"
        MigrationRecorder.Migration.objects.filter(app="annotate").delete()
        (older,) = checks.migrations()
        assert (older.state, older.advice) == ("fault", "python manage.py migrate")

    @pytest.mark.parametrize(
        ("free", "state"), [(10**12, []), (10**9, ["warning"]), (10**7, ["fault"])]
    )
    def test_room_on_the_disk(self, monkeypatch, free, state):
        disk_of(monkeypatch, free)
        assert [state for _, state in faults(checks.disk)] == state

    def test_a_folder_that_nothing_was_stored_in_yet_is_no_fault(self, settings, tmp_path):
        settings.DATA_DIR = tmp_path / "not" / "made"
        assert [found.subject for found in checks.disk()] == ["disk"]

    @pytest.mark.skipif("connection.vendor != 'sqlite'", reason="compared with the database's")
    def test_a_clock_that_was_set_back(self, monkeypatch):
        AuditEntry.objects.create(act=Act.LOCKED_OUT)
        assert faults(checks.clock) == []
        an_hour_ago = timezone.now() - timedelta(hours=1)
        monkeypatch.setattr(checks.timezone, "now", lambda: an_hour_ago)
        assert faults(checks.clock) == [("clock", "warning")]

    @pytest.mark.database
    @pytest.mark.skipif("connection.vendor != 'postgresql'", reason="of a database with a clock")
    @pytest.mark.parametrize(("seconds", "said"), [(-20, []), (-40, [("clock", "warning")])])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_a_clock_that_is_apart_from_that_of_postgresql(self, monkeypatch, seconds, said, sign):
        """Both are one clock here, so this machine is given another time."""
        now = timezone.now() + sign * timedelta(seconds=seconds)
        monkeypatch.setattr(checks.timezone, "now", lambda: now)
        assert faults(checks.clock) == said

    def test_a_mail_server_that_does_not_answer(self, settings):
        settings.MAIL_IS_SET_UP = True
        settings.EMAIL_SENT_BY = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
        assert faults(checks.mail) == [("mail", "warning")]

    def test_a_queue_that_cannot_be_opened(self, monkeypatch):
        def away():
            raise QueueAway("Connection refused")

        assert ("queue", "fault") not in faults(checks.workers)
        monkeypatch.setattr(checks.queue, "opened", away)
        [found] = checks.workers()
        assert (found.subject, found.state) == ("queue", "fault")
        assert "QUEUE_URL" in found.advice

    @pytest.mark.parametrize(("days", "states"), [(60, ["well"]), (7, ["warning"])])
    def test_a_certificate_that_ends_soon(self, settings, monkeypatch, tmp_path, days, states):
        with served_over_tls(tmp_path, days) as port:
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
            settings.CSRF_TRUSTED_ORIGINS = [f"https://localhost:{port}"]
            assert [found.state for found in checks.certificate()] == states

    def test_a_certificate_that_nobody_vouches_for_and_a_proxy_that_is_away(
        self, settings, tmp_path
    ):
        with served_over_tls(tmp_path, 60) as port:
            settings.CSRF_TRUSTED_ORIGINS = [f"https://localhost:{port}"]
            [found] = checks.certificate()
            assert (found.state, "certificate" in found.said) == ("warning", True)
        [found] = checks.certificate()
        assert (found.state, "refused" in found.said) == ("warning", True)

    def test_a_photograph_that_is_gone(self):
        assert faults(checks.photographs) == []
        image = make_image(make_dataset())
        Image.objects.filter(pk=image.pk).update(
            sha256="ab" * 32, width=1, height=1, content_type="image/png"
        )
        assert faults(checks.photographs) == [("photographs", "fault")]

    def test_a_ranking_that_is_not_what_its_answers_give(self, monkeypatch):
        monkeypatch.setattr(checks, "rankings_that_differ", lambda: iter([("a", False)]))
        assert faults(checks.replay) == []
        monkeypatch.setattr(checks, "rankings_that_differ", lambda: iter([("a", True)]))
        assert faults(checks.replay) == [("answers", "fault")]

    @pytest.mark.skipif("connection.vendor != 'sqlite'", reason="the embedded database's file")
    def test_a_database_file_that_others_can_read(self, monkeypatch, tmp_path):
        path = tmp_path / "db.sqlite3"
        path.touch(mode=0o600)
        monkeypatch.setitem(connection.settings_dict, "NAME", str(path))
        monkeypatch.setattr(checks.settings, "DEBUG", True)
        assert faults(checks.settings_of_a_server) == []
        path.chmod(0o644)
        assert faults(checks.settings_of_a_server) == [("settings", "warning")]


class TestDoctor:
    def run(self, *arguments):
        out = io.StringIO()
        try:
            call_command("doctor", *arguments, stdout=out)
        except SystemExit as end:
            return out.getvalue(), end.code
        return out.getvalue(), 0

    def test_its_exit_code_is_for_monitoring(self, monkeypatch):
        disk_of(monkeypatch, 10**12)
        workers.arrive("one")
        monkeypatch.setattr(checks, "backup", list)
        said, code = self.run()
        assert code in (0, 1), said  # a copy of the database may be due
        disk_of(monkeypatch, 10**7)
        said, code = self.run("--json")
        assert code == 2
        by_subject = {found["subject"]: found["state"] for found in json.loads(said)}
        assert by_subject["disk"] == "fault"
        assert by_subject["answers"] == "well"


@pytest.mark.parametrize(("days", "state"), [(0, "well"), (3, "warning")])
def test_an_old_backup_is_a_warning(tmp_path, monkeypatch, days, state):
    copy = tmp_path / "copy.zip"
    copy.touch()
    made = (timezone.now() - timedelta(days=days)).timestamp()
    os.utime(copy, (made, made))
    monkeypatch.setattr(checks.daily, "newest", lambda: copy)
    assert [found.state for found in checks.backup()] == [state]


def test_the_page_is_for_admins(admin):
    page = admin.get(reverse("health:health")).text
    assert "reads and writes" in page
    assert "-&gt;" not in page
