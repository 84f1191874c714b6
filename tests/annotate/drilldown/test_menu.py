"""The menu on the pages around a report."""

import pytest
from django.urls import reverse

from tests.support.factories import add_researcher, make_study
from tests.support.pages import flat

PAGES = [
    "reports:report",
    "evidence:annotators",
    "evidence:disagreement",
    "figures:figures",
    "exchange:raw",
]


@pytest.mark.django_db
def test_pages_around_a_report_stand_under_studies(client):
    study = make_study(["a", "b"])
    client.force_login(add_researcher(study))
    link = f'<a href="{reverse("home")}" aria-current="true">Studies</a>'
    for name in PAGES:
        assert link in flat(client.get(reverse(name, args=[study.slug])).text), name
