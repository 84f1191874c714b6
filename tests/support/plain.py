"""The protocols once more, one image at a time, in plain loops over all pairs.

Written from the published definitions alone, without arrays and without searching neighbours: the
second way by which the tests check the protocols, and the baseline of their speed. The defaults of
the parameters are written out. If a definition divides by an area of zero, the share is 0.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import shapely
from shapely.geometry import Point, Polygon, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from protocols.core.regions import Region

Detections = Sequence[Region] | None
Scores = tuple[float, float]
Place = tuple[float, float]
# A row for each truth, a column for each detection.
Table = list[list[float]]
_GRID = 1e-10


def plain_iou(truth: Sequence[Region], detections: Detections) -> Scores:
    """Score by IOU: the first detection with an IoU above one half matches."""
    scene = _Measured(truth, detections)
    matched = list(scene.matched())
    return scene.scores(len(matched), len(matched))


def plain_tiou(truth: Sequence[Region], detections: Detections) -> Scores:
    """Score by TIoU: IOU's matches, weighted by missing parts and overlap with other truths."""
    scene = _Measured(truth, detections)
    recalled = precise = 0.0
    for i, j in scene.matched():
        g, d = scene.truth[i], scene.found[j]
        iou = _iou(g, d)
        recalled += iou * _weight(_share(g.area - _shared(g, d), g.area))
        others = [h for k, h in enumerate(scene.truth) if k != i and _shared(h, d) > 0]
        taken = _shared(d, unary_union(others))
        taken -= unary_union([d.intersection(g).intersection(h) for h in others]).area
        precise += iou * _weight(_share(taken if taken > 1e-10 else 0.0, d.area))
    return scene.scores(recalled, precise)


def _weight(lost: float) -> float:
    return 1.0 if lost <= 0.01 else 1.0 - lost


@dataclass
class _Measured:
    """The polygons of an image for IOU and TIoU, and the indices of counted regions."""

    truth: list[BaseGeometry]
    found: list[BaseGeometry]
    counted_truth: list[int]
    counted: list[int]

    def __init__(self, truth: Sequence[Region], detections: Detections) -> None:
        self.truth = [_polygon(region) for region in _truncated(truth)]
        self.found = [_polygon(region) for region in _truncated(detections or ())]
        self.counted_truth = _counted(truth)
        self.counted = [
            j
            for j, d in enumerate(self.found)
            if not any(
                region.ignored and _share(_shared(g, d), d.area) > 0.5
                for region, g in zip(truth, self.truth, strict=True)
            )
        ]

    def matched(self) -> Iterator[tuple[int, int]]:
        taken: set[int] = set()
        for i in self.counted_truth:
            for j in self.counted:
                if j not in taken and _iou(self.truth[i], self.found[j]) > 0.5:
                    taken.add(j)
                    yield i, j
                    break

    def scores(self, recalled: float, precise: float) -> Scores:
        return _usual_scores(recalled, precise, len(self.counted_truth), len(self.counted))


def _usual_scores(recalled: float, precise: float, n_truth: int, n_detections: int) -> Scores:
    if n_truth == 0:
        return 1.0, 0.0 if n_detections else 1.0
    return recalled / n_truth, _share(precise, n_detections)


