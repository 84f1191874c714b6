"""Total-Text's DetEval a second way: tables of all pairs, one image after the other.

The one-to-one pass is written from the conditions of the published program, counted over the whole
tables at once; the other passes from the description.
"""

from collections import Counter
from itertools import pairwise

import shapely

from protocols.core.base import Scene


def total_text_tally(
    scene: Scene, tr: float, tp: float, *, one_sided: bool = False
) -> tuple[float, int, float, int]:
    """Return recall credit, counted truths, precision credit and counted detections of an image."""
    found = [
        figure
        for figure in map(_figure, scene.detections or ())
        if not any(
            _shared(_figure(truth), figure) / (_area(figure) + 1) > 0.5
            for truth in scene.truth
            if truth.ignored
        )
    ]
    truths = [_figure(region) for region in scene.truth if not region.ignored]
    sigma = [[round(_over(_shared(t, d), _area(t)), 2) for d in found] for t in truths]
    tau = [[round(_over(_shared(t, d), _area(d)), 2) for d in found] for t in truths]
    rows, columns = range(len(truths)), range(len(found))
    truth_taken, taken = set(), set()
    recalled = precise = 0.0
    covers = _alone({(i, j) for i in rows for j in columns if sigma[i][j] > tr}, one_sided)
    fits = _alone({(i, j) for i in rows for j in columns if tau[i][j] > tp}, one_sided)
    for i in covers.keys() & fits.keys():
        truth_taken.add(i)
        taken.add(covers[i])
        recalled, precise = recalled + 1, precise + 1
    for i in rows:
        if i in truth_taken or sum(sigma[i][j] > 0 for j in columns) < 2:
            continue
        parts = [j for j in columns if tau[i][j] >= tp and j not in taken]
        if len(parts) == 1 and sigma[i][parts[0]] >= tr:
            recalled, precise = recalled + 1, precise + 1
        elif len(parts) > 1 and sum(sigma[i][j] for j in parts) >= tr:
            recalled, precise = recalled + 0.8, precise + 0.8 * len(parts)
        else:
            continue
        truth_taken.add(i)
        taken.update(parts)
    for j in columns:
        if j in taken or sum(tau[i][j] > 0 for i in rows) < 2:
            continue
        parts = [i for i in rows if sigma[i][j] >= tp and i not in truth_taken]
        if len(parts) == 1 and sigma[parts[0]][j] >= tr and tau[parts[0]][j] >= tp:
            recalled, precise = recalled + 1, precise + 1
        elif len(parts) > 1 and sum(tau[i][j] for i in parts) >= tp:
            recalled, precise = recalled + 0.8 * len(parts), precise + 0.8
        else:
            continue
        taken.add(j)
        truth_taken.update(parts)
    return recalled, len(truths), precise, len(found)


def _alone(cells: set[tuple[int, int]], one_sided: bool) -> dict[int, int]:
    """Return, by row, the column of cells alone in their row and, unless one-sided, column."""
    in_row, in_column = Counter(i for i, _ in cells), Counter(j for _, j in cells)
    return {i: j for i, j in cells if in_row[i] == 1 and (one_sided or in_column[j] == 1)}


def _figure(region) -> shapely.Polygon:
    values = [int(value) for value in region.points]
    return shapely.Polygon(list(zip(values[::2], values[1::2], strict=True)))


def _area(figure: shapely.Polygon) -> float:
    ring = list(figure.exterior.coords)
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))) / 2


def _shared(a: shapely.Polygon, b: shapely.Polygon) -> float:
    return a.buffer(0).intersection(b.buffer(0)).area


def _over(above: float, below: float) -> float:
    return above / below if below else 0.0
