"""Processes of their own that see the database of the tests."""

from collections.abc import Iterator

import pytest
from django.db import connection

from annotate.jobs import launching


def database_url() -> str:
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    secret = f":{settings['PASSWORD']}" if settings["PASSWORD"] else ""
    return f"postgres://{settings['USER']}{secret}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"


@pytest.fixture
def jobs_in_processes(settings, monkeypatch, tmp_path) -> Iterator[None]:
    """Jobs run as they do on a server, in processes; the test ends when they have."""
    settings.JOBS = "process"
    monkeypatch.setenv("DATABASE_URL", database_url())
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    yield
    for child in launching._children:
        child.kill()
        child.wait()
    launching._children.clear()
