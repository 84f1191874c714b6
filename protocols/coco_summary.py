"""Average precision and average recall of COCO ([L14]_), computed by faster-coco-eval."""

import sys
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .arrays import plain_values
from .coco_files import Json, NotCoco, loaded
from .core.errors import DataWarning, MissingPackage
from .formats.containers import checked
from .formats.problems import Fault
from .formats.readers.coco import decoded_mask

# Sizes by area in pixels: up to 32², up to 96², above.
_SIZES: Final = ("small", "medium", "large")
# As for regions; COCO draws every pixel of an outline.
_MAX_COORDINATE: Final = 1e6
_LARGEST: Final = sys.float_info.max
# Values of other types, such as numpy's, are converted to those of JSON.
_NUMBERS: Final = frozenset((int, float))
_IDS: Final = frozenset((int, str))
_JSON: Final = frozenset((dict, list))


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
    MissingPackage
        If faster-coco-eval, which computes the figures, is not installed.

    Notes
    -----
    Equal scores keep the order of images by id, then of the file. COCO's program counts a match
    with an annotation whose id is 0 as a false detection, and takes the last of annotations with
    one id for all of them; this does neither, and warns. It also warns of what it leaves out:
    annotations of unlisted images, annotations and results of unlisted categories, and detections
    beyond ``max_detections``. With masks, a result without ``segmentation`` is its box, as there. A
    field ``ignore`` is not used, as there.

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
    library, limits = _library(), sorted(max_detections)
    reader, annotations, results = _opened(truth_json, results_json, masks, library.mask)
    truth = reader.read(annotations, "annotation", scored=False)
    found = reader.read(results, "result", scored=True)
    for said in (
        *_said_of_ids(annotations),
        *reader.remarks,
        *_said_of_limit(found, limits[-1], by_category, list(reader.images)),
    ):
        warnings.warn(said, DataWarning, stacklevel=2)
    sides = (library.COCO(reader.dataset(of)) for of in (truth, found))
    kind = "segm" if masks else "bbox"
    evaluation = library.COCOeval_faster(*sides, kind, rle_iou_max_workers=1)
    evaluation.params.maxDets, evaluation.params.useCats = limits, int(by_category)
    evaluation.evaluate()
    # By threshold of IoU (0.5, 0.55 ...), recall, category, size and limit; no recalls in the second.
    precision, recall = evaluation.eval["precision"], evaluation.eval["recall"]
    at_ious = {"AP": slice(None), "AP50": 0, "AP75": 5}
    averages = {name: precision[at, ..., 0, -1] for name, at in at_ious.items()}
    averages |= {f"AP {of}": precision[..., at, -1] for at, of in enumerate(_SIZES, 1)}
    averages |= {f"AR {of}": recall[..., 0, at] for at, of in enumerate(limits)}
    averages |= {f"AR {of}": recall[..., at, -1] for at, of in enumerate(_SIZES, 1)}
    return {name: _mean(values) for name, values in averages.items()}


def _library() -> Any:
    try:
        import faster_coco_eval
    except ImportError as fault:
        need = "pip install 'text-detection-rankings[coco]'"
        raise MissingPackage(f"COCO's figures need faster-coco-eval: {need}") from fault
    return faster_coco_eval


def _mean(values: NDArray[np.float64]) -> float | None:
    # The library writes -1 where there is no truth.
    defined = values[values > -1]
    return float(defined.mean()) if defined.size else None


def _opened(
    truth_json: Json, results_json: Json, masks: bool, drawing: Any
) -> tuple["_Reader", list[Any], list[Any]]:
    """Return a reader of regions, annotations and results."""
    data, results = _plain(loaded(truth_json)), _plain(loaded(results_json))
    if isinstance(results, dict):
        results = results.get("annotations")
    if not isinstance(data, dict) or not all(
        isinstance(data.get(name), list) for name in ("images", "annotations")
    ):
        raise NotCoco('the annotations have no lists "images" and "annotations"')
    if not isinstance(results, list):
        raise NotCoco("the results are no list")
    annotations = data["annotations"]
    categories = {_id(_plain(of), "id", "category") for of in data.get("categories") or ()} or {
        _id(_plain(of), "category_id", f"{what} {at}")
        for what, side in (("annotation", annotations), ("result", results))
        for at, of in enumerate(side, 1)
    }
    images = {
        _id(of, "id", f"image {at}"): of for at, of in enumerate(map(_plain, data["images"]), 1)
    }
    numbers = _numbered(images)
    return (
        _Reader(
            {numbers[id_]: images[id_] for id_ in numbers},
            numbers,
            _numbered(categories),
            masks,
            drawing,
        ),
        annotations,
        results,
    )


