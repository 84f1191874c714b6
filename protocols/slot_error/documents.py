"""Reading of documents of items from JSON data."""

from collections.abc import Mapping
from typing import Any

from ..core.errors import ProtocolError, RegionError
from ..core.regions import Region
from .items import Document, Item, Span


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
