"""Average precision and average recall as COCO's own program computes them ([L14]_)."""

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .arrays import plain_values
from .coco_files import Json, NotCoco, loaded
from .core.errors import DataWarning
from .core.geometry import Floats
from .core.masks import Mask, coco_mask
from .formats.problems import Fault
from .formats.readers.coco import decoded_mask

# Thresholds of IoU, recalls at which the precision is taken, and sizes by area in pixels.
_THRESHOLDS: Final = np.linspace(0.5, 0.95, 10)
_RECALLS: Final = np.linspace(0.0, 1.0, 101)
_SIZES: Final = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
# The line that called ``summarize``.
_CALLER: Final = 2


@dataclass(frozen=True, slots=True)
class _Thing:
    """An annotation or a result; the mask is cut to its own rows and columns, from ``at`` on."""

    box: tuple[float, float, float, float]
    area: float
    crowd: bool
    score: float
    mask: Mask | None = None
    at: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Matched:
    """Detections of an image by descending score, at each threshold: (10, n) or (n,)."""

    scores: Floats
    matched: NDArray[np.bool_]
    ignored: NDArray[np.bool_]
    n_truth: int


def summarize(
    truth_json: Json,
    results_json: Json,
    *,
    masks: bool = False,
    max_detections: Sequence[int] = (1, 10, 100),
    by_category: bool = True,
) -> dict[str, float | None]:
    """Return the figures that COCO's program prints, by detection in boxes or in masks.

    Parameters
    ----------
    truth_json : path, or the data in the file
        ``images`` (``id``, and for masks ``width`` and ``height``), ``annotations`` and
        ``categories``. The size of an annotation is its ``area``, else the area of its box or mask;
        one with ``iscrowd`` may hold any number of detections, which then do not count.
    results_json : path, or the data in the file
        A list, each with ``image_id``, ``category_id``, ``score``, and ``bbox`` (left, top, width,
        height in pixels) or ``segmentation`` (polygons or run lengths).
    masks : bool
        Compare pixels of ``segmentation`` instead of boxes; polygons are drawn as COCO draws them.
    max_detections : sequence of int
        Limits of detections per image and category, most confident first. Average precision is
        computed with the largest.
    by_category : bool
        Compare within categories and average over them; otherwise categories do not count.

    Returns
    -------
    dict of str to float or None
        ``AP`` (mean over the IoU thresholds 0.50, 0.55 ... 0.95), ``AP50``, ``AP75``, ``AP small``,
        ``AP medium``, ``AP large``, then ``AR 1``, ``AR 10``, ``AR 100`` (by limit), ``AR small``,
        ``AR medium``, ``AR large``, in [0, 1]. None, where COCO prints -1: there is no such truth.

    Raises
    ------
    NotCoco
        If a file cannot be read, a result is of an unknown image, or a field is missing or of the
        wrong type; names annotation and field.

    Notes
    -----
    Equal scores keep the order of images by id, then of the file. COCO's program counts a match
    with an annotation whose id is 0 as a false detection; this does not, and warns. It also warns
    of detections that ``max_detections`` leaves out. A field
    ``ignore`` is not used, as there.

    Examples
    --------
    >>> truth = {
    ...     "images": [{"id": 7}],
    ...     "categories": [{"id": 1}],
    ...     "annotations": [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 100, 40]}],
    ... }
    >>> found = [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 80, 40], "score": 0.9}]
    >>> figures = summarize(truth, found)
    >>> round(figures["AP"], 4), round(figures["AP50"], 4), figures["AP small"]
    (0.7, 1.0, None)
    """
    if not max_detections or min(max_detections) < 1:
        raise NotCoco(f"max_detections needs limits of 1 or more, got {tuple(max_detections)}")
    limits = sorted(max_detections)
    truth, found, keys, images = _loaded(truth_json, results_json, masks)
    if not by_category:
        truth, found = (_together(of, images, keys) for of in (truth, found))
        keys = [None]
    if said := _said_of_limit(found, limits[-1]):
        warnings.warn(said, DataWarning, stacklevel=_CALLER)
    precision = np.full((len(keys), len(_SIZES), len(_THRESHOLDS), len(_RECALLS)), np.nan)
    recall = np.full((len(keys), len(_SIZES), len(limits), len(_THRESHOLDS)), np.nan)
    for k, key in enumerate(keys):
        pairs = [
            _compared(truth.get((image, key), []), found.get((image, key), []), limits[-1])
            for image in images
            if (image, key) in truth or (image, key) in found
        ]
        for s, size in enumerate(_SIZES.values()):
            matched = [_matched(*pair, size) for pair in pairs]
            for m, limit in enumerate(limits):
                # The last, largest limit gives the precisions.
                precisions, reached = _curves(matched, limit)
                precision[k, s], recall[k, s, m] = precisions, reached
    averages = {"AP": precision[:, 0], "AP50": precision[:, 0, 0], "AP75": precision[:, 0, 5]}
    averages |= {f"AP {name}": precision[:, at] for at, name in enumerate(_SIZES) if at}
    averages |= {f"AR {limit}": recall[:, 0, at] for at, limit in enumerate(limits)}
    averages |= {f"AR {name}": recall[:, at, -1] for at, name in enumerate(_SIZES) if at}
    return {name: _mean(values) for name, values in averages.items()}


