"""Formats that differ by their keys alone: each is the "table" of its entry in formats.json.

A path leads through objects ("bbox.x0") and lists, of which it takes each item ("lines.words"; ``*``
are the items of lists in a list);
``a|b`` are alternatives, ``tags[name=text]`` the items of a list with that member, ``^`` the object
around. Elements of XML are objects (see ``tree_of``).
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, REGION, Collector
from ..containers.contents import IGNORED_TEXT, Unit
from ..containers.documents import (
    Document,
    given_name,
    json_of,
    page_name,
    storable,
)
from ..containers.elements import element_of, tree_of
from ..containers.pages import units_of
from ..problems import Fault

_Object = Mapping[str, Any]
_Points = tuple[float, ...]
_FILTERED: Final = re.compile(r"(\w+)\[([^=]+)=(.+)\]")
_PREFIX: Final = re.compile(r"(?:gt|res)_(?=.)", re.DOTALL)
_TRUE: Final = (True, 1, "1", "true", "True")
_ITEMS, _AROUND = "items", "^"
_OTHERS: Final = REASONS["other-shapes"]

_BLOCKS: Final = REASONS["blocks-without-lines"]

_WORDS: Final = REASONS["words-inside-lines"]


def read_declared(document: Document, collector: Collector, *, table: _Object) -> None:
    """Read a document of a format that a table declares.

    ``root`` is the outermost element of XML. ``images`` is the path to images, by default the
    document or the items of its list; ``*`` are lists of regions by image, ``[]`` is the list of a
    single one. ``known_by`` is a member that each image has, by default the regions; ``name`` leads
    to its name (a number has ``digits``), by default the file's, and ``needs_name`` asks for it;
    ``size`` to width and height. ``regions`` are paths to them, or to lines and to the words of a line,
    ``others`` to what is left out, ``above`` to what has them; ``fields`` names the items of regions
    that are lists. ``outlines`` have a path, a shape of ``_SHAPES`` or ``_OF_NUMBERS``, and perhaps
    the members that are its numbers; ``turn`` leads to the degrees by which a box is turned. ``text``,
    ``confidence`` (``per_cent``), ``label``, ``id``, ``parent`` and marks as ``ignored`` are paths.
    ``kinds`` is a path and the values of regions that are shapes; ``outlined`` says that others have
    no outline. ``columns`` are lists of a region's members, ``instead`` leads to lines that are read
    where there are no regions; ``page`` are paths to the sides of a page in points, ``origin`` to its corner.
    ``words`` leads to words that the format of this name with "-words" reads.
    ``scale`` makes shares of the image's sides of coordinates. Raises Fault if there is no image (A1).
    """
    if "root" in table:
        data: Any = tree_of(element_of(document, table["root"]))
        data = data if isinstance(data, dict) else {"#": data}
    else:
        data = json_of(document, unique=True)
    images = list(_images(data, table))
    if not images:
        raise Fault("A1", checked.shown(data), _wanted(table))
    for at, (name, image) in enumerate(images, 1):
        with collector.catching():
            if not isinstance(image, Mapping) or not _is_known(image, table):
                raise Fault("A1", checked.shown(image), _wanted(table))
            given = _text(image, table.get("name", ""))
            if name is None and given is not None:
                digits = table.get("digits", 0)
                name = collector.named(given_name(given.zfill(digits), document.stem))
            elif name is None and table.get("needs_name") and _AROUND in image:
                raise Fault("S3", "an image without a name", f'"{table["name"]}"')
            name = name or page_name(document.stem, at, len(images))
            _read_image(name, image, document.entry, collector, table)


def _images(data: Any, table: _Object) -> Iterator[tuple[str | None, Any]]:
    """Yield the images of a document, each with its name if that is a key."""
    paths = table.get("images", "").split("|")
    if "*" in paths and isinstance(data, Mapping):
        for key, items in data.items():
            yield (
                _PREFIX.sub("", storable(key), count=1),
                {_ITEMS: "null" if items is None else items},
            )
    elif "[]" in paths and isinstance(data, list):
        yield None, {_ITEMS: data}
        return
    for path in paths:
        found = [] if path in ("*", "[]") else _all(data, path)
        for image in found:
            is_inner = path and isinstance(image, Mapping) and isinstance(data, Mapping)
            yield None, {**image, _AROUND: data} if is_inner else image
        if found:
            return


def _is_known(image: _Object, table: _Object) -> bool:
    paths = table.get("known_by", table["regions"][0])
    return any(path.partition(".")[0] in image for path in paths.split("|"))


def _wanted(table: _Object) -> str:
    images = table.get("images", "").partition("|")[0]
    if images in ("*", "[]"):
        return 'a list of regions for each image, {"img_1": [{…}]}'
    member = table.get("known_by", table["regions"][0]).partition("|")[0].partition(".")[0]
    return f'an object with "{member}"' + (f' in "{images}"' if images else "")


def _read_image(
    name: str, image: _Object, entry: str | None, collector: Collector, table: _Object
) -> None:
    units = _units(image, table["regions"][0], table)
    for words in table["regions"][1:]:
        of_lines = [(line, _units(line, words, table)) for line in units]
        bare = [line for line, of in of_lines if not of]
        units = list(
            units_of([of for _, of_line in of_lines for of in of_line], bare, [], collector)
        )
    if not units and (lines := _units(image, table.get("instead", "-"), table)):
        units = list(units_of([], lines, [], collector))
    if not units and (n_blocks := len(_all(image, table.get("above", "-")))):
        collector.count(_BLOCKS, n=n_blocks, image=name)
    if n_words := len(_all(image, table.get("words", "-"))):
        collector.count(_WORDS, n=n_words, image=name)
    shapes = [unit for unit in units if _is_shape(unit, table)]
    n_others = len(units) - len(shapes) + len(_all(image, table.get("others", "-")))
    if n_others:
        collector.count(_OTHERS, n=n_others, image=name)
    sides = [_first(image, path) for path in table.get("size", ())]
    size = checked.size_of(*map(_number, sides)) if sides and None not in sides else None
    unit = Unit.SHARES if "scale" in table or "page" in table else None
    region_of = partial(_region, table=table)
    collector.image_with(name, shapes, region_of, REGION, size=size, unit=unit)


def _units(given: _Object, path: str, table: _Object) -> list[_Object]:
    """Return the objects at a path, each with the one around it; raise Fault if they are none (L1)."""
    if path == "characters":
        return _words(given)
    columns = table.get("columns", [""])
    found: list[Any] = []
    for one in path.split("|"):
        of = _columns(given, columns) if one == columns[0] else _all(given, one)
        if fields := table.get("fields"):
            of = [
                dict(zip(fields, row, strict=False)) if isinstance(row, list) else row for row in of
            ]
        found += of
    if wrong := [of for of in found if not isinstance(of, Mapping)]:
        raise Fault("L1", f"{checked.shown(wrong[0])} in {path}", "objects")
    # A line is asked for its image only where its page gives its size.
    is_line = path == table["regions"][0] and "page" not in table
    return [{**unit, _AROUND: None if is_line else given} for unit in found]


def _columns(given: _Object, names: Sequence[str]) -> list[_Object]:
    """Return regions whose members are lists of the same length; raise Fault if they are not (L1)."""
    lists = {name: given[name] for name in names if given.get(name) is not None}
    for name, of in lists.items():
        if not isinstance(of, list) or len(of) != len(lists.get(names[0], of)):
            n = len(of) if isinstance(of, list) else checked.shown(of)
            raise Fault("L1", f"{n} {name} for {names[0]}", "lists of the same length")
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _is_shape(unit: _Object, table: _Object) -> bool:
    """Return whether a region is of a kind that has an outline."""
    path, *kinds = table.get("kinds", ["-"])
    if (kind := _first(unit, path)) is not None:
        return kind in kinds
    return "outlined" not in table or any(
        _first(unit, outline[0]) is not None for outline in table["outlines"]
    )


def _words(line: _Object) -> list[_Object]:
    """Return the words of a line of characters as ABBYY writes them."""
    words: list[list[_Object]] = [[]]
    for character in _all(line, "formatting.charParams"):
        if not isinstance(character, Mapping):
            raise Fault("L1", checked.shown(character), "a character with l, t, r and b")
        text = character.get("#", "")
        if words[-1] and (character.get("wordStart") in _TRUE or not text.strip()):
            words.append([])
        if text.strip():
            words[-1].append(character)
    sides = {"l": min, "t": min, "r": max, "b": max}
    return [
        {
            "#": "".join(of["#"] for of in word),
            **{
                side: of_all(_number(of.get(side)) for of in word) for side, of_all in sides.items()
            },
        }
        for word in words
        if word
    ]


def _all(given: Any, paths: str) -> list[Any]:
    """Return the values at paths, the items of lists one by one."""
    every = []
    for path in paths.split("|"):
        found = _listed(given)
        for step in path.split(".") if path else ():
            found = [value for of in found for value in _step(of, step)]
        every += found
    return every


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _step(given: Any, step: str) -> list[Any]:
    if step == "*":
        return _listed(given)
    if not isinstance(given, Mapping):
        return []
    if filtered := _FILTERED.fullmatch(step):
        step, key, wanted = filtered.groups()
        items = _listed(given.get(step))
        return [of for of in items if isinstance(of, Mapping) and of.get(key) == wanted]
    return _listed(given.get(step))


def _first(given: _Object, paths: str) -> Any:
    """Return the value at the first path that leads to one; a list stays whole."""
    for path in paths.split("|"):
        before, _, last = path.rpartition(".")
        for of in _all(given, before) if before else [given]:
            if isinstance(of, Mapping) and of.get(last) is not None:
                return of[last]
    return None


def _text(given: _Object, paths: str) -> str | None:
    value = _first(given, paths)
    return value if isinstance(value, str) else None


def _name(given: _Object, paths: str) -> str | None:
    """Return a text or a number as an identifier."""
    value = _first(given, paths)
    is_plain = isinstance(value, str | int) and not isinstance(value, bool) and value != ""
    return str(value)[:100] if is_plain else None


def _number(value: Any) -> float:
    return checked.finite_in(value) if isinstance(value, str) else checked.finite(value)


def _box(left: float, top: float, right: float, bottom: float) -> _Points:
    return checked.box_between(left, top, right, bottom).points


def _sides(left: float, top: float, width: float, height: float) -> _Points:
    return checked.box_region(left, top, width, height).points


def _corners(points: Any) -> _Points:
    """Return points written as [[x, y], …]; two are the corners of a box."""
    if len(points) != 2:
        return checked.points_of_pairs(points)
    return _box(*checked.points_of_pairs([*points, points[0]])[:4])


def _written(text: Any) -> _Points:
    """Return points written as "x,y;x,y"."""
    return checked.points_of([_number(of) for of in re.split("[,;]", str(text))])


def _only(points: Any) -> _Points:
    """Return the points of the only one of several outlines."""
    if len(points) != 1:
        raise Fault("L1", f"{len(points)} outlines of a region", "one outline for each")
    of = points[0]
    return (
        checked.points_of_xy(of)
        if of and isinstance(of[0], Mapping)
        else checked.points_of_pairs(of)
    )


_SHAPES: Final[Mapping[str, Callable[[Any], _Points]]] = {
    "pairs": checked.points_of_pairs,
    "corners": _corners,
    "xy": checked.points_of_xy,
    "only": _only,
    "written": _written,
}
# Of numbers: points, left top right bottom, left top width height, left and top counted from 1, and shares
# of the sides with y upwards.
_OF_NUMBERS: Final[Mapping[str, Callable[..., _Points]]] = {
    "flat": lambda *numbers: checked.points_of(numbers),
    "ltrb": _box,
    "ltwh": _sides,
    "from-1": lambda left, top, right, bottom: _box(left - 1, top - 1, right, bottom),
    "upwards": lambda left, low, width, height: _sides(left, 1 - low - height, width, height),
}


def _points(given: _Object, table: _Object) -> _Points:
    for path, shape, *members in table["outlines"]:
        value = given if path == "" else _first(given, path)
        if members:
            value = [_first(value, of) for of in members] if isinstance(value, Mapping) else [None]
            if None in value:
                continue
        if value is None:
            continue
        n_outlines = len(_all(given, path.rpartition(".")[0])) if "." in path else 1
        if n_outlines > 1:
            raise Fault("L1", f"{n_outlines} outlines of a region", "one outline for each")
        if not isinstance(value, list) and shape != "written":
            raise Fault("L1", f"{checked.shown(value)} as {path}", "a list of numbers or points")
        if shape in _SHAPES:
            return _SHAPES[shape](value)
        if shape != "flat" and len(value) != 4:
            raise Fault("L1", f"{len(value)} numbers as {path}", "the four numbers of a box")
        return _OF_NUMBERS[shape](*map(_number, value))
    names = " or ".join(dict.fromkeys(f'"{of[0] or of[2]}"' for of in table["outlines"]))
    raise Fault("L1", checked.shown(given), f"an object with {names}")


def _shares_of_page(points: _Points, given: _Object, table: _Object) -> _Points:
    """Return points of a page, whose y runs upwards unless they say otherwise, as shares of its sides."""
    width, height = (_number(_first(given[_AROUND], path)) for path in table["page"])
    if width <= 0 or height <= 0:
        raise Fault("L4", f"a page of {width:g} x {height:g}", "sides above 0")
    is_upwards = _first(given, table["origin"]) != "TOPLEFT"
    return tuple(
        (1 - value / height if is_upwards else value / height) if at % 2 else value / width
        for at, value in enumerate(points)
    )


def _region(given: _Object, *, table: _Object) -> Region:
    points = _points(given, table)
    turn = _first(given, table.get("turn", ""))
    if turn is not None and (degrees := _number(turn)):
        points = checked.turned_about_centre(points, math.radians(degrees))
    if "page" in table:
        points = _shares_of_page(points, given, table)
    scale = table.get("scale", 1)
    text = _text(given, table.get("text", ""))
    confidence = _first(given, table.get("confidence", ""))
    if confidence is not None:
        of = checked.per_cent_of if table.get("per_cent") else checked.confidence_of
        confidence = of(_number(confidence))
    marks = table.get("ignored", "").split("|")
    return Region(
        points if scale == 1 else tuple(scale * value for value in points),
        text,
        confidence,
        text == IGNORED_TEXT or any(_first(given, path) in _TRUE for path in marks),
        label=_text(given, table.get("label", "")) or None,
        id=_name(given, table.get("id", "")),
        parent=_name(given, table.get("parent", "")),
    )
