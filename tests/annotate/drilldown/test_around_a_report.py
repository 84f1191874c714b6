"""Common parts of the pages around a report: the menu, hidden names, and refusals of settings."""

from itertools import product

import pytest
from django.urls import reverse

from tests.support.addresses import address_of
from tests.support.cases import cases
from tests.support.factories import make_run, make_study
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_by, same_truth

pytestmark = pytest.mark.django_db


def _of_three():
    study = make_study(["a", "b"])
    rank_by(3, study, same_truth([["a"], ["b"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.1})
    return study


made_study = made_once(_of_three)


def test_pages_around_a_report_stand_under_studies(researcher, study):
    link = f'<a href="{reverse("home")}" aria-current="true">Studies</a>'
    names = ("reports:report", "figures:figures", "exchange:raw")
    for name in (*names, "evidence:annotators", "evidence:disagreement"):
        assert link in flat(researcher.get(address_of(name, study)).text), name


@cases("name", ["studies:detail", "evidence:annotators", "evidence:image", "evidence:compare"])
def test_names_can_be_hidden(researcher, study, name):
    people = {one.annotator.username for one in study.assignments.select_related("annotator")}
    shown, hidden = (
        researcher.get(address_of(name, study), {"annotator": "annotator-1", **asked}).text
        for asked in ({}, {"pseudonyms": "1"})
    )
    assert [person for person in people if person not in shown] == []
    assert [person for person in people if person in hidden] == []
    assert "annotator-3" in hidden


# Of the settings of a report, one of each kind of fault.
BAD = [
    {"decimals": "x"},
    {"beta": "0"},
    {"min_annotators": "-1"},
    {"protocol": "none"},
    {"distance": "far"},
]
PAGES = ("reports:report", "questions:questions", "evidence:disagreement", "evidence:image")
BY_CRITERION = ("evidence:disagreement", "evidence:image", "figures:figures", "figures:detectors")


@cases(
    ("name", "query"),
    [
        *product({*PAGES, *BY_CRITERION}, BAD),
        *product(BY_CRITERION, [{"criterion": "beauty"}]),
    ],
)
def test_a_page_says_which_setting_cannot_be(researcher, study, name, query):
    response = researcher.get(address_of(name, study), query)
    assert response.status_code == 422
    assert "errorlist" in response.text


@cases("query", BAD)
def test_a_file_says_which_setting_cannot_be(researcher, study, query):
    for name in ("reports:export", "figures:figure"):
        response = researcher.get(address_of(name, study), query)
        assert response.status_code == 422
        assert response["Content-Type"].startswith("text/plain")
