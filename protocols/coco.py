"""COCO's interface: a file of annotations, a file of results, and their scores."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from . import registry
from .core.base import ImageScore, OverallScore, Scene, official
from .core.errors import ProtocolError
from .core.fitting import lacking
from .formats.containers.contents import Archive, Kind
from .formats.containers.documents import image_name
from .formats.recognition.reading import read

Json = str | PathLike[str] | Mapping[str, Any] | list[Any]


class NotCoco(ProtocolError, ValueError):
    """A file that cannot be used; the message names it and its first fault."""


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
        By the ids of the file of annotations, in its order; with matches and reasons.
    """

    protocol: str
    overall: OverallScore
    images: Mapping[Any, ImageScore]

    @property
    def stats(self) -> dict[str, float | None]:
        """Recall, precision and F-score in [0, 1], None for undefined, and the protocol's other figures."""
        whole = self.overall
        figures = {"recall": whole.recall, "precision": whole.precision, "f_score": whole.f_score}
        return {**figures, **whole.indicators}


def evaluate(
    truth_json: Json, results_json: Json, protocol: str = "iou", **parameters: Any
) -> Evaluation:
    """Score COCO results against COCO annotations.

    Parameters
    ----------
    truth_json : path, or what is in the file
        ``images`` (each with ``id`` and ``file_name``) and ``annotations`` (each with ``image_id`` and
        ``segmentation``, or ``bbox`` as left, top, width and height in pixels). ``iscrowd`` is ignored text.
    results_json : path, or what is in the file
        A list of results with ``image_id``, ``bbox`` or ``segmentation``, and ``score``; or a dataset.
    protocol : str
        A slug, or ``slug:variant``.
    **parameters
        Parameters of the protocol; by default the published ones.

    Returns
    -------
    Evaluation
        For every image of the annotations: one without a result counts as evaluated, with nothing
        found. Without images every figure is undefined.

    Raises
    ------
    NotCoco
        If a file cannot be read, a result is of an unknown image, or no image has the inputs of the protocol.
    UnknownProtocol, ParameterError
        As ``registry.get``.

    Examples
    --------
    >>> truth = {
    ...     "images": [{"id": 7, "file_name": "street.jpg"}],
    ...     "annotations": [
    ...         {"id": 1, "image_id": 7, "bbox": [0, 0, 100, 40]},
    ...         {"id": 2, "image_id": 7, "bbox": [0, 60, 50, 30]},
    ...     ],
    ... }
    >>> found = evaluate(truth, [{"image_id": 7, "bbox": [0, 0, 100, 40], "score": 0.9}])
    >>> found.stats["recall"], found.stats["precision"], found.images[7].recall
    (0.5, 1.0, 0.5)
    """
    chosen = registry.get(protocol, parameters)
    scenes = _scenes(truth_json, results_json)
    truths = [region for scene in scenes.values() for region in scene.truth]
    found = [region for scene in scenes.values() for region in scene.detections or ()]
    if lacks := lacking(chosen, truths, found, n_methods=1):
        raise NotCoco(f"{chosen.slug} cannot score this: {lacks}")
    chosen = chosen.settled_for(truths)
    scores = chosen.score(list(scenes.values()))
    return Evaluation(
        chosen.full_slug, official(chosen, scores), dict(zip(scenes, scores, strict=True))
    )


def _scenes(truth_json: Json, results_json: Json) -> dict[Any, Scene]:
    """Return the scene of each image of the annotations by its id."""
    truth, results = _loaded(truth_json), _loaded(results_json)
    if not isinstance(truth, Mapping) or not isinstance(truth.get("images"), list):
        raise NotCoco('the annotations have no list of "images"')
    if isinstance(results, list):
        # Results name images by numbers; the annotations have the names.
        results = {"images": truth["images"], "annotations": results}
    of_truth = _read(truth, "truth", _name(truth_json, "annotations"))
    of_results = _read(results, "results", _name(results_json, "results"))
    names = {of["id"]: image_name(str(of.get("file_name", of["id"]))) for of in truth["images"]}
    stray = of_results.regions.keys() - set(names.values())
    if stray:
        raise NotCoco(f"results of {min(stray)}, which the annotations do not have")
    return {
        key: Scene(
            of_truth.regions.get(name, ()),
            of_results.regions.get(name, ()),
            name,
            *of_truth.sizes.get(name, (None, None)),
        )
        for key, name in names.items()
    }


def _loaded(given: Json) -> Any:
    if not isinstance(given, str | PathLike):
        return given
    try:
        return json.loads(Path(given).read_text(encoding="utf-8-sig"))
    except OSError as fault:
        raise NotCoco(f"{given} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise NotCoco(f"{given} is not JSON: {fault}") from fault


def _name(given: Json, otherwise: str) -> str:
    return Path(given).name if isinstance(given, str | PathLike) else otherwise


def _read(data: Any, kind: Kind, name: str) -> Archive:
    archive = read(io.BytesIO(json.dumps(data).encode()), kind=kind, format="coco-json", name=name)
    if archive.errors:
        raise NotCoco(str(archive.errors[0]))
    return archive
