"""Batches of a training loop, and the scores of all their images at once."""

import random

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region


def images(n=9, seed=3):
    """Return detections, confidences and truths of images, as boxes; one image has none."""
    rng = random.Random(seed)
    made = []
    for at in range(n):
        truth = [[120 * k, 0, 120 * k + 100, 40] for k in range(0 if at == 4 else 4)]
        found = [
            [side + rng.randint(-15, 15) for side in box] for box in truth if rng.random() < 0.8
        ]
        made.append((found, [rng.randint(1, 4) / 4 for _ in found], truth))
    return made


def batch(some):
    return (
        [{"boxes": found, "scores": scores} for found, scores, _ in some],
        [{"boxes": truth, "texts": ["word"] * len(truth)} for _, _, truth in some],
    )


def at_once(slug, some):
    """Score all scenes in one call, as the second way."""
    scenes = [
        Scene(
            tuple(Region.from_box(*box, text="word") for box in truth),
            tuple(
                Region.from_box(*box, confidence=c) for box, c in zip(found, scores, strict=True)
            ),
        )
        for found, scores, truth in some
    ]
    protocol = registry.get(slug).settled_for([of for scene in scenes for of in scene.truth])
    whole = protocol.overall(protocol.score(scenes))
    figures = {"recall": whole.recall, "precision": whole.precision, "f_score": whole.f_score}
    return figures | whole.indicators
