"""The VGG Image Annotator, versions 2 and 3: annotations or a whole project as JSON, and their CSV."""

from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector
from ..containers.contents import IGNORED_TEXT
from ..containers.documents import Document, json_in, json_of, text_of
from ..problems import Fault
from .separated import rows_of

_WANTED: Final = 'an object of files, each with "filename" and "regions"'
# The numbers of shapes in version 3.
_RECTANGLE: Final = 2
_POLYGONS: Final = (6, 7)
_EXTREMES: Final = 8
_METADATA: Final = "_via_img_metadata"
_COLUMNS_2: Final = {"filename", "region_shape_attributes"}
_COLUMNS_3: Final = {"file_list", "spatial_coordinates"}
_WANTED_COLUMNS: Final = "filename, region_shape_attributes, region_attributes"
# Annotators choose the names of attributes.
_TEXTS: Final = ("transcription", "text", "word", "description")
_LABELS: Final = ("label", "type", "class", "language")


def read_via(document: Document, collector: Collector) -> None:
    """Read annotations, a project, or CSV; raise Fault for anything else."""
    text = text_of(document)
    if not text.lstrip().startswith(("{", "[")):
        _read_csv(text, collector)
        return
    data = json_of(document)
    if isinstance(data, Mapping) and {"file", "view", "metadata"} <= data.keys():
        _read_project(data, collector)
        return
    if isinstance(data, Mapping) and _METADATA in data:
        data = data[_METADATA]
    if not isinstance(data, Mapping):
        raise Fault("A1", "something else", _WANTED)
    for given in data.values():
        with collector.catching():
            _read_image(given, collector)


def _read_image(given: Any, collector: Collector) -> None:
    if not isinstance(given, Mapping) or not isinstance(given.get("filename"), str):
        raise Fault("L1", checked.shown(given), _WANTED)
    image = collector.named(given["filename"])
    regions = given.get("regions") or []
    if isinstance(regions, Mapping):
        # Version 1 has an object instead of a list.
        regions = list(regions.values())
    if not isinstance(regions, list):
        raise Fault(
            "L1", f"{checked.shown(regions)} for {checked.shown(image)}", 'a list of "regions"'
        )
    collector.image_with(image, regions, _region, REGION)


def _region(given: Any) -> Region:
    shape = given.get("shape_attributes") if isinstance(given, Mapping) else None
    if not isinstance(shape, Mapping):
        raise Fault("L1", checked.shown(given), 'a region with "shape_attributes"')
    attributes = given.get("region_attributes")
    said: Mapping[str, Any] = attributes if isinstance(attributes, Mapping) else {}
    return _made(_outline(shape), said)


def _made(outline: tuple[float, ...], said: Mapping[str, Any]) -> Region:
    """Return a region with what its attributes say."""
    text = next((of for name in _TEXTS if (of := checked.text_in(said, name)) is not None), None)
    label = next((of for name in _LABELS if (of := checked.text_in(said, name))), None)
    return Region(
        outline,
        text,
        checked.confidence_of(said.get("score")),
        text == IGNORED_TEXT or said.get("ignored") in (True, "true", "1"),
        label=label,
    )


def _outline(shape: Mapping[str, Any]) -> tuple[float, ...]:
    name = shape.get("name")
    if name == "rect":
        sides = [
            checked.finite(shape.get(side), f"a number as {side}")
            for side in ("x", "y", "width", "height")
        ]
        return checked.box_region(*sides).points
    if name in ("polygon", "polyline"):
        xs, ys = shape.get("all_points_x"), shape.get("all_points_y")
        if not isinstance(xs, list) or not isinstance(ys, list) or len(xs) != len(ys):
            raise Fault("L1", "a polygon", "as many all_points_x as all_points_y")
        return checked.points_of([value for pair in zip(xs, ys, strict=True) for value in pair])
    raise Fault("L1", f"a shape of the type {checked.shown(name)}", "a rect or a polygon")


