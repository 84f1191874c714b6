"""Sentinels: the protocols that look at no ground truth."""

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.cases import cases

REGISTERED = sorted(registry.PROTOCOLS)
SENTINELS = [slug for slug in REGISTERED if registry.is_sentinel(slug)]
WORD, FAR = Region.from_box(0, 0, 40, 10), Region.from_box(100, 100, 130, 120)


def test_the_sentinels_are_those_of_the_source():
    assert SENTINELS == ["count", "mean-size", "total-area"]
    assert [slug for slug in REGISTERED if registry.PROTOCOLS[slug].is_sentinel] == SENTINELS
    assert not registry.is_sentinel("a-plug-in-that-is-gone")


@cases("slug", SENTINELS)
def test_a_sentinel_scores_the_same_whatever_the_ground_truth(slug):
    scores = registry.get(slug).score(
        [Scene(truth, (WORD, FAR)) for truth in ((), (WORD,), (FAR, FAR))]
    )
    assert len({(score.recall, score.precision, score.f_score) for score in scores}) == 1


@cases("slug", ["iou", "deteval", "evaltex"])
def test_other_protocols_look_at_the_ground_truth(slug):
    right, wrong = registry.get(slug).score([Scene((WORD,), (WORD,)), Scene((FAR,), (WORD,))])
    assert right.recall > wrong.recall
