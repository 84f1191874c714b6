"""Words of a scene put together to lines or paragraphs, as masks of pixels ([L22]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .base import ImageScore, Kind, Match, Scene, Unmatched
from .masks import filled_pixels
from .regions import Region

_Box = tuple[float, float, float, float]
# An outline without area, with which nothing is matched.
_NOWHERE = Region.from_box(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Group:
    """A line or paragraph: its words by their indices, and its pixels by rising numbers."""

    words: tuple[int, ...]
    ignored: bool
    text: str
    box: _Box
    pixels: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of an image, and a scene that has a region for each."""

    scene: Scene
    truth: Sequence[Group]
    detections: Sequence[Group]

    @classmethod
    def of(cls, scene: Scene, level: str) -> "Groups":
        """Put the words of a scene together.

        ``lines``: words with the same parent; a word without one is a line. ``paragraphs``: words
        whose parents begin alike, up to the last dot.
        """
        canvas = _Canvas.of(scene)
        truth = _groups(scene.truth, level, canvas, _own_outlines(scene, level))
        found = _groups(scene.detections or (), level, canvas, {})
        detections = None if scene.detections is None else tuple(map(_region, found))
        as_scene = replace(scene, truth=tuple(map(_region, truth)), detections=detections)
        return cls(as_scene, truth, found)

    def shared(self) -> NDArray[np.int64]:
        """Return the number of pixels that each truth shares with each detection.

        Groups whose boxes share no area share no pixel, as published, although outlines are drawn
        on both sides of a border.
        """
        shared = np.zeros((len(self.truth), len(self.detections)), dtype=np.int64)
        for i, one in enumerate(self.truth):
            for j, other in enumerate(self.detections):
                if _meet(one.box, other.box):
                    both = np.intersect1d(one.pixels, other.pixels, assume_unique=True)
                    shared[i, j] = len(both)
        return shared

    def of_words(self, score: ImageScore) -> ImageScore:
        """Return a score of groups with its matches and reasons expressed in words of the scene."""
        return in_words(
            score, *([group.words for group in of] for of in (self.truth, self.detections))
        )


def in_words(
    score: ImageScore, truth: Sequence[Sequence[int]], detections: Sequence[Sequence[int]]
) -> ImageScore:
    """Return a score of groups with its matches and reasons expressed in the words of each group."""
    matches = []
    for match in score.matches:
        of_truth = tuple(chain.from_iterable(truth[i] for i in match.truth))
        found = tuple(chain.from_iterable(detections[j] for j in match.detections))
        several = len(of_truth) > 1 or len(found) > 1
        kind: Kind = "many-to-many" if several else "one-to-one"
        if of_truth:
            matches.append(
                Match(of_truth, found, kind, match.recall_credit, match.precision_credit)
            )
    unmatched = [
        Unmatched(one.side, word, one.reason)
        for one in score.unmatched
        for word in (truth if one.side == "truth" else detections)[one.index]
    ]
    return replace(score, matches=tuple(matches), unmatched=tuple(unmatched))


@dataclass(frozen=True, slots=True)
class _Canvas:
    """The pixels of an image; without its size, of the regions in it."""

    width: int
    height: int

    @classmethod
    def of(cls, scene: Scene) -> "_Canvas":
        regions = [*scene.truth, *(scene.detections or ()), *scene.parents.values()]
        boxes = [region.box for region in regions]
        width = scene.width or max((box[2] for box in boxes), default=0) + 1
        height = scene.height or max((box[3] for box in boxes), default=0) + 1
        return cls(int(width), int(height))

    def pixels(self, regions: Sequence[Region]) -> NDArray[np.int64]:
        """Return the numbers of the pixels that regions cover together, row by row."""
        drawn = [filled_pixels(region.points, self.height, self.width) for region in regions]
        return np.unique(np.concatenate([rows * self.width + columns for rows, columns in drawn]))


def _own_outlines(scene: Scene, level: str) -> Mapping[str, Region]:
    """Return the outlines of the level that the ground truth has, by id."""
    above_words = {word.parent for word in scene.truth}
    is_line = level == "lines"
    return {
        id_: region
        for id_, region in scene.parents.items()
        if (id_ in above_words or region.parent is not None) == is_line
    }


def _groups(
    words: Sequence[Region], level: str, canvas: _Canvas, own: Mapping[str, Region]
) -> list[Group]:
    # In the order of the file, those without words too.
    members: dict[str | int, list[int]] = {id_: [] for id_ in own}
    for at, word in enumerate(words):
        key = at if word.parent is None else _key(word.parent, level)
        members.setdefault(key, []).append(at)
    return [
        _group([words[at] for at in of], tuple(of), own.get(str(key)), level, canvas)
        for key, of in members.items()
    ]


def _key(parent: str, level: str) -> str:
    return parent if level == "lines" else parent.rpartition(".")[0] or parent


def _group(
    words: Sequence[Region], at: tuple[int, ...], own: Region | None, level: str, canvas: _Canvas
) -> Group:
    ignored = all(word.ignored for word in words) if own is None else own.ignored
    text = " ".join(word.text or "" for word in words)
    if own is not None and own.text is not None:
        text = own.text
    if own is not None and (not words or (level == "paragraphs" and ignored)):
        whole = (0.0, 0.0, float(canvas.width), float(canvas.height))
        return Group(at, ignored, text, whole, canvas.pixels([own]))
    boxes = [word.box for word in words]
    low, high = (tuple(map(of, zip(*boxes, strict=True))) for of in (min, max))
    return Group(at, ignored, text, (low[0], low[1], high[2], high[3]), canvas.pixels(words))


def _meet(one: _Box, other: _Box) -> bool:
    across = min(one[2], other[2]) > max(one[0], other[0])
    return across and min(one[3], other[3]) > max(one[1], other[1])


def _region(group: Group) -> Region:
    region = Region.from_box(*group.box) if len(group.pixels) else _NOWHERE
    return replace(region, text=group.text, ignored=group.ignored)
