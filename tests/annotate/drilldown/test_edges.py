"""Studies of which little is known, and people who may not see them."""

import re

import pytest

from annotate.judging.models import Assignment
from tests.support.evidence import compare_url, disagreement_url, image_url
from tests.support.factories import (
    add_annotator,
    make_method,
    make_result,
    make_run,
    make_study,
)
from tests.support.truths import rank_by, rank_everything, same_truth
from tests.support.worked import worked_study

pytestmark = [pytest.mark.django_db, pytest.mark.release]

NOT_FOR_PEOPLE = re.compile(r"\b(nan|inf|None)\b")


def letters(order):
    return ["".join(pane.letter for pane in bucket.panes) for bucket in order.buckets]


def _nobody_began():
    return make_study(["a", "b"])


def _one_annotator():
    study = make_study(["a", "b"])
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    return study


def _one_method():
    study = _one_annotator()
    study.methods.set(study.methods.filter(name="a"))
    return study


def _all_ties():
    study = make_study(["a", "b", "c"])
    rank_by(3, study, same_truth([["a", "b", "c"]]))
    make_run(study, "Ties", {"a": 0.5, "b": 0.5, "c": 0.5})
    return study


def _without_scores():
    study = _all_ties()
    make_run(study, "Nothing", {})
    make_run(study, "Some", {"a": 0.5})
    return study


def _without_result():
    study = make_study(["a", "b"])
    image = study.images.get()
    Assignment.objects.all().delete()
    image.results.all().delete()
    return study


def _added_method():
    study = _one_annotator()
    method = make_method(study.dataset, "new")
    make_result(study.images.get(), method)
    study.methods.add(method)
    make_run(study, "All", {"a": 0.5, "b": 0.1, "new": 0.9})
    return study


EDGES = [
    _nobody_began,
    _one_annotator,
    _one_method,
    _all_ties,
    _without_scores,
    _without_result,
    _added_method,
    worked_study,
]


@pytest.mark.parametrize("make", EDGES)
def test_no_edge_crashes_or_prints_what_is_not_for_people(follow, make):
    study = make()
    client = follow(study)
    for image in study.images.all():
        for criterion in ("recall", "precision", "preference"):
            response = client.get(image_url(study, image), {"criterion": criterion})
            assert response.status_code == 200
            assert not NOT_FOR_PEOPLE.search(response.text)
        for protocol in ("", "IOU", "Some"):
            response = client.get(compare_url(study, image), {"protocol": protocol})
            assert response.status_code == 200
            assert not NOT_FOR_PEOPLE.search(response.text)
    for run in [*study.dataset.runs.all()]:
        response = client.get(disagreement_url(study), {"protocol": run.name})
        assert response.status_code == 200
        assert not NOT_FOR_PEOPLE.search(response.text)
    assert client.get(disagreement_url(study)).status_code == 200


def test_what_lacks_is_said(follow):
    study = _without_scores()
    page = follow(study).get(image_url(study)).context["page"]
    lacks = {order.name: order.lacks for order in page.protocols}
    assert lacks == {"Nothing": "no scores on this image", "Some": "b has no score", "Ties": ""}


def test_a_method_that_nobody_ranked_yet_stands_apart(follow):
    study = _added_method()
    page = follow(study).get(image_url(study)).context["page"]
    assert [pane.method.name for pane in page.unranked] == ["new"]
    assert [letters(order) for order in page.protocols] == [["a", "b"]]


def test_the_image_says_when_it_does_not_count(follow):
    study = _one_annotator()
    response = follow(study).get(image_url(study))
    assert response.context["page"].does_not_count == "1 of 3 complete rankings"


def test_queries_do_not_grow_with_methods_or_people(follow, django_assert_max_num_queries):
    study = make_study(8, images=2)
    ranking = [[f"method-{at}"] for at in range(8)]
    rank_by(4, study, same_truth(ranking))
    for at in range(5):
        make_run(study, f"run {at}", {f"method-{n}": n / 10 for n in range(8)})
    client = follow(study)
    with django_assert_max_num_queries(20):
        client.get(image_url(study))
    with django_assert_max_num_queries(26):
        client.get(image_url(study), {"annotator": "annotator-2"})
    # One is of the versions of the ground truth.
    with django_assert_max_num_queries(15):
        client.get(compare_url(study), {"protocol": "IOU"})
    with django_assert_max_num_queries(20):
        client.get(disagreement_url(study))
