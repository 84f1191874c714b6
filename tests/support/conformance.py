"""Comparison of all shared reference values with ours, for the tests and the documentation."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from protocols import registry
from protocols.core.base import ImageScore, Protocol, Scene
from protocols.core.regions import Region
from protocols.evaltex.measuring import Measured
from protocols.evaltex.protocol import Evaltex
from protocols.formats.containers.contents import IGNORED_TEXT
from protocols.formats.readers.rrc_lines import unquoted_text
from tests.support.reading import scenes_of
from tests.support.shared import shared_path

BOUND = 1e-9
# Reference file: the slug to compare with, the dataset, whether to use bounding boxes.
FILES = {
    "icdar2013.iou": ("iou", "icdar2013", False),
    "icdar2015.iou": ("iou", "icdar2015", False),
    "icdar2013.iou-ap": ("average-precision", "icdar2013", False),
    "icdar2015.iou-ap": ("average-precision", "icdar2015", False),
    "icdar2013.deteval": ("deteval", "icdar2013", False),
    "icdar2015-aabb.deteval": ("deteval", "icdar2015", True),
    "icdar2013.icdar13": ("icdar13", "icdar2013", False),
    "icdar2015-aabb.icdar13": ("icdar13", "icdar2015", True),
    "icdar2013.deteval-wolf": ("deteval-wolf", "icdar2013", False),
    "icdar2013.evaltex": ("evaltex", "icdar2013", False),
    "icdar2015.evaltex": ("evaltex", "icdar2015", False),
    "icdar2013.evaltex-no-split": ("evaltex-no-split", "icdar2013", False),
    "icdar2015.evaltex-no-split": ("evaltex-no-split", "icdar2015", False),
    "icdar2013.evaltex-emd": ("evaltex-emd", "icdar2013", False),
    "icdar2015.evaltex-emd": ("evaltex-emd", "icdar2015", False),
    "icdar2013.evaltex-emd-no-split": ("evaltex-emd-no-split", "icdar2013", False),
    "icdar2015.evaltex-emd-no-split": ("evaltex-emd-no-split", "icdar2015", False),
    "icdar2013.tiou": ("tiou", "icdar2013", False),
    "icdar2015.tiou": ("tiou", "icdar2015", False),
    "ctw1500.tiou": ("tiou", "ctw1500", False),
    "ctw1500.cleval-poly": ("cleval", "ctw1500", False),
    "icdar2013.tedeval": ("tedeval", "icdar2013", False),
    "icdar2015.tedeval": ("tedeval", "icdar2015", False),
    "icdar2013.cleval": ("cleval", "icdar2013", False),
    "icdar2015.cleval": ("cleval", "icdar2015", False),
    "clova-doc.cleval": ("cleval", "clova-doc", False),
    "clova-doc.popeval": ("popeval", "clova-doc", False),
}
# The published script sorts the confidences of all images with an unstable sort, so the order of
# equal ones, and thus the figure over all images, is undefined; ours keeps image and line.
UNDEFINED_OVERALL = {("icdar2015.iou-ap", "fcn-blocks"), ("icdar2013.iou-ap", "fcn-blocks")}
EDGE_SLUGS = {
    "IOU": "iou",
    "ICDAR13": "icdar13",
    "DETEVAL": "deteval",
    "TIOU": "tiou",
    "TEDEVAL": "tedeval",
    "CLEVAL": "cleval",
    "DETEVAL-WOLF": "deteval-wolf",
}
# Inputs on which the tool fails, or files that we refuse.
EDGE_WITHOUT_VALUE = {
    ("TIOU", "empty-gt-empty-det"),
    ("TIOU", "empty-gt-one-det"),
    ("TIOU", "empty-gt-missing-file"),
    ("TIOU", "only-dontcare-empty-det"),
    ("TIOU", "only-dontcare-det-inside"),
    ("TIOU", "only-dontcare-det-elsewhere"),
    ("TIOU", "only-dontcare-missing-file"),
    ("TEDEVAL", "empty-transcription"),
}


@dataclass(frozen=True)
class Comparison:
    """Deviations of one result set under one protocol from the tool, by image and overall."""

    reference: str
    slug: str
    tool: str
    data: str
    method: str
    n_images: int
    image_deviations: dict[str, float]
    overall_deviation: float

    @property
    def largest(self) -> float:
        return max(self.image_deviations.values())

    @property
    def beyond(self) -> list[str]:
        return [image for image, deviation in self.image_deviations.items() if deviation > BOUND]


def read_reference(name: str) -> dict:
    return json.loads(shared_path("reference", "protocols", f"{name}.json").read_text())


def compare(name: str) -> Iterator[Comparison]:
    """Compare every image of every result set of a reference file."""
    slug, data, as_boxes = FILES[name]
    reference = read_reference(name)
    tool = f"{reference['evaluator']}, {reference['version']}" if "version" in reference else ""
    protocol = registry.get(slug)
    for method, expected in reference["methods"].items():
        scenes = scenes_of(data, method, boxes=as_boxes, keep_quotes=slug == "popeval")
        scores = _scored(protocol, scenes, (data, method, as_boxes))
        assert {scene.name for scene in scenes} == set(expected["images"])
        with_average_precision = "AP" in reference["image_values"]
        deviations = {}
        for scene, score in zip(scenes, scores, strict=True):
            ours = [score.recall, score.precision, score.f_score]
            if with_average_precision:
                ours.append(score.indicators["average_precision"])
            official = expected["images"][scene.name]
            deviations[scene.name] = max(abs(a - b) for a, b in zip(ours, official, strict=True))
        overall, figures = protocol.overall(scores), expected.get("overall", {})
        official = (
            _of_sums(expected["sums"])
            if "sums" in expected
            else [
                figures.get("recall", figures.get("r")),
                figures.get("precision", figures.get("p")),
                figures.get("hmean", figures.get("f")),
            ]
        )
        ours = [overall.recall, overall.precision, overall.f_score]
        if with_average_precision:
            official.append(figures["AP"])
            ours.append(overall.indicators["average_precision"])
        yield Comparison(
            name,
            slug,
            tool or reference["evaluator"],
            reference["dataset"],
            method,
            len(scenes),
            deviations,
            max(abs(a - b) for a, b in zip(ours, official, strict=True)),
        )


def _of_sums(sums: dict) -> list[float]:
    """Return CLEval's figures from sums over all images: (characters found - cost) / all."""
    found = sums["num_char_tp_recall"]
    recall = (found - sums["gran_score_recall"]) / sums["num_char_gt"]
    precision = (found - sums["gran_score_precision"]) / sums["num_char_det"]
    return [recall, precision, 2 * recall * precision / (recall + precision)]


