"""Limits of a platform's id in another browser, guessed ids, and places that are lent."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.judging.models import Judgement
from annotate.recruiting import services
from annotate.recruiting.models import Arrival, Outcome
from tests.support.made_once import made_once
from tests.support.participants import (
    JSON,
    admitted,
    agree,
    answer,
    arrival_in,
    crowd_study,
    ids,
    link,
    make_entrance,
)

pytestmark = pytest.mark.django_db
made_study = made_once(crowd_study)


@pytest.fixture
def entrance(study):
    return make_entrance(study)


@pytest.fixture(autouse=True)
def _no_tries_yet():
    cache.clear()


def come_back(entrance, sent=None):
    """Return another browser in which a person with the same ids goes on."""
    browser = Client()
    assert agree(browser, entrance, sent).status_code == 302
    return browser


def page_of(browser, entrance, name="visit", method="get", **more):
    return getattr(browser, method)(reverse(f"join:{name}", args=[entrance.slug]), **more)


def later(arrival, **past):
    for name, moved in past.items():
        moment = getattr(arrival, name) - moved
        Arrival.objects.filter(pk=arrival.pk).update(**{name: moment})


# Withdrawing


def test_the_ids_alone_erase_nothing_for_a_day(entrance):
    browser = admitted(entrance)
    answer(browser)
    other = come_back(entrance)
    assert "This is not the browser" not in page_of(browser, entrance).text
    assert "This is not the browser in which you agreed" in page_of(other, entrance).text
    page = page_of(other, entrance, "withdraw", "post", follow=True)
    assert "A browser that is not the one in which you agreed asked" in page.text
    assert arrival_in(browser).outcome == ""
    # A third browser sees it before it goes on.
    assert "The next page lets you stop it" in Client().get(link(entrance), ids()).text
    assert services.withdraw_waiting() == 0
    assert Judgement.objects.count() == 1


def test_the_person_sees_it_at_the_next_step_and_stops_it(entrance):
    browser = admitted(entrance)
    page_of(come_back(entrance), entrance, "withdraw", "post")
    visit = reverse("join:visit", args=[entrance.slug])
    judge = reverse("judging:judge", args=[entrance.study.slug])
    assert browser.get(judge)["Location"] == visit
    # The pair on screen is stored all the same.
    assert answer(browser, **JSON).json()["done"]["url"] == visit
    assert "The button below stops it" in page_of(browser, entrance).text
    assert page_of(browser, entrance, "go_on", "post")["Location"] == judge
    assert browser.get(judge).status_code == 200
    assert services.withdraw_waiting() == 0
    assert Judgement.objects.count() == 1


def test_after_a_day_the_answers_go(entrance):
    browser = admitted(entrance)
    answer(browser)
    page_of(come_back(entrance), entrance, "withdraw", "post")
    later(arrival_in(browser), withdraws=timedelta(hours=23, minutes=59))
    assert services.withdraw_waiting() == 0
    later(arrival_in(browser), withdraws=timedelta(minutes=2))
    assert services.withdraw_waiting() == 1
    assert not Judgement.objects.exists()
    assert arrival_in(browser).outcome == Outcome.NO_CONSENT


def test_asking_again_does_not_move_the_day(entrance):
    browser = admitted(entrance)
    other = come_back(entrance)
    page_of(other, entrance, "withdraw", "post")
    first = arrival_in(browser).withdraws
    page_of(other, entrance, "withdraw", "post")
    assert arrival_in(browser).withdraws == first


def test_the_secret_is_in_one_browser_alone_and_for_that_entrance(entrance):
    browser = admitted(entrance)
    cookie = browser.cookies["consented"]
    assert (cookie["path"], bool(cookie["httponly"])) == (link(entrance), True)
    assert cookie.value not in arrival_in(browser).secret_hash
    assert "consented" not in come_back(entrance).cookies
    other = admitted(entrance, ids("another"))
    other.cookies["consented"] = cookie.value
    page_of(other, entrance, "withdraw", "post")
    assert arrival_in(other).outcome == ""


def test_without_a_stored_secret_no_browser_has_it(entrance):
    browser = admitted(entrance)
    Arrival.objects.update(secret_hash="")
    browser.cookies["consented"] = ""
    page_of(browser, entrance, "withdraw", "post")
    assert arrival_in(browser).outcome == ""


# Unknown ids


def test_ten_new_ids_a_minute_from_one_address(entrance):
    for number in range(10):
        assert Client().get(link(entrance), ids(f"guess{number}")).status_code == 200
    page = Client().get(link(entrance), ids("guess10"))
    assert page.status_code == 429
    assert page["Refresh"] == page["Retry-After"]
    assert "tries again by itself" in page.text
    assert agree(Client(), entrance, ids("guess10")).status_code == 429
    assert Client().get(link(entrance), ids("guess10"), REMOTE_ADDR="192.0.2.7").status_code == 200
    # The same id again is no further try.
    assert Client().get(link(entrance), ids("guess3")).status_code == 200


def test_a_person_who_was_there_is_never_slowed(entrance):
    admitted(entrance, ids("known"))
    for number in range(15):
        Client().get(link(entrance), ids(f"guess{number}"))
    assert "Welcome back" in Client().get(link(entrance), ids("known")).text
    come_back(entrance, ids("known"))


def test_new_ids_are_let_in_again_after_a_minute(entrance, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("annotate.recruiting.shortcuts.time", lambda: now)
    for number in range(11):
        last = Client().get(link(entrance), ids(f"guess{number}"))
    assert last.status_code == 429
    now += 61
    assert Client().get(link(entrance), ids("guess10")).status_code == 200


def test_the_frame_of_mechanical_turk_shows_no_code_for_guesses(study):
    entrance = make_entrance(study, platform="mturk")
    sent = {"assignmentId": "a", "hitId": "h", "turkSubmitTo": "https://www.mturk.com"}
    url = reverse("join:frame", args=[entrance.slug])
    statuses = [Client().get(url, sent | {"workerId": f"W{n}"}).status_code for n in range(12)]
    assert statuses == [200] * 10 + [429] * 2


def test_an_entrance_without_ids_has_nothing_to_guess(study):
    entrance = make_entrance(study, platform="link")
    assert {Client().get(link(entrance)).status_code for _ in range(15)} == {200}


# Places


def test_a_place_without_an_answer_is_lent_after_ten_minutes(study):
    entrance = make_entrance(study, places=1)
    first = admitted(entrance, ids("first"))
    later(arrival_in(first), lent_from=timedelta(minutes=9))
    assert "All places are taken" in Client().get(link(entrance), ids("second")).text
    later(arrival_in(first), lent_from=timedelta(minutes=2))
    second = admitted(entrance, ids("second"))
    answer(second)
    # The first person comes back, and is let in all the same.
    again = come_back(entrance, ids("first"))
    assert answer(again).status_code == 302
    assert entrance.arrivals.holding_places().count() == 2


def test_a_step_of_the_lesson_is_a_sign_of_life(study):
    entrance = make_entrance(study, places=1)
    browser = admitted(entrance, taught=False)
    later(arrival_in(browser), lent_from=timedelta(minutes=9))
    browser.get(reverse("learning:short", args=[study.slug]))
    assert arrival_in(browser).lent_from > timezone.now() + timedelta(minutes=9)


def test_a_place_with_an_answer_is_not_lent(study):
    entrance = make_entrance(study, places=1)
    browser = admitted(entrance)
    answer(browser)
    assert arrival_in(browser).lent_from is None
    assert "All places are taken" in Client().get(link(entrance), ids("second")).text


def test_a_skipped_pair_is_no_answer(study):
    entrance = make_entrance(study, places=1)
    browser = admitted(entrance)
    screen = arrival_in(browser).person.assignments.get().screens.get()
    browser.post(reverse("judging:skip", args=[screen.public_id]), {"reason": "other"})
    assert arrival_in(browser).lent_from is not None
