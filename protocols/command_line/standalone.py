"""The competition's stand-alone scripts: ``-g gt.zip -s submit.zip [-o DIR] [-p JSON] [-c CHOICE]``."""

import json
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from .. import registry
from ..average_precision import AveragePrecision
from ..core.base import ImageScore, OverallScore, Protocol, Scene
from ..core.errors import ProtocolError
from ..core.geometry import (
    Pairs,
    Shapes,
    box_areas,
    box_intersections,
    boxes_of,
    intersection_areas,
    overlapping_pairs,
    shares,
)
from ..core.matching import INSIDE_IGNORED
from ..core.regions import Region
from ..formats.contents import Archive, LineFormat
from ..formats.layouts import layout_named
from ..formats.reading import LINES
from ..formats.rrc import read_archive
from ..formats.rrc_lines import Rules
from ..iou import Iou, average_precision
from .usage import USAGE

_CHOICES: Final = {"DetEva": "deteval", "IoU": "iou"}
_TYPES: Final = {"one-to-one": "OO", "split": "OM", "merge": "MO", "many-to-many": "MM"}
# How the lines are read, beside the parameters of the protocol.
_READING: Final = ("LTRB", "CRLF", "CONFIDENCES", "TRANSCRIPTION")
# Challenge 2 has boxes, Challenge 4 and what came later quadrilaterals.
_OF_BOXES: Final = ("deteval", "icdar13", "deteval-wolf")
# These take any names; the others img_NUMBER as published.
_ANY_NAME: Final = ("cleval", "cleval-end-to-end", "popeval")
# How lines are written: --format=SLUG, as of the other commands.
_FORMAT: Final = "-format"
_IMAGE: Final = re.compile(r"img_([0-9]+)\Z")
# Above this many detections the published scripts leave the matrices out.
_MAX_DETECTIONS: Final = 100


class Refused(Exception):
    """A submission that the scripts refuse; the message says why."""


class Asked(Exception):
    """Ground truth that can be read in two ways; the message says which, and how to name one."""


class BadUsage(Exception):
    """Arguments that mean nothing."""


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments of a stand-alone script."""

    truth: str
    results: str
    out: str | None
    protocol: Protocol
    rules: Rules


def run(arguments: Sequence[str]) -> int:
    """Evaluate as the scripts do; a refused submission, too, ends with status 0."""
    try:
        options = _options(arguments)
    except (BadUsage, ProtocolError) as refusal:
        print(f"{refusal}\n{USAGE}" if str(refusal) else USAGE, file=sys.stderr)
        return 2
    try:
        images = _scenes(options)
        scores = options.protocol.score(list(images.values()))
    except Asked as question:
        print(question, file=sys.stderr)
        return 2
    except Refused as refusal:
        print(f"Error!\n{refusal}", file=sys.stderr)
        if options.out is not None:
            _write(Path(options.out), {"method": _method(False, str(refusal), {})})
        return 0
    overall = _overall(options.protocol, list(images.values()), scores)
    if options.out is not None:
        samples = {
            image: _sample(options.protocol, scene, score)
            for (image, scene), score in zip(images.items(), scores, strict=True)
        }
        _write(Path(options.out), {"method": _method(True, "", overall), **samples})
    print("Calculated!" + json.dumps(overall))
    return 0


def _options(arguments: Sequence[str]) -> Options:
    given = _given(arguments)
    unknown = sorted(set(given) - {*"gsopc", _FORMAT})
    if unknown:
        raise BadUsage(f"unknown option -{unknown[0]}")
    if not {"g", "s"} <= set(given):
        raise BadUsage("")
    slug = _CHOICES.get(given.get("c", "IoU"), given.get("c", "IoU"))
    changed = _parameters(given.get("p", "{}"))
    protocol, reading = _protocol(slug, changed)
    named = given.get(_FORMAT)
    if named is not None and named not in LINES:
        raise BadUsage(f"no format of lines {named!r}; formats: {', '.join(LINES)}")
    layout = None if named is None else layout_named(named)
    ltrb = bool(reading.get("LTRB", protocol.slug in _OF_BOXES))
    rules = Rules(
        line_format=layout.line_format
        if layout
        else (LineFormat.LTRB if ltrb else LineFormat.QUAD),
        tail=layout.tail if layout else None,
        strict=True,
        confidences=bool(reading.get("CONFIDENCES", protocol.needs == "confidences")),
        transcriptions=bool(reading.get("TRANSCRIPTION", protocol.needs == "detected text")),
        crlf_only=bool(reading.get("CRLF", False)),
    )
    return Options(given["g"], given["s"], given.get("o"), protocol, rules)


def _given(arguments: Sequence[str]) -> dict[str, str]:
    """Read ``-g=gt.zip`` (as published) and ``-g gt.zip`` alike."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-") or len(argument) < 2:
            raise BadUsage(f"unexpected argument {argument!r}")
        name, equals, value = argument[1:].partition("=")
        if not equals:
            if not rest:
                raise BadUsage(f"-{name} needs a value")
            value = rest.pop(0)
        given[name] = value
    return given


