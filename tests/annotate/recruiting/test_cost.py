"""The statements of a participant's way: few, and as many in a large study and late in a visit."""

import json
import re
from functools import partial

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.judging.models import Screen
from annotate.recruiting import pace
from tests.support.cases import cases
from tests.support.factories import make_person
from tests.support.participants import (
    JSON,
    admitted,
    agree,
    arrival_in,
    crowd_study,
    ids,
    learn,
    link,
    make_entrance,
    right_answer,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]
# Of DESIGN's table of speed and size.
MOST_OF_AN_ANSWER = 16
MOST_TO_THE_FIRST_PAIR = 60
_DATA = re.compile(r'<script id="screen-data" type="application/json">(.*?)</script>', re.S)


def statements(act):
    """Return what an act returns, and its statements other than those that divide transactions."""
    with CaptureQueriesContext(connection) as asked:
        response = act()
    return response, [one["sql"] for one in asked if "SAVEPOINT" not in one["sql"]]


def answered(browser, shown, *, prefetches=False, seconds="4.0"):
    """Answer as the page does; return the next data, and the number of statements."""
    have = [shown["image"]["key"]]
    if prefetches:
        address = shown["study"]["next_image_url"]
        coming = browser.get(address, {"n": 1, "have": have[0]}).json()["images"]
        have += [image["key"] for image in coming]
    said = right_answer(Screen.objects.select_related("assignment").get(
        public_id=shown["screen"]["id"]
    ))  # fmt: skip
    sent = said | {"seconds_taken": seconds, "have": ",".join(have)}
    response, asked = statements(partial(browser.post, shown["screen"]["answer_url"], sent, **JSON))
    assert response.status_code == 200
    return response.json(), asked


def first_pair(browser, study):
    page = browser.get(reverse("judging:judge", args=[study.slug])).text
    return json.loads(_DATA.search(page)[1])


@cases("prefetches", [False, True])
def test_an_answer_that_changes_the_image_takes_16_statements_at_most(prefetches, monkeypatch):
    """Also one with a known answer, a fast one, and the last but one of forty."""
    monkeypatch.setattr(pace, "floor_of", lambda study: 1.5)
    study = crowd_study(60)
    first = admitted(make_entrance(study), ids("first"))
    answered(first, first_pair(first, study))
    browser = admitted(make_entrance(study, size=40, n_checks=6, after_checks="review"))
    shown, counts, n_known = first_pair(browser, study), [], 0
    while "screen" in shown:
        image, seconds = shown["image"]["key"], "1.0" if len(counts) % 9 == 3 else "4.0"
        screen = Screen.objects.get(public_id=shown["screen"]["id"])
        n_known += screen.known is not None
        shown, asked = answered(browser, shown, prefetches=prefetches, seconds=seconds)
        if "screen" in shown and shown["image"]["key"] != image:
            counts.append(len(asked))
    assert n_known == 6
    assert len(counts) == 33
    assert max(counts) <= MOST_OF_AN_ANSWER
    # One more for an image that was not fetched ahead, as after a known pair, and for a fast answer.
    assert sorted(counts)[len(counts) // 4] == 15 - prefetches
    assert arrival_in(browser).outcome == "completed"


def test_from_the_link_to_the_first_pair_are_60_statements_at_most():
    study = crowd_study(60)
    entrance = make_entrance(study)

    def walk():
        browser = Client()
        browser.get(link(entrance), ids())
        browser.get(agree(browser, entrance)["Location"])
        learn(browser, study)
        return browser.get(reverse("judging:judge", args=[study.slug]))

    page, asked = statements(walk)
    assert "data-screen-id" in page.text
    assert len(asked) == MOST_TO_THE_FIRST_PAIR


def test_the_visit_is_read_with_the_person_for_participants_alone(client):
    """A row with entrance and study has over a hundred columns, which no other answer needs."""

    def read_with_the_person(browser):
        _, asked = statements(partial(browser.get, reverse("home")))
        [of_person] = [sql for sql in asked if 'FROM "auth_user"' in sql]
        return '"annotate_arrival"' in of_person

    assert read_with_the_person(admitted(make_entrance(crowd_study(6))))
    client.force_login(make_person(), backend=settings.AUTHENTICATION_BACKENDS[0])
    assert not read_with_the_person(client)