def _numbered(ids: Iterable[Any]) -> dict[Any, int]:
    """Return a number from 1 on for each id, numbers before names, as the library needs them."""
    ranked = sorted(ids, key=lambda id_: (isinstance(id_, str), id_))
    return {id_: at for at, id_ in enumerate(ranked, 1)}


def _said_of_ids(annotations: Sequence[Any]) -> Iterator[str]:
    """Yield what COCO's own program does otherwise because of ids."""
    known = Counter(id_ for of in annotations if isinstance(id_ := of.get("id"), Hashable))
    if 0 in known:
        yield "an annotation has the id 0: COCO's own program counts its match as a false detection"
    if again := [id_ for id_, n in known.items() if n > 1 and id_ is not None]:
        n, first = sum(known[id_] for id_ in again), again[0]
        says = "COCO's own program takes the last with an id for each of them"
        yield f"{n} annotations share their id with others, such as the id {first}: {says}"


def _said_of_limit(
    found: Iterable[Mapping[str, Any]], limit: int, by_category: bool, images: Sequence[Any]
) -> Iterator[str]:
    """Yield a sentence if there are detections beyond the limit of an image and category."""
    counts = Counter((of["image_id"], by_category and of["category_id"]) for of in found)
    n_out: Counter[int] = Counter()
    for (image, _), n in counts.items():
        n_out[image] += max(0, n - limit)
    some = sorted(+n_out)
    if some:
        first = images[some[0] - 1]
        where = f"image {first}" if len(some) == 1 else f"{len(some)} images, such as {first},"
        yield (
            f"{_are(n_out.total(), 'detection')} left out in {where} by max_detections, whose "
            f"largest limit is {limit}; documents may need a larger one"
        )


