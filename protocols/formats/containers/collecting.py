"""Collecting the regions of a reader into an Archive: names, duplicates, shapes, sizes."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message, ngettext_noop
from text_rankings.base.names import has_unseen

from ..problems import KEPT, KEPT_AS_IT_IS, Fault, Problems, Span, quoted
from .archives import Limits, Source, source_name
from .contents import Archive, Kind, LineFormat, OnEntry, Read, Unit, natural_order
from .documents import Document, documents, storable
from .limits import BATCH, MAX_COORDINATE, MAX_NAME, MAX_POINTS, NOT_FINITE, NUMBER
from .shapes import odd_shapes, tell_shape

# A fault with its place inside an image.
IN_IMAGE: Final = Message("{fault} ({what} {at} of {image})")
REGION: Final = Message("region")
LINE: Final = Message("line")
SHAPE: Final = Message("shape")
_MAX_SIDE: Final = 1_000_000
_Place = tuple[str | None, int | None, str | None]


class Collector:
    """Collector of regions, one after the other, into an Archive.

    Polygons may run in either direction; those without area are refused (L4). Self-crossing ones
    (L5), duplicated regions (L8) and regions that reach outside an image whose size the file gives
    (L6) are reported.
    """

    def __init__(self, problems: Problems, format: str) -> None:
        self._problems = problems
        self._format = format
        self._regions: dict[str | None, dict[str, list[Region]]] = {}
        self._lines: dict[str, list[int]] = {}
        self._entries: dict[str, str] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._units: dict[str, Unit] = {}
        self._parents: dict[str, dict[str, Region]] = {}
        self._seen: set[tuple[Any, ...]] = set()
        self._waiting: list[tuple[Region, _Place]] = []
        self._n_unstorable = 0

    def __contains__(self, image: str) -> bool:
        return any(image in images for images in self._regions.values())

    def image(
        self,
        name: str,
        *,
        method: str | None = None,
        size: tuple[int, int] | None = None,
        unit: Unit | None = None,
        entry: str | None = None,
    ) -> None:
        """Declare an image, which may remain without regions.

        Raises
        ------
        Fault
            If the image has no usable name.
        """
        if not name.strip() or len(name) > MAX_NAME or has_unseen(name):
            raise Fault(
                "N1",
                "the name {name}",
                "1 to {max_name} plain characters",
                name=quoted(name),
                max_name=MAX_NAME,
            )
        self._regions.setdefault(method, {}).setdefault(name, [])
        if size is not None:
            self._sizes[name] = size
        if unit is not None:
            self._units[name] = unit
        if entry is not None:
            self._entries[name] = entry

    def parent(self, image: str, id_: str, region: Region) -> None:
        """Keep the outline of a line or paragraph, to which regions belong by its id."""
        self._parents.setdefault(image, {})[id_] = region

    def image_with(
        self,
        name: str,
        given: Sequence[Any],
        region_of: Callable[[Any], Region],
        what: str,
        *,
        size: tuple[int, int] | None = None,
        unit: Unit | None = None,
        entry: str | None = None,
        line: int | None = None,
    ) -> None:
        """Add an image with all its regions; report an invalid one as ``what`` with its number.

        Raises
        ------
        Fault
            If the image was declared before (N3), or has no usable name (N1).
        """
        if name in self:
            raise Fault("N3", "a second image {name}", "each image once", name=shown(name))
        self.image(name, size=size, unit=unit, entry=entry)
        for at, one in enumerate(given, 1):
            try:
                self.add(name, region_of(one), entry=entry, line=line)
            except Fault as fault:
                found = Message(IN_IMAGE, fault=fault.found, what=what, at=at, image=name)
                self._problems.error(fault.code, found, fault.expected, entry, line)

    def add(
        self,
        image: str,
        region: Region,
        *,
        method: str | None = None,
        entry: str | None = None,
        line: int | None = None,
        text: str | None = None,
    ) -> None:
        """Add a region of a declared image; entry, line and text are for messages."""
        region = self._storable(region)
        self._regions[method][image].append(region)
        if line is not None:
            self._lines.setdefault(image, []).append(line)
        shape = (method, image, region.points, region.pixels, region.cell)
        if shape in self._seen:
            self._problems.warning(
                "L8",
                "the same region of {image} again",
                "each region once",
                entry,
                line,
                text=text,
                action=KEPT,
                image=image,
            )
        self._seen.add(shape)
        self._tell_outside(image, region, entry, line, text)
        if region.pixels is None:
            self._waiting.append((region, (entry, line, text)))
            if len(self._waiting) >= BATCH:
                self._look_at_shapes()

    def _storable(self, region: Region) -> Region:
        texts = (region.text, region.label, region.id, region.parent)
        if all(text is None or storable(text) == text for text in texts):
            return region
        self._n_unstorable += 1
        text, label, id_, parent = (None if of is None else storable(of) for of in texts)
        return Region(
            region.points,
            text,
            region.confidence,
            region.ignored,
            label,
            id_,
            parent,
            region.cell,
            region.pixels,
        )

    def _tell_outside(
        self, image: str, region: Region, entry: str | None, line: int | None, text: str | None
    ) -> None:
        if image not in self._sizes or image in self._units:
            return
        width, height = self._sizes[image]
        left, top, right, bottom = region.box
        over = max(-left, -top, right - width, bottom - height)
        if over > 0:
            self._problems.warning(
                "L6",
                "a region that reaches {over:g} px outside {image}",
                "coordinates within {width} x {height}",
                entry,
                line,
                text=text,
                action=KEPT_AS_IT_IS,
                over=over,
                image=image,
                width=width,
                height=height,
            )

    def _look_at_shapes(self) -> None:
        waiting, self._waiting = self._waiting, []
        regions = [region for region, _ in waiting]
        if not regions:
            return
        for at, code, repair in odd_shapes(regions, flat=True):
            if code != "L7":
                tell_shape(
                    self._problems, code, regions[at], repair, waiting[at][1], reordered=False
                )

    def archive(self) -> Archive:
        """Return everything collected."""
        self._look_at_shapes()
        if self._n_unstorable:
            found = Message(
                "null characters or halves of characters in {n_unstorable} texts (replaced)",
                n_unstorable=self._n_unstorable,
            )
            self._problems.warning("L9", found, "texts in Unicode")
        methods = {
            method: {image: tuple(images[image]) for image in sorted(images, key=natural_order)}
            for method, images in self._regions.items()
        }
        named = {method: images for method, images in methods.items() if method is not None}
        n_nameless = sum(map(len, methods.get(None, {}).values()))
        if named and n_nameless:
            found = Message(
                "{n_nameless} without a method among others that have one",
                n_nameless=ngettext_noop("{n} region", "{n} regions", n_nameless),
            )
            self._problems.error("S3", found, "a method for each, or for none")
        single = next(iter(methods.values())) if len(methods) == 1 else {}
        return Archive(
            self._problems.archive,
            self._narrowest(),
            single,
            tuple(self._problems.found),
            dict(self._problems.counts),
            format=self._format,
            sizes=self._sizes,
            entries=self._entries,
            lines={} if named else {image: tuple(of) for image, of in self._lines.items()},
            methods=named,
            units=self._units,
            parents=self._parents,
        )

    def _narrowest(self) -> LineFormat:
        has_four = all(
            region.n_points == 4
            for images in self._regions.values()
            for regions in images.values()
            for region in regions
        )
        return LineFormat.QUAD if has_four else LineFormat.POLYGON


def reader_of(
    slug: str,
    suffixes: str | tuple[str, ...],
    read_document: Callable[[Document, Collector, Problems, Kind], None],
) -> Read:
    """Return the reader of a format that has documents, bare or in a zip.

    Parameters
    ----------
    slug : str
        The slug of the format.
    suffixes : str or tuple of str
        Suffixes of documents in lower case, with the dot; the first one is used in messages.
    read_document : callable
        Given a document, the collector of its regions, the problems and the kind of the file. A
        Fault that it raises becomes a problem.

    Returns
    -------
    callable
        As ``Format.read``.
    """

    def read(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        problems = Problems(source_name(source, name))
        collector = Collector(problems, slug)
        for document in documents(source, problems, limits, suffixes, on_entry):
            try:
                read_document(document, collector, problems, kind)
            except Fault as fault:
                problems.fault(fault, document.entry)
        return collector.archive()

    return read


def finite(value: Any, what: str = "a number") -> float:
    """Return a number of a JSON document as a coordinate.

    Parameters
    ----------
    what : str
        Expected content, for messages.

    Raises
    ------
    Fault
        If it is not a number (L2), or not finite or beyond any image (L3).
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault("L2", shown(value), what)
    # Compared before it is converted: a whole number may be too large for a float.
    if not -MAX_COORDINATE <= value <= MAX_COORDINATE:
        raise Fault("L3", shown(value), "{what}, up to {most:.0f}", what=what, most=MAX_COORDINATE)
    return float(value)


