"""Documents of items with extents and labels, which the slot error rate measures ([BB13]_)."""

from dataclasses import dataclass

from ..core.regions import Region

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Item:
    """An entity: where it is, and its labels.

    Attributes
    ----------
    spans : tuple of (int, int)
        Characters ``[start, end)``; several fragments are one extent, their union.
    polygons : tuple of Region
        The same on an image; an item has spans or polygons.
    labels : tuple of str
        Repeats do not count.
    """

    spans: tuple[Span, ...] = ()
    polygons: tuple[Region, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document, or an image: references and predictions, each in file order."""

    references: tuple[Item, ...]
    predictions: tuple[Item, ...]
