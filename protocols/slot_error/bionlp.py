"""BioNLP stand-off annotations: habitats with their extents and ontology terms."""

from collections.abc import Iterable
from typing import Final

from ..core.errors import ProtocolError
from .items import Item, Span

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
