"""Regions as the pages draw them: polygons in image pixels, pixel (x, y) covering [x, x+1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from protocols.core.regions import Region

from .models import BoxConvention, room_for


def polygon_points(region: Region, convention: str) -> str:
    """Return the ``points`` attribute of an SVG polygon.

    Rectangles that include their last pixel extend one pixel beyond their coordinates.
    """
    points = region.points
    if convention == BoxConvention.INCLUSIVE and region.is_rectangle:
        left, top, right, bottom = region.box
        points = (left, top, right + 1, top, right + 1, bottom + 1, left, bottom + 1)
    pairs = zip(points[::2], points[1::2], strict=True)
    return " ".join(f"{x:.10g},{y:.10g}" for x, y in pairs)


def drawn(regions: Iterable[Region], convention: str) -> list[str]:
    return [polygon_points(region, convention) for region in regions]


# The share of a photograph's side that the room for boxes beyond it takes at most.
_MOST_ROOM: Final = 0.05


def room_around(size: tuple[int, int], regions: Sequence[Region]) -> tuple[int, int]:
    """Return the room around a photograph in which boxes beyond its edges are seen, in pixels.

    It is the same at opposite edges, and a share of the size at most.
    """
    room = []
    for low, high, end in zip((0, 1), (2, 3), size, strict=True):
        outside = [max(-region.box[low], region.box[high] - end) for region in regions]
        room.append(max(ceil(min(max(outside, default=0), _MOST_ROOM * end)), 0))
    return room[0], room[1]


def counted_boxes(n: int) -> str:
    return ngettext("{n} box", "{n} boxes", n).format(n=n) if n else _("No boxes")


@dataclass(frozen=True, slots=True)
class Picture:
    """An image with the shapes drawn on it; without a photograph ``url`` is empty."""

    url: str
    width: int
    height: int
    truth: Sequence[str]
    ignored: Sequence[str]
    boxes: Sequence[str]


def picture(
    *,
    truth: Sequence[Region],
    boxes: Sequence[Region],
    convention: str,
    url: str = "",
    size: tuple[int, int] | None = None,
) -> Picture:
    """Return the shapes to draw: counted ground truth, ignored ground truth, and boxes on top."""
    width, height = size or room_for([*truth, *boxes])
    return Picture(
        url=url,
        width=width,
        height=height,
        truth=drawn((region for region in truth if not region.ignored), convention),
        ignored=drawn((region for region in truth if region.ignored), convention),
        boxes=drawn(boxes, convention),
    )
