"""Collecting the regions of a reader into an Archive: names, duplicates, shapes, sizes."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from protocols.core.regions import Region
from text_rankings.base.i18n import Message, ngettext_noop
from text_rankings.base.names import has_unseen

from ..problems import KEPT, KEPT_AS_IT_IS, LEFT_OUT, READ_ANYWAY, Fault, Problems, quoted
from .archives import Limits, Source, source_name

# Plug-ins import finite_in from here.
from .checked import finite_in as finite_in
from .checked import shown
from .contents import Archive, Kind, LineFormat, OnEntry, Read, Unit, natural_order
from .documents import Document, documents, storable
from .limits import BATCH, MAX_NAME
from .shapes import odd_shapes, tell_shape

# A fault with its place inside an image.
IN_IMAGE: Final = Message("{fault} ({what} {at} of {image})")
REGION: Final = Message("region")
LINE: Final = Message("line")
SHAPE: Final = Message("shape")
_Place = tuple[str | None, int | None, str | None]


class Reason(NamedTuple):
    """Why units of files are not read as regions: how many of which, as in "{n} word", and what was expected.

    U1: they are left out. U2: others are read instead.
    """

    one: str
    many: str
    expected: str
    code: str = "U1"


WITHOUT_TEXT: Final = Reason(
    "{n} word or line without text", "{n} words or lines without text", "texts"
)


class Collector:
    """Collector of regions, one after the other, into an Archive.

    Polygons may run in either direction; those without area are refused (L4). Self-crossing ones
    (L5), duplicated regions (L8) and regions that reach outside an image whose size the file gives
    (L6) are reported. Units that are not read as regions are counted by reason (U1, U2).
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
        # How many units, and the place of the first.
        self._account: dict[Reason, tuple[int, str | None, int | None]] = {}

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

        Raises Fault if it has no usable name (N1).
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

        Raises Fault if the image was declared before (N3), or has no usable name (N1).
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

    def count(
        self, reason: Reason, entry: str | None = None, line: int | None = None, n: int = 1
    ) -> None:
        """Count units of the file that are not read as regions; each reason becomes one problem."""
        n_before, *first = self._account.get(reason, (0, entry, line))
        self._account[reason] = (n_before + n, *first)

    def _tell_account(self) -> None:
        for reason, (n, entry, line) in self._account.items():
            self._problems.warning(
                reason.code,
                ngettext_noop(reason.one, reason.many, n),
                reason.expected,
                entry,
                line,
                action=LEFT_OUT if reason.code == "U1" else READ_ANYWAY,
            )

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
        self._tell_account()
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

    Suffixes are in lower case, with the dot; the first one is used in messages. A Fault that
    ``read_document`` raises becomes a problem.
    """

    def read(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        problems = Problems(source_name(source, name))
        collector = Collector(problems, slug)
        for document in documents(source, problems, limits, suffixes, on_entry):
            with problems.catching(document.entry):
                read_document(document, collector, problems, kind)
        return collector.archive()

    return read
