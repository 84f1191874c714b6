"""Any regions for any protocol are scored, or refused with a reason."""

import math

import pytest
from hypothesis import strategies as st

from protocols import registry
from tests.support.examples import examples_of, scaled
from tests.support.factories import make_person
from tests.support.world import is_problem, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.release]

# Small whole numbers often: shapes that touch, cross themselves or have no area.
number = st.one_of(
    st.integers(-5, 40), st.floats(-1e6, 1e6, allow_nan=False), st.sampled_from([0, 1e-9, 1e6])
)
points = st.integers(3, 6).flatmap(lambda n: st.lists(number, min_size=2 * n, max_size=2 * n))
optional = {
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
    "confidence": st.floats(-1, 2, allow_nan=False),
    "ignored": st.booleans(),
    "id": st.sampled_from(["a", "b"]),
    "parent": st.sampled_from(["a", "b", "c"]),
    "cell": st.lists(st.integers(0, 4), min_size=4, max_size=4),
}
region = st.fixed_dictionaries({"points": points}, optional=optional)
scene = st.fixed_dictionaries(
    {
        "truth": st.lists(region, max_size=4),
        "detections": st.one_of(st.none(), st.lists(region, max_size=4)),
    },
    optional={"width": st.integers(1, 100), "height": st.integers(1, 100)},
)
scenes = st.lists(scene, min_size=1, max_size=2)


@pytest.fixture
def script(settings):
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000/s")
    return signed_in(make_person())


@pytest.mark.parametrize("slug", registry.PROTOCOLS)
def test_any_regions_are_scored_or_refused(script, slug):
    for images in examples_of(scenes, scaled(15)):
        response = script.post(f"/api/v1/protocols/{slug}/score", {"images": images})
        if response.status_code != 200:
            assert is_problem(response, 422), (images, response.content)
            continue
        data = response.json()
        assert len(data["images"]) == len(images)
        for scored in (data, *data["images"]):
            for name in ("recall", "precision", "f_score"):
                value = scored[name]
                assert value is None or (math.isfinite(value) and -1e-9 <= value <= 1 + 1e-9), (
                    images
                )


def test_a_protocol_that_gives_up_is_a_refusal_and_is_noted(script, monkeypatch, caplog):
    def give_up(self, scenes):
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr(registry.PROTOCOLS["iou"], "score", give_up)
    sent = {"images": [{"truth": [], "detections": []}]}
    response = script.post("/api/v1/protocols/iou/score", sent)
    assert is_problem(response, 422, "refused")
    assert "deep inside" not in response.text
    assert "deep inside" in caplog.text


def test_a_pile_of_regions_is_refused_before_it_is_scored(script, monkeypatch):
    """Its 300 regions are as many as a request may have; EVALTEX would take minutes."""
    pile = [{"points": [0, 0, 50, 0, 50, 20, 0, 20]}] * 150
    images = [{"name": "img_7", "truth": pile, "detections": pile}]
    scored = []
    monkeypatch.setattr(
        registry.PROTOCOLS["evaltex"], "score", lambda _, scenes: scored.append(scenes)
    )
    response = script.post("/api/v1/protocols/evaltex/score", {"images": images})
    assert response.status_code == 422
    assert "overlap or cross each other so often" in response.json()["detail"]
    assert scored == []
