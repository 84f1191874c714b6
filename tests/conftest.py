"""What all tests share."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from tests.support.databases import database_of_tests
from tests.support.processes import jobs_in_processes  # noqa: F401

# Playwright runs an event loop in the thread of the test, which also asks the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

# How long an example takes says more of the machine than of the code.
hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker):
    """Stands in for pytest-django's, which migrates a database for every worker of every run."""
    with django_db_blocker.unblock(), database_of_tests():
        yield


_CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(autouse=True)
def _fast_and_separate(settings, tmp_path):
    """Passwords that are quick to check, and photographs and demo files away from the real ones."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.DATA_DIR = tmp_path
    settings.JOBS = "here"
    settings.MEDIA_ROOT = tmp_path / "images"


def _chromium() -> str | None:
    """Where Chromium is: the system's, or the one that Playwright downloaded for itself."""
    installed = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    own = sorted(Path.home().glob(".cache/ms-playwright/chromium-*/chrome-linux*/chrome"))
    return installed or (str(own[-1]) if own else None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {
        **browser_type_launch_args,
        "executable_path": _chromium(),
        "args": _CHROMIUM_ARGUMENTS,
    }


def pytest_collection_modifyitems(items):
    missing = pytest.mark.skip(reason="no Chromium on this machine: `make browser` installs it")
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
            if _chromium() is None:
                item.add_marker(missing)
