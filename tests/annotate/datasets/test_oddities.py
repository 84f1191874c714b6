"""Oddities of a dataset's data on its page, by the rules of the report of a load."""

import pytest
from django.urls import reverse

from annotate.datasets.models import Image
from annotate.scoring.readiness import readiness
from tests.support.factories import add_researcher, make_study

pytestmark = pytest.mark.django_db


def test_nothing_is_said_of_data_without_a_fault(client):
    study = make_study(["a", "b"], images=25)
    client.force_login(add_researcher(study))
    assert readiness(study.dataset).oddities == []
    page = client.get(reverse("datasets:detail", args=[study.dataset.slug])).text
    assert "What looks odd" not in page


def test_words_against_lines_and_one_photograph_under_two_names_are_said(client):
    """The truth of each of 25 images is one region, in which b finds two words."""
    study = make_study(["a", "b"], images=25, boxes={"b": [(0, 0, 30, 39), (34, 0, 64, 39)]})
    first, second = study.dataset.images.in_order()[:2]
    for image in (first, second):
        Image.objects.filter(pk=image.pk).update(sha256="a" * 64, width=9, height=9)
    client.force_login(add_researcher(study))
    page = client.get(reverse("datasets:detail", args=[study.dataset.slug])).text
    assert "What looks odd in the data" in page
    assert "b: found 25 of 25 regions of the ground truth that hold several detections" in page
    assert "1 photograph has two or more names" in page
    assert "a: found" not in page
