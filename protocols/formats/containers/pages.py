"""Pages of documents with words, lines and blocks: one level becomes regions, the rest is counted."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from protocols.core.regions import Region

from .collecting import LINES_READ, REASONS, WITHOUT_TEXT, Collector, Reason
from .documents import Document, given_name, page_name
from .elements import Element

_T = TypeVar("_T")
WORD, LINE, BLOCK = "word", "line", "block"
# The level that is read is the first one that a page has.
LEVELS: Final = (WORD, LINE, BLOCK)
PAGES_OF_LINES: Final = REASONS["pages-of-lines"]
PAGES_OF_WORDS: Final = REASONS["pages-of-words"]
_READ_INSTEAD: Final[Mapping[str, Reason]] = {
    WORD: PAGES_OF_WORDS,
    LINE: PAGES_OF_LINES,
    BLOCK: REASONS["pages-of-blocks"],
}
_WITHOUT_WORDS: Final[Mapping[str, Reason]] = {
    LINE: REASONS["lines-among-others"],
    BLOCK: REASONS["blocks-among-others"],
}
OTHERS: Final = REASONS["pictures"]
# docTR 1.1 puts the words of a table into its cells, without their boxes.
CELLS: Final = REASONS["cells"]
_LOOSE: Final = REASONS["loose-texts"]


@dataclass(slots=True, eq=False)
class Unit:
    """A word, line or block while it is read.

    ``given`` is what its reader makes an outline of, ``line`` its place in the document. Text,
    outline and confidence are its own, never those of the units inside it.
    """

    level: str
    line: int
    given: Any
    id: str | None = None
    parent: str | None = None
    text: str | None = None
    ignored: bool = False
    # Whether it has words, or lines.
    has_units: bool = False


@dataclass(slots=True, eq=False)
class Page:
    """A page with its units by level; ``name`` is the path of its image, or empty.

    ``n_others`` counts areas that are no text: pictures, tables, rules; ``n_loose`` texts outside
    of all units.
    """

    name: str
    line: int
    size: tuple[int, int] | None = None
    n_others: int = 0
    n_loose: int = 0
    units: dict[str, list[Unit]] = field(default_factory=dict)

    def add(self, unit: Unit, around: Sequence[Unit]) -> None:
        """Add a unit that begins inside others; these are no regions where it is of a lower level."""
        for outer in around:
            outer.has_units |= outer.level != unit.level
        self.units.setdefault(unit.level, []).append(unit)


def add_units(
    element: Element,
    page: Page,
    levels: Mapping[str, str],
    unit_of: Callable[[Element, str | None], Unit | None],
    is_other: Callable[[str], bool],
    around: Sequence[Unit] = (),
) -> None:
    """Add the units inside an element to a page, and count others; ``levels`` are by names of elements.

    ``unit_of`` takes the id of the unit around one.
    """
    for inner in element.inside:
        unit = None
        if inner.name in levels:
            unit = unit_of(inner, around[-1].id if around else None)
        else:
            page.n_others += is_other(inner.name)
        if inner.inside:
            inner_around = around if unit is None else [*around, unit]
            add_units(inner, page, levels, unit_of, is_other, inner_around)
        if unit is not None:
            page.add(unit, around)


def add_pages(
    pages: Sequence[Page],
    document: Document,
    collector: Collector,
    region_of: Callable[[Unit], Region],
) -> None:
    """Add the pages of a document as images: the words of each, else its lines, else its blocks.

    Pages of one name are NAME_1, NAME_2 … in their order. Units whose text is blank are left out;
    so are those with an empty text in results, unless no unit has a text, as in detections alone.
    What raises Fault is reported.
    """
    units = [unit for page in pages for of_level in page.units.values() for unit in of_level]
    drops_empty = collector.kind == "results" and any(
        unit.text and unit.text.strip() for unit in units
    )
    for name, page in zip(_names(pages, document.stem), pages, strict=True):
        with collector.catching(page.line):
            if name in collector:
                raise collector.second(name)
            chosen = _chosen(page, drops_empty, collector)
            collector.image(name, size=page.size)
            for unit in chosen:
                with collector.catching(unit.line):
                    collector.add(name, region_of(unit))
                # The parts of all regions are larger than the regions.
                unit.given = None


def _names(pages: Sequence[Page], stem: str) -> list[str]:
    given = [given_name(page.name, stem) for page in pages]
    n_pages, n_seen = Counter(given), Counter[str]()
    names = []
    for name in given:
        n_seen[name] += 1
        names.append(page_name(name, n_seen[name], n_pages[name]))
    return names


def _chosen(page: Page, drops_empty: bool, collector: Collector) -> Sequence[Unit]:
    """Return the units of the lowest level that has some with text; count the others."""
    for at, level in enumerate(LEVELS):
        chosen = []
        for unit in page.units.get(level, ()):
            if unit.has_units:
                continue
            text, unit.text = unit.text, unit.text and unit.text.strip()
            if unit.text == "" and (text or drops_empty):
                collector.count(WITHOUT_TEXT, unit.line)
            else:
                chosen.append(unit)
        if chosen:
            collector.level = level
            if level != WORD:
                collector.count(_READ_INSTEAD[level], page.line)
            for higher in LEVELS[at + 1 :]:
                for unit in page.units.get(higher, ()):
                    if not unit.has_units:
                        collector.count(_WITHOUT_WORDS[higher], unit.line)
            return chosen
    for reason, n in ((OTHERS, page.n_others), (_LOOSE, page.n_loose)):
        if n:
            collector.count(reason, page.line, n)
    return ()


def units_of(
    words: Sequence[_T],
    lines: Sequence[_T],
    blocks: Sequence[_T],
    collector: Collector,
    *,
    of_lines: bool = False,
) -> Sequence[_T]:
    """Return the words of a page, else its lines, else its blocks; count what that leaves out.

    ``lines`` are those without words, and ``blocks`` those without either. If ``of_lines``, all
    lines come before the words.
    """
    found = {WORD: words, LINE: lines, BLOCK: blocks}
    order = (LINE, WORD, BLOCK) if of_lines else LEVELS
    level = collector.level = next((of for of in order if found[of]), order[0])
    if level != order[0]:
        reason, n = (LINES_READ, len(lines)) if level == LINE else (_READ_INSTEAD[level], 1)
        collector.count(reason, n=n)
    for higher in order[order.index(level) + 1 :]:
        if found[higher] and higher != WORD:
            collector.count(_WITHOUT_WORDS[higher], n=len(found[higher]))
    return found[level]
