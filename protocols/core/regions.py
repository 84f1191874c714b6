"""Regions of an image: ground truth and detections."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final

from .errors import RegionError

_VERSION = 1
_MIN_VALUES = 6
_IGNORED = "###"
_OPTIONAL = ("text", "confidence", "label", "id", "parent", "cell", "pixels", "ignored_as")
# Beyond this, areas lose their last digits, and no photograph is that large.
MAX_COORDINATE: Final = 1e9
# First row, first column, last row, last column of a table cell on its grid.
Cell = tuple[int, int, int, int]
# A run of set pixels: row, first column, column after the last.
Run = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Region:
    """A polygon in image pixels (y down), with its text, confidence and other fields.

    Attributes
    ----------
    points : tuple of float
        x1, y1, x2, y2, ...; three points or more.
    text : str or None
        Transcription.
    confidence : float or None
    ignored : bool
        Ground truth that is ignored ("don't care").
    label : str or None
    id : str or None
        Its identifier in a file.
    parent : str or None
        The upper-level region it belongs to, by its id: the line of a word, the table of a cell.
    cell : (int, int, int, int) or None
        First row, first column, last row and last column (inclusive, from 0) of a table cell.
    pixels : tuple of (int, int, int) or None
        A mask as runs of pixels (row, first column, column after the last), each pixel a unit
        square; then ``points`` is its bounding box. Protocols that know no masks use the box.
    ignored_as : str or None
        Why it is ignored, if its file has words for that: "illegible", "truncated", or both.

    Raises
    ------
    RegionError
        If there are fewer than three points, half a point, or a number that is not finite.
    """

    points: tuple[float, ...]
    text: str | None = None
    confidence: float | None = None
    ignored: bool = False
    label: str | None = None
    id: str | None = None
    parent: str | None = None
    cell: Cell | None = None
    pixels: tuple[Run, ...] | None = None
    ignored_as: str | None = None

    def __post_init__(self) -> None:
        if len(self.points) < _MIN_VALUES or len(self.points) % 2:
            raise RegionError(
                f"a region needs three points or more, each with x and y; got {len(self.points)} numbers"
            )
        if not all(map(math.isfinite, self.points)):
            raise RegionError(f"a region needs finite coordinates, got {self.points}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Three times as fast as the default of a dataclass; thousands of regions are sent to other processes.
        return type(self), tuple(map(self.__getattribute__, self.__slots__))

    @classmethod
    def from_box(
        cls, left: float, top: float, right: float, bottom: float, **fields: Any
    ) -> "Region":
        """Return a rectangle, its corners clockwise from the top left."""
        return cls((left, top, right, top, right, bottom, left, bottom), **fields)

    @classmethod
    def from_mask(cls, left: int, top: int, rows: Sequence[str], **fields: Any) -> "Region":
        """Return a mask from rows of 0 and 1; pixel (row, column) covers a unit square.

        Raises
        ------
        RegionError
            If no pixel is set, or a row holds anything but 0 and 1.
        """
        runs = []
        for row, line in enumerate(rows, top):
            if set(line) - {"0", "1"}:
                raise RegionError(f"a mask's rows hold 0 and 1, got {line!r}")
            runs += [(row, left + run.start(), left + run.end()) for run in re.finditer("1+", line)]
        if not runs:
            raise RegionError("a mask needs a set pixel")
        box = (
            min(start for _, start, _ in runs),
            runs[0][0],
            max(end for _, _, end in runs),
            runs[-1][0] + 1,
        )
        return cls.from_box(*map(float, box), pixels=tuple(runs), **fields)

    @property
    def n_points(self) -> int:
        return len(self.points) // 2

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The bounding box: left, top, right, bottom."""
        xs, ys = self.points[::2], self.points[1::2]
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def is_rectangle(self) -> bool:
        """Whether it is a rectangle with sides along the axes; corners may run either way."""
        if len(self.points) != 8:
            return False
        x1, y1, x2, y2, x3, y3, x4, y4 = self.points
        return (x1 == x4 and x2 == x3 and y1 == y2 and y3 == y4) or (
            x1 == x2 and x3 == x4 and y1 == y4 and y2 == y3
        )


class _Unfrozen:
    """A region under construction, because setting fields of a frozen class is slow."""

    __slots__ = Region.__slots__