def plain_area(truth: Sequence[Region], detections: Detections, *, deteval: bool) -> Scores:
    """Score by ICDAR13: one-to-one, split, merge; or by DETEVAL as the competition computes it."""
    found = detections or ()
    n_truth, n_det = range(len(truth)), range(len(found))
    tr, tp = 0.8, 0.4
    sigma = [[_share(_pixels_shared(g, d), _n_pixels(g)) for d in found] for g in truth]
    tau = [[_share(_pixels_shared(g, d), _n_pixels(d)) for d in found] for g in truth]
    counted_truth = [not region.ignored for region in truth]
    counted = [not any(truth[i].ignored and tau[i][j] > tp for i in n_truth) for j in n_det]
    free_truth, free = counted_truth.copy(), counted.copy()
    r = p = 0.0

    def both(i: int, j: int) -> bool:
        return sigma[i][j] >= tr and tau[i][j] >= tp

    def overlapping_detections(i: int) -> int:
        return sum(sigma[i][j] > 0 and counted[j] for j in n_det)

    def overlapping_truths(j: int) -> int:
        return sum(sigma[i][j] > 0 and counted_truth[i] for i in n_truth)

    for i in n_truth:
        for j in n_det:
            if not (free_truth[i] and free[j] and _alone(both, i, j, n_truth, n_det)):
                continue
            if deteval and (overlapping_detections(i) != 1 or overlapping_truths(j) != 1):
                continue
            if _pixel_distance(truth[i], found[j]) < 1:
                r, p = r + 1, p + 1
                free_truth[i] = free[j] = False
    for i in n_truth:
        if not free_truth[i]:
            continue
        parts = [j for j in n_det if free[j] and tau[i][j] >= tp]
        total = sum(sigma[i][j] for j in parts)
        total = round(total, 4) if deteval else total
        if not parts or total < tr or (deteval and overlapping_detections(i) < 2):
            continue
        credit = 1.0 if deteval and len(parts) == 1 else 0.8
        r, p = r + credit, p + credit * len(parts)
        free_truth[i] = False
        for j in parts:
            free[j] = False
    for j in n_det:
        if not free[j]:
            continue
        parts = [i for i in n_truth if free_truth[i] and sigma[i][j] >= tr]
        total = sum(tau[i][j] for i in parts)
        total = round(total, 4) if deteval else total
        if not parts or total < tp or (deteval and overlapping_truths(j) < 2):
            continue
        r, p = r + len(parts), p + 1
        free[j] = False
        for i in parts:
            free_truth[i] = False
    if sum(counted_truth) == 0:
        if found:
            return 1.0, 0.0
        return (0.0, 0.0) if truth or detections is None else (1.0, 1.0)
    return r / sum(counted_truth), _share(p, sum(counted))


def _alone(good: Callable[[int, int], bool], i: int, j: int, n_truth: range, n_det: range) -> bool:
    """Return whether a pair is good, and the only good one of its truth and of its detection."""
    if not good(i, j) or any(good(i, k) for k in n_det if k != j):
        return False
    return not any(good(k, j) for k in n_truth if k != i)


def _pixels_shared(a: Region, b: Region) -> float:
    (l1, t1, r1, b1), (l2, t2, r2, b2) = a.box, b.box
    width = min(r1, r2) - max(l1, l2) + 1
    height = min(b1, b2) - max(t1, t2) + 1
    return max(0.0, width) * max(0.0, height)


def _n_pixels(a: Region) -> float:
    left, top, right, bottom = a.box
    return (right - left + 1) * (bottom - top + 1)


def _pixel_distance(a: Region, b: Region) -> float:
    (l1, t1, r1, b1), (l2, t2, r2, b2) = a.box, b.box
    w1, h1, w2, h2 = r1 - l1 + 1, b1 - t1 + 1, r2 - l2 + 1, b2 - t2 + 1
    apart = math.dist((l1 + w1 / 2, t1 + h1 / 2), (l2 + w2 / 2, t2 + h2 / 2))
    return 2 * apart / (math.hypot(w1, h1) + math.hypot(w2, h2))


def plain_tedeval(truth: Sequence[Region], detections: Detections) -> Scores:
    """Score by TedEval: matches on one line of text, credited by the characters inside."""
    truth = _truncated(truth)
    found = _truncated(detections or ())
    tr = tp = 0.4
    n_truth, n_det = range(len(truth)), range(len(found))
    counted_truth = _counted(truth)
    truths = _without_counted(truth)
    shapes = [_polygon(region) for region in found]

    sigma, tau = _shares(truths, shapes)
    counted = []
    for j in n_det:
        ignored = [i for i in n_truth if truth[i].ignored]
        held = sum(tau[i][j] for i in ignored if sigma[i][j] > tr)
        if held < tp and not any(tau[i][j] > tp for i in ignored):
            counted.append(j)
        for i in ignored:
            if tau[i][j] > 0:
                shapes[j] = _without(shapes[j], truths[i])
    sigma, tau = _shares(truths, shapes)

    matched: set[tuple[int, int]] = set()
    for j in counted:
        members = [i for i in counted_truth if sigma[i][j] >= tr]
        enough = len(members) >= 2 and sum(tau[i][j] for i in members) >= tp
        if enough and _on_one_line([truth[i] for i in members]):
            matched |= {(i, j) for i in members}

    def both(i: int, j: int) -> bool:
        return sigma[i][j] >= tr and tau[i][j] >= tp

    for i in counted_truth:
        for j in counted:
            if not _alone(both, i, j, n_truth, n_det):
                continue
            apart = math.dist(_centre(truths[i]), _centre(shapes[j]))
            if 2 * apart / (_diagonal(truth[i]) + _diagonal(found[j])) < 1:
                matched.add((i, j))
    for i in counted_truth:
        members = [j for j in counted if tau[i][j] >= tp]
        enough = len(members) >= 2 and sum(sigma[i][j] for j in members) >= tr
        if enough and _on_one_line([found[j] for j in members]):
            matched |= {(i, j) for j in members}

    places = [_characters(region, _is_tall(region), _n_letters(region)) for region in truth]
    recalled = precise = 0.0
    for i in counted_truth:
        own = [shapes[j] for j in counted if (i, j) in matched]
        once = sum(sum(_inside(shape, place) for shape in own) == 1 for place in places[i])
        recalled += _share(once, len(places[i]))
    for j in counted:
        mine = [i for i in counted_truth if (i, j) in matched]
        inside = sum(_inside(shapes[j], place) for i in mine for place in places[i])
        precise += _share(inside, sum(len(places[i]) for i in mine))
    return _usual_scores(recalled, precise, len(counted_truth), len(counted))


