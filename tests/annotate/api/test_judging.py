"""The studies and images of an annotator in the API, which names no method and no other person."""

import json

import pytest

from annotate.judging import services
from tests.support.factories import add_annotator, make_study
from tests.support.made_once import made_once
from tests.support.truths import answer, rank_everything, same_truth
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db

ROOT = "/api/v1/judging"
TRUTH = same_truth([["alpha-net"], ["beta-net"], ["gamma-net"]])

made_study = made_once(lambda: make_study(["alpha-net", "beta-net", "gamma-net"], images=2))


def test_own_images_and_studies_say_how_far_one_is_and_name_nobody(study, annotator):
    other = add_annotator(study)
    rank_everything(study, other, TRUTH)
    turn = services.start(study=study, annotator=annotator).turn
    answer(turn, annotator, TRUTH)
    script = signed_in(annotator, scopes=("read",))
    studies = script.get(ROOT)
    images = script.get(f"{ROOT}/studies/{study.slug}/assignments")
    [own], [image] = studies.json(), images.json()["results"]
    assert (own["slug"], own["n_images"], own["n_done"]) == (study.slug, 2, 0)
    assert (image["position"], image["state"], image["n_answered"]) == (1, "in_work", 1)
    for response in (studies, images, script.get("/api/v1/me")):
        told = response.content.decode() + json.dumps(dict(response.headers))
        assert "-net" not in told
        assert other.username not in told

    rank_everything(study, annotator, TRUTH)
    images = script.get(f"{ROOT}/studies/{study.slug}/assignments").json()["results"]
    assert [image["state"] for image in images] == ["complete"] * 2
    assert script.get(ROOT).json()[0]["n_done"] == 2
