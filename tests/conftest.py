"""Shared fixtures and settings of all tests."""

import gc
import os
import shutil
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from django.test import override_settings
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.support.databases import database_of_tests
from tests.support.examples import USUAL
from tests.support.made_once import module_data  # noqa: F401
from tests.support.processes import workers  # noqa: F401

_ROOT = Path(__file__).resolve().parents[1]
# Tests of packages that know no Django have no settings.
_PURE = ("tests/protocols/", "tests/rankings/")

# Playwright runs an event loop in the thread of the test, which also asks the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

# How long an example takes, or is drawn, says more of the machine than of the code. A usual run draws
# the same few examples each time, `make test` a quarter of them; `make test-thorough` draws many,
# and others each time.
_UNTIMED = hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.register_profile("usual", _UNTIMED, max_examples=USUAL, derandomize=True)
hypothesis_settings.register_profile("quick", _UNTIMED, max_examples=USUAL // 4, derandomize=True)
hypothesis_settings.register_profile("thorough", _UNTIMED, max_examples=300)
hypothesis_settings.load_profile("usual")


@pytest.fixture(scope="session", autouse=True)
def _settings_of_tests():
    """Passwords that are quick to check, and jobs that run and compute within the call that starts them."""
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with override_settings(PASSWORD_HASHERS=hashers, JOBS="here", ENGINE_WORKERS=0):
        yield


@pytest.fixture(scope="session")
def _folders(tmp_path_factory) -> Iterator[Path]:
    """Empty folders; a tenth of what `tmp_path` costs, which names each after its test."""
    folder = tmp_path_factory.mktemp("files")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _own_files(request, _folders):
    """Photographs and other files away from the real ones; a test has its module's, too."""
    if request.path.relative_to(_ROOT).as_posix().startswith(_PURE):
        return
    settings = request.getfixturevalue("settings")
    if "tmp_path" in request.fixturenames:
        settings.DATA_DIR = request.getfixturevalue("tmp_path")
    else:
        settings.DATA_DIR = next(_folders)
        settings.DATA_DIR.mkdir()
    settings.MEDIA_ROOT = settings.DATA_DIR / "images"
    if "module_data" in request.fixturenames:
        for name in ("images", "results", "entries"):
            shared = request.getfixturevalue("module_data") / name
            if shared.exists():
                shutil.copytree(shared, settings.DATA_DIR / name)


@pytest.fixture(autouse=True)
def _as_in_a_new_process(request):
    """English at first, and the playground's seconds: a request leaves both to the next test."""
    if not request.path.relative_to(_ROOT).as_posix().startswith(_PURE):
        from annotate.guide import shortcuts

        translation.activate("en")
        shortcuts.spent.clear()


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker):
    """Replaces pytest-django's fixture, which migrates a database for every worker of every run."""
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


