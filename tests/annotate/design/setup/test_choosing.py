"""Which images pass a filter, and how far protocols differ on an image."""

import pytest

from annotate.design.setup.image_filters import (
    Fact,
    Filter,
    apart,
    apart_on,
    at_random,
    facts,
    opposite_share,
    passing,
    runs_to_compare,
)
from protocols.core.regions import Region, encode_regions
from tests.support.cases import cases
from tests.support.factories import make_dataset, make_image, make_run, make_study

FACTS = [
    Fact(1, "img_1", True, 3, 12.0),
    Fact(2, "Img_2", False, 0, None),
    Fact(3, "img_10", True, 7, 4.5),
    Fact(4, "scan", True, None, None),
]
ALL = {1, 2, 3, 4}


def passed(comparable=ALL, chosen=ALL, apart=None, **wanted):
    found = passing(
        Filter(**wanted), FACTS, comparable=comparable, chosen=chosen, apart=apart or {}
    )
    return [fact.pk for fact in found]


@cases(
    ("wanted", "keys"),
    [
        ({}, [1, 2, 3, 4]),
        ({"words": "IMG"}, [1, 2, 3]),
        ({"words": "%"}, []),
        ({"regions_from": 0}, [1, 2, 3]),  # what was not looked at passes no number
        ({"regions_from": 3, "regions_to": 6}, [1]),
        ({"regions_from": 5, "regions_to": 2}, []),
        ({"side_from": 4.5}, [1, 3]),
        ({"side_to": 4.5}, [3]),
        ({"show": "photograph"}, [1, 3, 4]),
        ({"order": "regions"}, [3, 1, 2, 4]),
        ({"order": "small"}, [3, 1, 2, 4]),  # without a region last
        ({"order": "apart"}, [2, 4, 1, 3]),
    ],
)
def test_images_that_pass_a_filter(wanted, keys):
    assert passed(apart={2: 0.5, 4: 0.25}, **wanted) == keys


def test_only_what_can_be_compared_passes_and_what_was_chosen_can_be_asked_for():
    assert passed(comparable={2, 3}) == [2, 3]
    assert passed(chosen={1}, show="chosen") == [1]
    assert passed(chosen={1}, show="left") == [2, 3, 4]


def test_a_draw_is_the_same_for_the_same_seed_in_whatever_order_images_are_shown():
    drawn = at_random(FACTS, 2, seed=5)
    assert drawn == at_random(FACTS[::-1], 2, seed=5)
    assert len(drawn) == 2
    assert set(drawn) < ALL
    assert at_random(FACTS, 9, seed=5) == [1, 2, 3, 4]
    assert at_random([], 3, seed=5) == []
    assert len({tuple(at_random(FACTS, 2, seed=seed)) for seed in range(40)}) == 6


def test_the_share_of_opposite_orders_by_hand():
    """Three protocols, two methods: two say a before b, one the opposite: 2 of 3 pairs of protocols."""
    assert opposite_share([{1: 0.9, 2: 0.8, 3: 0.1}, {1: 0.5, 2: 0.5, 3: 0.5}]) == pytest.approx(
        2 / 3
    )
    # A tie is not an opposite; results missing from a run are not compared.
    assert opposite_share([{1: 0.5, 2: 0.9}, {1: 0.5, 2: 0.1}]) == 0
    assert opposite_share([{1: 0.5}, {2: 0.5}]) == 0
    assert opposite_share([]) == 0


@pytest.mark.django_db
class TestOfADataset:
    def test_regions_that_count_are_counted_with_the_shorter_side_of_the_smallest(self):
        dataset = make_dataset()
        image = make_image(dataset, "a", truth=[(0, 0, 40, 10), (0, 0, 8, 90)])
        hidden = Region.from_box(0, 0, 2, 2, ignored=True)
        image.truth = encode_regions([*image.truth_regions, hidden])
        image.save()
        empty = make_image(dataset, "b")
        assert facts(dataset) == [
            Fact(image.pk, "a", False, 2, 8),
            Fact(empty.pk, "b", False, 0, None),
        ]

    def test_an_image_that_comes_later_is_looked_at(self):
        dataset = make_dataset()
        make_image(dataset)
        assert len(facts(dataset)) == 1
        make_image(dataset)
        assert len(facts(dataset)) == 2

    def test_protocols_are_compared_once_two_have_scored(self):
        study = make_study(["a", "b"], images=2)
        make_run(study, "one", {"a": 0.9, "b": 0.1})
        assert runs_to_compare(study.dataset) == []
        make_run(study, "other", {"a": 0.1, "b": 0.9})
        runs = runs_to_compare(study.dataset)
        image = study.images.in_order().first()
        assert apart(study.dataset, runs) == dict.fromkeys(
            study.images.values_list("pk", flat=True), 1.0
        )
        assert apart_on([image.pk], runs) == {image.pk: 1.0}
