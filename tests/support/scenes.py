"""Scenes for rules of all protocols, with handmade and with generated regions."""

import math
from dataclasses import replace

from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene
from protocols.core.credits import CreditProtocol
from protocols.core.regions import Region

SLUGS = list(registry.PROTOCOLS)
CREDITED = [
    slug for slug, protocol in registry.PROTOCOLS.items() if issubclass(protocol, CreditProtocol)
]
WORD, NEXT = (
    Region.from_box(0, 0, 100, 40, text="word"),
    Region.from_box(110, 0, 210, 40, text="next"),
)
IGNORED = Region.from_box(0, 100, 100, 140, text="###", ignored=True)
ON_IGNORED = Region.from_box(0, 100, 100, 140, text="word")
FAR = Region.from_box(900, 900, 950, 940, text="far")

boxes = st.builds(
    lambda left, top, width, height: (left, top, left + width, top + height),
    st.integers(0, 60),
    st.integers(0, 30),
    st.integers(0, 40),
    st.integers(0, 20),
).map(lambda box: Region.from_box(*map(float, box)))
slanted = st.builds(
    lambda x, y, a, b, c, d: Region(
        tuple(map(float, (x, y + b, x + a, y, x + a + c, y + d, x + c, y + b + d)))
    ),
    *[st.integers(0, 60)] * 2,
    *[st.integers(1, 25)] * 4,
)
texts = st.text("abc", max_size=5)
truths = st.lists(
    st.builds(
        lambda region, text, ignored, line: replace(
            region, text="###" if ignored else text, ignored=ignored, parent=line
        ),
        boxes | slanted,
        texts,
        st.booleans(),
        st.sampled_from([None, "1", "2"]),
    ),
    max_size=5,
).map(tuple)
detections = st.none() | st.lists(
    st.builds(
        lambda region, text, confidence: replace(region, text=text, confidence=confidence),
        boxes | slanted,
        texts,
        st.sampled_from([None, 0.2, 0.5, 0.9]),
    ),
    max_size=5,
).map(tuple)
scenes = st.builds(
    lambda truth, detected: Scene(truth, detected, "image", 400.0, 300.0), truths, detections
)


def score(slug, scene, **parameters):
    [scored] = registry.get(slug, parameters).score([scene])
    return scored


def scored(slug, truth, detections, **parameters):
    """Return the score of an image with these regions."""
    found = None if detections is None else tuple(detections)
    return score(slug, Scene(tuple(truth), found), **parameters)


def figures(scored):
    return scored.recall, scored.precision, scored.f_score


def close(a, b):
    return all(
        (x is None) == (y is None) and (x is None or math.isclose(x, y, abs_tol=1e-9))
        for x, y in zip(a, b, strict=True)
    )


def changed(scene, change):
    return replace(
        scene,
        truth=tuple(map(change, scene.truth)),
        detections=None if scene.detections is None else tuple(map(change, scene.detections)),
    )
