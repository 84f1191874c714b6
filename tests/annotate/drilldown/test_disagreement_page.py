"""Where a protocol and people disagree: the images by their distance."""

import re
from copy import deepcopy

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.drilldown.images import disagreement
from annotate.reports import background_counts
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import StudyImage
from rankings.agreement.baselines import A_PERSON
from rankings.agreement.report import build_report
from tests.support.evidence import disagreement_url
from tests.support.factories import (
    add_annotator,
    make_image,
    make_result,
    make_run,
    make_study,
)
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_by, rank_everything, same_truth

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("among", [None, ["Right", "Reversed"]])
def test_the_counts_of_a_report_open_the_images_they_count(follow, among):
    """Best and Worst of each protocol are as many as the images behind them."""
    study = make_study(list("abc"), images=3)
    rank_by(3, study, same_truth([["a"], ["b"], ["c"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    make_run(study, "In part", {"a": 0.1, "b": 0.9, "c": 0.5})
    Score.objects.filter(run__name="Right", result__image=study.images.first()).update(recall=0.5)
    client = follow(study)
    page = client.get(
        reverse("reports:report", args=[study.slug]), {"protocol": among} if among else {}
    )
    recall = flat(page.text).split('id="recall"')[1].split("</table>")[0]
    links = re.findall(r'data-address="([^"]*only=(?:best|worst)[^"]*)" title="(\d+) ', recall)
    assert len(links) == 2 * (len(among) if among else 3)
    for url, n in links:
        response = client.get(url.replace("&amp;", "&"))
        assert response.status_code == 200
        assert len(response.context["found"].rows) == int(n), url


@pytest.mark.parametrize("asked", [{}, {"distance": "kemeny"}, {"protocol": "Right"}])
def test_every_number_of_a_baseline_opens_the_images_it_is_the_mean_of(follow, asked):
    study = make_study(list("abc"), images=3)
    for order in ("abc", "acb", "bac"):
        rank_everything(study, add_annotator(study), same_truth([[one] for one in order]))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Elsewhere", {"a": 0.1, "b": 0.5, "c": 0.9})
    # Where Elsewhere takes part, one image less counts.
    Score.objects.filter(run__name="Elsewhere", result__image=study.images.first()).delete()
    client = follow(study)
    page = client.get(reverse("reports:report", args=[study.slug]), asked)
    [person] = [row for row in page.context["shown"].baselines if row.is_person]
    # Each of the three is a swap or two from what the other two say together, in which they tie pairs.
    assert person.score > 0
    for row in page.context["shown"].baselines:
        [url] = re.findall(
            rf'data-address="([^"]*)" title="Score [\d.]+ of {row.name}:', flat(page.text)
        )[:1]
        opened = client.get(url.replace("&amp;", "&"))
        assert opened.context["name"] == row.name
        assert opened.context["found"].mean == pytest.approx(row.score)
        assert opened.context["found"].n_rows == page.context["shown"].table.n_images


def make_the_apart():
    """Three images; Right is 0, 1 and 3 swaps away from a > b > c on them."""
    study = make_study(list("abc"), images=3)
    rank_by(3, study, same_truth([["a"], ["b"], ["c"]]))
    run = ProtocolRun.objects.create(
        dataset=study.dataset, name="Right", version="1", origin=ProtocolRun.Origin.IMPORTED
    )
    orders = ["abc", "bac", "cba"]
    for image, order in zip(study.images.in_order(), orders, strict=True):
        for result in image.results.all():
            share = 1 - order.index(result.method.name) / 10
            Score.objects.create(
                run=run, result=result, recall=share, precision=share, f_score=share
            )
    return study


made_apart = made_once(make_the_apart)


@pytest.fixture
def apart(made_apart, db):
    return deepcopy(made_apart)


def test_images_stand_by_their_distance_the_largest_first(follow, apart):
    response = follow(apart).get(disagreement_url(apart))
    names = list(apart.images.in_order().values_list("name", flat=True))
    found = response.context["found"]
    assert [(row.name, row.distance) for row in found.rows] == [
        (names[2], 3),
        (names[1], 1),
        (names[0], 0),
    ]
    assert found.mean == pytest.approx(4 / 3)
    assert found.rows[0].most == 3


def test_a_distance_leads_to_the_steps_behind_it(follow, apart):
    client = follow(apart)
    text = client.get(disagreement_url(apart), {"criterion": "precision"}).text
    links = re.findall(r'href="([^"]*script=[^"]*)"', text)
    response = client.get(links[0].replace("&amp;", "&").split("#")[0])
    assert response.context["page"].criterion == "precision"
    assert [order.edit.distance for order in response.context["page"].protocols] == [3]
    assert re.search(r'<details class="steps" id="protocol-\d+" open>', flat(response.text))


def test_images_come_page_by_page(follow, apart, monkeypatch):
    monkeypatch.setattr("annotate.drilldown.images.views._IMAGES_PER_PAGE", 2)
    client = follow(apart)
    assert len(client.get(disagreement_url(apart)).context["rows"]) == 2
    assert len(client.get(disagreement_url(apart), {"page": "2"}).context["rows"]) == 1


def test_images_that_do_not_count_are_named_with_the_reason(follow, apart):
    response = follow(apart).get(disagreement_url(apart), {"min_annotators": "4"})
    assert response.context["found"].mean is None
    assert len(response.context["found"].left_out) == 3
    assert "No image counts yet" in response.text


def add_unranked(study, n):
    for at in range(n):
        image = make_image(study.dataset, name=f"unranked-{at}")
        StudyImage.objects.create(study=study, image=image)
        for method in study.methods.all():
            result = make_result(image, method)
            Score.objects.create(
                run=ProtocolRun.objects.get(), result=result, recall=0.5, precision=0.5, f_score=0.5
            )


@pytest.mark.parametrize("asked", [{}, {"protocol": A_PERSON}, {"only": "best"}])
def test_images_that_nobody_ranked_change_nothing_and_the_first_of_them_are_listed(
    follow, apart, monkeypatch, asked
):
    client = follow(apart)
    with CaptureQueriesContext(connection) as before:
        rows = client.get(disagreement_url(apart), asked).context["found"].rows
    add_unranked(apart, 4)
    monkeypatch.setattr(disagreement, "_MOST_KEPT", 3)
    scored = []

    def recorded(rankings, scores, settings):
        scored.extend(scores)
        return build_report(rankings, scores, settings)

    monkeypatch.setattr(disagreement, "build_report", recorded)
    with CaptureQueriesContext(connection) as after:
        found = client.get(disagreement_url(apart), asked).context["found"]
    assert found.rows == rows
    assert found.n_left_out == 4
    assert [name for name, _ in found.left_out] == [f"unranked-{at}" for at in range(3)]
    assert {str(reason) for _, reason in found.left_out} == {"0 of 3 annotators"}
    assert len(after) <= len(before)
    assert len(scored) == 3, "of the images that are ranked, scores are read and no others"


def test_a_large_study_is_compared_when_somebody_asks(follow, apart, monkeypatch):
    client, address = follow(apart), disagreement_url(apart)
    at_once = client.get(address).context["found"]
    monkeypatch.setattr(background_counts, "MOST_AT_ONCE", 5)
    first = client.get(address)
    assert "found" not in first.context
    assert "compared in the background" in first.text
    monkeypatch.setattr(disagreement, "_MOST_KEPT", 2)
    response = client.post(address)
    after = client.get(response.url)
    assert [row.distance for row in after.context["found"].rows] == [3, 1]
    assert after.context["found"].rows == at_once.rows[:2]
    assert after.context["found"].mean == at_once.mean == 4 / 3
    assert "The first 2 are listed." in after.text
    # Another question is counted by itself.
    assert "found" not in client.get(address, {"criterion": "precision"}).context