@cache
def _chromium() -> str | None:
    """Where Chromium is: the system's, or the one that Playwright downloaded for itself.

    The one without windows comes first: a test takes two thirds of the processor time with it.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    installed = next(filter(None, map(shutil.which, names)), None)
    downloads = Path.home() / ".cache/ms-playwright"
    own = [
        *sorted(downloads.glob("chromium_headless_shell-*/chrome-*/*headless*shell"), reverse=True),
        *sorted(downloads.glob("chromium-*/chrome-linux*/chrome"), reverse=True),
    ]
    return installed or (str(own[0]) if own else None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {
        **browser_type_launch_args,
        "executable_path": _chromium(),
        "args": _CHROMIUM_ARGUMENTS,
    }


# Tests whose result could differ on another database: constraints, locks, transactions, ordering,
# JSON, and all that stores an answer or a load. `make test-postgres` runs these.
_DATABASE = (
    "tests/annotate/accounts/test_invitations.py",
    "tests/annotate/api/test_judging.py",
    "tests/annotate/api/test_problems.py",
    "tests/annotate/api/test_reading.py",
    "tests/annotate/api/test_together.py",
    "tests/annotate/audit/",
    "tests/annotate/codabench/test_downloads.py",
    "tests/annotate/datasets/test_models.py",
    "tests/annotate/exchange/",
    "tests/annotate/imports/test_commands.py",
    "tests/annotate/imports/test_drafts.py",
    "tests/annotate/imports/test_immediate.py",
    "tests/annotate/imports/test_killed.py",
    "tests/annotate/imports/test_pages.py",
    "tests/annotate/jobs/",
    "tests/annotate/judging/",
    "tests/annotate/recruiting/",
    "tests/annotate/learning/test_services.py",
    "tests/annotate/accounts/privacy/",
    "tests/annotate/reports/test_kept.py",
    "tests/annotate/scoring/",
    "tests/annotate/studies/",
    "tests/annotate/upgrade/",
)
# Tests of what is shipped: wheels, programs, documents, killed processes, whole archives. They are slow,
# and `make test` leaves them to `make test-release`.
_RELEASE = (
    "tests/annotate/api/test_fuzzed.py",
    "tests/annotate/imports/test_killed.py",
    "tests/annotate/jobs/test_workers.py",
    "tests/annotate/operations/backups/",
    "tests/annotate/upgrade/",
    "tests/deploy/test_cluster.py",
    "tests/deploy/test_crash.py",
    "tests/deploy/test_proxy.py",
    "tests/deploy/test_reach.py",
    "tests/test_docs_site.py",
    "tests/test_documents_run.py",
    "tests/test_notebook.py",
    "tests/test_plugins.py",
    "tests/test_program.py",
    "tests/test_recipes.py",
    "tests/test_wheel.py",
    "tests/text_rankings/base/test_cluster.py",
    "tests/text_rankings/base/test_processes.py",
)
# The longest tests begin first, so that no core waits for the other at the end.
_FIRST = (
    "tests/test_recipes.py",
    "tests/annotate/upgrade/",
    "tests/test_wheel.py",
    "tests/test_documents_run.py",
    "tests/browser/",
    "tests/annotate/reports/",
)
# Tests of these need no neighbours, and may run separately.
_SPREAD = (
    "tests/browser/test_pages.py",
    "tests/annotate/api/test_fuzzed.py",
    "tests/test_documents_run.py",
)


def pytest_collection_modifyitems(items):
    gone = [path for path in (*_DATABASE, *_RELEASE) if not (_ROOT / path).exists()]
    if gone:
        raise pytest.UsageError(f"tests/conftest.py names tests that are not there: {gone}")
    missing = pytest.mark.skip(reason="no Chromium on this machine: `make browser` installs it")
    for item in items:
        path = item.path.relative_to(_ROOT).as_posix()
        if path.startswith(_DATABASE):
            item.add_marker(pytest.mark.database)
        if path.startswith(_RELEASE):
            item.add_marker(pytest.mark.release)
        if path.startswith("tests/writers/"):
            item.add_marker(pytest.mark.writers)
        if path.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)
            if not _is_smoke(item):
                item.add_marker(pytest.mark.release)
            if _chromium() is None:
                item.add_marker(missing)
        # A module's fixtures are prepared once: its tests stay in one process.
        if path not in _SPREAD:
            item.add_marker(pytest.mark.xdist_group(path))
    items.sort(key=lambda item: _turn(item.nodeid))


def _is_smoke(item) -> bool:
    """Return whether `make test` has a browser test: some have it with these parts of its name alone."""
    mark = item.get_closest_marker("smoke")
    return mark is not None and (not mark.args or any(part in item.name for part in mark.args))


def pytest_collection_finish():
    # Freeze the objects loaded so far; searching them for cycles takes a twentieth of the tests'
    # time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _turn(nodeid: str) -> int:
    begun = [at for at, start in enumerate(_FIRST) if nodeid.startswith(start)]
    return begun[0] if begun else len(_FIRST)