def _is_tall(region: Region) -> bool:
    left, top, right, bottom = region.box
    return _share(bottom - top, right - left) > 1.5 or (right == left and bottom > top)


def _diagonal(region: Region) -> float:
    a, b, c, d = _corners(region)
    return (math.dist(a, c) + math.dist(b, d)) / 2


def _on_one_line(members: Sequence[Region]) -> bool:
    pivots = []
    for region in members:
        first, _, _, last = _corners(region)
        pivots.append((_middle(first, last), _centre(_polygon(region))))
    for i, (side, centre) in enumerate(pivots):
        for k, (_, seen_from) in enumerate(pivots):
            if i == k:
                continue
            angle = _LEANING[-1][1] * abs(
                math.degrees(_direction(seen_from, centre) - _direction(seen_from, side))
            )
            angle = 360 - angle if angle > 180 else angle
            if min(angle, 180 - angle) >= 45:
                return False
    return True


def _direction(start: Place, end: Place) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


def plain_cleval(truth: Sequence[Region], detections: Detections) -> Scores:
    """Score by CLEval: distinct characters found, minus one for every needless cut or join."""
    truth = _truncated(truth)
    found = _truncated(detections or ())
    n_truth, n_det = range(len(truth)), range(len(found))
    tp = 0.3
    counted_truth = _counted(truth)
    truths = _without_counted(truth)
    shapes = [_polygon(region) for region in found]
    tau = [[float(np.float32(value)) for value in row] for row in _shares(truths, shapes)[1]]
    places = [_characters(region, _aspect(region) < 0.5, _n_or_guess(region)) for region in truth]
    inside = [
        [{k for k, place in enumerate(places[i]) if _inside(shapes[j], place)} for j in n_det]
        for i in n_truth
    ]

    counted = []
    for j in n_det:
        ignored = [i for i in n_truth if truth[i].ignored]
        held = _single_sum(tau[i][j] for i in ignored if inside[i][j])
        if held < tp and not any(tau[i][j] >= tp for i in ignored):
            counted.append(j)

    def good(i: int, j: int) -> bool:
        return tau[i][j] >= tp and bool(inside[i][j])

    matched: set[tuple[int, int]] = set()
    for i in counted_truth:
        for j in counted:
            if _alone(good, i, j, n_truth, n_det):
                matched.add((i, j))
    for i in counted_truth:
        parts = [j for j in counted if good(i, j)]
        if len(parts) >= 2:
            matched |= {(i, j) for j in parts}
    for j in counted:
        parts = [i for i in counted_truth if inside[i][j]]
        if len(parts) >= 2 and _single_sum(tau[i][j] for i in parts) >= tp:
            matched |= {(i, j) for i in parts}

    n_right = n_cuts = n_joins = n_held = 0
    for i in counted_truth:
        own = [j for j in counted if (i, j) in matched]
        n_right += len(set().union(*(inside[i][j] for j in own)))
        n_cuts += max(0, len(own) - 1)
    for j in counted:
        mine = [i for i in counted_truth if (i, j) in matched]
        n_held += sum(len(inside[i][j]) for i in mine)
        n_joins += max(0, len(mine) - 1)
        if not mine:
            n_held += min(round(0.5 + 1 / (1e-5 + _aspect(found[j]))), 10)
    n_letters = sum(_n_letters(truth[i]) for i in counted_truth)
    return (
        _share(max(0, n_right - n_cuts), n_letters),
        _share(max(0, n_right - n_joins), n_held),
    )


def _single_sum(values: Iterator[float]) -> float:
    """Add in single precision, as the published program does."""
    total = np.float32(0)
    for value in values:
        total += np.float32(value)
    return float(total)


