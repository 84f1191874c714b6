"""Test databases, cloned from a template that is kept until migrations or models change."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase

_ROOT = Path(__file__).resolve().parents[2]
_TEMPLATE = "test-template"
# Their rows are made by migrations.
_FILLED = {"auth_permission", "django_content_type", "django_migrations"}


def fingerprint() -> str:
    """Return a hash of all that determines an empty database: settings, libraries, models."""
    content = sha256(repr((settings.INSTALLED_APPS, settings.CACHES)).encode())
    for package in ("Django", "django-allauth"):
        content.update(f"{package} {version(package)}".encode())
    sources = {*_ROOT.glob("annotate/**/models.py"), *_ROOT.glob("annotate/migrations/*.py")}
    for path in sorted(sources):
        content.update(path.relative_to(_ROOT).as_posix().encode() + path.read_bytes())
    return content.hexdigest()[:12]


@contextmanager
def database_of_tests() -> Iterator[None]:
    """Connect by default to an empty database of this process; remove it at the end."""
    real = connection.settings_dict["NAME"]
    clone = _clone_sqlite if connection.vendor == "sqlite" else _clone_postgres
    with one_at_a_time(settings.DATA_DIR):
        name, template = clone(fingerprint())
    _use(name)
    empty = TransactionTestCase._fixture_teardown
    if connection.vendor == "sqlite":
        # Copying a file of a megabyte takes a tenth of the time of emptying each table and creating
        # the rows of permissions and content types again.
        TransactionTestCase._fixture_teardown = lambda _: restore(Path(template))
    else:
        TransactionTestCase._fixture_teardown = lambda _: _empty_postgres()
    yield
    TransactionTestCase._fixture_teardown = empty
    connection.close()
    if connection.vendor == "sqlite":
        _remove_sqlite(Path(name))
    else:
        _execute(f'DROP DATABASE IF EXISTS "{name}"')
    _use(real)


def restore(snapshot: Path) -> None:
    """Restore the SQLite test database from a snapshot, for all its connections."""
    connection.ensure_connection()
    source = sqlite3.connect(snapshot)
    try:
        source.backup(connection.connection)
    finally:
        source.close()


def _empty_postgres() -> None:
    """Delete the rows that a test has left, which are few; to truncate all tables takes seconds."""
    with transaction.atomic(), connection.cursor() as cursor:
        names = sorted({*connection.introspection.table_names(cursor)} - _FILLED)
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (TABLE \"{name}\")" for name in names)
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'DELETE FROM "{name}"')


@contextmanager
def bare_database(folder: Path) -> Iterator[None]:
    """Connect by default to a database without tables, and back to the test database at the end."""
    own = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        name = str(folder / "bare.sqlite3")
    else:
        name = f"{own}_bare"
        _execute(f'CREATE DATABASE "{name}"')
    _use(name)
    try:
        yield
    finally:
        connection.close()
        _use(own)
        if connection.vendor != "sqlite":
            _execute(f'DROP DATABASE "{name}"')


def _use(name: str) -> None:
    connection.close()
    settings.DATABASES[connection.alias]["NAME"] = name
    connection.settings_dict["NAME"] = name


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Make test processes on this machine create and clone what a folder keeps one at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{_TEMPLATE}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _migrate(name: str) -> None:
    """Create an empty database with this name."""
    real = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = name
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    _use(real)


def _clone_sqlite(made_of: str) -> tuple[str, str]:
    # A power failure costs a test run nothing, but waiting for the disk slows every commit.
    options = connection.settings_dict["OPTIONS"]
    options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    folder = settings.DATA_DIR
    template = folder / f"{_TEMPLATE}-{made_of}.sqlite3"
    if not template.exists():
        for other in folder.glob(f"{_TEMPLATE}-*.sqlite3"):
            other.unlink()
        unfinished = folder / f"{_TEMPLATE}.unfinished"
        _migrate(str(unfinished))
        unfinished.rename(template)
    name = folder / f"test-{os.getpid()}.sqlite3"
    shutil.copyfile(template, name)
    return str(name), str(template)


def _remove_sqlite(name: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        name.with_name(name.name + ending).unlink(missing_ok=True)


def _clone_postgres(made_of: str) -> tuple[str, str]:
    base = f"{connection.settings_dict['NAME']}_{_TEMPLATE.replace('-', '_')}_"
    template = f"{base}{made_of}"
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [base])
        existing = {row[0] for row in cursor.fetchall()}
    if template not in existing:
        for other in existing:
            _execute(f'DROP DATABASE "{other}"')
        unfinished = f"{base}unfinished"
        _migrate(unfinished)
        _execute(f'ALTER DATABASE "{unfinished}" RENAME TO "{template}"')
    name = f"{connection.settings_dict['NAME']}_test_{os.getpid()}"
    _execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    # A power failure costs a test run nothing, also in the processes that a test starts.
    _execute(f'ALTER DATABASE "{name}" SET synchronous_commit TO off')
    return name, template


def _execute(statement: str) -> None:
    """Run a statement about databases, which needs another database and no transaction."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement)
