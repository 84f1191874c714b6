"""COCO's interface: a file of annotations, a file of results, and their scores.

``summarize`` gives the numbers that COCO's own program prints (AP, AP50, AR ...). ``evaluate`` gives
those of a text detection protocol on the same files; its ``average-precision`` is that of ICDAR 2015,
``average-precision:rctw`` that of PASCAL VOC since 2010, and ``average-precision:voc2007`` that of
before. None of the three is COCO's AP50: they choose matches, treat crowds and average differently.
"""

import io
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, overload

from . import registry
from .arrays import SHARES, are_shares, plain_values
from .coco_files import Json, NotCoco, loaded
from .coco_summary import summarize
from .core.base import ImageScore, OverallScore, Protocol, Scene, official
from .core.errors import DataWarning
from .core.fitting import Held, lacking, one_sided
from .diagnostics.inspection import Noticed
from .formats.containers.contents import Archive, Kind
from .formats.containers.documents import image_name
from .formats.recognition.reading import read
from .loading.findings import findings_of, require_possible
from .loading.looking import Truth, look_alone, look_at_results

__all__ = ["Evaluation", "Json", "NotCoco", "evaluate", "scenes_of", "summarize"]

# The line that called ``evaluate``.
_CALLER: Final = 3


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of a result set.

    Attributes
    ----------
    protocol : str
        Slug, with its variant.
    overall : OverallScore
        The official figures.
    images : mapping of id to ImageScore
        By the ids of the annotation file, in its order; with matches and reasons.
    """

    protocol: str
    overall: OverallScore
    images: Mapping[Any, ImageScore]

    @property
    def stats(self) -> dict[str, float | None]:
        """Recall, precision and F-score in [0, 1], None if undefined, and the other figures."""
        whole = self.overall
        figures = {"recall": whole.recall, "precision": whole.precision, "f_score": whole.f_score}
        return {**figures, **whole.indicators}


@overload
def evaluate(
    truth_json: Json, results_json: Json, protocol: str = "iou", **parameters: Any
) -> Evaluation: ...


@overload
def evaluate(
    truth_json: Json, results_json: Json, protocol: Sequence[str], **parameters: Any
) -> dict[str, Evaluation]: ...


def evaluate(
    truth_json: Json,
    results_json: Json,
    protocol: str | Sequence[str] = "iou",
    **parameters: Any,
) -> Evaluation | dict[str, Evaluation]:
    """Score COCO results against COCO annotations.

    Parameters
    ----------
    truth_json : path, or the data in the file
        ``images`` (``id``, ``file_name``) and ``annotations`` (``image_id``, and ``segmentation``
        or ``bbox``: left, top, width, height in pixels); those with ``iscrowd`` are ignored text.
    results_json : path, or the data in the file
        A list, each with ``image_id``, ``bbox`` or ``segmentation``, and ``score``; or a dataset.
        Numbers may be numpy's, and boxes arrays.
    protocol : str, or sequence of str
        A slug, or ``slug:variant``; several give a dictionary.
    **parameters
        Parameters of the protocols; by default the published ones.

    Returns
    -------
    Evaluation, or dict of str to Evaluation
        For every image of the annotations: one without a result counts as evaluated, with nothing
        found. If there are no images, every figure is undefined.

    Raises
    ------
    NotCoco
        If a file is unreadable, a result is for an unknown image, or needed inputs are missing.
    UnknownProtocol, ParameterError
        As ``registry.get`` raises them.

    Notes
    -----
    Warns as ``scenes_of``, and of fields that a protocol reads and not all regions have.

    Examples
    --------
    >>> truth = {
    ...     "images": [{"id": 7, "file_name": "street.jpg"}],
    ...     "annotations": [
    ...         {"id": 1, "image_id": 7, "bbox": [0, 0, 100, 40]},
    ...         {"id": 2, "image_id": 7, "bbox": [0, 60, 50, 30]},
    ...     ],
    ... }
    >>> results = [{"image_id": 7, "bbox": [0, 0, 100, 40], "score": 0.9}]
    >>> found = evaluate(truth, results)
    >>> found.stats["recall"], found.stats["precision"], found.images[7].recall
    (0.5, 1.0, 0.5)
    >>> evaluate(truth, results, ["IoU", "deteval"])["deteval"].stats["recall"]
    0.5
    """
    names = [protocol] if isinstance(protocol, str) else list(protocol)
    chosen = [registry.get(name, parameters) for name in names]
    scenes = scenes_of(truth_json, results_json)
    evaluations: dict[str, Evaluation] = {}
    for of in chosen:
        evaluations[of.full_slug] = _evaluated(of, scenes)
    return evaluations[chosen[0].full_slug] if isinstance(protocol, str) else evaluations


def _evaluated(protocol: Protocol, scenes: Mapping[Any, Scene]) -> Evaluation:
    truths = [region for scene in scenes.values() for region in scene.truth]
    found = [region for scene in scenes.values() for region in scene.detections or ()]
    if lacks := lacking(protocol, truths, found, n_methods=1):
        raise NotCoco(f"{protocol.slug} cannot score this: {lacks}")
    for said in one_sided(protocol, Held.of(truths, found)):
        warnings.warn(f"{protocol.slug}: {said}", DataWarning, stacklevel=_CALLER)
    settled = protocol.settled_for(truths)
    scores = settled.score(list(scenes.values()))
    images = dict(zip(scenes, scores, strict=True))
    return Evaluation(settled.full_slug, official(settled, scores), images)


def scenes_of(truth_json: Json, results_json: Json) -> dict[Any, Scene]:
    """Return the scene of each image of the annotations by its id.

    Parameters
    ----------
    truth_json, results_json : path, or what is in the file
        As ``evaluate`` takes them.

    Raises
    ------
    NotCoco
        If a file cannot be read, or a result is of an unknown image; names image and annotation.
    Misread
        If annotations and results cannot be right as they are read, while another reading fits.

    Notes
    -----
    Warns of detections without area, which count as false ones, of a side's coordinates that are all
    between 0 and 1.5, of what is left out of the files, and of results that hardly fit the
    annotations, fit them far better in another reading, copy them, have other names for the images,
    labels or texts that the annotations do not have, or no boxes on many images with text.

    Examples
    --------
    >>> word = {"id": 1, "image_id": 7, "bbox": [0, 0, 90, 40]}
    >>> truth = {"images": [{"id": 7, "file_name": "street.jpg"}], "annotations": [word]}
    >>> scene = scenes_of(truth, [{"image_id": 7, "bbox": [0, 0, 100, 40]}])[7]
    >>> scene.name, len(scene.detections)
    ('street', 1)
    """
    found = read_pair(truth_json, results_json)
    require_possible(found.truth.name, found.known, [(found.noticed, None)])
    for said in (*found.findings_of_truth, *found.findings):
        warnings.warn(said, DataWarning, stacklevel=_CALLER)
    return found.scenes


@dataclass(frozen=True, slots=True)
class Pair:
    """Annotations and results: the scenes by id, the annotations as read, and the results' fit.

    ``findings`` are sentences about the results.
    """

    scenes: dict[Any, Scene]
    truth: Archive
    known: Truth
    noticed: Noticed
    findings_of_truth: list[str]
    findings: list[str]


def read_pair(truth_json: Json, results_json: Json, name: str = "results") -> Pair:
    """Read annotations and results as ``scenes_of``; the caller warns of the findings.

    ``name`` is that of results that are no file. Raises NotCoco as ``scenes_of`` does.
    """
    truth, results = loaded(truth_json), loaded(results_json)
    if not isinstance(truth, Mapping) or not isinstance(truth.get("images"), list):
        raise NotCoco('the annotations have no list of "images"')
    if isinstance(results, list):
        # Results name images by numbers; the annotations have the names.
        results = {"images": truth["images"], "annotations": results}
    if isinstance(results, Mapping) and not results.get("categories"):
        # As image ids, those of categories are the annotations'.
        results = {**results, "categories": truth.get("categories")}
    of_truth = look_alone(_read(truth, "truth", _name(truth_json, "annotations")))
    _require_usable(of_truth)
    known = Truth.of(of_truth.archive)
    noticed = look_at_results(
        _read(results, "results", _name(results_json, name)), known, "", "empty"
    )
    _require_usable(noticed)
    regions, detections = of_truth.archive.regions, noticed.archive.regions
    scenes = {
        of["id"]: Scene(
            regions.get(name, ()),
            detections.get(name, ()),
            name,
            *of_truth.archive.sizes.get(name, (None, None)),
        )
        for of in truth["images"]
        for name in [_name_of(of)]
    }
    said = findings_of(noticed)
    sides = {
        "truth": (of for one in scenes.values() for of in one.truth),
        "results": (of for one in scenes.values() for of in one.detections or ()),
    }
    said += [f"{side}: {SHARES}" for side, regions in sides.items() if are_shares(regions)]
    return Pair(scenes, of_truth.archive, known, noticed, findings_of(of_truth), said)


def _require_usable(noticed: Noticed) -> None:
    if noticed.archive.errors:
        raise NotCoco(str(noticed.archive.errors[0]))


def _name_of(image: Mapping[str, Any]) -> str:
    return image_name(str(image.get("file_name", image["id"])))


def _name(given: Json, otherwise: str) -> str:
    return Path(given).name if isinstance(given, str | PathLike) else otherwise


def _read(data: Any, kind: Kind, name: str) -> Archive:
    try:
        text = json.dumps(data, default=plain_values)
    except (TypeError, ValueError) as fault:
        raise NotCoco(f"{name}: not what a JSON file can hold: {fault}") from fault
    return read(io.BytesIO(text.encode()), kind=kind, format="coco-json", name=name)