def _parameters(text: str) -> dict[str, Any]:
    # Version 1.0 wants the JSON inside quotes which are part of the argument, 1.1 wants it bare.
    stripped = text.strip()
    if stripped[:1] in "'\"" and stripped[-1:] == stripped[:1] and len(stripped) > 1:
        stripped = stripped[1:-1]
    try:
        changed = json.loads(stripped.replace('\\"', '"'))
    except ValueError as fault:
        raise BadUsage(f"-p is not JSON: {fault}") from fault
    if not isinstance(changed, dict):
        raise BadUsage("-p must be a JSON object")
    return changed


def _protocol(slug: str, changed: Mapping[str, Any]) -> tuple[Protocol, dict[str, Any]]:
    """Return the protocol under the scripts' parameter names, and what is left for the reading."""
    published = registry.get(slug)
    names = {declared.metadata.get("rrc"): declared.name for declared in fields(published)}
    reading = {name: value for name, value in changed.items() if name in _READING}
    own = {
        names.get(name, name): value
        for name, value in changed.items()
        if name in names or name not in reading
    }
    return registry.get(slug, own), reading


def _scenes(options: Options) -> dict[str, Scene]:
    any_name = options.protocol.slug in _ANY_NAME
    truth = _read(options.truth, "truth", options.rules, any_name)
    results = _read(options.results, "results", options.rules, any_name)
    strangers = [image for image in results if image not in truth]
    if strangers:
        raise Refused(f"The sample {strangers[0]} not present in GT")
    return {image: Scene(regions, results.get(image), image) for image, regions in truth.items()}


def _read(path: str, kind: Any, rules: Rules, any_name: bool) -> dict[str, tuple[Region, ...]]:
    archive: Archive = read_archive(path, kind=kind, rules=rules)
    if archive.errors:
        raise Refused(str(archive.errors[0]))
    if archive.questions:
        question = archive.questions[0]
        raise Asked(f"{question} Name it: --format={question.expected.rpartition(': ')[2]}.")
    if any_name:
        return dict(archive.regions)
    images = {}
    for name, regions in archive.regions.items():
        match = _IMAGE.match(name)
        if match is not None:
            images[match[1]] = regions
        elif kind == "results":
            raise Refused(f"ZIP entry not valid: {name}")
    if kind == "truth" and not images:
        raise Refused(f"{archive.name} holds no gt_img_NUMBER.txt")
    return images


def _overall(
    protocol: Protocol, scenes: Sequence[Scene], scores: Sequence[ImageScore]
) -> dict[str, float | None]:
    overall: OverallScore = protocol.overall(scores)
    figures = {
        "recall": overall.recall,
        "precision": overall.precision,
        "hmean": overall.f_score,
    }
    if isinstance(protocol, AveragePrecision):
        figures["AP"] = overall.indicators["average_precision"]
    if isinstance(protocol, Iou):
        counted = [
            flag
            for scene, score in zip(scenes, scores, strict=True)
            for flag in _confidences_and_matches(scene, score)
        ]
        n_truth = sum(score.tally.n_truth for score in scores)
        figures["AP"] = _average_precision(protocol, counted, n_truth)
    return figures


def _confidences_and_matches(scene: Scene, score: ImageScore) -> list[tuple[float, bool]]:
    """Return confidence and whether it is matched, for each counted detection in file order."""
    matched = {j for match in score.matches for j in match.detections}
    ignored = _ignored(score)
    return [
        (region.confidence or 0.0, j in matched)
        for j, region in enumerate(scene.detections or ())
        if j not in ignored
    ]


