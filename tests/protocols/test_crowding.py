"""Images whose comparison would take too long are refused before anything is compared."""

import random

import pytest

from protocols.core.base import Scene
from protocols.core.crowding import MAX_WORK, TooCrowded, require_feasible, work_of
from protocols.core.regions import Region


def boxes(rng, n):
    for _ in range(n):
        x, y = rng.randrange(60), rng.randrange(60)
        yield Region.from_box(x, y, x + rng.randrange(1, 20), y + rng.randrange(1, 20))


def slowly(regions):
    """The same by its definition, pair by pair."""

    def overlap(a, b):
        (al, at, ar, ab), (bl, bt, br, bb) = (
            (min(of.points[::2]), min(of.points[1::2]), max(of.points[::2]), max(of.points[1::2]))
            for of in (a, b)
        )
        return al <= br and bl <= ar and at <= bb and bt <= ab

    partners = [sum(overlap(a, b) for b in regions) for a in regions]
    return sum(
        (len(a.points) + len(b.points)) // 2 * min(partners[i], partners[j])
        for i, a in enumerate(regions)
        for j, b in enumerate(regions)
        if overlap(a, b)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_work_is_the_sum_over_overlapping_pairs(seed):
    rng = random.Random(seed)
    triangle = Region((0.0, 0.0, 30.0, 0.0, 0.0, 30.0))
    regions = [*boxes(rng, rng.randrange(30)), triangle]
    assert work_of(regions) == slowly(regions)


def test_nothing_is_no_work():
    assert work_of([]) == 0
    require_feasible([Scene((), ()), Scene((), None)])


def page(n, step):
    return tuple(
        Region.from_box(
            60.0 * (at % 100), step * (at // 100), 60.0 * (at % 100) + 60, step * (at // 100) + 30
        )
        for at in range(n)
    )


@pytest.mark.parametrize(
    "scene",
    [
        Scene(page(5000, 30.0), page(5000, 30.0)),  # every box touches its neighbours
        Scene(page(5000, 45.0), (Region.from_box(0, 0, 6000, 3000),) * 3),
        Scene(*[(Region(tuple(float(at * at % 997) for at in range(4000))),) * 2] * 2),
    ],
    ids=["5,000 words", "boxes around a page", "2,000 points"],
)
def test_what_the_limits_must_admit_is_feasible(scene):
    require_feasible([scene])


def test_many_regions_on_one_place_are_refused_with_the_name_of_the_image():
    pile = (Region.from_box(0, 0, 50, 20),) * 150
    with pytest.raises(TooCrowded, match=r"the 300 regions of 'img_7' overlap each other so often"):
        require_feasible([Scene(pile, pile, "img_7")])
    require_feasible([Scene(pile[:50], pile[:50])])


def test_a_request_has_one_budget_for_all_its_images():
    pile = (Region.from_box(0, 0, 50, 20),) * 10
    scene = Scene(pile, pile)
    require_feasible([scene] * 10, most=10 * work_of(pile * 2))
    with pytest.raises(TooCrowded):
        require_feasible([scene] * 11, most=10 * work_of(pile * 2))
    assert 1000 * work_of(pile * 2) > MAX_WORK
