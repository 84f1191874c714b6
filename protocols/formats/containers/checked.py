"""Values of documents as numbers, points, texts and sizes; what is none is a Fault."""

import math
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from protocols.core.regions import MAX_COORDINATE, Region

from ..problems import Fault, Span, quoted
from .limits import MAX_POINTS, NOT_FINITE, NUMBER

_MAX_SIDE: Final = 1_000_000
# Names of fields that look like outlines, turns of a box, texts, ignored flags or confidences.
_OUTLINES: Final = frozenset(
    (
        *("polys", "poly", "polygon", "bezier_pts", "vertices", "quad", "quadrilateral"),
        *("rbox", "rotated_bbox", "boundary", "points", "segmentation"),
    )
)
_TURNS: Final = frozenset(("rotation", "angle", "theta"))
_TEXTS: Final = ("rec", "text", "transcription", "utf8_string", "rec_text", "word", "value")
_FLAGS: Final = ("difficult", "ignore", "ignored", "dont_care", "illegible", "illegibility")
_SCORES: Final = ("score", "confidence", "rec_score", "det_score")
# Members of an object that may have further fields, and values that say nothing.
_GROUPS: Final = ("attributes", "region_attributes", "flags")
_NOTHING: Final = ("", "0", "0.0", "false", "no", "none", "[]", "{}")


def finite(value: Any, what: str = "a number") -> float:
    """Return a number of a JSON document as a coordinate; ``what`` is expected.

    Raises Fault if it is not a number (L2), or not finite or beyond any image (L3).
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault("L2", shown(value), what)
    # Compared before it is converted: a whole number may be too large for a float.
    if not -MAX_COORDINATE <= value <= MAX_COORDINATE:
        raise Fault("L3", shown(value), f"{what}, up to {MAX_COORDINATE:.0f}")
    return float(value)


def finite_in(text: str, what: str = "a number", span: Span | None = None) -> float:
    """Return the number in a text as a coordinate; ``span`` is the text's position in its line.

    Raises Fault as finite() does.
    """
    try:
        if not NUMBER.match(text):
            raise Fault("L3" if NOT_FINITE.match(text) else "L2", quoted(text), what)
        return finite(float(text), what)
    except Fault as fault:
        raise Fault(fault.code, quoted(text), fault.expected, span) from fault


def confidence_of(value: Any) -> float | None:
    """Return a confidence of a JSON document as a number, or None if the value is None.

    Raises Fault if it is not a number (L2) from 0 to 1 (L3).
    """
    if value is None:
        return None
    confidence = finite(value, "a confidence")
    if not 0 <= confidence <= 1:
        raise Fault("L3", f"a confidence of {confidence:g}", "a confidence in [0, 1]")
    return confidence


def per_cent_of(value: Any) -> float:
    """Return a confidence that is given from 0 to 100, from 0 to 1.

    Raises Fault if it is not a number (L2) from 0 to 100 (L3).
    """
    wanted = "a number from 0 to 100"
    per_cent = finite(value, wanted)
    if not 0 <= per_cent <= 100:
        raise Fault("L3", shown(value), wanted)
    return per_cent / 100


def unread_outlines(given: Mapping[str, Any], known: Set[str]) -> list[str]:
    """Return names of fields that look like an outline, or a turn of a box, and are not read."""
    found = _telling(given, _TURNS) + [
        name for name in sorted(given.keys() & _OUTLINES) if name not in known
    ]
    return sorted(found)


def unread_fields(given: Mapping[str, Any], region: Region) -> list[str]:
    """Return names of fields that look like a text, a confidence or a mark as ignored of a region without.

    Fields of groups, such as ``attributes``, are named with the group.
    """
    lacking = ((_TEXTS, region.text), (_FLAGS, region.ignored))
    names = {name for of, value in lacking if not value for name in of}
    if region.confidence is None:
        names.update(_SCORES)
    found = _telling(given, names)
    if not region.ignored and given.get("legible") is False:
        found.append("legible")
    return sorted(found)


def _telling(given: Mapping[str, Any], names: Set[str]) -> list[str]:
    found = [("", given), *((f"{group}.", given.get(group)) for group in _GROUPS)]
    return [
        f"{group}{name}"
        for group, of in found
        if isinstance(of, Mapping)
        for name in of.keys() & names
        if str(of[name]).strip().lower() not in _NOTHING
    ]


def objects_in(given: Mapping[str, Any], name: str, *inner: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list that is a member of a JSON object; none if it has no such member.

    With names of ``inner`` members, those of the lists in them. Raises Fault if a member is
    something else (L1).
    """
    found = given.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(of, Mapping) for of in found):
        raise Fault("L1", f"{shown(found)} as {name}", "a list of objects")
    return [one for of in found for one in objects_in(of, *inner)] if inner else found


