"""Ten synthetic detectors, each with one habit.

They start from the ground truth of a drawn scene, leave out what cannot be read, and spoil the rest in
their own way. Chance comes from the seed, the detector and the scene alone, so two calls give the same
detections, in any order.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from protocols.core.regions import Region

from .scenes import SEED, DrawnScene

# misses-small finds the words of at least this height.
SMALL_PX = 24.0
# often-silent finds nothing in scenes whose number is a multiple of this.
SILENT_EVERY = 3

# Corners clockwise from the top-left corner of the text, shape (4, 2), in pixels.
Quad = NDArray[np.float64]
Detect = Callable[[DrawnScene, random.Random], tuple[Region, ...]]


@dataclass(frozen=True, slots=True)
class Detector:
    """A method of the demo; ``habit`` is one sentence for people."""

    slug: str
    name: str
    habit: str
    detect: Detect


def detections(detector: Detector, scene: DrawnScene, seed: int = SEED) -> tuple[Region, ...]:
    """Return what a detector finds in a scene: integer quadrilaterals inside the picture."""
    return detector.detect(scene, random.Random(f"{seed}/{detector.slug}/{scene.name}"))


def text_height(region: Region) -> float:
    """Return the height of a quadrilateral's text in pixels: the mean of its left and right side."""
    quad = _quad(region)
    return float(_length(quad[3] - quad[0]) + _length(quad[2] - quad[1])) / 2


# --- the habits -------------------------------------------------------------------------------------