def _aspect(region: Region) -> float:
    a, b, c, d = _corners(region)
    across = (math.dist(a, b) + math.dist(c, d)) / 2
    down = (math.dist(b, c) + math.dist(d, a)) / 2
    return (across + 1e-5) / (down + 1e-5)


def _n_or_guess(region: Region) -> int:
    if not region.ignored:
        return _n_letters(region)
    aspect = _aspect(region)
    return min(round(0.5 + max(aspect, 1 / aspect)), 10)


def plain_evaltex(
    truth: Sequence[Region],
    detections: Detections,
    parents: Mapping[str, Region] | None = None,
    *,
    split: bool = True,
    emd: bool = False,
) -> Scores:
    """Score by EVALTEX: mean coverage and accuracy; with ``emd`` by the distance of histograms.

    With ``split``, an object that is split among detections gets a penalty.
    """
    objects = [(r, _shape(r)) for r in truth if not r.ignored and _shape(r).area > 0]
    neutral = unary_union([_shape(region) for region in truth if region.ignored])
    found = [shape for shape in map(_shape, detections or ()) if shape.area > 0]
    n_objects, n_det = range(len(objects)), range(len(found))
    shared = [[_shared(g, d) for d in found] for _, g in objects]

    def match(i: int, j: int) -> bool:
        return shared[i][j] > 1e-9 * float(min(objects[i][1].area, found[j].area))

    own = [[j for j in n_det if match(i, j)] for i in n_objects]
    mine = [[i for i in n_objects if match(i, j)] for j in n_det]
    background: list[BaseGeometry] = []
    accuracy_of = []
    for j, d in enumerate(found):
        text = unary_union([objects[i][1] for i in mine[j]])
        around = [neutral, text]
        for line in {objects[i][0].parent for i in mine[j]} - {None}:
            if sum(objects[i][0].parent == line for i in mine[j]) >= 2:
                around.append(_line_shape(str(line), [r for r, _ in objects], parents or {}))
        background.append(_without(d, unary_union(around)))
        held = _shared(d, text)
        accuracy_of.append(_share(held, held + background[j].area))

    coverages, accuracies = [], []
    for i, (_, g) in enumerate(objects):
        if not own[i]:
            coverages.append(0.0)
            continue
        covered = _shared(g, unary_union([found[j] for j in own[i]]))
        penalty = 1 / (1 + math.log(len(own[i]))) if split else 1.0
        coverages.append(penalty * covered / g.area)
        if len(own[i]) == 1:
            accuracies.append(accuracy_of[own[i][0]])
        elif all(len(mine[j]) == 1 for j in own[i]):
            beside = unary_union([background[j] for j in own[i]]).area
            accuracies.append(covered / (covered + beside))
        else:
            text_area = sum(shared[i][j] for j in own[i])
            dealt = sum(shared[i][j] / accuracy_of[j] for j in own[i])
            accuracies.append(text_area / dealt)
    for j, d in enumerate(found):
        if not mine[j] and _share(_shared(d, neutral), d.area) <= 0.5:
            accuracies.append(0.0)

    if emd:
        return _near_one(coverages), _near_one(accuracies)
    nothing = 0.0 if objects else 1.0
    recall = sum(coverages) / len(coverages) if coverages else 1.0
    return recall, sum(accuracies) / len(accuracies) if accuracies else nothing


def _line_shape(
    line: str, objects: Sequence[Region], parents: Mapping[str, Region]
) -> BaseGeometry:
    if line in parents:
        return _shape(parents[line])
    members = [region for region in objects if region.parent == line]
    together = unary_union([_shape(region) for region in members])
    if all(region.is_rectangle for region in members):
        return box(*together.bounds)
    return together.convex_hull


def _near_one(values: Sequence[float]) -> float:
    """Return one minus the earth mover's distance to a histogram with all values in the last bin."""
    n_bins = 100
    if not values:
        return 1.0
    histogram = [0.0] * n_bins
    for value in values:
        at = math.floor(n_bins * min(max(value, 0.0), 1.0) + 1e-9)
        histogram[min(n_bins - 1, at)] += 1 / len(values)
    moved = cumulated = 0.0
    for mass in histogram[:-1]:
        cumulated += mass
        moved += cumulated
    return 1 - moved / n_bins


def _shape(region: Region) -> BaseGeometry:
    if region.pixels is None:
        return _polygon(region)
    return unary_union([box(start, row, end, row + 1) for row, start, end in region.pixels])


def _polygon(region: Region) -> BaseGeometry:
    """Return the polygon, repaired if it crosses itself."""
    polygon = Polygon(_corners(region))
    return polygon if polygon.is_valid else polygon.buffer(0)


