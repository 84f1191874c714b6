"""Collecting the regions of a reader into an Archive: names, duplicates, shapes, sizes."""

import json
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from protocols.core.regions import Region
from text_rankings.base.counts import counted
from text_rankings.base.names import has_unseen, natural_order

from ..problems import KEPT, LEFT_OUT, READ_ANYWAY, Fault, Problems, quoted
from .archives import Limits

# Plug-ins import finite_in from here.
from .checked import finite_in as finite_in
from .checked import shown, unread_fields
from .checking import outside_images
from .contents import REGION as REGION
from .contents import Archive, Kind, LeftOut, LineFormat, OnEntry, Read, Unit
from .documents import Document, are_different, documents, image_name, storable
from .files import Source, source_name
from .limits import BATCH, MAX_NAME
from .shapes import may_be_shares, odd_shapes, refuse_shares, tell_shape

SHAPE: Final = "shape"
_ONE_NAME_EACH: Final = "a name for each image; folders are not part of names"
_Place = tuple[str | None, int | None, str | None]


class Reason(NamedTuple):
    """Why units of files are not read as regions: how many of which, as in "{n} word", and what was expected.

    U1: they are left out. U2: others are read instead. Fields of regions are not ``of_units``. Without
    a ``level`` they are of the one that is read.
    """

    one: str
    many: str
    expected: str
    code: str = "U1"
    of_units: bool = True
    level: str = ""


_LISTED: Final = json.loads((Path(__file__).parents[1] / "reasons.json").read_text("utf-8"))
REASONS: Final = {name: Reason(**of) for name, of in _LISTED.items()}
WITHOUT_TEXT: Final = REASONS["without-text"]
_UNREAD: Final = REASONS["unread-fields"]
LINES_READ: Final = REASONS["lines-read"]
_KNOWN_EMPTY: Final = (b"[]", b"null")


@dataclass(slots=True)
class _Counted:
    """How many units, and the place of the first."""

    n: int
    image: str | None
    entry: str | None
    line: int | None


