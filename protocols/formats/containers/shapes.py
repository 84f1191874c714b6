"""Polygons that cross themselves, enclose nothing or run the wrong way, and their findings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from protocols.core.crowding import MAX_CROSSINGS, tangled
from protocols.core.geometry import Shapes
from protocols.core.lazy_shapely import shapely
from protocols.core.regions import Region
from text_rankings.base.counts import counted

from ..problems import KEPT, REORDERED, Problems, quoted


def odd_shapes(
    regions: Sequence[Region], *, flat: bool
) -> Iterator[tuple[int, Literal["L4", "L5", "L7"], str]]:
    """Yield index, code, repaired outline of polygons that cross themselves or run the wrong way.

    With ``flat``, polygons without area are reported, too (L4). The repair is empty if a polygon
    crosses itself so often that it cannot be used.
    """
    unusable = tangled(regions)
    measured = list(regions)
    for at in np.flatnonzero(unusable).tolist():
        measured[at] = Region.from_box(*regions[at].box)
    shapes = Shapes(measured)
    # Rectangles and convex quadrilaterals cannot cross themselves; only the rest is checked.
    odd = ~(shapes.rectangular | shapes.simple)
    crossing = np.zeros(len(regions), dtype=bool)
    crossing[odd] = _self_crossing([regions[at] for at in np.flatnonzero(odd).tolist()])
    crossing |= unusable
    empty = (shapes.areas == 0) & ~crossing & flat
    leftward = shapes.turns_left() & ~crossing & ~empty
    for at in np.flatnonzero(crossing | leftward | empty).tolist():
        if crossing[at]:
            repair = "" if unusable[at] else _repair(shapes.polygons(np.array([at]))[0])
            yield at, "L5", repair
        else:
            yield at, "L4" if empty[at] else "L7", ""


def tell_shape(
    problems: Problems,
    code: Literal["L4", "L5", "L7"],
    region: Region,
    repair: str,
    place: tuple[str | None, int | None, str | None],
) -> None:
    """Add the problem of a shape: kept without area (L4), measured as ``repair`` (L5), reordered (L7).

    The place is entry, number and text of the line.
    """
    if not is_shown(problems, code, repair):
        # Building the sentences below takes longer than reading the line.
        problems.counts[code] += 1
        return
    entry, number, line = place
    shown = quoted(_numbers(region.points))
    if code == "L4":
        # As in published programs, which count it; published tables have empty cells that are a line.
        found, wanted = f"a shape without area, {shown}", "a shape with an area"
        problems.warning(code, found, wanted, entry, number, text=line, action=KEPT)
    elif code == "L5" and not repair:
        found = f"a polygon that crosses itself more than {MAX_CROSSINGS} times, {shown}"
        problems.error(code, found, "a simple polygon", entry, number, text=line)
    elif code == "L5":
        problems.warning(
            code,
            f"a polygon that crosses itself, {shown}",
            "a simple polygon",
            entry,
            number,
            text=line,
            action=f"kept; measured as {repair}",
        )
    else:
        problems.warning(
            code,
            f"corners that run counter-clockwise, {shown}",
            "clockwise",
            entry,
            number,
            text=line,
            action=REORDERED,
        )


def is_shown(problems: Problems, code: str, repair: str) -> bool:
    """Return whether the problem of a shape is more than counted: the first, and unusable shapes."""
    return not problems.is_full(code) or (code == "L5" and not repair)


def is_flat(region: Region) -> bool:
    """Return whether the bounding box of a region has no width or no height."""
    left, top, right, bottom = region.box
    return left == right or top == bottom


def may_be_shares(points: Sequence[float]) -> bool:
    """Return whether coordinates are from 0 to 1 and not whole; the first may be a class."""
    others = points[1:]
    return min(others) >= 0 and max(others) <= 1 and any(of != int(of) for of in others)


def refuse_shares(problems: Problems, n: int, place: tuple[str | None, int | None]) -> None:
    """Add the error of a file all of whose regions have shares for pixels; the place is of the first."""
    problems.error(
        "F9",
        f"coordinates from 0 to 1 in {'1 region' if n == 1 else f'all {n} regions'}",
        "pixels; shares of an image's sides are read as yolo (boxes, polygons, oriented boxes) or "
        "open-images",
        *place,
    )


def turned_round(region: Region) -> Region:
    """Return the region with its corners in reverse order.

    The first corner stays the first, unless there are six, eight, ten ... corners. Then
    the halves are the two sides of a line of text, and CLEval depends on which points are opposite
    each other: the last corner becomes the first, which keeps these pairs, and the reading
    direction.
    """
    points = region.points
    if region.n_points >= 6 and region.n_points % 2 == 0:
        xs, ys = points[-2::-2], points[-1::-2]
    else:
        xs, ys = points[:1] + points[-2:1:-2], points[1:2] + points[:2:-2]
    return replace(region, points=tuple(chain.from_iterable(zip(xs, ys, strict=True))))


def _numbers(values: Sequence[float]) -> str:
    return ",".join(f"{value:g}" for value in values)


def _repair(polygon: "shapely.Geometry") -> str:
    """Return the parts of a repaired polygon that have an area, as text: their coordinates."""
    parts = [part for part in shapely.get_parts(polygon) if shapely.area(part) > 0]
    rings = [
        _numbers(shapely.get_coordinates(part)[:-1].ravel().tolist())
        for part in parts
        if shapely.get_type_id(part) == shapely.GeometryType.POLYGON
    ]
    if not rings:
        return "nothing: it has no area"
    parts = [quoted(ring) for ring in rings[:3]]
    if len(rings) > 3:
        parts.append(counted(len(rings) - 3, "further part"))
    return " and ".join(parts)


def _self_crossing(regions: Sequence[Region]) -> NDArray[np.bool_]:
    if not regions:
        return np.zeros(0, dtype=bool)
    rings = np.repeat(np.arange(len(regions)), [region.n_points for region in regions])
    coordinates = np.array([value for region in regions for value in region.points])
    made = shapely.linearrings(coordinates.reshape(-1, 2), indices=rings)
    # A ring of points on one line encloses nothing; it is degenerate, not self-crossing.
    flat = shapely.area(shapely.convex_hull(made)) == 0
    return np.asarray(~shapely.is_simple(made) & ~flat)
