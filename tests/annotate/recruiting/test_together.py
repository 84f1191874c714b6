"""Many people at the same second, over HTTP: places are exact, and the same ids are one person."""

from collections import Counter

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from annotate.judging import services as judging
from annotate.recruiting import services
from annotate.recruiting.models import Arrival
from annotate.studies.models import Membership
from tests.support.participants import (
    admitted,
    agree,
    answer_all,
    code_on,
    crowd_study,
    ids,
    learn,
    make_entrance,
)
from tests.support.together import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_requests_before():
    """Other tests have the same address, whose requests of a minute are counted."""
    cache.clear()


def consenting(entrance, person):
    """Return a browser and what it is to do: to agree, as everybody behind one address."""
    browser = Client()
    return browser, lambda: agree(browser, entrance, ids(person))


@pytest.mark.parametrize(
    ("people", "places"), [(9, 6), pytest.param(60, 40, marks=pytest.mark.release)]
)
def test_more_people_than_places_at_the_same_second_are_as_many_as_places(people, places):
    entrance = make_entrance(crowd_study(images=2), places=places)
    browsers, calls = zip(*(consenting(entrance, f"p{n}") for n in range(people)), strict=True)
    answers = at_once(*calls)
    codes = Counter(code_on(answer) for answer in answers if answer.status_code != 302)
    assert codes == {entrance.code_full: people - places}
    assert Arrival.objects.count() == Membership.objects.count() == places
    # Of those who agreed, no one is turned away later.
    for browser, answer in zip(browsers, answers, strict=True):
        if answer.status_code == 302:
            learn(browser, entrance.study)


def test_the_same_ids_twice_at_once_are_one_participant():
    entrance = make_entrance(crowd_study(images=2))
    browsers, calls = zip(*(consenting(entrance, "same") for _ in range(4)), strict=True)
    assert {answer.status_code for answer in at_once(*calls)} == {302}
    assert Arrival.objects.count() == Membership.objects.count() == 1
    assert len({browser.session["arrival"] for browser in browsers}) == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="other databases have many writers")
def test_on_sqlite_participants_take_turns_with_those_who_answer(monkeypatch):
    """A writer that takes no turn would wait until it gives up: consent, each pair, the end."""
    seen = set()

    def watch(module, name):
        real = getattr(module, name)

        def watched(*args, **kwargs):
            seen.add((name, judging._turn.locked()))
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, watched)

    watch(services, "add_visitor")
    watch(services, "count")
    watch(judging, "waiting_or_next")
    answer_all(admitted(make_entrance(crowd_study(images=2), size=2), ids("p")))
    assert seen == {("add_visitor", True), ("count", True), ("waiting_or_next", True)}
    assert not judging._turn.locked()