def _ignored(score: ImageScore) -> list[int]:
    return [
        unmatched.index
        for unmatched in score.unmatched
        if unmatched.side == "detection" and unmatched.reason == INSIDE_IGNORED
    ]


def _average_precision(
    protocol: Iou, counted: Sequence[tuple[float, bool]], n_truth: float
) -> float:
    if not protocol.use_confidences:
        return 0.0
    confidences = [confidence for confidence, _ in counted]
    return average_precision(confidences, [matched for _, matched in counted], n_truth)


def _sample(protocol: Protocol, scene: Scene, score: ImageScore) -> dict[str, Any]:
    detections = scene.detections or ()
    sample: dict[str, Any] = {
        "precision": score.precision,
        "recall": score.recall,
        "hmean": score.f_score,
        "pairs": [
            _pair(protocol, match.truth, match.detections, match.kind) for match in score.matches
        ],
        "gtPolPoints": [list(region.points) for region in scene.truth],
        "detPolPoints": [list(region.points) for region in detections],
        "gtDontCare": [at for at, region in enumerate(scene.truth) if region.ignored],
        "detDontCare": _ignored(score),
        "evaluationParams": protocol.parameters(),
        "evaluationLog": "".join(
            f"{unmatched.side} {unmatched.index}: {unmatched.reason}\n"
            for unmatched in score.unmatched
        ),
    }
    small = len(detections) <= _MAX_DETECTIONS
    if isinstance(protocol, Iou):
        counted = _confidences_and_matches(scene, score)
        n_truth = score.tally.n_truth
        # As published: without counted truth the image's AP is its precision.
        ap = _average_precision(protocol, counted, n_truth) if n_truth else score.precision
        sample["AP"] = ap if protocol.use_confidences else 0.0
        sample["iouMat"] = _iou_matrix(scene) if small else []
    elif protocol.slug in _OF_BOXES:
        recall, precision = _area_matrices(scene) if small else ([], [])
        sample["recallMat"], sample["precisionMat"] = recall, precision
    return sample


def _pair(
    protocol: Protocol, truth: Sequence[int], detections: Sequence[int], kind: str
) -> dict[str, Any]:
    pair: dict[str, Any] = {
        "gt": list(truth) if kind in ("merge", "many-to-many") else truth[0],
        "det": list(detections) if kind in ("split", "many-to-many") else detections[0],
    }
    if not isinstance(protocol, Iou):
        pair["type"] = _TYPES[kind]
    return pair


def _all_pairs(scene: Scene) -> Pairs:
    n, m = len(scene.truth), len(scene.detections or ())
    return Pairs(np.repeat(np.arange(n), m), np.tile(np.arange(m), n))


def _iou_matrix(scene: Scene) -> list[list[float]]:
    truth = Shapes(scene.truth, truncate=True)
    detections = Shapes(scene.detections or (), truncate=True)
    pairs = overlapping_pairs(
        truth.boxes,
        detections.boxes,
        np.array([len(truth.boxes)]),
        np.array([len(detections.boxes)]),
    )
    shared = intersection_areas(truth, detections, pairs)
    union = truth.areas[pairs.truth] + detections.areas[pairs.detection] - shared
    matrix = np.zeros((len(truth.boxes), len(detections.boxes)))
    matrix[pairs.truth, pairs.detection] = shares(shared, union)
    return [list(map(float, row)) for row in matrix]


def _area_matrices(scene: Scene) -> tuple[list[list[float]], list[list[float]]]:
    truth, detections = boxes_of(scene.truth), boxes_of(scene.detections or ())
    pairs = _all_pairs(scene)
    shared = box_intersections(truth[pairs.truth], detections[pairs.detection], 1.0)
    shape = (len(truth), len(detections))
    recall = (shared / box_areas(truth, 1.0)[pairs.truth]).reshape(shape)
    precision = (shared / box_areas(detections, 1.0)[pairs.detection]).reshape(shape)
    return recall.tolist(), precision.tolist()


def _method(calculated: bool, message: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    return {"calculated": calculated, "Message": message, "method": dict(figures)}


def _write(folder: Path, samples: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "results.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, sample in samples.items():
            archive.writestr(f"{name}.json", json.dumps(sample))
