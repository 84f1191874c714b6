"""Methods that vote: the paper's example, handmade small areas, and random polygons."""

import math
import random

from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.no_ground_truth.protocol import NoGroundTruth

# The paper's example: three systems on seven documents.
SEED = [[1, 1, 0, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1, 0]]
A, B = Region.from_box(10, 10, 50, 30), Region.from_box(20, 10, 60, 30)
BOTH, FAR = Region.from_box(10, 10, 60, 30), Region.from_box(80, 60, 90, 70)
METHODS = {"a": (A,), "b": (B,), "c": (BOTH, FAR)}


def quadrilateral(x, y, width, height, angle, **fields):
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(-width, -height), (width, -height), (width, height), (-width, height)]
    return Region(
        tuple(v for a, b in corners for v in (x + a * cos - b * sin, y + a * sin + b * cos)),
        **fields,
    )


def random_methods(seed, n_methods=4, n_regions=4, boxes=False, confidences=False):
    rng = random.Random(seed)

    def region():
        confidence = rng.choice([None, 0.3, 0.8]) if confidences else None
        if boxes:
            x, y = rng.randint(-5, 80), rng.randint(-5, 80)
            return Region.from_box(
                x, y, x + rng.randint(0, 40), y + rng.randint(0, 30), confidence=confidence
            )
        return quadrilateral(
            rng.uniform(10, 90),
            rng.uniform(10, 90),
            rng.uniform(2, 20),
            rng.uniform(2, 10),
            rng.uniform(0, 3),
            confidence=confidence,
        )

    return [[region() for _ in range(rng.randint(0, n_regions))] for _ in range(n_methods)]


def table(faces):
    return {
        tuple(signature): area
        for signature, area in zip(faces.signatures.tolist(), faces.areas.tolist(), strict=True)
    }


def scenes(methods, truth=(), **size):
    size = size or {"width": 100.0, "height": 100.0}
    return {
        name: [Scene(tuple(truth), tuple(detections), **size)]
        for name, detections in methods.items()
    }


def score(methods, truth=(), size=None, **parameters):
    by_method = NoGroundTruth(**parameters).score_methods(scenes(methods, truth, **(size or {})))
    return {name: scores[0] for name, scores in by_method.items()}
