"""Regions of an image: what should be found, and what was found."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .errors import RegionError

_VERSION = 1
_MIN_VALUES = 6
_OPTIONAL = ("text", "confidence", "label", "id")


@dataclass(frozen=True, slots=True)
class Region:
    """A polygon in image pixels (y down), with what is known about it.

    Attributes
    ----------
    points : tuple of float
        x1, y1, x2, y2, ...; three points or more.
    text : str or None
        Transcription.
    confidence : float or None
    ignored : bool
        Ground truth that counts for nobody ("don't care").
    label : str or None
    id : str or None
        How a file names it.

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

    def __post_init__(self) -> None:
        if len(self.points) < _MIN_VALUES or len(self.points) % 2:
            raise RegionError(
                f"a region needs three points or more, each with x and y; got {len(self.points)} numbers"
            )
        if not all(math.isfinite(value) for value in self.points):
            raise RegionError(f"a region needs finite coordinates, got {self.points}")

    @classmethod
    def from_box(
        cls, left: float, top: float, right: float, bottom: float, **fields: Any
    ) -> "Region":
        """Return a rectangle, its corners clockwise from the top left one."""
        return cls((left, top, right, top, right, bottom, left, bottom), **fields)

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
        """Whether it is a rectangle with sides along the axes, in either direction of its corners."""
        if len(self.points) != 8:
            return False
        x1, y1, x2, y2, x3, y3, x4, y4 = self.points
        return (x1 == x4 and x2 == x3 and y1 == y2 and y3 == y4) or (
            x1 == x2 and x3 == x4 and y1 == y4 and y2 == y3
        )

    def truncated(self) -> "Region":
        """Return the region with its coordinates cut to integers, as the RRC scripts read them."""
        return replace(self, points=tuple(float(int(value)) for value in self.points))


def encode_regions(regions: Iterable[Region]) -> dict[str, Any]:
    """Return regions as JSON-able data; fields that are not set are left out."""
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
    """Return what encode_regions wrote.

    Raises
    ------
    RegionError
        If it was written by another version, or is damaged; names the region.
    """
    if not isinstance(encoded, Mapping) or encoded.get("version") != _VERSION:
        found = encoded.get("version") if isinstance(encoded, Mapping) else encoded
        raise RegionError(f"expected regions of version {_VERSION}, got {found!r}")
    try:
        return tuple(_decoded(region) for region in encoded["regions"])
    except (KeyError, TypeError) as fault:
        raise RegionError(f"damaged regions: {fault}") from fault


def _decoded(encoded: Mapping[str, Any]) -> Region:
    fields = {name: encoded[name] for name in _OPTIONAL if name in encoded}
    return Region(tuple(encoded["points"]), ignored=encoded.get("ignored", False), **fields)


def canonical_bytes(regions: Iterable[Region]) -> bytes:
    """Return bytes that are equal exactly when two lists of regions look alike when drawn.

    Only the polygons count, not their order, where a ring starts or which way it runs, nor texts
    and confidences, which are not drawn.
    """
    rings = sorted(_canonical_ring(region.points) for region in regions)
    return json.dumps(rings, separators=(",", ":")).encode()


def _canonical_ring(points: tuple[float, ...]) -> list[tuple[float, float]]:
    ring = [(float(x), float(y)) for x, y in zip(points[::2], points[1::2], strict=True)]
    starts = range(len(ring))
    backwards = ring[::-1]
    return min(
        min(ring[at:] + ring[:at] for at in starts),
        min(backwards[at:] + backwards[:at] for at in starts),
    )