def finite_in(text: str, what: str = "a number", span: Span | None = None) -> float:
    """Return the number in a text, as a coordinate.

    Parameters
    ----------
    what : str
        Expected content, for messages.
    span : (int, int), optional
        Position of the text in its line.

    Raises
    ------
    Fault
        As finite() does.
    """
    try:
        if not NUMBER.match(text):
            raise Fault("L3" if NOT_FINITE.match(text) else "L2", quoted(text), what)
        return finite(float(text), what)
    except Fault as fault:
        raise Fault(fault.code, quoted(text), fault.expected, span) from fault


def confidence_of(value: Any) -> float | None:
    """Return a confidence of a JSON document as a number, or None if the value is None.

    Raises
    ------
    Fault
        If it is not a number (L2) from 0 to 1 (L3).
    """
    if value is None:
        return None
    confidence = finite(value, "a confidence")
    if not 0 <= confidence <= 1:
        raise Fault(
            "L3", "a confidence of {confidence:g}", "a confidence in [0, 1]", confidence=confidence
        )
    return confidence


def per_cent_of(value: Any) -> float:
    """Return a confidence that is given from 0 to 100, from 0 to 1.

    Raises
    ------
    Fault
        If it is not a number (L2) from 0 to 100 (L3).
    """
    wanted = Message("a number from 0 to 100")
    per_cent = finite(value, wanted)
    if not 0 <= per_cent <= 100:
        raise Fault("L3", shown(value), wanted)
    return per_cent / 100


