"""Output of the competition's scripts: the figures of a result set, and those of each image."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ..core.base import ImageScore, OverallScore, Protocol, Scene
from ..core.geometry import (
    Pairs,
    Shapes,
    box_areas,
    box_intersections,
    boxes_of,
    intersection_areas,
    overlapping_pairs,
    shares,
)
from ..core.matching import INSIDE_IGNORED
from ..core.regions import Region
from ..iou import Iou, average_precision

# Challenge 2 has boxes, Challenge 4 and later ones quadrilaterals.
OF_BOXES: Final = ("deteval", "icdar13", "deteval-wolf")
_TYPES: Final = {"one-to-one": "OO", "split": "OM", "merge": "MO", "many-to-many": "MM"}
# Above this many detections the published scripts omit the matrices.
_MAX_DETECTIONS: Final = 100


def overall_figures(
    protocol: Protocol, scenes: Sequence[Scene], scores: Sequence[ImageScore]
) -> dict[str, float | None]:
    """Return the official figures, by the names of the competition's scripts.

    Parameters
    ----------
    scenes : sequence of Scene, length n
    scores : sequence of ImageScore, length n
    """
    overall: OverallScore = protocol.overall(scores)
    figures = {
        "recall": overall.recall,
        "precision": overall.precision,
        "hmean": overall.f_score,
    }
    if "average_precision" in overall.indicators:
        figures["AP"] = overall.indicators["average_precision"]
    if protocol.slug == "tedeval":
        # The script finds no match among its confidences, so its average precision is 0.
        figures["AP"] = 0.0
    if isinstance(protocol, Iou):
        counted = [
            flag
            for scene, score in zip(scenes, scores, strict=True)
            for flag in _confidences_and_matches(scene, score)
        ]
        n_truth = sum(score.tally.n_truth for score in scores)
        figures["AP"] = _average_precision(protocol, counted, n_truth)
    return figures


def _confidences_and_matches(scene: Scene, score: ImageScore) -> list[tuple[float, bool]]:
    """Return confidence and whether it is matched, for each counted detection in file order."""
    matched = {j for match in score.matches for j in match.detections}
    ignored = _ignored(score)
    return [
        (region.confidence or 0.0, j in matched)
        for j, region in enumerate(scene.detections or ())
        if j not in ignored
    ]


def _ignored(score: ImageScore) -> list[int]:
    return [
        unmatched.index
        for unmatched in score.unmatched
        if unmatched.side == "detection" and unmatched.reason == INSIDE_IGNORED
    ]


def _average_precision(
    protocol: Iou, counted: Sequence[tuple[float, bool]], n_truth: float
) -> float:
    if not protocol.use_confidences:
        return 0.0
    confidences = [confidence for confidence, _ in counted]
    return average_precision(confidences, [matched for _, matched in counted], n_truth)


def sample_of(
    protocol: Protocol, scene: Scene, score: ImageScore, listed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the output of the competition's scripts for one image.

    Parameters
    ----------
    score : ImageScore
        Scores of this scene, with its matches.
    listed : mapping
        The parameters that the script lists with its results.
    """
    detections = scene.detections or ()
    sample: dict[str, Any] = {
        "precision": score.precision,
        "recall": score.recall,
        "hmean": score.f_score,
        "pairs": _pairs(protocol, scene, score),
        "gtPolPoints": [_points(region, listed) for region in scene.truth],
        "detPolPoints": [_points(region, listed) for region in detections],
        "gtDontCare": [at for at, region in enumerate(scene.truth) if region.ignored],
        "detDontCare": _ignored(score),
        "evaluationParams": dict(listed),
        "evaluationLog": "".join(
            f"{unmatched.side} {unmatched.index}: {unmatched.reason}\n"
            for unmatched in score.unmatched
        ),
    }
    # Without truth or detections, the scripts write a matrix that was never filled; this does not.
    small = bool(scene.truth) and 0 < len(detections) <= _MAX_DETECTIONS
    if isinstance(protocol, Iou):
        sample["AP"] = _image_average_precision(protocol, scene, score)
        sample["iouMat"] = _iou_matrix(scene) if small else []
    elif protocol.slug == "tedeval":
        sample["AP"] = 0.0 if score.tally.n_truth else score.precision
    elif protocol.slug in OF_BOXES:
        recall, precision = _area_matrices(scene) if small else ([], [])
        sample["recallMat"], sample["precisionMat"] = recall, precision
    return sample


def _image_average_precision(protocol: Iou, scene: Scene, score: ImageScore) -> float | None:
    n_truth = score.tally.n_truth
    if not n_truth:
        # As published: without counted truth the image's AP is its precision.
        return score.precision
    return _average_precision(protocol, _confidences_and_matches(scene, score), n_truth)


def _points(region: Region, listed: Mapping[str, Any]) -> list[float]:
    """Return a region's numbers as its line has them: four sides of a box, else all points."""
    if listed.get("LTRB") or ("LTRB" not in listed and "MTYPE_OO_O" in listed):
        return list(map(float, region.box))
    return list(map(float, region.points))


def _pairs(protocol: Protocol, scene: Scene, score: ImageScore) -> list[dict[str, Any]]:
    """Return the matches; a side is a list where the script writes a list."""
    several: set[int] = set()
    if protocol.slug == "deteval":
        # A split of which one detection is left counts as one-to-one, but is written as a split.
        recall, _ = _area_matrices(scene)
        counted = set(range(len(scene.detections or ()))) - set(_ignored(score))
        several = {i for i, row in enumerate(recall) if sum(row[j] > 0 for j in counted) > 1}
    pairs = []
    for match in score.matches:
        lists = protocol.slug == "tedeval"
        many_truths = lists or match.kind in ("merge", "many-to-many")
        many = lists or match.kind in ("split", "many-to-many")
        many |= match.kind == "one-to-one" and match.truth[0] in several
        pair: dict[str, Any] = {
            "gt": list(match.truth) if many_truths else match.truth[0],
            "det": list(match.detections) if many else match.detections[0],
        }
        if not isinstance(protocol, Iou):
            pair["type"] = _TYPES[match.kind]
        pairs.append(pair)
    return pairs


def _all_pairs(scene: Scene) -> Pairs:
    n, m = len(scene.truth), len(scene.detections or ())
    return Pairs(np.repeat(np.arange(n), m), np.tile(np.arange(m), n))


def _iou_matrix(scene: Scene) -> list[list[float]]:
    truth = Shapes(scene.truth, truncate=True)
    detections = Shapes(scene.detections or (), truncate=True)
    pairs = overlapping_pairs(
        truth.boxes,
        detections.boxes,
        np.array([len(truth.boxes)]),
        np.array([len(detections.boxes)]),
    )
    shared = intersection_areas(truth, detections, pairs)
    union = truth.areas[pairs.truth] + detections.areas[pairs.detection] - shared
    matrix = np.zeros((len(truth.boxes), len(detections.boxes)))
    matrix[pairs.truth, pairs.detection] = shares(shared, union)
    return [list(map(float, row)) for row in matrix]


def _area_matrices(scene: Scene) -> tuple[list[list[float]], list[list[float]]]:
    truth, detections = boxes_of(scene.truth), boxes_of(scene.detections or ())
    pairs = _all_pairs(scene)
    shared = box_intersections(truth[pairs.truth], detections[pairs.detection], 1.0)
    shape = (len(truth), len(detections))
    recall = (shared / box_areas(truth, 1.0)[pairs.truth]).reshape(shape)
    precision = (shared / box_areas(detections, 1.0)[pairs.detection]).reshape(shape)
    return recall.tolist(), precision.tolist()
