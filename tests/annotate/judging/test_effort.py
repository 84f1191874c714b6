"""Pairs and hours on every page that says them, compared with the annotator's welcome page."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotate.judging.effort import way_of
from annotate.judging.models import Assignment, Judgement
from rankings.elicitation.strategies import pairs_of_ranking
from tests.support.cases import cases
from tests.support.factories import add_annotator, add_researcher, make_study
from tests.support.pages import flat
from tests.support.participants import ids, link, make_entrance
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db


def shown(person, address, data=None):
    client = Client()
    if person is not None:
        client.force_login(person)
    response = client.get(address, data)
    return response, flat(response.text)


def numbers(text, words):
    return [float(number) for number in re.search(words, text).groups()]


def said_by_the_pages(study, n_images):
    """Pairs and hours of one ranking of all images: by welcome page, entrance, and plan."""
    _, text = shown(add_annotator(study), reverse("learning:welcome", args=[study.slug]))
    [pairs] = numbers(text, r"each with roughly (\d+) pairs? and")
    [minutes] = numbers(text, r"minutes?: (?:about )?(\d+) minutes in all")
    entrance = make_entrance(study, size=n_images, unit="images")
    _, text = shown(None, link(entrance), ids())
    # Two minutes are the introduction's.
    m, p = numbers(text, r"About (\d+) minutes: a short introduction and about (\d+) pairs")
    asked = {
        "study": study.slug if study.assignments.exists() else "",
        "people": 30,
        "strategy": way_of(study),
    }
    address = reverse("planning:plan", args=[study.dataset.slug])
    response, _ = shown(add_researcher(study), address, asked)
    question = response.context["plan"].question
    hours = n_images * question.screens * question.seconds / 60
    return (pairs, minutes), (p / n_images, m - 2), (question.screens, hours)


def compare(study, n_images):
    (pairs, minutes), *others = said_by_the_pages(study, n_images)
    for own_pairs, own_minutes in others:
        # The welcome page rounds to whole pairs and five minutes.
        assert own_pairs == pytest.approx(pairs, rel=0.15, abs=0.5)
        assert own_minutes == pytest.approx(minutes, rel=0.15, abs=2.5)
    return pairs, minutes


@cases("n_methods", [3, 6, 10])
def test_pages_agree_before_there_is_an_answer(n_methods):
    assert compare(make_study(n_methods, images=20), 20)[0] == {3: 3, 6: 11, 10: 25}[n_methods]


@cases(("certainty", "pairs"), [(0.9, 30), (1, 45)])
def test_pages_agree_on_the_careful_order(certainty, pairs):
    """The plan counted 24 % more pairs than the welcome page; with certainty, all 45 pairs are asked."""
    study = make_study(10, images=6, strategy="careful", certainty=certainty)
    assert compare(study, 6)[0] == pairs


def test_pages_agree_on_what_was_measured():
    study = make_study(["a", "b", "c", "d"], images=20)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"], ["d"]]))
    Judgement.objects.update(seconds_taken=30)
    Assignment.objects.update(n_answered=7)
    assert compare(study, 20) == (7, 70)


@cases(("n", "tied", "pairs"), [(2, 0, 1), (5, 0, 8), (10, 0, 25), (10, 1, 9)])
def test_pairs_of_a_ranking_by_hand(n, tied, pairs):
    """Bisection among 1, 2, 3 ... results; of results that all tie, each is compared once."""
    assert pairs_of_ranking(n, tied) == pairs
