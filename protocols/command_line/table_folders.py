"""Scores of a folder of cTDaR results against a folder of ground truth ([G19]_)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from ..core.base import ImageScore, OverallScore, Scene
from ..core.regions import Region
from ..formats.readers.ctdar import DocumentError, read_file, read_folder
from ..signatures import signature
from ..table_detection import TableDetection
from ..table_structure import TableStructure

Track = Literal["A", "B"]
_FORMAT: Final = "ctdar-xml"


def evaluate_folders(
    track: Track, truth: Path, results: Path, variant: str = "page"
) -> dict[str, Any]:
    """Return the scores of a folder of results against one of ground truth, as JSON data.

    Track "A" counts tables, "B" the relations of their cells. The XML file of a result has the base
    name of its ground truth. The answer: ``track``, ``variant``, ``signature``, ``thresholds``;
    ``images``, each with ``name``, ``n_truth``, ``n_detections``, ``recall``, ``precision``,
    ``f_score`` (WAvg.F1) and ``at_thresholds``; ``overall`` likewise from the summed counts;
    ``missing``, the images without a result file, which count as images without detections; and
    ``unreadable``, the results that do not parse, with ``name`` and ``message``, which count as
    empty. Raises DocumentError if there is no ground truth, it has an unreadable file, or a result
    is without ground truth. Raises ParameterError if there is no such variant.
    """
    if track not in ("A", "B"):
        raise DocumentError(f"expected track A or B, got {track!r}")
    protocol = (TableDetection if track == "A" else TableStructure)(variant=variant)
    expected, given = read_folder(truth), read_folder(results)
    if not expected:
        raise DocumentError(f"{truth}: no XML file of ground truth")
    for name in given:
        if name not in expected:
            raise DocumentError(f"{given[name].name}: a result without ground truth")
    scenes, unreadable = _read_scenes(expected, given, with_cells=track == "B")
    scores = protocol.score(scenes)
    return {
        "track": track,
        "variant": variant,
        "signature": signature(protocol, _FORMAT, _FORMAT, len(scenes)),
        "thresholds": list(protocol.thresholds),
        "images": [
            {"name": scene.name, **_figures(score, protocol.thresholds)}
            for scene, score in zip(scenes, scores, strict=True)
        ],
        "overall": _figures(protocol.overall(scores), protocol.thresholds),
        "missing": [scene.name for scene in scenes if scene.detections is None],
        "unreadable": unreadable,
    }


def _read_scenes(
    expected: Mapping[str, Path], given: Mapping[str, Path], *, with_cells: bool
) -> tuple[list[Scene], list[dict[str, str]]]:
    """Return a scene for each file of ground truth, and the results that do not parse."""
    scenes, unreadable = [], []
    for name, path in expected.items():
        detections: tuple[Region, ...] | None = None
        if name in given:
            try:
                detections = read_file(given[name], with_cells=with_cells)
            except DocumentError as fault:
                detections = ()
                unreadable.append({"name": name, "message": str(fault)})
        scenes.append(Scene(read_file(path, with_cells=with_cells), detections, name))
    return scenes, unreadable


def _figures(score: ImageScore | OverallScore, thresholds: tuple[float, ...]) -> dict[str, Any]:
    counts = score.indicators
    return {
        "n_truth": counts["n_truth"],
        "n_detections": counts["n_detections"],
        "recall": score.recall,
        "precision": score.precision,
        "f_score": score.f_score,
        "weighted_average_f1": counts["weighted_average_f1"],
        "at_thresholds": [
            {
                "threshold": at,
                "n_correct": counts[f"n_correct_at_{at}"],
                "recall": counts[f"recall_at_{at}"],
                "precision": counts[f"precision_at_{at}"],
                "f_score": counts[f"f_score_at_{at}"],
            }
            for at in thresholds
        ],
    }
