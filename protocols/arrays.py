"""Regions from tensors, arrays and lists, as training loops have them.

Torch and pandas are never imported: their values are read as numbers.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from text_rankings.base.suggestions import did_you_mean

from .core.errors import ParameterError, RegionError
from .core.regions import MAX_COORDINATE, Region

BOX_FORMATS: Final = ("xyxy", "xywh", "cxcywh", "polygons")
_OUTLINES: Final = ("boxes", "quads", "polygons")
# Switches of regions that do not count, under the names of several libraries.
_IGNORED: Final = ("ignored", "iscrowd", "ignore", "difficult")
_FIELDS: Final = ("scores", "texts", "labels", *_IGNORED)
# Keys of targets that follow from the outlines, or name the image.
_FOLLOWING: Final = ("area", "image_id")
# Coordinates up to here are taken for shares of an image's sides, some of which reach outside.
_MOST_OF_SHARES: Final = 1.5
SHARES: Final = (
    "every coordinate is at most 1.5, like a share of an image's sides; scores need pixels"
)
TURNED: Final = (
    "a box ends before it begins, as x, y, width and height do when they are read as two corners: "
    "pass box_format='xywh' if they are"
)


def plain_values(values: Any) -> Any:
    """Return tensors of any device, arrays and their scalars in nested data as plain values.

    Mappings and sequences may be nested in any way, up to Python's depth of calls. Raises RegionError
    beyond it.
    """
    try:
        return _plain(values)
    except RecursionError as fault:
        raise RegionError("lists are nested too deep; expected a list of regions") from fault


def _plain(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _plain(of) for key, of in values.items()}
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if hasattr(values, "tolist"):
        values = values.tolist()
    return [_plain(of) for of in values] if isinstance(values, list | tuple) else values


def are_shares(regions: Iterable[Region]) -> bool:
    """Return whether there is a region, and every coordinate may be a share of an image's side.

    The regions are those of one side of a whole dataset: ground truth, or the detections of a method.
    """
    some = False
    for region in regions:
        some = True
        if max(map(abs, region.points)) > _MOST_OF_SHARES:
            return False
    return some


@dataclass
class Outlines:
    """Reads the regions of one image after the other, and notes what is odd about all of them.

    ``box_format`` of the four numbers of a box: "xyxy" (left, top, right, bottom), "xywh" (left,
    top, width, height), "cxcywh" (centre, width, height); "polygons" if ``boxes`` hold points.
    """

    box_format: str = "xyxy"
    # The greatest coordinate by side.
    _greatest: dict[str, float] = field(default_factory=dict)
    _is_turned: bool = False
    _unread: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.box_format not in BOX_FORMATS:
            raise ParameterError(
                f"box_format must be one of {', '.join(BOX_FORMATS)}, got {self.box_format!r}"
                f"{did_you_mean(str(self.box_format), BOX_FORMATS)}"
            )

    def regions(
        self, given: Any, place: str, size: tuple[float, float] | None = None
    ) -> tuple[Region, ...]:
        """Return the regions of an image.

        A mapping has one of ``boxes`` (k, 4), ``quads`` (k, 8 or k, 4, 2) and ``polygons`` (k lists
        of points), and optionally ``scores``, ``texts``, ``labels``, and ``ignored``, ``iscrowd``,
        ``ignore`` or ``difficult``, k each; other keys are noted. Outlines alone are
        boxes of 4 numbers or polygons of more, or regions. ``size`` is the width and height in
        pixels that coordinates are shares of. A RegionError names image and region.
        """
        key = ""
        if isinstance(given, Mapping):
            named = [key for key in _OUTLINES if key in given]
            if len(named) != 1:
                held = ", ".join(map(str, given)) or "nothing"
                raise RegionError(f"{place} needs one of {', '.join(_OUTLINES)}; it has {held}")
            [key] = named
            self._unread |= {str(of) for of in given if of not in (key, *_FIELDS, *_FOLLOWING)}
        outlines = plain_values(given[key] if key else given)
        if not isinstance(outlines, list):
            raise RegionError(f"{place} needs a list of regions, got {_shown(outlines)}")
        fields = self._fields(given, len(outlines), key, place) if key else {}
        where = f"{place}, {key or 'regions'}"
        return tuple(
            self._region(
                one, key, {name: of[at] for name, of in fields.items()}, f"{where}[{at}]", size
            )
            for at, one in enumerate(outlines)
        )

    def _fields(
        self, given: Mapping[str, Any], n: int, key: str, place: str
    ) -> dict[str, list[Any]]:
        fields = {
            name: plain_values(given[name]) for name in _FIELDS if given.get(name) is not None
        }
        for name, values in fields.items():
            if not isinstance(values, list) or len(values) != n:
                n_values = len(values) if isinstance(values, list) else 1
                raise RegionError(f"{place} has {n_values} {name} of {n} {key}")
        return fields

    def _region(
        self,
        outline: Any,
        key: str,
        fields: Mapping[str, Any],
        place: str,
        size: tuple[float, float] | None,
    ) -> Region:
        if isinstance(outline, Region):
            self._notice(place, outline.points)
            return outline
        values = list(_numbers(outline, place))
        is_box = len(values) == 4 and key in ("", "boxes") and self.box_format != "polygons"
        may_be_other = key != "boxes" or self.box_format == "polygons"
        if (key == "quads" and len(values) != 8) or not (is_box or may_be_other):
            raise RegionError(f"{place} has {len(values)} numbers")
        self._notice(place, values)
        if size is not None:
            values = [value * size[at % 2] for at, value in enumerate(values)]
        confidence = fields.get("scores")
        if confidence is not None:
            [confidence] = _numbers([confidence], f"{place}, its score")
        try:
            return Region(
                self._corners(values) if is_box else tuple(values),
                text=fields.get("texts"),
                confidence=confidence,
                label=None if fields.get("labels") is None else str(fields["labels"]),
                ignored=any(fields.get(name) for name in _IGNORED),
            )
        except RegionError as fault:
            raise RegionError(f"{place}: {fault}") from fault

    def _notice(self, place: str, values: Sequence[float]) -> None:
        side = re.match(r"\w*", place)[0]  # type: ignore[index]  # also fits nothing
        self._greatest[side] = max(self._greatest.get(side, 0.0), *map(abs, values), 0.0)

    def _corners(self, box: Sequence[float]) -> tuple[float, ...]:
        left, top, right, bottom = box
        if self.box_format == "cxcywh":
            left, top = left - right / 2, top - bottom / 2
        if self.box_format != "xyxy":
            right, bottom = left + right, top + bottom
        self._is_turned |= right < left or bottom < top
        return left, top, right, top, right, bottom, left, bottom

    def remarks(self) -> Iterator[str]:
        """Yield sentences about units that are probably meant otherwise, of all regions so far."""
        if self._unread:
            yield f"keys that are not read: {', '.join(sorted(self._unread))}"
        if self._is_turned:
            yield TURNED

    def sides_in_shares(self) -> list[str]:
        """Return the sides, by the first word of their places, all of whose coordinates may be shares."""
        return [side for side, most in self._greatest.items() if most <= _MOST_OF_SHARES]


def _numbers(values: Any, place: str) -> Iterator[float]:
    """Yield the finite numbers of an outline, its points in pairs or not."""
    if not isinstance(values, list):
        raise RegionError(f"{place} needs a list of numbers, got {_shown(values)}")
    for value in values:
        if isinstance(value, list):
            yield from _numbers(value, place)
        elif not isinstance(value, int | float) or not math.isfinite(value):
            raise RegionError(f"{place} needs finite numbers, got {_shown(value)}")
        elif abs(value) > MAX_COORDINATE:
            raise RegionError(
                f"{place} needs numbers up to {MAX_COORDINATE:.0f}, got {_shown(value)}"
            )
        else:
            yield float(value)


def _shown(value: Any) -> str:
    return repr(value)[:60]
