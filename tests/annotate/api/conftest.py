from copy import deepcopy

import pytest

from tests.support.made_once import made_once
from tests.support.world import make_world

made_world = made_once(make_world)


@pytest.fixture
def world(made_world, db):
    return deepcopy(made_world)
