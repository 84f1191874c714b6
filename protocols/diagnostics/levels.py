"""Signs that two things are of two levels: results and ground truth, or outlines and their texts."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from protocols.core.geometry import Floats, Indices, box_areas, box_intersections, boxes_of
from protocols.core.regions import Region
from protocols.formats.containers.contents import Archive
from protocols.formats.problems import KEPT, Problem, Problems
from protocols.formats.recognition.reading import FORMATS
from text_rankings.base.counts import counted

from .fits import FlatBoxes
from .readings import Regions

# Least share of a part's area within its whole, and greatest share of the whole's area that it has.
_WITHIN: Final = 0.7
_PART: Final = 0.6
# From this share of the truths that are touched on, and of so many, the levels differ.
_FROM: Final = 0.4
_LEAST: Final = 20
# Lengths of outlines in heights per character: letters of all scripts are between a fifth and 1.6.
_NARROW: Final = 0.15
_WIDE: Final = 1.8
_MIN_CHARACTERS: Final = 2
# Below this IoU, the outline of a line is not that of its words.
_MIN_IOU: Final = 0.8


def words_against_lines(archive: Archive, truth: Regions, results: Regions) -> list[Problem]:
    """Return a warning (F12) if results are words where the ground truth has lines, or the reverse.

    The share of the truths with several detections inside, or that are inside a detection with
    others, among those that some detection overlaps. Bounding boxes are compared.
    """
    flat = FlatBoxes(truth, results)
    pairs, shared = flat.overlaps(flat.boxes, flat.n_detections)
    meet = shared > 0
    pairs, shared = pairs.where(meet), shared[meet]
    a, b = (pairs.truth, box_areas(flat.truth)), (pairs.detection, box_areas(flat.boxes))
    split, merged = _in_parts(shared, *a, *b), _in_parts(shared, *b, *a)
    n_touched, n_split, n_merged = (
        len({*of.tolist()}) for of in (pairs.truth, pairs.truth[split], pairs.truth[merged])
    )
    problems = Problems(archive.name)
    if max(n_split, n_merged) >= max(_LEAST, _FROM * n_touched):
        is_split = n_split > n_merged
        n, level = (n_split, "words") if is_split else (n_merged, "lines")
        found = (
            f"{n} of {counted(n_touched, 'region')} of the ground truth that "
            f"{'hold several detections' if is_split else 'share a detection with others'}"
        )
        other = "lines" if level == "words" else "words"
        problems.warning("F12", found, _expected(archive.format, level, other), action=KEPT)
    return problems.found


def _expected(format: str, level: str, other: str) -> str:
    base = format.removesuffix(f"-{level}")
    offered = [slug for slug in (base, f"{base}-{other}") if slug != format and slug in FORMATS]
    hint = f"; the format {offered[-1]} reads {other}" if offered else ""
    return f"words on both sides, or lines on both{hint}"


def _in_parts(
    shared: Floats, whole: Indices, wholes: Floats, part: Indices, parts: Floats
) -> NDArray[np.bool_]:
    """Return which pairs are of a part in a whole that consists of two or more; shape (m,).

    ``shared`` has the area of each pair; ``whole`` and ``part`` its indices into the areas of all
    ``wholes`` and ``parts``.
    """
    within = (shared >= _WITHIN * parts[part]) & (parts[part] <= _PART * wholes[whole])
    covered = np.bincount(whole, np.where(within, shared, 0.0), len(wholes))
    consists = (np.bincount(whole[within], minlength=len(wholes)) > 1) & (covered >= wholes / 2)
    parts_of: NDArray[np.bool_] = within & consists[whole]
    return parts_of


def outlines_against_texts(archive: Archive) -> list[Problem]:
    """Return a warning (F13) if outlines are of another level than the texts, or than their parts.

    Outlines of words with the texts of lines, or the reverse, by the length per character; outlines
    of lines that are not those of their words, by the median IoU of bounding boxes.
    """
    problems = Problems(archive.name)
    lengths = [
        length
        for regions in archive.regions.values()
        for region in regions
        if (length := _length_of_a_character(region)) is not None
    ]
    middle = median(lengths) if len(lengths) >= _LEAST else 1.0
    if not _NARROW < middle < _WIDE:
        told = "longer" if middle >= _WIDE else "shorter"
        found = (
            f"outlines {told} than their texts: {middle:.2g} times their height for a character "
            f"(median of {len(lengths)})"
        )
        problems.warning("F13", found, "outlines and texts of one level, as words", action=KEPT)
    overlaps = [of for image in archive.parents for of in _overlaps(archive, image)]
    if len(overlaps) >= _LEAST and median(overlaps) < _MIN_IOU:
        found = (
            f"outlines of lines that are not those of their words: median IoU {median(overlaps):.2f} "
            f"of {counted(len(overlaps), 'line')}"
        )
        problems.warning("F13", found, "outlines around the words of each line", action=KEPT)
    return problems.found


def _length_of_a_character(region: Region) -> float | None:
    """Return the longer side over the shorter one, by character; None without a text to measure."""
    text = (region.text or "").strip()
    if region.ignored or len(text) < _MIN_CHARACTERS:
        return None
    left, top, right, bottom = region.box
    short, long = sorted((right - left, bottom - top))
    return long / short / len(text) if short > 0 else None


def _overlaps(archive: Archive, image: str) -> list[float]:
    """Return the IoU of each line of an image with the box around its words."""
    words: dict[str, list[Region]] = {}
    for region in archive.regions.get(image, ()):
        if region.parent:
            words.setdefault(region.parent, []).append(region)
    parents: Mapping[str, Region] = archive.parents[image]
    lines = [(parents[name], of) for name, of in words.items() if name in parents]
    return [_iou(line, of) for line, of in lines]


def _iou(line: Region, words: Sequence[Region]) -> float:
    boxes = boxes_of(words)
    around = np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])[np.newaxis]
    own = boxes_of([line])
    shared = float(box_intersections(own, around)[0])
    total = float(box_areas(own)[0] + box_areas(around)[0]) - shared
    return shared / total if total else 1.0