def plain_regions(
    points: Sequence[tuple[float, ...]], texts: Sequence[str] | None = None
) -> tuple[Region, ...]:
    """Return regions with texts from points that are known to be finite, and three or more each.

    The text ``###`` marks an ignored region. Ten times as fast as checking each, which would take
    most of the time of reading.

    Parameters
    ----------
    points : sequence of tuple of float, length n
        x1, y1, x2, y2, ... of each, in pixels.
    texts : sequence of str, length n, optional

    Examples
    --------
    >>> [region.ignored for region in plain_regions([(0, 0, 9, 0, 9, 4), (0, 0, 5, 0, 5, 4)], ["a", "###"])]
    [False, True]
    """
    regions: list[Any] = []
    for of, text in zip(points, repeat(None) if texts is None else texts, strict=False):
        region: Any = _Unfrozen()
        region.points = of
        # One shared object for the text of all ignored regions, which may be most of a dataset.
        region.ignored = ignored = text == _IGNORED
        region.text = _IGNORED if ignored else text
        region.confidence = region.label = region.id = region.parent = None
        region.cell = region.pixels = region.ignored_as = None
        region.__class__ = Region
        regions.append(region)
    return tuple(regions)


def encode_regions(regions: Iterable[Region]) -> dict[str, Any]:
    """Return regions as JSON-able data; fields that are not set are left out.

    Examples
    --------
    >>> encode_regions([Region.from_box(0, 0, 9, 4, text="a")])
    {'version': 1, 'regions': [{'points': [0, 0, 9, 0, 9, 4, 0, 4], 'text': 'a'}]}
    """
    return {"version": _VERSION, "regions": [_encoded(region) for region in regions]}


def _encoded(region: Region) -> dict[str, Any]:
    encoded: dict[str, Any] = {"points": [_shortest(value) for value in region.points]}
    for name in _OPTIONAL:
        value = getattr(region, name)
        if value is not None:
            encoded[name] = value
    if region.ignored:
        encoded["ignored"] = True
    return encoded


def _shortest(value: float) -> float:
    return int(value) if value == int(value) else value


def decode_regions(encoded: Any) -> tuple[Region, ...]:
    """Return the regions that encode_regions wrote.

    Raises
    ------
    RegionError
        If the data were written by another version, or are damaged.

    Examples
    --------
    >>> decode_regions(encode_regions([Region.from_box(0, 0, 9, 4)]))[0].box
    (0, 0, 9, 4)
    """
    if not isinstance(encoded, Mapping) or encoded.get("version") != _VERSION:
        version = encoded.get("version") if isinstance(encoded, Mapping) else encoded
        raise RegionError(f"expected regions of version {_VERSION}, got {version!r}")
    try:
        return tuple(_decoded(region) for region in encoded["regions"])
    except RegionError:
        raise
    except (KeyError, TypeError, ValueError) as fault:
        raise RegionError(f"damaged regions: {fault}") from fault


def _decoded(encoded: Mapping[str, Any]) -> Region:
    fields = {name: encoded[name] for name in _OPTIONAL if name in encoded}
    if "cell" in fields:
        first_row, first_column, last_row, last_column = fields["cell"]
        fields["cell"] = (first_row, first_column, last_row, last_column)
    if "pixels" in fields:
        fields["pixels"] = tuple((row, start, end) for row, start, end in fields["pixels"])
    return Region(tuple(encoded["points"]), ignored=encoded.get("ignored", False), **fields)


def canonical_bytes(regions: Iterable[Region]) -> bytes:
    """Return bytes that are equal exactly when two lists of regions look alike when drawn.

    Only the polygons and masks count, not their order, where a ring starts or which way it runs,
    nor texts and confidences, which are not drawn.

    Examples
    --------
    >>> one, other = Region.from_box(0, 0, 9, 4, text="a"), Region((9, 4, 0, 4, 0, 0, 9, 0))
    >>> canonical_bytes([one]) == canonical_bytes([other])
    True
    """
    shapes = sorted(_canonical_shape(region) for region in regions)
    return json.dumps(shapes, separators=(",", ":")).encode()


def _canonical_shape(region: Region) -> list[tuple[float, ...]]:
    if region.pixels is not None:
        return list(region.pixels)
    return list(_canonical_ring(region.points))


def _canonical_ring(points: tuple[float, ...]) -> list[tuple[float, float]]:
    # Adding 0.0 turns -0.0, the same position with other bytes, into 0.0.
    ring = [(x + 0.0, y + 0.0) for x, y in zip(points[::2], points[1::2], strict=True)]
    # The smallest ring starts at the smallest point, which may occur in it more than once.
    least = min(ring)
    return min(
        turned[at:] + turned[:at]
        for turned in (ring, ring[::-1])
        for at, point in enumerate(turned)
        if point == least
    )
