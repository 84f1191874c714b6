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


def near_equal_study(seed):
    """Return rankings, scores, groups and scenes of a small study of protocols that differ seldom."""
    rng = random.Random(seed)
    methods = "abc"[: rng.choice([2, 3])]
    n_images, n_people, n_protocols = (
        rng.choice([3, 4, 6]),
        rng.choice([2, 3, 4]),
        rng.choice([2, 5]),
    )
    images = [f"i{at}" for at in range(n_images)]
    people = [f"p{at}" for at in range(n_people)]

    def ranking():
        return ranking_from_scores({method: rng.randrange(2) for method in methods}, None)

    rankings = {
        image: {name: ranking() for name in people if rng.random() < 0.8} for image in images
    }
    scores = {}
    for image in images:
        shared = {method: rng.randrange(3) / 4 for method in methods}
        scores[image] = {
            f"q{at}": {
                method: (value if rng.random() < 0.9 else rng.randrange(3) / 4,) * 2
                for method, value in shared.items()
            }
            for at in range(n_protocols)
        }
    groups = {name: f"g{at % 2}" for at, name in enumerate(people)} if seed % 3 else {}
    scenes = {image: f"s{at // 2}" for at, image in enumerate(images)} if seed % 3 == 2 else {}
    return {"recall": rankings}, scores, groups, scenes


def shuffled(mapping, seed):
    """Return the same mapping, and those in it, in another order."""
    if not isinstance(mapping, dict):
        return mapping
    keys = list(mapping)
    random.Random(seed).shuffle(keys)
    return {key: shuffled(mapping[key], seed) for key in keys}
