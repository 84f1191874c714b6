"""Random studies of three criteria for tests of an analysis."""

import random

from rankings.agreement.report import Settings
from rankings.orders.from_scores import ranking_from_scores

METHODS = ["east", "fcn", "pixel", "seg", "textboxes"]
PROTOCOLS = ["DETEVAL", "IOU", "count"]
SETTINGS = Settings(decimals=2, min_annotators=2)


def random_study(n_images=8, seed=1):
    rng = random.Random(seed)
    images = [f"img_{at}" for at in range(n_images)]

    def ranking():
        return ranking_from_scores({method: rng.randrange(4) for method in METHODS}, None)

    rankings = {
        criterion: {image: {name: ranking() for name in "abc"} for image in images}
        for criterion in ("recall", "precision", "preference")
    }
    scores = {
        image: {
            protocol: {method: (rng.random(), rng.random()) for method in METHODS}
            for protocol in PROTOCOLS
        }
        for image in images
    }
    return rankings, scores
