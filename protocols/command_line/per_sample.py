"""Output of the competition's scripts: the figures of a result set, and those of each image."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..core.base import ImageScore, Match, OverallScore, Protocol, Scene
from ..core.matching import INSIDE_IGNORED, in_turn
from ..core.regions import Region
from ..iou import Iou, average_precision

# Challenge 2 has boxes, Challenge 4 and later ones quadrilaterals.
OF_BOXES: Final = ("deteval", "icdar13", "deteval-wolf")
# The logs of these scripts can be written as they write them.
WITH_LOG: Final = ("iou", "tiou")
_TYPES: Final = {"one-to-one": "OO", "split": "OM", "merge": "MO", "many-to-many": "MM"}
# Above this many detections the published scripts omit the matrices.
_MAX_DETECTIONS: Final = 100


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of scenes, and the tables that were measured for them.

    ``tables``, by their names in the scripts, have truths by detections for each scene; ``several``
    are the truths of each scene that several counted detections overlap, empty if not measured.
    """

    scores: Sequence[ImageScore]
    tables: Mapping[str, list[list[list[float]]]] = field(default_factory=dict)
    several: Sequence[set[int]] = ()


def scored(protocol: Protocol, scenes: Sequence[Scene], *, with_tables: bool) -> Scored:
    """Return the scores of scenes, and what was measured for them if it is written.

    The scenes are a sequence of length n.
    """
    if not with_tables:
        return Scored(protocol.score(scenes))
    if isinstance(protocol, Iou):
        matching = protocol.measure(scenes)
        tables = {"iouMat": matching.tables(_MAX_DETECTIONS)}
        return Scored(protocol.conclude(matching), tables)
    if protocol.slug not in OF_BOXES:
        return Scored(protocol.score(scenes))
    from ..deteval import Icdar13

    # DetEval of its authors shares the measurements, not the matching.
    of_boxes = protocol if isinstance(protocol, Icdar13) else Icdar13()
    measured = of_boxes.measure(scenes)
    found = of_boxes.conclude(measured) if of_boxes is protocol else protocol.score(scenes)
    shares = {"recallMat": measured.sigma, "precisionMat": measured.tau}
    tables = {
        name: measured.flat.tables(measured.pairs, values, _MAX_DETECTIONS)
        for name, values in shares.items()
    }
    return Scored(found, tables, measured.several() if protocol.slug == "deteval" else ())


def overall_figures(
    protocol: Protocol, scenes: Sequence[Scene], scores: Sequence[ImageScore]
) -> dict[str, float | None]:
    """Return the official figures, by the names of the competition's scripts.

    Scenes and scores have the same length n.
    """
    overall: OverallScore = protocol.overall(scores)
    n_truth = sum(score.tally.n_truth for score in scores)
    n_detections = sum(score.tally.n_detections for score in scores)
    # The scripts write 0, not 0.0, where they do not divide.
    figures = {
        "precision": overall.precision if n_detections else overall.precision or 0,
        "recall": overall.recall if n_truth else overall.recall or 0,
        "hmean": overall.f_score if overall.recall or overall.precision else 0,
    }
    if "average_precision" in overall.indicators:
        figures["AP"] = overall.indicators["average_precision"]
    if protocol.slug == "tedeval":
        # The script finds no match among its confidences, so its average precision is 0.
        figures = {name: figures[name] for name in ("recall", "precision", "hmean")} | {"AP": 0}
    if protocol.slug in ("icdar13", "deteval") and n_truth and n_detections:
        # To the last digit.
        recall = in_turn(score.tally.recalled for score in scores) / n_truth
        precision = in_turn(score.tally.precise for score in scores) / n_detections
        both = recall + precision
        hmean = 2 * recall * precision / both if both else 0
        figures = {"precision": precision, "recall": recall, "hmean": hmean}
    if isinstance(protocol, Iou):
        counted = [
            flag
            for scene, score in zip(scenes, scores, strict=True)
            for flag in _confidences_and_matches(scene, score)
        ]
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
        return 0
    return average_precision(counted, n_truth)