def _said_of_limit(found: Mapping[tuple[Any, Any], Sequence["_Thing"]], limit: int) -> str:
    """Return a sentence on the detections beyond the limit of an image and category; "" if none."""
    n_out: Counter[Any] = Counter()
    for (image, _), things in found.items():
        n_out[image] += max(0, len(things) - limit)
    some = {image: n for image, n in n_out.items() if n}
    if not some:
        return ""
    first = next(iter(some))
    images = f"image {first}" if len(some) == 1 else f"{len(some)} images, such as {first},"
    n = sum(some.values())
    detections = "1 detection is" if n == 1 else f"{n} detections are"
    return (
        f"{detections} left out in {images} by max_detections, whose largest limit is {limit}; "
        "documents may need a larger one"
    )


def _mean(values: Floats) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else None


_Things = dict[tuple[Any, Any], list[_Thing]]


def _together(things: _Things, images: Sequence[Any], keys: Sequence[Any]) -> _Things:
    """Return what has one of the categories without it, in their order, which decides ties."""
    return {
        (image, None): [of for key in keys for of in things.get((image, key), ())]
        for image in images
    }


def _loaded(
    truth_json: Json, results_json: Json, masks: bool
) -> tuple[_Things, _Things, list[Any], list[Any]]:
    """Return truths and results by image and category, the categories, and the images by id."""
    data, results = plain_values(loaded(truth_json)), plain_values(loaded(results_json))
    if isinstance(results, dict):
        results = results.get("annotations")
    if not isinstance(data, dict) or not all(
        isinstance(data.get(name), list) for name in ("images", "annotations")
    ):
        raise NotCoco('the annotations have no lists "images" and "annotations"')
    if not isinstance(results, list):
        raise NotCoco("the results are no list")
    sizes = {_id(of, "id", f"image {at}"): of for at, of in enumerate(data["images"], 1)}
    reader = _Reader(sizes, masks)
    truth = reader.read(data["annotations"], "annotation", scored=False)
    found = reader.read(results, "result", scored=True)
    if any(of.get("id") == 0 for of in data["annotations"]):
        say = "an annotation has the id 0: COCO's own program counts its match as a false detection"
        warnings.warn(say, stacklevel=_CALLER + 1)
    categories = data.get("categories") or data["annotations"]
    name = "id" if data.get("categories") else "category_id"
    keys = sorted({_id(of, name, "category") for of in categories})
    return truth, found, keys, sorted(sizes)


