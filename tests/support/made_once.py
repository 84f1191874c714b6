"""Data created once for all tests of a module, as by Django's `setUpTestData` for a class.

A module writes:

    made_study = made_once(lambda: make_study(["a", "b"]))

and its tests use `study`, the copy from tests/annotate/conftest.py. Each test runs in a savepoint
of the module's transaction, so it may change rows; the copy lets it change objects. A test with
its own transactions cannot share such data.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from django.db import transaction
from django.test import override_settings

Made = TypeVar("Made")


@pytest.fixture(scope="module")
def module_data(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Path]:
    """Open the transaction that holds a module's data; yield the folder that holds its files."""
    folder = tmp_path_factory.mktemp("module")
    with (
        django_db_blocker.unblock(),
        override_settings(DATA_DIR=folder, MEDIA_ROOT=folder / "images"),
        taken_back(),
    ):
        yield folder


@contextmanager
def taken_back() -> Iterator[None]:
    """Undo what happens within, so that what follows meets the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def made_once(build: Callable[[], Made]) -> Callable[..., Made]:
    """Return a fixture of the function's result, created once for each module that uses it."""

    @pytest.fixture(scope="module")
    def made(module_data) -> Made:
        return build()

    return made