# The measurements that the variants of EVALTEX share, of the last result sets.
_MEASURED: dict[tuple, Measured] = {}
_MAX_MEASURED = 16


def _scored(protocol: Protocol, scenes: list[Scene], result_set: tuple) -> list[ImageScore]:
    if not isinstance(protocol, Evaltex):
        return protocol.score(scenes)
    key = (result_set, protocol.measurement)
    if key not in _MEASURED:
        while len(_MEASURED) >= _MAX_MEASURED:
            del _MEASURED[next(iter(_MEASURED))]
        _MEASURED[key] = protocol.measure(scenes)
    return protocol.conclude(_MEASURED[key])


def edge_cases() -> dict:
    cases = read_reference("edge-cases")["cases"]
    assert len(cases) == 34
    return cases


def edge_scene(case: dict) -> Scene:
    detections = case["detections"]
    return Scene(
        tuple(_edge_region(row, truth=True) for row in case["ground_truth"]),
        None if detections is None else tuple(_edge_region(row, truth=False) for row in detections),
    )


def _edge_region(row: list, *, truth: bool) -> Region:
    text = unquoted_text(row[4]) if truth else None
    return Region.from_box(*row[:4], text=text, ignored=text == IGNORED_TEXT)


def compare_edge_cases(protocol: str) -> dict[str, float]:
    """Return the largest deviation from the tool in each edge case for which it has a value."""
    evaluator = registry.get(EDGE_SLUGS[protocol])
    deviations = {}
    for name, case in edge_cases().items():
        expected = case["results"].get(protocol, {})
        # The reader refuses a box whose right side is left of its left side.
        if name == "inverted-detection" or not expected:
            continue
        if expected.get("image") is None:
            assert (protocol, name) in EDGE_WITHOUT_VALUE
            continue
        [score] = evaluator.score([edge_scene(case)])
        overall = evaluator.overall([score])
        ours = [score.recall, score.precision, score.f_score]
        official = list(expected["image"])
        if "overall" in expected:
            ours += [overall.recall, overall.precision, overall.f_score]
            official += expected["overall"]
        deviations[name] = max(abs(a - b) for a, b in zip(ours, official, strict=True))
    return deviations


def difference(found, expected, name: str = "") -> float:
    """Return the largest difference between numbers at one place; infinite if the shapes differ.

    The relevances ``P`` of faces may come in any order.
    """
    if isinstance(expected, dict):
        if not isinstance(found, dict) or set(found) != set(expected):
            return math.inf
        return max((difference(found[key], expected[key], key) for key in expected), default=0.0)
    if isinstance(expected, list):
        if not isinstance(found, list | tuple) or len(found) != len(expected):
            return math.inf
        if name == "P":
            found, expected = sorted(found), sorted(expected)
        return max(map(difference, found, expected), default=0.0)
    if expected is None or found is None or isinstance(expected, str):
        return 0.0 if found == expected else math.inf
    return abs(found - expected)