def _id(given: Any, name: str, place: str) -> Any:
    value = given.get(name) if isinstance(given, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise NotCoco(f"{place}: found {value!r} as {name}, expected a number or a name")
    return value


@dataclass(frozen=True, slots=True)
class _Reader:
    sizes: Mapping[Any, Mapping[str, Any]]
    masks: bool

    def read(self, given: Sequence[Any], what: str, *, scored: bool) -> _Things:
        things: _Things = defaultdict(list)
        for at, one in enumerate(given, 1):
            place = f"{what} {at}"
            image = _id(one, "image_id", place)
            if image not in self.sizes:
                raise NotCoco(f"{place}: no image has the id {image!r}")
            key = _id(one, "category_id", place)
            try:
                things[image, key].append(self._thing(one, self.sizes[image], place, scored))
            except Fault as fault:
                raise NotCoco(f"{place}: found {fault}") from fault
        return dict(things)

    def _thing(
        self, given: Mapping[str, Any], image: Mapping[str, Any], place: str, scored: bool
    ) -> _Thing:
        box = given.get("bbox") or None
        if box is not None and (not isinstance(box, list) or len(box) != 4):
            raise NotCoco(f"{place}: found {str(box)[:60]} as bbox, expected x, y, width, height")
        sides = [_number(value, "bbox", place) for value in box or ()]
        mask, cut, corner = None, None, (0, 0)
        if self.masks or not sides:
            mask = self._mask(given.get("segmentation"), image, place)
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            corner = (int(rows[0]), int(columns[0])) if len(rows) else (0, 0)
            # Empty masks have no row and no column.
            end = (int(rows[-1]) + 1, int(columns[-1]) + 1) if len(rows) else (0, 0)
            cut = mask[corner[0] : end[0], corner[1] : end[1]]
        if not sides and cut is not None:
            sides = [float(corner[1]), float(corner[0]), float(cut.shape[1]), float(cut.shape[0])]
        if scored and box is not None:
            # As published, a result with a box has the size of its box, also for masks.
            area = sides[2] * sides[3]
        else:
            measured = float(cut.sum()) if cut is not None else sides[2] * sides[3]
            area = measured if scored else _number(given.get("area", measured), "area", place)
        return _Thing(
            (sides[0], sides[1], sides[2], sides[3]),
            area,
            not scored and bool(given.get("iscrowd")),
            _number(given.get("score"), "score", place) if scored else 0.0,
            cut if self.masks else None,
            corner,
        )

    def _mask(self, given: Any, image: Mapping[str, Any], place: str) -> Mask:
        if isinstance(given, dict):
            return decoded_mask(given)
        if not isinstance(given, list) or not given:
            raise NotCoco(f"{place}: neither bbox nor segmentation, or no polygon in it")
        width, height = image.get("width"), image.get("height")
        if not isinstance(width, int) or not isinstance(height, int):
            raise NotCoco(f"{place}: its image has no width and height, which polygons need")
        polygons = given if isinstance(given[0], list) else [given]
        mask: Mask = np.zeros((height, width), dtype=bool)
        for polygon in polygons:
            points = [_number(value, "segmentation", place) for value in polygon]
            if len(points) < 6 or len(points) % 2:
                raise NotCoco(f"{place}: a polygon of {len(points)} numbers, expected x and y of 3")
            mask |= coco_mask(points, height, width)
        return mask


def _number(value: Any, name: str, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise NotCoco(f"{place}: found {str(value)[:60]!r} in {name}, expected a finite number")
    return float(value)


def _compared(
    truth: Sequence[_Thing], found: Sequence[_Thing], limit: int
) -> tuple[Sequence[_Thing], list[_Thing], Floats]:
    """Return truths, the detections by descending score, and IoU, of shape (detections, truths).

    With a crowd it is the share of the detection inside.
    """
    ranked = sorted(found, key=lambda thing: -thing.score)[:limit]
    iou = np.zeros((len(ranked), len(truth)))
    for d, one in enumerate(ranked):
        for g, other in enumerate(truth):
            shared = _shared(one, other)
            if shared > 0:
                area, against = _extent(one), _extent(other)
                iou[d, g] = shared / (area if other.crowd else area + against - shared)
    return truth, ranked, iou


def _extent(thing: _Thing) -> float:
    return float(thing.mask.sum()) if thing.mask is not None else thing.box[2] * thing.box[3]


def _shared(one: _Thing, other: _Thing) -> float:
    if one.mask is None or other.mask is None:
        width = min(one.box[0] + one.box[2], other.box[0] + other.box[2])
        height = min(one.box[1] + one.box[3], other.box[1] + other.box[3])
        width -= max(one.box[0], other.box[0])
        height -= max(one.box[1], other.box[1])
        return width * height if width > 0 and height > 0 else 0.0
    top, left = (max(a, b) for a, b in zip(one.at, other.at, strict=True))
    views = [
        mask[max(0, top - at[0]) :, max(0, left - at[1]) :]
        for mask, at in ((one.mask, one.at), (other.mask, other.at))
    ]
    rows, columns = (min(a, b) for a, b in zip(*(view.shape for view in views), strict=True))
    return float((views[0][:rows, :columns] & views[1][:rows, :columns]).sum())


def _matched(
    truth: Sequence[_Thing], ranked: Sequence[_Thing], iou: Floats, size: tuple[float, float]
) -> _Matched:
    """Match one image: each detection takes the truth with its largest IoU that is free.

    Truths of another size and crowds are ignored, and taken only if no other is good enough; of
    equal ones the last. A crowd is never used up.
    """

    def outside(thing: _Thing) -> bool:
        return thing.area < size[0] or thing.area > size[1]

    ignored_truth = np.array([of.crowd or outside(of) for of in truth], dtype=bool)
    crowd = np.array([of.crowd for of in truth], dtype=bool)
    free = np.ones((len(_THRESHOLDS), len(truth)), dtype=bool)
    matched = np.zeros((len(_THRESHOLDS), len(ranked)), dtype=bool)
    ignored = np.zeros_like(matched)
    needed = np.minimum(_THRESHOLDS, 1 - 1e-10)[:, np.newaxis]
    at_all = np.arange(len(_THRESHOLDS))
    for d in range(len(ranked) if len(truth) else 0):
        good = (free | crowd) & (iou[d] >= needed)
        if not good.any():
            continue
        counted = good & ~ignored_truth
        good = np.where(counted.any(axis=1)[:, np.newaxis], counted, good)
        # From the end, so that the last of equal ones is taken.
        best = len(truth) - 1 - np.argmax(np.where(good, iou[d], -1.0)[:, ::-1], axis=1)
        matched[:, d] = good.any(axis=1)
        ignored[:, d] = matched[:, d] & ignored_truth[best]
        free[at_all[matched[:, d]], best[matched[:, d]]] = False
    ignored |= ~matched & np.array([outside(of) for of in ranked], dtype=bool)
    scores = np.array([of.score for of in ranked])
    return _Matched(scores, matched, ignored, int((~ignored_truth).sum()))


def _curves(images: Sequence[_Matched], limit: int) -> tuple[Floats, Floats]:
    """Return the precision at each threshold and recall, and the recall reached at each threshold.

    Not a number, where no truth counts.
    """
    n_truth = sum(of.n_truth for of in images)
    precisions = np.full((len(_THRESHOLDS), len(_RECALLS)), np.nan)
    if not n_truth:
        return precisions, precisions[:, 0]
    order = np.argsort(-np.concatenate([of.scores[:limit] for of in images]), kind="stable")
    matched = np.concatenate([of.matched[:, :limit] for of in images], axis=1)[:, order]
    counts = ~np.concatenate([of.ignored[:, :limit] for of in images], axis=1)[:, order]
    right, wrong = (np.cumsum(of & counts, axis=1) for of in (matched, ~matched))
    recall = right / n_truth
    precision = right / (right + wrong + np.spacing(1))
    # The best precision at a recall or a higher one.
    precision = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    precisions[:] = 0.0
    for row, of, values in zip(precisions, recall, precision, strict=True):
        at = np.searchsorted(of, _RECALLS, side="left")
        row[at < len(of)] = values[at[at < len(of)]]
    return precisions, recall[:, -1] if recall.shape[1] else np.zeros(len(_THRESHOLDS))
