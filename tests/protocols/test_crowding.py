"""Images whose comparison would take too long are refused before anything is compared."""

import io
import random
from itertools import product
from math import cos, pi, sin

import pytest

from protocols.core.base import Scene
from protocols.core.crowding import (
    MAX_WORK,
    TooCrowded,
    require_feasible,
    tangled,
    work_of,
    work_of_crossings,
)
from protocols.core.regions import Region
from protocols.formats.containers.contents import LineFormat
from protocols.formats.readers.rrc import read_archive
from protocols.formats.readers.rrc_lines import Rules
from tests.support.archives import zip_bytes


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


def wavy(n):
    """An outline of n points around a ring that goes in and out."""
    rounds = (2 * pi * at / n for at in range(n))
    return Region(
        tuple(v for a in rounds for r in [400 + 9 * sin(40 * a)] for v in (r * cos(a), r * sin(a)))
    )


@pytest.mark.parametrize(
    "scene",
    [
        Scene(page(5000, 30.0), page(5000, 30.0)),  # every box touches its neighbours
        Scene(page(5000, 45.0), (Region.from_box(0, 0, 6000, 3000),) * 3),
        Scene(*[(wavy(2000),) * 2] * 2),
    ],
    ids=["5,000 words", "boxes around a page", "2,000 points"],
)
def test_what_the_limits_must_admit_is_feasible(scene):
    require_feasible([scene])


def test_many_regions_on_one_place_are_refused_with_the_name_of_the_image():
    pile = (Region.from_box(0, 0, 50, 20),) * 150
    with pytest.raises(
        TooCrowded, match=r"the 300 regions of 'img_7' overlap or cross each other so often"
    ):
        require_feasible([Scene(pile, pile, "img_7")])
    require_feasible([Scene(pile[:50], pile[:50])])


def test_a_request_has_one_budget_for_all_its_images():
    pile = (Region.from_box(0, 0, 50, 20),) * 10
    scene = Scene(pile, pile)
    require_feasible([scene] * 10, most=10 * work_of(pile * 2))
    with pytest.raises(TooCrowded):
        require_feasible([scene] * 11, most=10 * work_of(pile * 2))
    assert 1000 * work_of(pile * 2) > MAX_WORK


def test_an_image_has_at_most_5000_regions_of_each_side():
    require_feasible([Scene(page(5000, 60.0), ())])
    with pytest.raises(TooCrowded, match=r"'img_7' has 5,001 regions; at most 5,000 are compared"):
        require_feasible([Scene((), page(5001, 60.0), "img_7")])


def zigzag(n, *, upright):
    """A line that runs to and fro n times over the same square, closed far outside it."""
    turns = [(1000.0 * at / n, 1000.0 * (at % 2)) for at in range(n + 1)]
    points = [*turns, (1000.0, -50.0), (0.0, -50.0)]
    return Region(tuple(value for x, y in points for value in ((x, y) if upright else (y, x))))


@pytest.mark.parametrize("n", [10, 50])
def test_each_crossing_of_two_outlines_counts_250(n):
    """Counted pair by pair, by Cramer's rule."""
    pair = [zigzag(n, upright=True), zigzag(n, upright=False)]
    counted = sum(crosses(*sides) for sides in product(*(sides_of(region) for region in pair)))
    assert counted > n
    assert work_of_crossings(pair, MAX_WORK) == 250 * counted


def sides_of(region):
    points = [*zip(region.points[::2], region.points[1::2], strict=True)]
    return [*zip(points, points[1:] + points[:1], strict=True)]


def crosses(one, other):
    """Whether two lines share one point inside both, by Cramer's rule."""
    ((ax, ay), (bx, by)), ((cx, cy), (dx, dy)) = one, other
    det = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if det == 0:
        return False
    s = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / det
    t = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / det
    return 0 < s < 1 and 0 < t < 1


def star(n):
    """A star of an odd number of points: every side crosses all others but its two neighbours."""
    return Region(tuple(f(2 * pi * at * (n // 2) / n) for at in range(n) for f in (cos, sin)))


@pytest.mark.parametrize("n", [5, 7, 21])
def test_the_crossings_of_an_outline_count_as_their_square(n):
    assert work_of_crossings([star(n)], MAX_WORK) == (n * (n - 3) // 2) ** 2


def test_an_outline_may_cross_itself_200_times():
    """By hand: stars of 21 and 23 points have 189 and 230 crossings."""
    assert tangled([star(21), star(23), wavy(2000)]).tolist() == [False, True, False]


def test_a_tangle_stops_a_file_after_more_warnings_than_are_kept():
    bow = [f"{at},0,{at + 5},5,{at + 5},0,{at},5,word" for at in range(1_100)]
    tangle = ",".join(f"{value:.3f}" for value in star(23).points)
    archive = read_archive(
        io.BytesIO(zip_bytes({"gt_img_1.txt": "\n".join([*bow, f"{tangle},word"])})),
        kind="truth",
        rules=Rules(line_format=LineFormat.POLYGON),
    )
    [problem] = archive.errors
    assert (problem.code, problem.line) == ("L5", 1_101)
    assert "a polygon that crosses itself more than 200 times" in problem.found
    assert archive.counts["L5"] == 1_101


def test_a_line_run_over_again_and_again_is_a_tangle():
    spots = random.Random(1).sample(range(1000), 100)
    points = [value for x in spots for value in (float(x), 0.0)]
    assert tangled([Region((*points, 1000.0, 50.0, 0.0, 50.0))]).all()


def test_outlines_that_cross_too_often_are_refused():
    pair = [zigzag(800, upright=True), zigzag(800, upright=False)]
    assert work_of(pair) < MAX_WORK
    with pytest.raises(TooCrowded, match="overlap or cross each other so often"):
        require_feasible([Scene(pair[:1], pair[1:], "img_7")])
