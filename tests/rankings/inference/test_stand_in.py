"""Whether a protocol differs from a person more than other people do, by pseudo-values."""

from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest
import scipy.stats

from rankings.inference.clusters import Declared
from rankings.inference.stand_in import NO_SECOND, ONE_IMAGE, TWO_ANNOTATORS, stand_in
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import ranking_from_scores
from tests.support.rankings import JUDGE, PEOPLE, by_text, personal_rankings

RANKED = {image: {"J": ranking} for image, ranking in JUDGE.items()}


def test_the_worked_example_to_1e_12():
    found = stand_in(personal_rankings(PEOPLE, RANKED, ["J"]))
    [judge] = found.candidates
    assert (found.reason, found.n_images, found.n_annotators) == (None, 2, 3)
    # D = 1/9; mean squares: people 37/216, images 8/27, rest 61/216; se^2 = 5/162.
    assert judge.difference / 100 == pytest.approx(1 / 9, abs=1e-12)
    freedom = Fraction(5, 27) ** 2 / (Fraction(37, 216) ** 2 / 2)
    assert judge.degrees_of_freedom == pytest.approx(float(freedom), abs=1e-12)
    half = scipy.stats.t.ppf(0.975, float(freedom)) * (5 / 162) ** 0.5
    assert (judge.low / 100, judge.high / 100) == pytest.approx(
        (1 / 9 - half, 1 / 9 + half), abs=1e-12
    )
    assert (judge.low / 100, judge.high / 100) == pytest.approx((-0.549, 0.771), abs=5e-4)
    # b: 1/4, 1/3, 5/12 on the first image, 1/6, 1/3, 1/6 on the second.
    assert judge.of_people / 100 == pytest.approx((1 / 3 + 2 / 9) / 2, abs=1e-12)


def test_one_more_person_as_a_candidate_is_the_mean_difference_of_single_people():
    """D is the mean of leaving one out: by its definition, with unequal numbers of people."""
    rng = Random(3)

    def drawn():
        return ranking_from_scores({name: rng.randrange(4) for name in "abcde"})

    def loss(one, other):
        return 100 * kemeny_distance(one, other) / 10

    people = {
        f"i{at}": {name: drawn() for name in "vwxyz" if rng.random() < 0.7} for at in range(12)
    }
    own = {image: {"p": drawn(), "q": drawn()} for image in people}
    found = stand_in(personal_rankings(people, own, ["p", "q"]))
    of_image = [(image, of) for image, of in people.items() if len(of) > 1]
    assert found.n_images == len(of_image)
    for one in found.candidates:
        differences = []
        for image, of in of_image:
            a = np.mean([loss(own[image][one.name], ranking) for ranking in of.values()])
            b = np.mean([loss(*pair) for pair in permutations(of.values(), 2)])
            differences.append(a - b)
        assert one.difference == pytest.approx(np.mean(differences))
        assert one.low < one.difference < one.high
        assert one.adjusted_low < one.low
    p_values = sorted(one.p_value for one in found.candidates)
    adjusted = sorted(one.adjusted_p_value for one in found.candidates)
    assert adjusted == pytest.approx([2 * p_values[0], max(2 * p_values[0], p_values[1])])


def test_groups_compare_with_people_of_other_groups_only():
    """In two groups all members agree. Their agreement does not count."""
    ab, ba = by_text("a>b"), by_text("b>a")
    people = {str(at): {"p": ab, "q": ab, "r": ba, "s": ba, "t": ab} for at in range(4)}
    own = {image: {"J": ab} for image in people}
    groups = {"p": "one", "q": "one", "r": "two", "s": "two", "t": "three"}
    found = stand_in(personal_rankings(people, own, ["J"]), declared=Declared(groups))
    [judge] = found.candidates
    # b of a group: one 2/3 (r, s of r, s, t), two 1, three 1/2; a: 0, 1, 0.
    assert found.n_annotators == 3
    assert judge.of_people == pytest.approx(100 * (2 / 3 + 1 + 1 / 2) / 3)
    assert judge.difference == pytest.approx(100 * (1 / 3 - (2 / 3 + 1 + 1 / 2) / 3))


def test_scenes_are_the_images_of_the_test():
    scenes = {"1": "walk", "2": "walk", "3": "shop"}
    people = {**PEOPLE, "3": PEOPLE["1"]}
    own = {**RANKED, "3": RANKED["1"]}
    found = stand_in(personal_rankings(people, own, ["J"]), declared=Declared(scenes=scenes))
    assert (found.n_images, found.reason) == (2, None)
    # The walk has 1/9 as the mean of its two images, the shop what the first image has.
    assert found.candidates[0].difference == pytest.approx(100 * ((-1 / 9 + 1 / 3) / 2 - 1 / 9) / 2)


@pytest.mark.parametrize(
    ("people", "reason"),
    [
        ({}, NO_SECOND),
        ({"1": {"P": by_text("a>b>c")}}, NO_SECOND),
        ({"1": PEOPLE["1"]}, ONE_IMAGE),
        (
            {image: {name: of[name] for name in "PQ"} for image, of in PEOPLE.items()},
            TWO_ANNOTATORS,
        ),
    ],
)
def test_too_little_has_a_number_where_there_is_one_and_a_reason(people, reason):
    found = stand_in(personal_rankings(people, RANKED, ["J"]))
    [judge] = found.candidates
    assert found.reason == reason
    assert (judge.difference is None) == (reason == NO_SECOND)
    assert (judge.low, judge.p_value, judge.adjusted_p_value) == (None, None, None)
