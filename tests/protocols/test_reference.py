"""Equal to the official tools, image by image."""

import json

import pytest

from protocols import registry
from protocols.base import Scene
from protocols.formats.rrc import IGNORED_TEXT, _unquoted
from protocols.iou import average_precision
from protocols.regions import Region
from tests.shared import shared_path

from .reading import scenes_of

BOUND = 1e-9
FILES = {
    "icdar2013.iou": ("icdar2013", False),
    "icdar2013.deteval": ("icdar2013", False),
    "icdar2013.icdar13": ("icdar2013", False),
    "icdar2015.iou": ("icdar2015", False),
    "icdar2015-aabb.deteval": ("icdar2015", True),
    "icdar2015-aabb.icdar13": ("icdar2015", True),
}
EDGE_PROTOCOLS = {"IOU": "iou", "ICDAR13": "icdar13", "DETEVAL": "deteval"}


@pytest.mark.parametrize("name", FILES)
def test_every_image_of_every_result_set_scores_as_the_official_tool_does(name):
    data, boxes = FILES[name]
    reference = json.loads(shared_path("reference", "protocols", f"{name}.json").read_text())
    protocol = registry.get(name.split(".")[1])
    n_images = 0
    for method, expected in reference["methods"].items():
        scenes = scenes_of(data, method, boxes=boxes)
        scores = protocol.score(scenes)
        deviations = []
        for scene, score in zip(scenes, scores, strict=True):
            found = (score.recall, score.precision, score.f_score)
            official = expected["images"][scene.name]
            deviation = max(abs(a - b) for a, b in zip(found, official, strict=True))
            if deviation > BOUND:
                deviations.append(f"{method} {scene.name}: {found} instead of {official}")
        assert not deviations, "\n".join(deviations)
        assert len(scenes) == len(expected["images"])
        n_images += len(scenes)
        overall, figures = protocol.overall(scores), expected["overall"]
        assert overall.recall == pytest.approx(figures["recall"], abs=BOUND)
        assert overall.precision == pytest.approx(figures["precision"], abs=BOUND)
        assert overall.f_score == pytest.approx(figures["hmean"], abs=BOUND)
    assert n_images == (5 * 233 if data == "icdar2013" else 8 * 500)


def edge_cases():
    cases = json.loads(shared_path("reference", "protocols", "edge-cases.json").read_text())[
        "cases"
    ]
    assert len(cases) == 34
    return cases


def region(row, *, truth):
    text = _unquoted(row[4]) if truth else None
    return Region.from_box(*row[:4], text=text, ignored=text == IGNORED_TEXT)


@pytest.mark.parametrize("protocol", EDGE_PROTOCOLS)
def test_every_edge_case_scores_as_the_official_tool_does(protocol):
    for name, case in edge_cases().items():
        expected = case["results"].get(protocol, {})
        if "image" not in expected:
            # The tool refuses the file; so does the reader (test_rrc).
            assert name == "inverted-detection"
            continue
        found = case["detections"]
        scene = Scene(
            tuple(region(row, truth=True) for row in case["ground_truth"]),
            None if found is None else tuple(region(row, truth=False) for row in found),
        )
        evaluator = registry.get(EDGE_PROTOCOLS[protocol])
        [score] = evaluator.score([scene])
        overall = evaluator.overall([score])
        image = [score.recall, score.precision, score.f_score]
        assert image == pytest.approx(expected["image"], abs=BOUND), name
        figures = [overall.recall, overall.precision, overall.f_score]
        assert figures == pytest.approx(expected["overall"], abs=BOUND), name


def test_average_precision_is_the_published_one():
    reference = json.loads(shared_path("reference", "protocols", "ap-cases.json").read_text())
    protocol = registry.get("iou", {"use_confidences": True})
    for name, case in reference["cases"].items():
        scenes = [
            Scene(
                tuple(region(row, truth=True) for row in truth),
                tuple(
                    Region.from_box(*row[:4], confidence=row[4])
                    for row in case["detections"].get(image, [])
                ),
            )
            for image, truth in reference["ground_truth"].items()
        ]
        scores = protocol.score(scenes)
        counted = [
            (detection.confidence, any(at in match.detections for match in score.matches))
            for scene, score in zip(scenes, scores, strict=True)
            for at, detection in enumerate(scene.detections)
            if not any(
                u.side == "detection" and u.index == at and "ignored" in u.reason
                for u in score.unmatched
            )
        ]
        found = average_precision(
            [confidence for confidence, _ in counted],
            [matched for _, matched in counted],
            sum(score.tally.n_truth for score in scores),
        )
        assert found == pytest.approx(case["overall"]["AP"], abs=BOUND), name
        overall = protocol.overall(scores)
        assert overall.recall == pytest.approx(case["overall"]["recall"], abs=BOUND), name
        assert overall.precision == pytest.approx(case["overall"]["precision"], abs=BOUND), name
