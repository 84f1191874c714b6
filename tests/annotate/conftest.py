"""Fixtures of many tests of the site. Each file has its own study, often as ``made_study``."""

from copy import deepcopy
from functools import lru_cache

import pytest
import vl_convert

from rankings.design import power
from tests.support.factories import add_annotator, add_researcher, make_admin


def _once(draw):
    """Return the function of the drawing library with what it drew of the same text kept."""
    kept = lru_cache(maxsize=500)(draw)
    return lambda source, **options: (kept if isinstance(source, str) else draw)(source, **options)


@pytest.fixture(scope="session", autouse=True)
def _each_drawing_once():
    """Each picture is drawn once for all tests of a process."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("vegalite_to_svg", "svg_to_png", "svg_to_pdf"):
            patch.setattr(vl_convert, name, _once(getattr(vl_convert, name)))
        yield


@pytest.fixture(scope="package", autouse=True)
def _plans_of_fewer_designs():
    """Plans compare designs in steps of a tenth instead of a hundredth; tests/rankings has them all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power, "_STEP", 1.1)
        patch.setattr(power, "_IMAGES", power._axis(200, power.MOST_IMAGES))
        patch.setattr(power, "_ANNOTATORS", power._axis(100, 1000))
        power._all_spreads.cache_clear()
        yield
    power._all_spreads.cache_clear()


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


@pytest.fixture
def follow(client):
    """Sign a researcher of a study in."""

    def follow(study):
        client.force_login(add_researcher(study))
        return client

    return follow


@pytest.fixture
def admin(client, db):
    """A browser in which an admin is signed in."""
    client.force_login(make_admin())
    return client
