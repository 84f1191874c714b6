"""Simulated studies: pairs need far fewer answers than whole rankings by three people."""

import numpy as np
import pytest

from rankings.elicitation.log import CRITERIA
from rankings.orders.buckets import from_values
from tests.support.designs import PAIRS, WHOLE_RANKINGS, World, error_rate, measured

pytestmark = pytest.mark.release

METHODS = tuple("abcdef")
# The first protocol is what people think; the others see it with more and more noise.
NOISE = (0.0, 0.1, 0.3, 0.6, 1.2)
PROTOCOLS = tuple("vwxyz")


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(5)
    quality = rng.random((60, 1, len(METHODS)))
    scores, rankings = {}, {}
    for criterion in CRITERIA:
        noise = np.array(NOISE)[:, np.newaxis] * rng.normal(size=(60, len(NOISE), len(METHODS)))
        scores[criterion] = np.round(np.clip(quality + noise, 0, 1), 1)
        rankings[criterion] = [
            {
                protocol: from_values(list(zip(METHODS, row, strict=True)), descending=True)
                for protocol, row in zip(PROTOCOLS, of_image, strict=True)
            }
            for of_image in scores[criterion].tolist()
        ]
    return World(METHODS, PROTOCOLS, scores, rankings, n_people=12, noise=0.1)


def test_pairs_take_a_third_of_the_answers_and_keep_the_sign(world):
    today, pairs = (measured(world, way, 10, 1, 100) for way in (WHOLE_RANKINGS, PAIRS))
    for criterion in CRITERIA:
        assert pairs[criterion].screens <= today[criterion].screens / 3
        assert pairs[criterion].signs >= 0.9


def test_equal_protocols_are_told_apart_by_pairs_no_more_often_than_the_test_says():
    """150 studies: at most 5 % and three standard errors of such a share."""
    errors = error_rate(10, 60, 0.3, 150, seed=3)
    assert errors <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
