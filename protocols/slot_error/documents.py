"""Items of documents, read from JSON data and from the stand-off files of BioNLP ([BB13]_)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..core.errors import ProtocolError, RegionError
from ..core.regions import Region

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Item:
    """An entity: where it is, and its labels, of which repeats do not count.

    It has ``spans`` of characters ``[start, end)``, several fragments being one extent, or
    ``polygons`` on an image.
    """

    spans: tuple[Span, ...] = ()
    polygons: tuple[Region, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document, or an image: references and predictions, each in file order."""

    references: tuple[Item, ...]
    predictions: tuple[Item, ...]


class DocumentError(ProtocolError, ValueError):
    """Data that are not documents of items; the message names the place."""


def read_documents(given: Any, place: str) -> tuple[Document, ...]:
    """Return documents from JSON data; an error names the place inside it.

    Raises DocumentError if the data are anything else, or empty.
    """
    if not isinstance(given, list):
        raise DocumentError(f'{place}: expected a list "documents"')
    if not given:
        raise DocumentError(f'{place}: "documents" is empty')
    return tuple(_document(one, f"{place}, document {at}") for at, one in enumerate(given))


def _document(given: Any, place: str) -> Document:
    sides = []
    for side in ("references", "predictions"):
        items = checked_object(given, place).get(side)
        if not isinstance(items, list):
            raise DocumentError(f'{place}: expected a list "{side}"')
        sides.append(
            tuple(_item(item, f"{place}, {side[:-1]} {at}") for at, item in enumerate(items))
        )
    references, predictions = sides
    if len({bool(item.polygons) for item in (*references, *predictions)}) > 1:
        raise DocumentError(f"{place}: expected spans everywhere or polygons everywhere, got both")
    return Document(references, predictions)


def _item(given: Any, place: str) -> Item:
    item = checked_object(given, place)
    labels = checked_labels(item.get("labels") or [], f"{place}, labels")
    if ("spans" in item) == ("polygons" in item):
        raise DocumentError(f'{place}: expected either "spans" or "polygons"')
    name = "spans" if "spans" in item else "polygons"
    parts = item[name]
    if not isinstance(parts, list) or not parts:
        raise DocumentError(f'{place}: expected "{name}" as a list with something in it')
    places = [f"{place}, {name[:-1]} {at}" for at in range(len(parts))]
    if name == "spans":
        return Item(spans=tuple(map(_span, parts, places)), labels=labels)
    return Item(polygons=tuple(map(_polygon, parts, places)), labels=labels)


def _span(given: Any, place: str) -> Span:
    if (
        not isinstance(given, list)
        or len(given) != 2
        or any(isinstance(value, bool) or not isinstance(value, int) for value in given)
        or not 0 <= given[0] <= given[1] < 2**62
    ):
        raise DocumentError(f"{place}: expected [start, end], 0 <= start <= end; got {given!r}")
    return given[0], given[1]


def _polygon(given: Any, place: str) -> Region:
    try:
        return Region(tuple(float(value) for x, y in given for value in (x, y)))
    except RegionError as refusal:
        raise DocumentError(f"{place}: {refusal}") from refusal
    except (TypeError, ValueError, OverflowError) as fault:
        raise DocumentError(f"{place}: expected a list of [x, y]") from fault


def checked_labels(given: Any, place: str) -> tuple[str, ...]:
    """Return labels without repetitions; raise DocumentError if they are not texts."""
    if not isinstance(given, list) or not all(isinstance(label, str) for label in given):
        raise DocumentError(f"{place}: expected a list of texts, got {given!r}")
    return tuple(dict.fromkeys(given))


def checked_object(given: Any, place: str) -> Mapping[str, Any]:
    """Return the given value if it is an object; raise DocumentError if it is not."""
    if not isinstance(given, Mapping):
        raise DocumentError(f"{place}: expected an object")
    return given


_TYPE: Final = "Habitat"
_ONTOLOGY: Final = "OntoBiotope"


class StandoffError(ProtocolError, ValueError):
    """Text that is not a stand-off annotation; the message names file and line."""


def read_standoff(text: str, name: str = "the file") -> tuple[Item, ...]:
    """Return the habitats of an .a1 or .a2 file, in file order.

    A line ``T3<tab>Habitat 204 209<tab>human`` is an entity, its fragments separated as in ``0 4;8
    12``; ``N1<tab>OntoBiotope Annotation:T3 Referent:OBT:001804`` gives it a label; several such
    lines give several. Entities of other types, terms of other ontologies and lines of other kinds
    do not count. If entities and labels are in two files, join their texts. ``name`` is the name of
    the file in messages. Raises StandoffError if a line is damaged, an entity occurs twice, or a
    label refers to an unknown entity; the message names the line.
    """
    spans: dict[str, tuple[Span, ...]] = {}
    labels: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    terms: list[tuple[str, str, str]] = []
    # split("\n"), not splitlines(): the text of an entity may hold other line breaks.
    for number, line in enumerate(text.split("\n"), 1):
        place = f"{name}, line {number}"
        fields = line.rstrip("\r").split("\t")
        if fields[0].startswith("T"):
            if fields[0] in types:
                raise StandoffError(f"{place}: the entity {fields[0]} is there twice")
            types[fields[0]], spans[fields[0]] = _entity(fields, place)
        elif fields[0].startswith("N"):
            terms += _term(fields, place)
    for place, entity, term in terms:
        if entity not in types:
            raise StandoffError(f"{place}: a label of {entity}, which is not there")
        labels.setdefault(entity, []).append(term)
    return tuple(
        Item(spans=spans[entity], labels=tuple(dict.fromkeys(labels.get(entity, []))))
        for entity, kind in types.items()
        if kind == _TYPE
    )


def _entity(fields: list[str], place: str) -> tuple[str, tuple[Span, ...]]:
    try:
        kind, _, extent = fields[1].partition(" ")
        fragments = [tuple(map(int, part.split())) for part in extent.split(";")]
        spans = tuple((start, end) for start, end in fragments)
    except (IndexError, ValueError) as fault:
        raise StandoffError(
            f"{place}: expected a type and start end[;start end...], got {fields[1:2]}"
        ) from fault
    if not all(0 <= start <= end for start, end in spans):
        raise StandoffError(f"{place}: expected 0 <= start <= end, got {extent!r}")
    return kind, spans


def _term(fields: list[str], place: str) -> Iterable[tuple[str, str, str]]:
    parts = fields[1].split() if len(fields) > 1 else []
    if not parts:
        raise StandoffError(f"{place}: expected Annotation:... Referent:..., got nothing")
    if parts[0] != _ONTOLOGY:
        return []
    known = dict(part.split(":", 1) for part in parts[1:] if ":" in part)
    if not known.get("Annotation") or not known.get("Referent"):
        raise StandoffError(f"{place}: expected Annotation:... Referent:..., got {fields[1]!r}")
    return [(place, known["Annotation"], known["Referent"])]
