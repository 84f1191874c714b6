"""Transactions on SQLite wait for each other in a queue, and each gives its place up when it ends."""

import threading
import time
from contextlib import closing
from unittest.mock import Mock

import pytest
from django.db import ConnectionHandler, OperationalError

from text_rankings.site.sqlite import base


@pytest.fixture
def connect(tmp_path, django_db_blocker):
    """Return a function that opens a connection to one file; its transactions wait as long as needed."""
    opened = []

    def connection(name="db.sqlite3", timeout=600):
        options = {"transaction_mode": "IMMEDIATE", "timeout": timeout}
        handler = ConnectionHandler(
            {
                "default": {
                    "ENGINE": "text_rankings.site.sqlite",
                    "NAME": tmp_path / name,
                    "OPTIONS": options,
                }
            }
        )
        made = handler["default"]
        made.inc_thread_sharing()
        opened.append(made)
        return made

    with django_db_blocker.unblock():
        with closing(connection().cursor()) as cursor:
            cursor.execute("CREATE TABLE word (text TEXT)")
        yield connection
        for one in opened:
            one.close()


def write(connection, text):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute("INSERT INTO word VALUES (%s)", [text])
    finally:
        connection.commit()
        connection.set_autocommit(True)


def begin(connection):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(connection, how):
    if how == "close":
        connection.close()
        return
    getattr(connection, how)()
    connection.set_autocommit(True)


def words(connection):
    with closing(connection.cursor()) as cursor:
        return [text for (text,) in cursor.execute("SELECT text FROM word ORDER BY rowid")]


@pytest.mark.parametrize("how", ["commit", "rollback", "close"])
def test_who_waits_goes_on_when_the_one_before_has_ended(connect, how):
    first, second = connect(), connect()
    begin(first)
    waiting = threading.Thread(target=write, args=(second, "second"))
    waiting.start()
    end(first, how)
    waiting.join()
    assert words(connect()) == ["second"]


def test_all_who_wait_come_to_their_turn(connect):
    connections = [connect() for _ in range(8)]
    threads = [
        threading.Thread(target=lambda own=own, at=at: [write(own, f"{at}") for _ in range(5)])
        for at, own in enumerate(connections)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(words(connect())) == sorted(f"{at}" for at in range(8) for _ in range(5))


def test_who_waits_too_long_is_told_and_holds_nobody_up(connect):
    first, second, third = connect(), connect(timeout=0.05), connect()
    begin(first)
    with pytest.raises(OperationalError, match="database is locked"):
        begin(second)
    end(first, "rollback")
    write(third, "third")
    assert words(connect()) == ["third"]


def test_two_databases_do_not_wait_for_each_other(connect):
    one, other = connect(), connect("other.sqlite3")
    begin(one)
    begin(other)
    end(other, "rollback")
    end(one, "rollback")


@pytest.mark.parametrize("fault", [OperationalError("disk I/O error"), KeyboardInterrupt()])
def test_a_transaction_that_cannot_begin_gives_its_place_up(connect, fault, monkeypatch):
    first, second = connect(), connect()

    first.ensure_connection()

    with monkeypatch.context() as broken:
        broken.setattr(first, "connection", Mock(execute=Mock(side_effect=fault)))
        with pytest.raises(type(fault)):
            begin(first)
    write(second, "second")
    assert words(connect()) == ["second"]


def test_every_second_of_a_line_lets_other_processes_try_and_who_finds_none_goes_on(
    connect, monkeypatch
):
    connection, slept = connect(), []
    write(connection, "alone")
    monkeypatch.setattr(base, "time", Mock(wraps=time, sleep=slept.append))
    write(connection, "alone")
    assert not slept
    line = base._lines[str(connection.settings_dict["NAME"])]
    # Each finds another before it, and is next.
    monkeypatch.setattr(line, "turn", Mock(acquire=lambda blocking=True, timeout=-1: blocking))
    for text in "12345":
        write(connection, text)
    assert slept == [0.002, 0.002]


def test_the_site_uses_it(settings):
    engine = settings.DATABASES["default"]["ENGINE"]
    assert engine == "text_rankings.site.sqlite" or "postgres" in engine