def objects_in(given: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list that is a member of a JSON object; none if it has no such member.

    Raises
    ------
    Fault
        If the member is something else (L1).
    """
    found = given.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(of, Mapping) for of in found):
        raise Fault("L1", "{value} as {what}", "a list of objects", value=shown(found), what=name)
    return found


def text_in(given: Mapping[str, Any], name: str) -> str | None:
    """Return the value of a member of a JSON object, or None if it is not a text."""
    value = given.get(name)
    return value if isinstance(value, str) else None


def points_of(values: Sequence[Any]) -> tuple[float, ...]:
    """Return the points of a polygon.

    Raises
    ------
    Fault
        If they are not three points or more (L1), of finite numbers (L2, L3).
    """
    if not 6 <= len(values) <= 2 * MAX_POINTS or len(values) % 2:
        wanted = Message("an even number of coordinates, six or more")
        raise Fault("L1", "{n} coordinates", wanted, n=len(values))
    return tuple([finite(value) for value in values])


def points_of_pairs(points: list[Any]) -> tuple[float, ...]:
    """Return the points of a polygon written as [[x, y], …].

    Raises
    ------
    Fault
        As points_of() does.
    """
    if not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise Fault("L1", "points of something else", "points as [x, y]")
    return points_of([value for point in points for value in point])


def points_of_xy(vertices: Any, x: str = "x", y: str = "y") -> tuple[float, ...]:
    """Return the points of a polygon written as [{"x": x, "y": y}, …]; a member that is left out is 0.

    Raises
    ------
    Fault
        As points_of() does.
    """
    if not isinstance(vertices, list) or not all(isinstance(of, Mapping) for of in vertices):
        raise Fault("L1", "points of something else", 'points as {"x": x, "y": y}')
    return points_of([of.get(axis, 0) for of in vertices for axis in (x, y)])


def pairs_of(region: Region) -> list[list[float]]:
    """Return the points of a region as [[x, y], …]."""
    return list(map(list, zip(region.points[::2], region.points[1::2], strict=True)))


def box_region(left: float, top: float, width: float, height: float, **fields: Any) -> Region:
    """Return a rectangle given by its corner and sides.

    Parameters
    ----------
    left, top, width, height : float
        In pixels.
    **fields
        Further fields of the Region.

    Raises
    ------
    Fault
        If a side is not above 0.
    """
    if width <= 0 or height <= 0:
        raise Fault(
            "L4", "a box of {width:g} x {height:g}", "sides above 0", width=width, height=height
        )
    return Region.from_box(left, top, left + width, top + height, **fields)


def size_of(width: Any, height: Any) -> tuple[int, int]:
    """Return the size of an image.

    Parameters
    ----------
    width, height : any
        In pixels.

    Raises
    ------
    Fault
        If the sides are not whole numbers from 1 to a million.
    """
    sides = (
        finite(width, Message("a width in pixels")),
        finite(height, Message("a height in pixels")),
    )
    if not all(1 <= side <= _MAX_SIDE and math.floor(side) == side for side in sides):
        found = Message("an image of {sides:g} x {sides2:g}", sides=sides[0], sides2=sides[1])
        raise Fault("L4", found, "whole numbers of pixels from 1 to {max_side}", max_side=_MAX_SIDE)
    return int(sides[0]), int(sides[1])


def size_in(
    given: Mapping[str, Any], width: str = "width", height: str = "height"
) -> tuple[int, int] | None:
    """Return the size of an image from members of a JSON object, or None if one has no value."""
    sides = given.get(width), given.get(height)
    return None if None in sides else size_of(*sides)


def shown(value: Any) -> str:
    """Return a value of a JSON document as a message shows it; huge numbers are not written out."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
        return Message("a whole number of more than 30 digits")
    if isinstance(value, list | dict):
        return Message("a list") if isinstance(value, list) else Message("a group of fields")
    return quoted(str(value))