def samples(
    protocol: Protocol,
    images: Mapping[str, Scene],
    found: Scored,
    listed: Mapping[str, Any],
    log: str = "reasons",
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the output of the competition's scripts for each image, after its name.

    ``found`` is of these images in their order; ``listed`` are the parameters that the script
    lists; ``log`` is ``reasons`` why regions have no match, or ``published``: the steps of the
    script.
    """
    for at, ((image, scene), score) in enumerate(zip(images.items(), found.scores, strict=True)):
        detections = scene.detections or ()
        several = found.several[at] if found.several else set()
        ignored = _ignored(score)
        sample: dict[str, Any] = {
            "precision": score.precision,
            "recall": score.recall,
            "hmean": score.f_score,
            "pairs": [_pair(protocol, match, several) for match in score.matches],
        }
        if isinstance(protocol, Iou):
            sample["AP"] = _image_average_precision(protocol, scene, score)
        elif protocol.slug == "tedeval":
            sample["AP"] = 0.0 if score.tally.n_truth else score.precision
        # Without truth or detections, the scripts write a table that was never filled; this does not.
        sample |= {name: tables[at] for name, tables in found.tables.items()}
        yield (
            image,
            sample
            | {
                "gtPolPoints": [_points(region, listed) for region in scene.truth],
                "detPolPoints": [_points(region, listed) for region in detections],
                "gtDontCare": [i for i, region in enumerate(scene.truth) if region.ignored],
                "detDontCare": ignored,
                "evaluationParams": listed,
                "evaluationLog": _steps(scene, score, len(ignored))
                if log == "published"
                else "".join(f"{of.side} {of.index}: {of.reason}\n" for of in score.unmatched),
            },
        )


def _steps(scene: Scene, score: ImageScore, n_ignored: int) -> str:
    """Return the log of the scripts of Challenge 4 and TIoU."""
    lines = [_counted("GT", scene.truth, sum(region.ignored for region in scene.truth))]
    if scene.detections is not None:
        lines.append(_counted("DET", scene.detections, n_ignored))
    lines += [
        f"Match GT #{match.truth[0]} with Det #{match.detections[0]}\n" for match in score.matches
    ]
    return "".join(lines)


def _counted(side: str, regions: Sequence[Region], n_ignored: int) -> str:
    ignored = f" ({n_ignored} don't care)" if n_ignored else ""
    return f"{side} polygons: {len(regions)}{ignored}\n"


def _image_average_precision(protocol: Iou, scene: Scene, score: ImageScore) -> float | None:
    n_truth = score.tally.n_truth
    if not n_truth:
        # As published: without counted truth the image's AP is its precision.
        return score.precision
    return _average_precision(protocol, _confidences_and_matches(scene, score), n_truth)


def _points(region: Region, listed: Mapping[str, Any]) -> Sequence[float]:
    """Return a region's numbers as its line has them: four sides of a box, else all points."""
    if listed.get("LTRB") or ("LTRB" not in listed and "MTYPE_OO_O" in listed):
        return region.box
    return region.points


def _pair(protocol: Protocol, match: Match, several: set[int]) -> dict[str, Any]:
    """Return a match; a side is a list where the script writes a list."""
    lists = protocol.slug == "tedeval"
    many_truths = lists or match.kind in ("merge", "many-to-many")
    many = lists or match.kind in ("split", "many-to-many")
    # A split of which one detection is left counts as one-to-one, but is written as a split.
    many |= match.kind == "one-to-one" and match.truth[0] in several
    pair: dict[str, Any] = {
        "gt": list(match.truth) if many_truths else match.truth[0],
        "det": list(match.detections) if many else match.detections[0],
    }
    if not isinstance(protocol, Iou):
        # A merge of which one truth is left counts as one-to-one, too.
        is_single = protocol.slug == "deteval" and len(match.truth) == len(match.detections) == 1
        pair["type"] = _TYPES["one-to-one" if is_single else match.kind]
    return pair
