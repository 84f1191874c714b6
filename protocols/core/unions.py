"""Exact areas of unions: boxes on the grid of their own coordinates, other shapes by shapely."""

from collections.abc import Mapping, Sequence

import numpy as np

from . import overlays
from .geometry import Floats, Pairs, Shapes, intersection_areas
from .lazy_shapely import shapely
from .overlays import Polygons


def box_union_area(boxes: Floats) -> float:
    """Return the area covered by boxes; shape (n, 4), empty ones allowed."""
    boxes = boxes[(boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])]
    if len(boxes) < 2:
        return float((boxes[:, 2] - boxes[:, 0]) @ (boxes[:, 3] - boxes[:, 1]))
    # Every side is on a line of the grid of all their coordinates, so each cell of the grid is
    # covered wholly or not at all. covered[x, y] is 1 for the cell right of xs[x], below ys[y].
    xs, ys = np.unique(boxes[:, ::2]), np.unique(boxes[:, 1::2])
    left, right = np.searchsorted(xs, boxes[:, 0]), np.searchsorted(xs, boxes[:, 2])
    top, bottom = np.searchsorted(ys, boxes[:, 1]), np.searchsorted(ys, boxes[:, 3])
    covered = np.zeros((len(xs) - 1, len(ys) - 1))
    for x1, y1, x2, y2 in zip(left, top, right, bottom, strict=True):
        covered[x1:x2, y1:y2] = 1.0
    # The sum over all cells of width, covered and height.
    return float(np.diff(xs) @ covered @ np.diff(ys))


def clipped(boxes: Floats, frame: Floats) -> Floats:
    """Return the parts of boxes inside one box; a box outside it becomes one without area.

    Boxes have the shape (n, 4), the frame (4,).
    """
    low = np.maximum(boxes[:, :2], frame[:2])
    return np.concatenate([low, np.maximum(np.minimum(boxes[:, 2:], frame[2:]), low)], axis=1)


class Piece:
    """A set of regions, from one or several lists of shapes, whose union is measured."""

    def __init__(self, *parts: tuple[Shapes, Sequence[int]]) -> None:
        self.parts = [(shapes, np.asarray(at, dtype=np.intp)) for shapes, at in parts if len(at)]

    @property
    def rectangular(self) -> bool:
        return all(shapes.rectangular[at].all() for shapes, at in self.parts)

    def boxes(self) -> Floats:
        return np.concatenate([np.zeros((0, 4)), *(shapes.boxes[at] for shapes, at in self.parts)])


def union_areas(
    pieces: Sequence[Piece], inside: tuple[Shapes, Sequence[int]] | None = None
) -> Floats:
    """Return the area of each union; with ``inside``, of its part within one region.

    ``inside`` are shapes and n indices into them. Areas have the shape (n,), in square pixels.
    """
    frames, at = inside if inside is not None else (None, [])
    areas = np.zeros(len(pieces))
    slanted = []
    for position, piece in enumerate(pieces):
        if piece.rectangular and (frames is None or frames.rectangular[at[position]]):
            boxes = piece.boxes()
            if frames is not None:
                boxes = clipped(boxes, frames.boxes[at[position]])
            areas[position] = box_union_area(boxes)
        else:
            slanted.append(position)
    if not slanted:
        return areas
    # A row for each piece, its members in the columns: one call for all. Clipping the
    # members first leaves the same area as clipping their union.
    members = _polygons_of([pieces[position] for position in slanted])
    if frames is not None:
        around = frames.polygons(np.array([at[position] for position in slanted]))
        members = overlays.intersection(members, around[:, None])
    areas[slanted] = shapely.area(overlays.union_of_rows(members))
    return areas


def _polygons_of(pieces: Sequence[Piece]) -> Polygons:
    """Return the members of each piece in a row, padded with None."""
    # Polygons are made at once for all pieces of a list of shapes: its regions, and the row and
    # column of each in the table.
    by_shapes: dict[int, tuple[Shapes, list[int], list[int], list[int]]] = {}
    width = 0
    for row, piece in enumerate(pieces):
        column = 0
        for shapes, at in piece.parts:
            _, members, rows, columns = by_shapes.setdefault(id(shapes), (shapes, [], [], []))
            members += at.tolist()
            rows += [row] * len(at)
            columns += range(column, column + len(at))
            column += len(at)
        width = max(width, column)
    table: Polygons = np.full((len(pieces), width), None, dtype=object)
    for shapes, members, rows, columns in by_shapes.values():
        table[rows, columns] = shapes.polygons(np.array(members))
    return table


def overlapping_groups(shapes: Shapes, groups: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the groups in which two members share area; in the others, areas add up.

    Members are indices in ``shapes``.
    """
    owner, first, second = [], [], []
    for at, members in groups.items():
        for position, member in enumerate(members):
            for other in members[position + 1 :]:
                owner.append(at)
                first.append(member)
                second.append(other)
    if not owner:
        return []
    areas = intersection_areas(shapes, shapes, Pairs(np.array(first), np.array(second)))
    return sorted({owner[at] for at in np.flatnonzero(areas > 0).tolist()})


def union_of_each(groups: Sequence[Polygons]) -> Polygons:
    """Return the union of each group of polygons.

    The shape is (n,).
    """
    # Rows padded with None, which a union ignores.
    table: Polygons = np.full((len(groups), max(map(len, groups), default=0)), None, dtype=object)
    for row, members in enumerate(groups):
        table[row, : len(members)] = members
    return overlays.union_of_rows(table)