def _are(n: int, what: str) -> str:
    return f"1 {what} is" if n == 1 else f"{n} {what}s are"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes regions as the library takes them: with numbers from 1 on as ids, and run lengths."""

    given: Mapping[int, Any]
    # The numbers of ids.
    images: Mapping[Any, int]
    categories: Mapping[Any, int]
    masks: bool
    # The library's functions of masks.
    drawing: Any
    # Heights and widths of images with masks.
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def dataset(self, regions: list[dict[str, Any]]) -> dict[str, Any]:
        """Return a side as the library takes it; without masks it reads no sizes."""
        sizes = ((at, self.sizes.get(at, (0, 0))) for at in self.given)
        images = [{"id": at, "height": height, "width": width} for at, (height, width) in sizes]
        categories = [{"id": at} for at in self.categories.values()]
        return {"images": images, "categories": categories, "annotations": regions}

    def read(self, given: Iterable[Any], what: str, *, scored: bool) -> list[dict[str, Any]]:
        regions: list[dict[str, Any]] = []
        left_out: dict[str, Counter[Any]] = {"image": Counter(), "category": Counter()}
        for at, one in enumerate(map(_plain, given), 1):
            place = f"{what} {at}"
            image, category = _id(one, "image_id", place), _id(one, "category_id", place)
            if image not in self.images:
                if scored:
                    raise NotCoco(f"{place}: no image has the id {image!r}")
                left_out["image"][image] += 1
            elif category not in self.categories:
                left_out["category"][category] += 1
            else:
                number = self.images[image]
                try:
                    region = self._region(one, number, place, scored)
                except Fault as fault:
                    raise NotCoco(f"{place}: found {fault}") from fault
                region["id"], region["image_id"] = len(regions) + 1, number
                region["category_id"] = self.categories[category]
                regions.append(region)
        for of, ids in left_out.items():
            if ids:
                some = ", ".join(map(repr, list(ids)[:5]))
                self.remarks.append(
                    f"{_are(ids.total(), what)} left out: no {of} has the id {some}"
                )
        return regions

    def _region(
        self, given: Mapping[str, Any], image: int, place: str, scored: bool
    ) -> dict[str, Any]:
        own = box = _numbers(given.get("bbox"), "bbox", place)
        if len(own) not in (0, 4):
            raise NotCoco(f"{place}: found {own} as bbox, expected x, y, width, height")
        region: dict[str, Any] = {}
        if self.masks or not own:
            runs = self._runs(given.get("segmentation"), own if scored else [], image, place)
            box = own or self.drawing.toBbox(runs).tolist()
            area = float(self.drawing.area(runs))
            region["segmentation"] = runs
        if own and (scored or not self.masks):
            # As published, a result with a box has the size of its box, also for masks.
            area = own[2] * own[3]
        region["bbox"] = box
        if scored:
            region["area"], region["score"] = area, _number(given.get("score"), "score", place)
        else:
            region["area"] = _number(given.get("area", area), "area", place)
            region["iscrowd"] = int(bool(_plain(given.get("iscrowd"))))
        return region

    def _runs(self, given: Any, box: Sequence[float], image: int, place: str) -> Any:
        """Return run lengths of a segmentation, or of a box if there is none, as COCO draws them."""
        given, size = plain_values(given), self._size(image)
        if isinstance(given, dict):
            pixels = decoded_mask(given)
            height, width = pixels.shape
            size = self.sizes.setdefault(image, (height, width))
            if (height, width) != size:
                own = f"the image has {size[1]} x {size[0]}"
                raise NotCoco(f"{place}: run lengths of {width} x {height} pixels, {own}")
            return self.drawing.encode(np.asfortranarray(pixels, dtype=np.uint8))
        if box and not given:
            left, top, right, bottom = *box[:2], box[0] + box[2], box[1] + box[3]
            given = [left, top, left, bottom, right, bottom, right, top]
        if not isinstance(given, list) or not given:
            raise NotCoco(f"{place}: neither bbox nor segmentation, or no polygon in it")
        if size is None:
            raise NotCoco(f"{place}: its image has no width and height, which polygons need")
        polygons = given if isinstance(given[0], list) else [given]
        drawn = self.drawing.frPyObjects([_polygon(of, place) for of in polygons], *size)
        return self.drawing.merge(drawn)

    def _size(self, image: int) -> tuple[int, int] | None:
        """Return height and width of an image, or None if it has none."""
        if image not in self.sizes:
            size = checked.size_in(plain_values(self.given[image]))
            if size is not None:
                self.sizes[image] = size[1], size[0]
        return self.sizes.get(image)


def _polygon(given: Any, place: str) -> list[float]:
    points = _numbers(given, "segmentation", place)
    if len(points) < 6 or len(points) % 2:
        raise NotCoco(f"{place}: a polygon of {len(points)} numbers, expected x and y of 3")
    if max(map(abs, points)) > _MAX_COORDINATE:
        raise NotCoco(f"{place}: a polygon with numbers above {_MAX_COORDINATE:.0f}")
    return points


def _plain(given: Any) -> Any:
    # Those of files need no copy.
    return given if type(given) in _JSON else plain_values(given)


def _id(given: Any, name: str, place: str) -> Any:
    value = given.get(name) if isinstance(given, dict) else None
    if type(value) in _IDS:
        return value
    value = plain_values(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise NotCoco(f"{place}: found {value!r} as {name}, expected a number or a name")
    return value


def _numbers(given: Any, name: str, place: str) -> list[float]:
    values = [] if given is None else _plain(given)
    if not isinstance(values, list):
        raise NotCoco(f"{place}: found {str(values)[:60]!r} as {name}, expected a list of numbers")
    return [
        value if type(value) is float and abs(value) <= _LARGEST else _number(value, name, place)
        for value in values
    ]


def _number(given: Any, name: str, place: str) -> float:
    value = given if type(given) in _NUMBERS else plain_values(given)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise NotCoco(f"{place}: found {str(value)[:60]!r} in {name}, expected a finite number")
    return value
