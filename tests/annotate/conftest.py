"""Fixtures of many tests of the site. Each file has its own study, often as ``made_study``."""

from copy import deepcopy

import pytest

from tests.support.factories import add_annotator, add_researcher


@pytest.fixture
def study(made_study, db):
    """The study that the file made once; a test may change its copy."""
    return deepcopy(made_study)


@pytest.fixture
def annotator(study):
    return add_annotator(study)


@pytest.fixture
def researcher(client, study):
    """A browser in which a researcher of the file's study is signed in."""
    client.force_login(add_researcher(study))
    return client
