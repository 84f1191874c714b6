"""Putting text into a picture so that its ground truth fits the ink.

A scene is a background with flat *panels* put on it: signs, labels, posters, book spines. A panel is
drawn from the front at twice its size; every word on it remembers the box of its ink. Putting the
panel into the scene turns and tilts both through one projection. Light, blur and noise come last and
move nothing.
"""

import math
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from protocols.core.regions import Region

from .panel import SCALE, Colour, Panel, Point

ILLEGIBLE = "###"
# Words lower than this are too small to be read and are ignored.
LEGIBLE_PX = 9.0

_CAMERA_PX = 1400.0


class Stage:
    """The picture being drawn and the ground truth so far."""

    def __init__(self, rng: random.Random, lettering: bool) -> None:
        self.rng = rng
        self.image = Image.new("RGB", (1, 1))
        self.words: list[Region] = []
        self.lines: list[list[int]] = []
        self._lettering = lettering

    def lean(self, most: float) -> float:
        return self.rng.uniform(-most, most)

    def panel(
        self, width: float, height: float, fill: Colour | None = None, radius: float = 0
    ) -> Panel:
        return Panel(width, height, fill, radius, self._lettering)

    def put(
        self,
        panel: Panel,
        x: float,
        y: float,
        *,
        angle: float = 0,
        yaw: float = 0,
        pitch: float = 0,
        shadow: float = 0,
    ) -> None:
        """Put the panel's middle at (x, y), turned by ``angle`` and tilted by ``yaw`` and ``pitch`` degrees.

        ``shadow`` is how far the shadow falls, in pixels.
        """
        corners = _corners(panel, x, y, angle, yaw, pitch)
        flat = [(0.0, 0.0), (panel.width, 0.0), (panel.width, panel.height), (0.0, panel.height)]
        self._draw(panel.image, corners, flat, shadow)
        seen = _homography(flat, corners)
        first = len(self.lines)
        self.lines.extend([] for _ in range(panel.n_lines))
        for word in panel.words:
            left, top, right, bottom = word.box
            quad = _project(seen, [(left, top), (right, top), (right, bottom), (left, bottom)])
            height = (math.dist(quad[0], quad[3]) + math.dist(quad[1], quad[2])) / 2
            ignored = word.ignored or height < LEGIBLE_PX
            points = tuple(round(value) for point in _grown(quad, 0.5) for value in point)
            self.lines[first + word.line].append(len(self.words))
            self.words.append(
                Region(points, text=ILLEGIBLE if ignored else word.text, ignored=ignored)
            )

    def finish(
        self,
        *,
        light: float = 0,
        from_angle: float = 45,
        vignette: float = 0.14,
        blur: float = 0.5,
        noise: float = 4,
        tint: Point | None = None,
        haze: float = 0,
    ) -> None:
        """Light the picture from one side, then see it: haze, tint (red, blue), blur, noise."""
        width, height = self.image.size
        x = np.linspace(-1, 1, width, dtype=np.float32)
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, np.newaxis]
        turn = math.radians(from_angle)
        bright = 1 - light * (x * math.cos(turn) + y * math.sin(turn)) / 1.4
        bright = bright * (1 - vignette * (x**2 + y**2) / 2)
        if blur:
            self.image = self.image.filter(ImageFilter.GaussianBlur(blur))
        pixels = np.asarray(self.image).astype(np.float32) * bright[..., np.newaxis]
        if haze:
            pixels += haze * (215 - pixels)
        if tint is not None:
            pixels *= np.array([1 + tint[0], 1, 1 + tint[1]], dtype=np.float32)
        grain = np.random.default_rng(self.rng.getrandbits(64))
        speckle = grain.standard_normal((height, width), dtype=np.float32)
        pixels += noise * speckle[..., np.newaxis]
        self.image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))

    def _draw(
        self, surface: Image.Image, corners: list[Point], flat: list[Point], shadow: float
    ) -> None:
        xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
        left, top = math.floor(min(xs)) - 1, math.floor(min(ys)) - 1
        width, height = math.ceil(max(xs)) + 2 - left, math.ceil(max(ys)) + 2 - top
        fine = [((x - left) * SCALE, (y - top) * SCALE) for x, y in corners]
        back = _homography(fine, [(x * SCALE, y * SCALE) for x, y in flat])
        layer = surface.transform(
            (width * SCALE, height * SCALE),
            Image.Transform.PERSPECTIVE,
            list((back / back[2, 2]).ravel()[:8]),
            Image.Resampling.BICUBIC,
        ).reduce(SCALE)
        if shadow:
            pad = math.ceil(3 * shadow)
            fallen = Image.new("L", (width + 2 * pad, height + 2 * pad))
            fallen.paste(
                layer.getchannel("A").point([value * 6 // 10 for value in range(256)]), (pad, pad)
            )
            fallen = fallen.filter(ImageFilter.GaussianBlur(shadow * 0.6))
            reach = round(shadow * 0.7)
            self.image.paste("#0a0a10", (left - pad + reach, top - pad + reach), fallen)
        self.image.paste(layer.convert("RGB"), (left, top), layer.getchannel("A"))


def _corners(
    panel: Panel, x: float, y: float, angle: float, yaw: float, pitch: float
) -> list[Point]:
    a, b, c = math.radians(angle), math.radians(yaw), math.radians(pitch)
    corners = []
    for across, down in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
        u, v = across * panel.width, down * panel.height
        nearness = _CAMERA_PX / (_CAMERA_PX + u * math.sin(b) + v * math.sin(c))
        u, v = u * math.cos(b) * nearness, v * math.cos(c) * nearness
        corners.append(
            (x + u * math.cos(a) - v * math.sin(a), y + u * math.sin(a) + v * math.cos(a))
        )
    return corners


def _homography(source: Sequence[Point], goal: Sequence[Point]) -> NDArray[np.float64]:
    """Return the 3 x 3 projection that takes four points to four others."""
    # Two linear equations for each pair of points in the eight unknown entries; the ninth is 1:
    # u = (a x + b y + c) / (g x + h y + 1), and v = (d x + e y + f) / (g x + h y + 1).
    rows, values = [], []
    for (x, y), (u, v) in zip(source, goal, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return np.append(np.linalg.solve(rows, values), 1.0).reshape(3, 3)


def _project(projection: NDArray[np.float64], points: Sequence[Point]) -> list[Point]:
    seen = np.column_stack([points, np.ones(len(points))]) @ projection.T
    return [(x / w, y / w) for x, y, w in seen.tolist()]


def _grown(quad: Sequence[Point], by: float) -> list[Point]:
    """Move the sides of a quadrilateral outwards, so that rounding corners leaves no ink outside."""
    grown = []
    for i, (x, y) in enumerate(quad):
        (px, py), (nx, ny) = quad[i - 1], quad[(i + 1) % 4]
        before, after = math.dist((x, y), (px, py)), math.dist((x, y), (nx, ny))
        grown.append(
            (
                x + by * ((x - px) / before + (x - nx) / after),
                y + by * ((y - py) / before + (y - ny) / after),
            )
        )
    return grown
