import pytest

from tests.support.world import make_world


@pytest.fixture
def world(db):
    return make_world()
