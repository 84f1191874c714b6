"""Participants over HTTP: entrances, browsers, and the way from a link to a code."""

import re
from html import unescape

from django.test import Client
from django.urls import reverse

from annotate.judging.models import Screen
from annotate.recruiting.models import Arrival, Entrance
from annotate.recruiting.platforms import NAMES
from tests.support.factories import make_study, serial

LEFT = {"recall": "left", "precision": "left", "preference": "left"}
JSON = {"headers": {"accept": "application/json"}}


def make_entrance(study, platform="prolific", **fields):
    names = NAMES[platform]
    usual = {
        "name": f"entrance {next(serial)}",
        "slug": f"entrance-{next(serial)}",
        "person_parameter": names.person,
        "submission_parameter": names.submission,
        "way_back": names.way_back,
        "size": 6,
        "n_checks": 3,
        "min_width": 0,
        "min_height": 0,
    }
    return Entrance.objects.create(study=study, platform=platform, **usual | fields)


def link(entrance):
    return reverse("join:start", args=[entrance.slug])


def ids(person="5f3c0a", submission="s1", **more):
    return {"PROLIFIC_PID": person, "STUDY_ID": "st", "SESSION_ID": submission} | more


def agree(browser, entrance, sent=None, **more):
    return browser.post(link(entrance), {**(ids() if sent is None else sent), **more})


def admitted(entrance, sent=None, *, taught=True):
    """Return the browser of a person who has agreed and, if ``taught``, is at the first pair."""
    browser = Client()
    response = agree(browser, entrance, sent)
    assert response.status_code == 302, response.text
    if taught:
        learn(browser, entrance.study)
    return browser


# Answers to the practice pairs of the short introduction, not all of them as expected.
PRACTICE = {
    f"{pair}-{criterion}": "left"
    for pair in ("street", "pharmacy", "garden")
    for criterion in ("recall", "precision")
}


def learn(browser, study):
    short = reverse("learning:short", args=[study.slug])
    assert browser.post(short, PRACTICE).status_code == 200
    begun = browser.post(reverse("learning:finish", args=[study.slug]), {"begin": "1"})
    assert begun.status_code == 302


def arrival_in(browser):
    return Arrival.objects.select_related("entrance", "study", "person").get(
        pk=browser.session["arrival"]
    )


def waiting(browser):
    arrival = arrival_in(browser)
    return Screen.objects.filter(
        assignment__annotator=arrival.person, state=Screen.State.WAITING
    ).first()


def right_answer(screen):
    """Return an answer to a screen that is right if its answer is known."""
    if screen.known is None:
        return LEFT
    side = screen.assignment.known[screen.known]["side"]
    better = "right" if side == "left" else "left"
    return dict.fromkeys(LEFT, better)


def wrong_answer(screen):
    if screen.known is None:
        return LEFT
    return dict.fromkeys(LEFT, screen.assignment.known[screen.known]["side"])


def answer(browser, give=right_answer, **more):
    screen = waiting(browser)
    url = reverse("judging:answer", args=[screen.public_id])
    return browser.post(url, give(screen) | {"seconds_taken": "4.0"}, **more)


def answer_all(browser, give=right_answer, most=100):
    """Answer until no pair waits; return the last response."""
    response = None
    for _ in range(most):
        if waiting(browser) is None:
            return response
        response = answer(browser, give)
        if arrival_in(browser).is_paused:
            browser.post(reverse("join:go_on", args=[arrival_in(browser).entrance.slug]))
    raise AssertionError(f"not over after {most} pairs")


def code_on(response):
    """Return the code that a page shows, or None."""
    found = re.search(r'id="code"[^>]* value="([^"]*)"', response.text)
    return unescape(found[1]) if found else None


BOXES = {
    f"method-{at}": [(0, 0, 99, 39), (120, 60 + 10 * at, 160, 66 + 10 * at)] for at in range(4)
}


def crowd_study(images=60, **settings):
    """Make a study of one pair per image, in which every result can be degraded with certainty."""
    return make_study(
        4, images=images, boxes=BOXES, methods_per_visit=2, drawn_by="random", **settings
    )
