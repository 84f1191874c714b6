"""The tables of the effects of changing protocols, from their JSON."""

from collections.abc import Iterator, Sequence
from typing import Final

from .table import Data, Row, Table, listed, of_criteria, with_rows

_GAIN: Final = ("before", "after", "difference", "low", "high", "holm_p_value")


def change_tables(data: Data) -> list[Table]:
    """Return the tables of "changes", a list of :class:`.changes.ProtocolChanges` by criterion.

    Those with a row: weights, precision of finding nothing, thresholds.
    """
    made = {"weights": _weights, "nothing": _rules, "thresholds": _thresholds}
    return with_rows(
        *(listed(slug, of_criteria(data["changes"], rows)) for slug, rows in made.items())
    )


def _weights(found: Sequence[Data]) -> Iterator[Row]:
    for name, one in _each(found, "weights"):
        yield name, one["change"], one["gain"]["n_images"], *_gain(one)


def _rules(found: Sequence[Data]) -> Iterator[Row]:
    for name, one in _each(found, "rules"):
        n_images, n_left_out = one["gain"]["n_images"], one["n_left_out"]
        yield name, one["change"], n_images, n_left_out, *_gain(one)


def _thresholds(found: Sequence[Data]) -> Iterator[Row]:
    names = ("parameter", "as_is", "chosen", "least", "greatest")
    for protocol, one in _each(found, "searches"):
        yield protocol, *(one[name] for name in names), *_gain(one)


def _each(found: Sequence[Data], kind: str) -> Iterator[tuple[str, Data]]:
    """Return each protocol with each of its changes of a kind."""
    return ((of["protocol"], one) for of in found for one in of[kind])


def _gain(one: Data) -> Row:
    return tuple(one["gain"][name] for name in _GAIN)
