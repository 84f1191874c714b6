"""Scores are equal to the last digit wherever they are computed, and however they are cut."""

import random
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from protocols import registry, scoring
from protocols.core.base import ImageScore, Protocol, Scene, Tally
from protocols.core.regions import Region
from tests.support.executors import Shuffled
from tests.support.scenes import SLUGS
from text_rankings.base.processes import Processes

N_IMAGES = 11


@pytest.fixture(scope="module")
def results():
    """Three methods on images of words with texts, confidences and table cells; some images are empty."""
    rng = random.Random(2018)

    def word(at: int, jitter: float) -> Region:
        left = 130.0 * (at % 3) + rng.uniform(-jitter, jitter)
        top = 60.0 * (at // 3) + rng.uniform(-jitter, jitter)
        right, bottom = left + rng.uniform(40, 120), top + rng.uniform(15, 45)
        slant = rng.choice([0.0, 0.0, rng.uniform(0, 9)])
        return Region(
            (left, top, right, top + slant, right, bottom + slant, left, bottom),
            text=rng.choice(["street", "of", "tea", "###"]),
            confidence=rng.choice([0.3, 0.5, 0.5, 0.9]),
            cell=(at // 3, at % 3, at // 3, at % 3),
            parent="table",
        )

    table = Region.from_box(0.0, 0.0, 400.0, 250.0, id="table", confidence=0.7)

    truths = [
        tuple(
            replace(word(at, 0.0), ignored=rng.random() < 0.2, confidence=None) if at else table
            for at in range(rng.choice([0, 3, 6, 10]))
        )
        for _ in range(N_IMAGES)
    ]

    def detected(truth: tuple[Region, ...]) -> tuple[Region, ...] | None:
        if rng.random() < 0.1:
            return None
        return (table, *(word(at, 12.0) for at in range(len(truth) + 1) if rng.random() < 0.8))

    return {
        method: [
            Scene(truth, detected(truth), f"img_{at}", 400.0, 300.0)
            for at, truth in enumerate(truths)
        ]
        for method in ("east", "craft", "pixellink")
    }


def at_once(protocol, results):
    """The scores of whole result sets, each in one call, as they would be without any chunks."""
    return {
        method: [replace(score, matches=(), unmatched=(), histograms={}) for score in of_method]
        for method, of_method in protocol.score_methods(results).items()
    }


@pytest.mark.parametrize("weight", [1, 40])
@pytest.mark.parametrize("slug", SLUGS)
def test_no_digit_depends_on_chunks_or_their_order(slug, weight, results, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", weight)
    protocol = registry.get(slug)
    expected = at_once(protocol, results)
    with Shuffled(seed=weight) as executor:
        scores = scoring.score_methods(protocol, results, executor)
    # As text: equal numbers may differ in the sign of a zero.
    assert repr(scores) == repr(expected) == repr(scoring.score_methods(protocol, results))
    for method in results:
        assert repr(protocol.overall(scores[method])) == repr(protocol.overall(expected[method]))
    if weight == 1:
        assert executor.order != sorted(executor.order), "or this shows nothing"


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_no_digit_depends_on_the_number_of_processes(n_workers, results, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", 100)
    with closing(Processes(n_workers, ["protocols.registry"])) as engine:
        for slug in ("evaltex-emd", "average-precision", "no-ground-truth"):
            protocol = registry.get(slug)
            scores = scoring.score_methods(protocol, results, engine)
            assert repr(scores) == repr(at_once(protocol, results))


def test_a_chunk_has_about_the_weight_asked_for(results, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", 60)
    chunks = list(
        scoring.chunks_of_method(
            [registry.get("iou"), registry.get("deteval")], "east", results["east"]
        )
    )
    assert [scene for chunk in chunks for scene in chunk.scenes] == results["east"]
    for chunk in chunks:
        regions = sum(len(scene.truth) + len(scene.detections or ()) for scene in chunk.scenes[:-1])
        assert regions < 60 / 2
    assert chunks[1].start == len(chunks[0].scenes)
    assert chunks[1].name.startswith(f"images {chunks[1].start + 1} to ")
    assert chunks[1].name.endswith(" of east")


def test_without_an_image_there_is_one_empty_chunk():
    [chunk] = scoring.chunks_of_method([registry.get("iou")], "east", [])
    assert chunk() == [[]]


@dataclass(frozen=True)
class ShareOfAll(Protocol):
    """Each image has the share of all detections that are its own."""

    slug: ClassVar[str] = "share-of-all"
    needs_all_images: ClassVar[bool] = True

    def score(self, scenes):
        numbers = [len(scene.detections or ()) for scene in scenes]
        shares = [number / sum(numbers) for number in numbers]
        return [ImageScore(share, share, share, Tally(share, 1, share, 1)) for share in shares]


def test_a_protocol_that_needs_all_images_sees_them_at_once(results, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", 1)
    with Shuffled() as executor:
        scores = scoring.score_methods(ShareOfAll(), results, executor)
    assert scores == at_once(ShareOfAll(), results)
    assert len(executor.order) == len(results)
