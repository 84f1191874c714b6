"""Total-Text's DetEval a second time: tables of all pairs, one image after the other, by its description."""

from itertools import pairwise

import shapely

from protocols.core.base import Scene


def total_text_tally(scene: Scene, tr: float, tp: float) -> tuple[float, int, float, int]:
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
    for i in rows:
        covering = [j for j in columns if sigma[i][j] > tr]
        on_truth = [j for j in columns if tau[i][j] > tp]
        if len(covering) == 1 and len(on_truth) == 1:
            truth_taken.add(i)
            taken.add(covering[0])
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