def _truncated(regions: Sequence[Region]) -> list[Region]:
    """Return regions with coordinates truncated to integers, as the published scripts read them."""
    return [
        replace(region, points=tuple(float(int(value)) for value in region.points))
        for region in regions
    ]


def _corners(region: Region) -> list[Place]:
    return list(zip(region.points[::2], region.points[1::2], strict=True))


def _without_counted(truth: Sequence[Region]) -> list[BaseGeometry]:
    """Return the shapes of the truths; ignored ones without the area of the counted ones."""
    counted = [_polygon(region) for region in truth if not region.ignored]
    shapes = []
    for region in truth:
        shape = _polygon(region)
        if region.ignored:
            for other in counted:
                shape = _without(shape, other)
        shapes.append(shape)
    return shapes


def _shares(truths: Sequence[BaseGeometry], found: Sequence[BaseGeometry]) -> tuple[Table, Table]:
    """Return the shares of the truths (area recall) and of the detections (area precision)."""
    shared = [[_shared(g, d) for d in found] for g in truths]
    of_truth = [
        [_share(area, g.area) for area in row] for g, row in zip(truths, shared, strict=True)
    ]
    of_found = [
        [_share(area, d.area) for area, d in zip(row, found, strict=True)] for row in shared
    ]
    return of_truth, of_found


def _characters(region: Region, is_vertical: bool, n: int) -> list[Place]:
    """Return the middles of n equal parts of the middle line."""
    a, b, c, d = _corners(region)
    if is_vertical:
        a, b, c, d = d, a, b, c
    (x1, y1), (x2, y2) = _middle(a, d), _middle(b, c)
    return [(x1 + (x2 - x1) * (k + 0.5) / n, y1 + (y2 - y1) * (k + 0.5) / n) for k in range(n)]


def _inside(shape: BaseGeometry, place: Place) -> bool:
    """Return whether a point is inside; left and top borders belong to a shape, others do not."""
    return bool(shape.contains(Point(place[0] + 1e-7, place[1] + 1e-9)))


def _n_letters(region: Region) -> int:
    return len(region.text or "")


def _counted(truth: Sequence[Region]) -> list[int]:
    return [i for i, region in enumerate(truth) if not region.ignored]


def _middle(a: Place, b: Place) -> Place:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _centre(shape: BaseGeometry) -> Place:
    return shape.centroid.x, shape.centroid.y


def _iou(a: BaseGeometry, b: BaseGeometry) -> float:
    shared = _shared(a, b)
    return _share(shared, a.area + b.area - shared)


def _without(a: BaseGeometry, b: BaseGeometry) -> BaseGeometry:
    """Return the area of a alone: polygons, without lines left over where sides meet.

    Computed on a fine grid, which its intersections keep: for sides that are parallel up to
    rounding, the geometry library otherwise silently loses whole parts of an intersection.
    """
    if _shared(a, b) == 0:
        return a
    left = shapely.difference(a, b, grid_size=_GRID)
    parts = [part for part in shapely.get_parts(left) if part.area > 0]
    return shapely.set_precision(unary_union(parts), _GRID)


def _shared(a: BaseGeometry, b: BaseGeometry) -> float:
    on_grid = shapely.get_precision(a) or shapely.get_precision(b)
    return float(shapely.intersection(a, b, grid_size=_GRID if on_grid else None).area)


def _share(above: float, below: float) -> float:
    return _LEANING[-1][0] * above / below if below else 0.0


# The factors of all shares and angles that are compared with a limit; the last pair applies.
_LEANING = [(1.0, 1.0)]


@contextmanager
def leaning(of_shares: float, of_angles: float) -> Iterator[None]:
    """Move every share and angle that is compared with a limit slightly up or down.

    A score that changes abruptly depends on the rounding of a value that equals its limit.
    """
    _LEANING.append((of_shares, of_angles))
    try:
        yield
    finally:
        _LEANING.pop()


PLAIN: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "iou": plain_iou,
        "tiou": plain_tiou,
        "icdar13": partial(plain_area, deteval=False),
        "deteval": partial(plain_area, deteval=True),
        "tedeval": plain_tedeval,
        "cleval": plain_cleval,
        "evaltex": plain_evaltex,
        "evaltex-no-split": partial(plain_evaltex, split=False),
        "evaltex-emd": partial(plain_evaltex, emd=True),
        "evaltex-emd-no-split": partial(plain_evaltex, split=False, emd=True),
    }
)