def _read_csv(text: str, collector: Collector) -> None:
    """Read the CSV of version 2, or that of version 3, whose header is a comment."""
    lines = text.split("\n")
    names = _comment(lines, "# ATTRIBUTE = ") or _comment(lines, "# ATTRIBUTES = ") or "{}"
    attributes = json_in(names)
    if header := _comment(lines, "# CSV_HEADER = "):
        # Lines keep their numbers.
        n_comments = sum(line.startswith("# ") for line in lines)
        rest = [line for line in lines if not line.startswith("# ")]
        lines = ["\n" * (n_comments - 1) + header, *rest]
    for row in rows_of("\n".join(lines).lstrip("#"), collector.problems, collector.entry):
        if isinstance(row, list):
            if not (set(row) >= _COLUMNS_2 or set(row) >= _COLUMNS_3):
                raise Fault("L1", f"a header {','.join(row)}", _WANTED_COLUMNS)
            collector.recognise()
            continue
        with collector.catching(row.line, text=row.text):
            _read_row(row.cells, row.line, attributes, collector)


def _comment(lines: list[str], beginning: str) -> str:
    found = next((line for line in lines if line.startswith(beginning)), "")
    return found.removeprefix(beginning).strip()


def _read_row(cells: Mapping[str, str], line: int, attributes: Any, collector: Collector) -> None:
    if "spatial_coordinates" in cells:
        files = json_in(cells.get("file_list") or "[]")
        if not isinstance(files, list) or not files or not isinstance(files[0], str):
            raise Fault("S3", checked.shown(files), "the name of a file")
        name, shape = collector.named(files[0]), json_in(cells["spatial_coordinates"])
        if shape:
            said = _named(json_in(cells.get("metadata") or "{}"), attributes)
            given = {"region_attributes": said}
            region = _made(_numbered(shape), said)
    else:
        name, shape = collector.named(cells["filename"]), json_in(cells["region_shape_attributes"])
        if shape:
            said = json_in(cells.get("region_attributes") or "{}")
            given = {"shape_attributes": shape, "region_attributes": said}
            region = _region(given)
    collector.image(name)
    if shape:
        collector.add(name, region, line=line, given=given)


def _read_project(data: Mapping[str, Any], collector: Collector) -> None:
    """Read a project of version 3: files, views of files, and what is drawn in views."""
    files, views, metadata = (data[name] for name in ("file", "view", "metadata"))
    if not all(isinstance(of, Mapping) for of in (files, views, metadata)):
        raise Fault("A1", "something else", _WANTED)
    names: dict[str, str] = {}
    for number, view in views.items():
        ids = view.get("fid_list") if isinstance(view, Mapping) else None
        file = files.get(str(ids[0])) if isinstance(ids, list) and ids else None
        path = checked.text_in(file, "fname") if isinstance(file, Mapping) else None
        if path is None:
            raise Fault("S3", "a view without a file", "the name of a file")
        names[number] = collector.named(path)
        collector.image(names[number])
    for at, given in enumerate(metadata.values(), 1):
        try:
            if not isinstance(given, Mapping) or str(given.get("vid")) not in names:
                raise Fault("N2", checked.shown(given), "a region of one of the views")
            # Without coordinates it is about the whole image.
            if given.get("xy"):
                said = _named(given.get("av"), data.get("attribute"))
                region = _made(_numbered(given["xy"]), said)
                of_region = {"region_attributes": said}
                collector.add(names[str(given["vid"])], region, given=of_region)
        except Fault as fault:
            collector.tell(fault, f"region {at}")


def _named(values: Any, attributes: Any) -> Mapping[str, Any]:
    """Return attributes by their names in lower case, of options what they mean."""
    said = {}
    for id_, value in values.items() if isinstance(values, Mapping) else ():
        known = attributes.get(id_) if isinstance(attributes, Mapping) else None
        name = known if isinstance(known, str) else None
        if isinstance(known, Mapping):
            name, options = checked.text_in(known, "aname"), known.get("options")
            if isinstance(options, Mapping) and isinstance(value, str):
                value = options.get(value, value)
        said[(name or id_).lower()] = value
    return said


def _numbered(shape: Any) -> tuple[float, ...]:
    """Return the outline of a shape of version 3: its number, then coordinates."""
    if not isinstance(shape, list) or not shape:
        raise Fault("L1", checked.shown(shape), "a rect or a polygon")
    number, *values = shape
    if number == _RECTANGLE and len(values) == 4:
        return checked.box_region(*map(checked.finite, values)).points
    if number in _POLYGONS:
        return checked.points_of(values)
    if number == _EXTREMES and len(values) == 8:
        # Points on the four sides.
        points = checked.points_of(values)
        (left, *_, right), (top, *_, bottom) = sorted(points[::2]), sorted(points[1::2])
        return checked.box_between(left, top, right, bottom).points
    raise Fault("L1", f"a shape of the type {checked.shown(number)}", "a rect or a polygon")
