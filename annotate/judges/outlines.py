"""Outlines of boxes as the comparison page draws them: a dark line under a light one.

Colours and widths are those of the page (``static/css/tokens.css``); the geometry is that of
``static/js/judging/boxes.js`` and ``drawing.js`` for a page at 100 %.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, hypot
from pathlib import Path
from typing import Final

from django.contrib.staticfiles import finders
from PIL import Image as Picture
from PIL import ImageDraw

Point = tuple[float, float]
# As in drawing.js: the height in pixels below which a box is small, and the share of its height that an
# outline covers at each edge at most.
SMALL: Final = 24
# A pointed corner reaches this many times half the width (SVG).
_MITER_LIMIT: Final = 4


@cache
def tokens() -> dict[str, str]:
    """Return the page's custom properties: colours and widths by name."""
    found = finders.find("css/tokens.css")
    if not isinstance(found, str):
        raise FileNotFoundError("css/tokens.css")
    text = Path(found).read_text(encoding="utf-8")
    values: dict[str, str] = {}
    for name, value in re.findall(r"--([\w-]+): ([^;]+);", text):
        values.setdefault(name, value)
    return values


def draw_outlines(
    picture: Picture.Image, polygons: Sequence[str], scale: float, origin: Point
) -> None:
    """Draw the points of SVG polygons at this scale; ``origin`` is where (0, 0) is drawn."""
    value = tokens()
    lines = [_line(polygon, scale) for polygon in polygons]
    draw = ImageDraw.Draw(picture)
    for stroke, colour in (("under", "box-dark"), ("over", "box-light")):
        for ring, is_small in lines:
            width = float(value[f"{'small-' if is_small else ''}box-{stroke}"])
            # Pillow draws points at the middles of pixels, SVG at their corners.
            placed = [(x * scale + origin[0] - 0.5, y * scale + origin[1] - 0.5) for x, y in ring]
            for piece in _stroke(placed, width / 2):
                _fill(draw, piece, value[colour])


def _fill(draw: ImageDraw.ImageDraw, piece: Sequence[Point], colour: str) -> None:
    """Fill the pixels whose middles are in a convex polygon; Pillow would fill half a pixel more."""
    ys = [y for _, y in piece]
    for row in range(max(ceil(min(ys)), 0), min(ceil(max(ys)), draw.im.size[1])):
        crossings = [
            ax + (row - ay) / (by - ay) * (bx - ax)
            for (ax, ay), (bx, by) in _edges(piece)
            if (ay <= row) != (by <= row)
        ]
        first, end = ceil(min(crossings)), ceil(max(crossings))
        if first < end:
            draw.line((first, row, end - 1, row), fill=colour)


def points_of(polygon: str) -> list[Point]:
    pairs = (pair.split(",") for pair in polygon.split())
    return [(float(x), float(y)) for x, y in pairs]


def _line(polygon: str, scale: float) -> tuple[list[Point], bool]:
    """Return the line to draw; that of a small box is narrow, and outside of it."""
    points = points_of(polygon)
    height = _height(points)
    if height * scale >= SMALL:
        return points, False
    value = tokens()
    inside = float(value["box-under"]) / 2 / SMALL
    by = float(value["small-box-under"]) / 2 / scale - height * inside
    return (_grown(points, by) if by > 0 else points), True


def _edges(points: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    return zip(points, [*points[1:], *points[:1]], strict=True)


def _doubled_area(points: Sequence[Point]) -> float:
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in _edges(points))


def _height(points: Sequence[Point]) -> float:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    longest = max(hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in _edges(points))
    across = abs(_doubled_area(points)) / 2 / longest if longest else 0.0
    return max(min(max(xs) - min(xs), max(ys) - min(ys), across), 1.0)


def _normals(ring: Sequence[Point]) -> list[Point]:
    """Return the unit vector to the left of each edge, on a screen with y down."""
    found = []
    for (ax, ay), (bx, by) in _edges(ring):
        length = hypot(bx - ax, by - ay)
        found.append(((by - ay) / length, (ax - bx) / length))
    return found


def _ring(points: Sequence[Point]) -> list[Point]:
    return [here for here, following in _edges(points) if here != following]


def _grown(points: Sequence[Point], far: float) -> list[Point]:
    ring = _ring(points)
    if len(ring) < 2:
        return list(points)
    away = -far if _doubled_area(ring) < 0 else far
    outwards = _normals(ring)
    moved = []
    for at, (x, y) in enumerate(ring):
        (ux, uy), (vx, vy) = outwards[at - 1], outwards[at]
        along = away / max(1 + ux * vx + uy * vy, 0.5)
        moved.append((x + along * (ux + vx), y + along * (uy + vy)))
    return moved


def _stroke(points: Sequence[Point], half: float) -> Iterator[list[Point]]:
    """Yield the pieces of a closed line: a rectangle for each edge, and the tip of each corner."""
    ring = _ring(points)
    if len(ring) < 2:
        return
    normals = _normals(ring)
    for at, ((ax, ay), (bx, by)) in enumerate(_edges(ring)):
        x, y = normals[at][0] * half, normals[at][1] * half
        yield [(ax + x, ay + y), (bx + x, by + y), (bx - x, by - y), (ax - x, ay - y)]
        (ux, uy), (vx, vy) = normals[at - 1], normals[at]
        cosine = ux * vx + uy * vy
        # On the outside of the turn.
        side = half if ux * vy - uy * vx > 0 else -half
        corner = [
            (ax, ay),
            (ax + side * ux, ay + side * uy),
            (ax + side * vx, ay + side * vy),
        ]
        # 1 / sin(half the angle) of SVG is sqrt(2 / (1 + cosine)) here.
        if _MITER_LIMIT**2 * (1 + cosine) >= 2:
            along = side / (1 + cosine)
            corner.insert(2, (ax + along * (ux + vx), ay + along * (uy + vy)))
        yield corner