def object_in(given: Any, name: str) -> Mapping[str, Any]:
    """Return a member of a JSON object that is an object; an empty one if there is none."""
    value = given.get(name) if isinstance(given, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def error_in(given: Any) -> str | None:
    """Return the message or code of the error that an answer tells, or None."""
    error = object_in(given, "error")
    says = error.get("message") or error.get("code")
    return quoted(str(says)) if says else None


def text_in(given: Mapping[str, Any], name: str) -> str | None:
    """Return the value of a member of a JSON object, or None if it is not a text."""
    value = given.get(name)
    return value if isinstance(value, str) else None


def page_in(given: Mapping[str, Any], name: str, missing: int, first: int = 1) -> int:
    """Return the number of a page, a member of a JSON object; ``missing`` if it has no such member.

    Raises Fault if the member is something else (L2).
    """
    page = given.get(name, missing)
    if isinstance(page, bool) or not isinstance(page, int) or not first <= page < 10**6:
        raise Fault("L2", shown(page), f"a number from {first} as {name}")
    return page


def points_of(values: Sequence[Any]) -> tuple[float, ...]:
    """Return the points of a polygon.

    Raises Fault if they are not three points or more (L1), of finite numbers (L2, L3).
    """
    if not 6 <= len(values) <= 2 * MAX_POINTS or len(values) % 2:
        wanted = "an even number of coordinates, six or more"
        raise Fault("L1", f"{len(values)} coordinates", wanted)
    return tuple([finite(value) for value in values])


def points_of_pairs(points: list[Any]) -> tuple[float, ...]:
    """Return the points of a polygon written as [[x, y], …]; raise Fault as points_of() does."""
    if not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise Fault("L1", "points of something else", "points as [x, y]")
    return points_of([value for point in points for value in point])


def points_in(text: str) -> tuple[float, ...]:
    """Return the points of a polygon written as "x,y x,y …", with blanks and commas in any mixture."""
    return points_of([finite_in(number) for number in text.replace(",", " ").split()])


def points_of_xy(vertices: Any, x: str = "x", y: str = "y") -> tuple[float, ...]:
    """Return the points of a polygon written as [{"x": x, "y": y}, …]; a member that is left out is 0.

    Raises Fault as points_of() does.
    """
    if not isinstance(vertices, list) or not all(isinstance(of, Mapping) for of in vertices):
        raise Fault("L1", "points of something else", 'points as {"x": x, "y": y}')
    return points_of([of.get(axis, 0) for of in vertices for axis in (x, y)])


def pairs_of(region: Region) -> list[list[float]]:
    """Return the points of a region as [[x, y], …]."""
    return list(map(list, zip(region.points[::2], region.points[1::2], strict=True)))


def box_region(left: float, top: float, width: float, height: float, **fields: Any) -> Region:
    """Return a rectangle given by its corner and sides in pixels; ``fields`` are those of Region.

    A box without width or height is kept and counted, as published programs do. Raises Fault if a
    side is negative.
    """
    if width < 0 or height < 0:
        raise Fault("L4", f"a box of {width:g} x {height:g}", "no negative side")
    return Region.from_box(left, top, left + width, top + height, **fields)


def box_between(left: float, top: float, right: float, bottom: float, **fields: Any) -> Region:
    """Return a rectangle given by its sides; raises Fault if they are exchanged."""
    if right < left or bottom < top:
        found = f"a box from {left:g}, {top:g} to {right:g}, {bottom:g}"
        raise Fault("L4", found, "right >= left and bottom >= top")
    return Region.from_box(left, top, right, bottom, **fields)


def turned_about_centre(points: Sequence[float], angle: float) -> tuple[float, ...]:
    """Return points turned clockwise on the screen, by an angle in radians, about their box's centre."""
    xs, ys = points[::2], points[1::2]
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    cos, sin = math.cos(angle), math.sin(angle)
    return tuple(
        value
        for px, py in zip(xs, ys, strict=True)
        for value in (x + (px - x) * cos - (py - y) * sin, y + (px - x) * sin + (py - y) * cos)
    )


def size_of(width: Any, height: Any) -> tuple[int, int]:
    """Return the size of an image in pixels.

    Raises Fault if the sides are not whole numbers from 1 to a million.
    """
    sides = (
        finite(width, "a width in pixels"),
        finite(height, "a height in pixels"),
    )
    if not all(1 <= side <= _MAX_SIDE and math.floor(side) == side for side in sides):
        found = f"an image of {sides[0]:g} x {sides[1]:g}"
        raise Fault("L4", found, f"whole numbers of pixels from 1 to {_MAX_SIDE}")
    return int(sides[0]), int(sides[1])


def size_in(
    given: Mapping[str, Any], width: str = "width", height: str = "height"
) -> tuple[int, int] | None:
    """Return the size of an image from members of a JSON object, or None if one has no value."""
    sides = given.get(width), given.get(height)
    return None if None in sides else size_of(*sides)


def size_in_attributes(given: Mapping[str, str], width: str, height: str) -> tuple[int, int] | None:
    """Return the size of an image from attributes of an element, or None if one is missing."""
    if width not in given or height not in given:
        return None
    return size_of(finite_in(given[width]), finite_in(given[height]))


def shown(value: Any) -> str:
    """Return a value of a JSON document as a message shows it; huge numbers are not written out."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
        return "a whole number of more than 30 digits"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a group of fields"
    return quoted(str(value))
