"""Documents of items with extents and labels, which the slot error rate measures ([BB13]_)."""

from dataclasses import dataclass

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
