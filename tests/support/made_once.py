"""Data made once for all tests of a module, as Django's `setUpTestData` does for a class.

A module writes:

    made_study = made_once(lambda: make_study(["a", "b"]))

and its tests ask for `study`, the copy from tests/annotate/conftest.py. Each test works in a savepoint
of the module's transaction, so it may change rows; the copy lets it change objects. A test with
transactions of its own cannot share such data.
"""

from collections.abc import Callable, Iterator
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
        transaction.atomic(),
    ):
        yield folder
        transaction.set_rollback(True)


def made_once(build: Callable[[], Made]) -> Callable[..., Made]:
    """Return a fixture of what the function makes, once for each module that asks for it."""

    @pytest.fixture(scope="module")
    def made(module_data) -> Made:
        return build()

    return made
