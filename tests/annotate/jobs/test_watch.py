"""A worker says that it lives, looks at the site, and ends when it is stuck."""

import os
import socket
import threading
from time import monotonic

import pytest
from django.core.management import CommandError, call_command

from annotate.jobs import consumer, workers


class Ended(BaseException):
    """The end of the process."""


class Ticks(threading.Event):
    """An event that is awaited a number of times before it is set."""

    def __init__(self, n):
        super().__init__()
        self.left = n

    def wait(self, timeout=None):
        self.left -= 1
        return self.left < 0


@pytest.fixture
def looks(monkeypatch):
    found = []
    monkeypatch.setattr(consumer, "WATCHES", [lambda: found.append("look")])
    monkeypatch.setattr(consumer._Rounds, "last_round", monotonic())
    return found


@pytest.mark.django_db
def test_it_looks_once_a_minute_however_often_it_ticks(looks):
    consumer._watch(Ticks(4))
    assert looks == ["look"]


@pytest.mark.django_db
def test_a_look_that_fails_is_logged_and_the_others_are_done(looks, caplog, monkeypatch):
    def broken():
        raise OSError("the folder is gone")

    monkeypatch.setattr(consumer, "WATCHES", [broken, *consumer.WATCHES])
    consumer._watch(Ticks(1))
    assert looks == ["look"]
    assert "the folder is gone" in caplog.text


def test_a_worker_without_a_round_for_three_minutes_ends(looks, monkeypatch, caplog):
    def end(code):
        raise Ended(code)

    monkeypatch.setattr(consumer.os, "_exit", end)
    monkeypatch.setattr(consumer._Rounds, "last_round", monotonic() - 181)
    with pytest.raises(Ended):
        consumer._watch(Ticks(1))
    assert "This worker is stuck: no round for 181 s" in caplog.text
    assert looks == []


@pytest.mark.release
@pytest.mark.django_db(transaction=True)
def test_a_real_worker_tells_systemd(workers, tmp_path):
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(address))
        systemd.settimeout(60)
        workers.start(env=os.environ | {"NOTIFY_SOCKET": str(address)})
        assert systemd.recv(64) == b"WATCHDOG=1"


@pytest.mark.django_db
def test_the_check_of_a_container_is_of_its_own_worker():
    with pytest.raises(CommandError, match="No worker of this machine"):
        call_command("worker", "--check")
    workers.arrive("another machine, process 7")
    with pytest.raises(CommandError, match="No worker of this machine"):
        call_command("worker", "--check")
    workers.arrive(workers.name_of_this())
    call_command("worker", "--check")