def _near_perfect(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    return _regions(scene, (quad for _, quad in _well_seen(scene)))


def _oversized(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    return _regions(
        scene, (_grown_by_share(word, rng.uniform(0.3, 0.45)) for word in _legible(scene))
    )


def _undersized(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    return _regions(
        scene, (_grown_by_share(word, -rng.uniform(0.1, 0.2)) for word in _legible(scene))
    )


def _one_box_per_line(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    return _regions(scene, (_box_around([scene.words[i] for i in line]) for line in scene.lines))


def _splits_words(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    quads: list[Quad] = []
    for word in _legible(scene):
        n_parts = 1 if len(word.text or "") < 4 else rng.choice((2, 3))
        quads += _parts(_quad(word), n_parts)
    return _regions(scene, quads)


def _touches_neighbour(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    quads = []
    for line in scene.lines:
        words = [scene.words[i] for i in line if not scene.words[i].ignored]
        boxes = [_quad(word) for word in words]
        for i, (word, box) in enumerate(zip(words, boxes, strict=True)):
            height = text_height(word)
            margin = 0.4 * height
            # A little further than the neighbour's first ink, on both sides.
            left = _gap(boxes[i - 1], box) + 0.15 * height if i else margin
            right = _gap(box, boxes[i + 1]) + 0.15 * height if i + 1 < len(boxes) else margin
            quads.append(_grown(box, left, 0.12 * height, right, 0.12 * height))
    return _regions(scene, quads)


def _misses_small(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    seen = _well_seen(scene)
    return _regions(scene, (quad for word, quad in seen if text_height(word) >= SMALL_PX))


def _many_false_positives(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    """Like near-perfect, with six to twelve boxes more where there is no text at all."""
    width, height = scene.image.size
    taken = [shapely.Polygon(_quad(word)).buffer(8) for word in scene.words]
    wanted = rng.randint(6, 12)
    invented: list[Quad] = []
    # A picture full of text has no room for all of them.
    for _ in range(400):
        if len(invented) == wanted:
            break
        w, h = rng.uniform(30, 130), rng.uniform(16, 44)
        x, y = rng.uniform(w / 2, width - w / 2), rng.uniform(h / 2, height - h / 2)
        quad = _rectangle(x, y, w, h, math.radians(rng.gauss(0, 8)))
        shape = shapely.Polygon(quad)
        if not any(shape.intersects(other) for other in taken):
            taken.append(shape)
            invented.append(quad)
    return _near_perfect(scene, rng) + _regions(scene, invented)


def _often_silent(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    return () if scene.number % SILENT_EVERY == 0 else _near_perfect(scene, rng)


def _jitter(scene: DrawnScene, rng: random.Random) -> tuple[Region, ...]:
    quads = []
    for word in _legible(scene):
        # Bounded, so that a corner never crosses to the other side of its box.
        reach = 0.24 * text_height(word)
        aside = np.array([rng.uniform(-reach, reach), rng.uniform(-reach, reach)])
        quads.append(_shaken(_quad(word) + aside, rng, reach))
    return _regions(scene, quads)


# --- quadrilaterals ---------------------------------------------------------------------------------


def _legible(scene: DrawnScene) -> list[Region]:
    return [word for word in scene.words if not word.ignored]


def _well_seen(scene: DrawnScene) -> list[tuple[Region, Quad]]:
    """Return each legible word with a box that is off by a pixel at most.

    It is the same for every detector that sees well: where their habits do not show, their results are
    identical.
    """
    rng = random.Random(scene.name)
    return [(word, _shaken(_quad(word), rng, 1)) for word in _legible(scene)]


def _quad(region: Region) -> Quad:
    return np.array(region.points, dtype=np.float64).reshape(4, 2)


def _regions(scene: DrawnScene, quads: Iterable[Quad]) -> tuple[Region, ...]:
    most = np.array(scene.image.size) - 1
    whole = (np.clip(np.rint(quad), 0, most).astype(int) for quad in quads)
    return tuple(Region(tuple(quad.ravel().tolist())) for quad in whole)


def _length(vector: NDArray[np.float64]) -> float:
    return float(np.hypot(*vector))


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = vector / _length(vector)
    return unit


def _shaken(quad: Quad, rng: random.Random, reach: float) -> Quad:
    shaken: Quad = quad + np.array([rng.uniform(-reach, reach) for _ in range(8)]).reshape(4, 2)
    return shaken


def _grown_by_share(word: Region, share: float) -> Quad:
    """Move all sides outwards by a share of the text's height; inwards where it is negative."""
    quad = _quad(word)
    by = share * text_height(word)
    # One letter may be narrower than it is high: something of it stays.
    sideways = max(by, -0.3 * min(_length(quad[1] - quad[0]), _length(quad[2] - quad[3])))
    return _grown(quad, sideways, by, sideways, by)


def _grown(quad: Quad, left: float, top: float, right: float, bottom: float) -> Quad:
    """Move each side outwards by its own number of pixels, along the sides next to it."""
    a, b, c, d = quad
    a, b = a - left * _unit(b - a), b + right * _unit(b - a)
    d, c = d - left * _unit(c - d), c + right * _unit(c - d)
    a, d = a - top * _unit(d - a), d + bottom * _unit(d - a)
    b, c = b - top * _unit(c - b), c + bottom * _unit(c - b)
    return np.array([a, b, c, d])


def _parts(quad: Quad, n: int) -> list[Quad]:
    """Cut a word across into n parts of equal length, a pixel or so apart."""
    a, b, c, d = quad
    gap = 0.02 if n > 1 else 0.0
    shares = [(i / n + gap * (i > 0), (i + 1) / n - gap * (i + 1 < n)) for i in range(n)]
    return [
        np.array([a + s * (b - a), a + e * (b - a), d + e * (c - d), d + s * (c - d)])
        for s, e in shares
    ]


def _gap(left: Quad, right: Quad) -> float:
    """Return how far the second word of a line starts after the end of the first, along the line."""
    along = _unit(left[1] - left[0])
    between = (right[0] + right[3] - left[1] - left[2]) / 2
    return max(0.0, float(between @ along))


def _box_around(words: Sequence[Region]) -> Quad:
    """Return the rectangle in the direction of the first word that holds them all."""
    points = np.concatenate([_quad(word) for word in words])
    # Along the text and across it; in these coordinates the box is upright.
    along = _unit(_quad(words[0])[1] - _quad(words[0])[0])
    axes = np.array([along, [-along[1], along[0]]])
    (left, top), (right, bottom) = np.min(points @ axes.T, axis=0), np.max(points @ axes.T, axis=0)
    box: Quad = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ axes
    return box


def _rectangle(x: float, y: float, width: float, height: float, angle: float) -> Quad:
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    rectangle: Quad = corners * [width, height] @ turn + [x, y]
    return rectangle


DETECTORS: tuple[Detector, ...] = (
    Detector(
        "near-perfect",
        "near-perfect",
        "Finds every legible word, each corner within a pixel.",
        _near_perfect,
    ),
    Detector(
        "oversized",
        "oversized",
        "Finds every legible word with a margin of a third to almost half of its height on all sides.",
        _oversized,
    ),
    Detector(
        "undersized",
        "undersized",
        "Finds every legible word but cuts off a tenth to a fifth of its height on all sides.",
        _undersized,
    ),
    Detector(
        "one-box-per-line",
        "one-box-per-line",
        "Draws one box around all the words of a line.",
        _one_box_per_line,
    ),
    Detector(
        "splits-words",
        "splits-words",
        "Cuts words of four letters and more into two or three boxes.",
        _splits_words,
    ),
    Detector(
        "touches-neighbour",
        "touches-neighbour",
        "Draws boxes whose side margins reach into the next word of the line.",
        _touches_neighbour,
    ),
    Detector(
        "misses-small",
        "misses-small",
        f"Finds only words at least {SMALL_PX:.0f} pixels high, and these almost perfectly.",
        _misses_small,
    ),
    Detector(
        "many-false-positives",
        "many-false-positives",
        "Finds every legible word, and up to twelve boxes more where there is no text.",
        _many_false_positives,
    ),
    Detector(
        "often-silent",
        "often-silent",
        "Finds nothing at all on every third image, and is near-perfect on the others.",
        _often_silent,
    ),
    Detector(
        "jitter",
        "jitter",
        "Finds every legible word, but its corners are off by up to half of its height.",
        _jitter,
    ),
)