class Collector:
    """Collector of regions, one after the other, into an Archive.

    Polygons may run in either direction. Those without area (L4), self-crossing ones (L5), duplicated
    regions (L8) and regions that reach outside an image whose size the file gives (L6) are reported.
    Units that are not read as regions are counted by reason (U1, U2). The texts of an ``engine`` lose
    blanks at both ends, and its words of blanks are left out; so are empty texts of its results, unless
    no region has a text, as in detections alone. ``entry`` is that of the document whose regions come next.
    """

    def __init__(
        self, problems: Problems, format: str, kind: Kind, *, is_of_engine: bool = False
    ) -> None:
        self.problems = problems
        self.kind = kind
        self.entry: str | None = None
        self._format = format
        self._is_of_engine = is_of_engine
        # The level of the units of the next image, such as word, and of each image.
        self.level = ""
        self._level_of: dict[str, str] = {}
        # Images, regions and units left out; what a document has of its format.
        self.n_found = 0
        self._regions: dict[str | None, dict[str, list[Region]]] = {}
        # Whether all regions so far may be shares of an image's sides in place of pixels.
        self._may_be_shares = True
        self._bare: dict[str, str | None] = {}
        # Names of labels and of images by the document's ids.
        self.ids: tuple[dict[str, str], dict[str, str]] = ({}, {})
        self._lines: dict[str, list[int]] = {}
        self._entries: dict[str, str] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._units: dict[str, Unit] = {}
        self._parents: dict[str, dict[str, Region]] = {}
        self._seen: set[tuple[Any, ...]] = set()
        self._waiting: list[tuple[Region, _Place]] = []
        self._n_unstorable = 0
        # By image, as the document tells it.
        self._paths: dict[str, str] = {}
        # By reason and values.
        self._account: dict[tuple[Any, ...], _Counted] = {}

    def __contains__(self, image: str) -> bool:
        return any(image in images for images in self._regions.values())

    def image(
        self,
        name: str,
        *,
        method: str | None = None,
        size: tuple[int, int] | None = None,
        unit: Unit | None = None,
    ) -> None:
        """Declare an image, which may remain without regions.

        Raises Fault if it has no usable name (N1).
        """
        if not name.strip() or len(name) > MAX_NAME or has_unseen(name):
            raise Fault("N1", f"the name {quoted(name)}", f"1 to {MAX_NAME} plain characters")
        self.n_found += 1
        self._level_of[name], self.level = self.level or REGION, ""
        self._regions.setdefault(method, {}).setdefault(name, [])
        if size is not None:
            self._sizes[name] = size
        if unit is not None:
            self._units[name] = unit
        if self.entry is not None:
            self._entries[name] = self.entry

    def new_image(
        self, name: str, *, size: tuple[int, int] | None = None, unit: Unit | None = None
    ) -> None:
        """Declare an image that was not declared before; raise Fault if it was (N3)."""
        if name in self:
            raise self.second(name)
        self.image(name, size=size, unit=unit)

    def named(self, path: str) -> str:
        """Return the name of the image in a file, of whose path a document tells.

        Raises Fault (N3) if a file of another folder, or with another suffix, has the same name.
        """
        name = image_name(path)
        first = self._paths.setdefault(name, path)
        if first != path and are_different(first, path):
            raise Fault(
                "N3",
                (f"{quoted(first)} and {quoted(path)}, which are both named {quoted(name)}"),
                _ONE_NAME_EACH,
            )
        return name

    def second(self, name: str) -> Fault:
        """Return the fault that an image was declared before, with the file that did."""
        entry = self._entries.get(name)
        if entry is None:
            return Fault("N3", f"a second image {shown(name)}", "each image once")
        found = f"a second image {quoted(name)} (the other: {quoted(entry)})"
        return Fault("N3", found, _ONE_NAME_EACH)

    def catching(
        self, line: int | None = None, *, text: str | None = None
    ) -> AbstractContextManager[None]:
        """Add an error for a Fault that is raised inside, with its place; continue behind it."""
        return self.problems.catching(self.entry, line, text=text)

    def tell(self, fault: Fault, place: str, line: int | None = None) -> None:
        """Add an error for a Fault, with its place inside the document."""
        found = f"{fault.found} ({place})"
        self.problems.error(fault.code, found, fault.expected, self.entry, line)

    def warning(
        self, code: str, found: str, expected: str, line: int | None = None, **options: Any
    ) -> None:
        """Add a warning about the document that is read."""
        self.problems.warning(code, found, expected, self.entry, line, **options)

    def bare(self, name: str) -> None:
        """Take an image whose document has no sign of its format; it counts only among others."""
        self.n_found += 1
        self._bare[name] = self.entry

    def recognise(self) -> None:
        """Accept a document of the format although it names no image, such as a header alone."""
        self.n_found += 1

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
        line: int | None = None,
    ) -> None:
        """Add an image with all its regions; report an invalid one as ``what`` with its number.

        Raises Fault if the image was declared before (N3), or has no usable name (N1).
        """
        if name in self:
            raise self.second(name)
        self.level = self.level or what
        self.image(name, size=size, unit=unit)
        for at, one in enumerate(given, 1):
            try:
                self.add(name, region_of(one), line=line, given=one)
            except Fault as fault:
                self.tell(fault, f"{what} {at} of {name}", line)

    def add(
        self,
        image: str,
        region: Region,
        *,
        method: str | None = None,
        line: int | None = None,
        text: str | None = None,
        given: Any = None,
    ) -> None:
        """Add a region of a declared image; line and text are for messages.

        ``given`` is what the region was made of; its fields that are not read are counted.
        """
        self._may_be_shares = (
            self._may_be_shares and image not in self._units and may_be_shares(region.points)
        )
        if self._is_of_engine and region.text:
            region = replace(region, text=region.text.strip())
            if not region.text:
                self.count(WITHOUT_TEXT, line, image=image)
                return
        if isinstance(given, Mapping) and (unread := unread_fields(given, region)):
            self.count(_UNREAD, line, image=image, keys=", ".join(unread))
        region = self._storable(region)
        self.n_found += 1
        self._regions[method][image].append(region)
        if line is not None:
            self._lines.setdefault(image, []).append(line)
        shape = (method, image, region.points, region.pixels, region.cell)
        if shape in self._seen:
            self.problems.warning(
                "L8",
                f"the same region of {image} again",
                "each region once",
                self.entry,
                line,
                text=text,
                action=KEPT,
            )
        self._seen.add(shape)
        if region.pixels is None:
            self._waiting.append((region, (self.entry, line, text)))
            if len(self._waiting) >= BATCH:
                self._look_at_shapes()

    def count(
        self,
        reason: Reason,
        line: int | None = None,
        n: int = 1,
        *,
        image: str | None = None,
        **values: str,
    ) -> None:
        """Count units of the file that are not read as regions; each reason becomes one problem.

        ``image`` is named if it is given; values fill the placeholders of the reason.
        """
        self.n_found += 1
        key = (reason, *sorted(values.items()))
        self._account.setdefault(key, _Counted(0, image, self.entry, line)).n += n

    def _tell_account(self) -> Iterator[LeftOut]:
        """Report units that are not read as regions, and yield those that are left out."""
        read = " or ".join(sorted({*self._level_of.values()})) or REGION
        for (reason, *values), of in self._account.items():
            found = (reason.one if of.n == 1 else reason.many).format(n=of.n, **dict(values))
            if of.image is not None:
                found = f"{found} (first in {of.image})"
            action = LEFT_OUT if reason.code == "U1" else READ_ANYWAY
            self.problems.warning(
                reason.code, found, reason.expected, of.entry, of.line, action=action
            )
            if reason.code == "U1" and reason.of_units:
                words = reason.many.format(n="", **dict(values)).strip()
                yield LeftOut(words, of.n, self.problems.found[-1].place, reason.level or read)

    def _storable(self, region: Region) -> Region:
        texts = (region.text, region.label, region.id, region.parent)
        if all(text is None or storable(text) == text for text in texts):
            return region
        self._n_unstorable += 1
        text, label, id_, parent = (None if of is None else storable(of) for of in texts)
        return replace(region, text=text, label=label, id=id_, parent=parent)

    def _look_at_shapes(self) -> None:
        waiting, self._waiting = self._waiting, []
        regions = [region for region, _ in waiting]
        if not regions:
            return
        for at, code, repair in odd_shapes(regions, flat=True):
            if code != "L7":
                tell_shape(self.problems, code, regions[at], repair, waiting[at][1])

    def archive(self) -> Archive:
        """Return everything collected."""
        self._look_at_shapes()
        self._take_bare()
        if self._may_be_shares and (n := self._n_regions()):
            entry = next((of for of in self._entries.values() if of is not None), None)
            refuse_shares(self.problems, n, (entry, None))
        self._leave_out_blanks()
        left_out = tuple(self._tell_account())
        if self._n_unstorable:
            found = (
                f"null characters or halves of characters in {self._n_unstorable} texts (replaced)"
            )
            self.problems.warning("L9", found, "texts in Unicode")
        methods = {
            method: {image: tuple(images[image]) for image in sorted(images, key=natural_order)}
            for method, images in self._regions.items()
        }
        named = {method: images for method, images in methods.items() if method is not None}
        n_nameless = sum(map(len, methods.get(None, {}).values()))
        if named and n_nameless:
            found = f"{counted(n_nameless, 'region')} without a method among others that have one"
            self.problems.error("S3", found, "a method for each, or for none")
        single = next(iter(methods.values())) if len(methods) == 1 else {}
        archive = Archive(
            self.problems.archive,
            self._narrowest(),
            single,
            (),
            {},
            format=self._format,
            sizes=self._sizes,
            entries=self._entries,
            lines={} if named else {image: tuple(of) for image, of in self._lines.items()},
            methods=named,
            units=self._units,
            parents=self._parents,
            categories=self.ids[0],
            image_ids=self.ids[1],
            left_out=left_out,
            levels=self._levels(),
        )
        sizes = {image: of for image, of in self._sizes.items() if image not in self._units}
        self.problems.merge(outside_images(archive, sizes))
        return archive.with_problems(self.problems)

    def _levels(self) -> Mapping[str, int]:
        levels = Counter[str]()
        for images in self._regions.values():
            for image, regions in images.items():
                levels[self._level_of[image]] += len(regions)
        del levels[REGION]
        return dict(+levels)

    def _n_regions(self) -> int:
        return sum(len(of) for images in self._regions.values() for of in images.values())

    def _take_bare(self) -> None:
        is_known = bool(self._regions)
        for name, entry in self._bare.items():
            with self.problems.catching(entry):
                if not is_known:
                    raise _nothing_of(self._format)
                self.entry = entry
                self.image(name)

    def _leave_out_blanks(self) -> None:
        """Leave out regions of an engine's results without text, if others have one."""
        lists = [(name, of) for images in self._regions.values() for name, of in images.items()]
        if (
            not self._is_of_engine
            or self.kind != "results"
            or not any(of.text for _, found in lists for of in found)
        ):
            return
        for image, regions in lists:
            kept = [at for at, region in enumerate(regions) if region.text != ""]
            if len(kept) == len(regions):
                continue
            lines = self._lines.get(image, ())
            first = next(at for at, region in enumerate(regions) if region.text == "")
            is_numbered = len(lines) == len(regions)
            self.entry = self._entries.get(image)
            self.count(
                WITHOUT_TEXT,
                lines[first] if is_numbered else None,
                len(regions) - len(kept),
                image=image,
            )
            if is_numbered:
                self._lines[image] = [lines[at] for at in kept]
            regions[:] = [regions[at] for at in kept]

    def _narrowest(self) -> LineFormat:
        has_four = all(
            region.n_points == 4
            for images in self._regions.values()
            for regions in images.values()
            for region in regions
        )
        return LineFormat.QUAD if has_four else LineFormat.POLYGON


def _nothing_of(slug: str) -> Fault:
    return Fault("A1", f"nothing of the format {slug}", "its elements")


def reader_of(
    slug: str,
    suffixes: str | tuple[str, ...],
    read_document: Callable[[Document, Collector], None],
    *,
    engine: Container[Kind] = (),
) -> Read:
    """Return the reader of a format that has documents, bare or in a zip.

    Suffixes are in lower case, with the dot; the first one is used in messages. A Fault that
    ``read_document`` raises becomes a problem, and so does a document with nothing of the format.
    ``engine`` has the kinds of files that an engine writes, whose blank words are left out.
    """

    def read(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        problems = Problems(source_name(source, name))
        collector = Collector(problems, slug, kind, is_of_engine=kind in engine)
        for document in documents(source, problems, limits, suffixes, on_entry):
            before, collector.entry = collector.n_found, document.entry
            with problems.catching(document.entry):
                read_document(document, collector)
                is_known = document.content.strip() in _KNOWN_EMPTY
                if collector.n_found == before and not is_known and not problems.has_errors:
                    raise _nothing_of(slug)
        return collector.archive()

    return read
