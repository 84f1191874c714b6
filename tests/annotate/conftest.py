"""Fixtures of many tests of the site. Each file has its own study."""

import pytest

from tests.support.factories import add_researcher


@pytest.fixture
def researcher(client, study):
    """A browser in which a researcher of the file's study is signed in."""
    client.force_login(add_researcher(study))
    return client
