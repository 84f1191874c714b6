"""The three protocols once more: plain loops over all pairs, written from the specification."""

import math

from protocols.regions import Region


def clip_area(a: Region, b: Region, pixel: int) -> float:
    (l1, t1, r1, b1), (l2, t2, r2, b2) = a.box, b.box
    width = min(r1, r2) - max(l1, l2) + pixel
    height = min(b1, b2) - max(t1, t2) + pixel
    return max(0.0, width) * max(0.0, height)


def area(a: Region, pixel: int) -> float:
    left, top, right, bottom = a.box
    return (right - left + pixel) * (bottom - top + pixel)


def ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def hmean(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def iou(truth, detections):
    ignored = [
        any(g.ignored and ratio(clip_area(g, d, 0), area(d, 0)) > 0.5 for g in truth)
        for d in detections
    ]
    taken = set()
    for g in truth:
        if g.ignored:
            continue
        for j, d in enumerate(detections):
            shared = clip_area(g, d, 0)
            union = area(g, 0) + area(d, 0) - shared
            if j not in taken and not ignored[j] and ratio(shared, union) > 0.5:
                taken.add(j)
                break
    t, n, m = sum(not g.ignored for g in truth), ignored.count(False), len(taken)
    if t == 0:
        return 1.0, 0.0 if n else 1.0
    return m / t, ratio(m, n)


def area_protocol(truth, detections, *, deteval, tr=0.8, tp=0.4):
    n_truth, n_det = range(len(truth)), range(len(detections))
    sigma = [[clip_area(g, d, 1) / area(g, 1) for d in detections] for g in truth]
    tau = [[clip_area(g, d, 1) / area(d, 1) for d in detections] for g in truth]
    dc = [g.ignored for g in truth]
    ignored = [any(dc[i] and tau[i][j] > tp for i in n_truth) for j in n_det]
    free_truth, free = [not x for x in dc], [not x for x in ignored]
    r = p = 0.0

    def both(i, j):
        return sigma[i][j] >= tr and tau[i][j] >= tp

    def overlapping_detections(i):
        return sum(sigma[i][j] > 0 and not ignored[j] for j in n_det)

    def overlapping_truths(j):
        return sum(sigma[i][j] > 0 and not dc[i] for i in n_truth)

    def distance(i, j):
        (l1, t1, r1, b1), (l2, t2, r2, b2) = truth[i].box, detections[j].box
        c1 = (l1 + (r1 - l1 + 1) / 2, t1 + (b1 - t1 + 1) / 2)
        c2 = (l2 + (r2 - l2 + 1) / 2, t2 + (b2 - t2 + 1) / 2)
        diagonals = math.hypot(r1 - l1 + 1, b1 - t1 + 1) + math.hypot(r2 - l2 + 1, b2 - t2 + 1)
        return 2 * math.dist(c1, c2) / diagonals

    for i in n_truth:
        for j in n_det:
            if not (free_truth[i] and free[j] and both(i, j)):
                continue
            if sum(both(i, k) for k in n_det) > 1 or sum(both(k, j) for k in n_truth) > 1:
                continue
            if deteval and (overlapping_detections(i) != 1 or overlapping_truths(j) != 1):
                continue
            if distance(i, j) < 1:
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
    t, n = dc.count(False), ignored.count(False)
    if t == 0:
        return (1.0, 0.0) if detections else ((1.0, 1.0) if not truth else (0.0, 0.0))
    return r / t, ratio(p, n)


SLOW = {
    "iou": iou,
    "icdar13": lambda truth, detections: area_protocol(truth, detections, deteval=False),
    "deteval": lambda truth, detections: area_protocol(truth, detections, deteval=True),
}
