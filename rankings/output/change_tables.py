"""The tables of the effects of changing protocols, from their JSON."""

from collections.abc import Iterator, Sequence
from typing import Final

from text_rankings.base.i18n import gettext, gettext_noop

from .table import (
    ADJUSTED,
    CRITERION,
    PROTOCOL,
    Column,
    Data,
    Row,
    Table,
    count,
    number,
    of_criteria,
    with_rows,
)

_GAIN: Final = ("before", "after", "difference", "low", "high", "holm_p_value")
_COLUMNS: Final = (
    *(number("As it is"), number("Changed"), number("Gain"), number("Low"), number("High")),
    number(ADJUSTED, 3),
)
_READ: Final = gettext_noop(
    "Mean distances to single annotators; a gain below 0 is nearer to people, with its 95 % interval by "
    "Student's t, annotators and images random, p-values adjusted over the rows of a criterion."
)


def change_tables(data: Data) -> list[Table]:
    """Return the tables that have a row: weights, precision of finding nothing, thresholds.

    Parameters
    ----------
    data : mapping
        "changes": criterion -> list of :class:`.changes.ProtocolChanges` as data.
    """
    return with_rows(_weights(data), _rules(data), _thresholds(data))


def _weights(data: Data) -> Table:
    def rows(found: Sequence[Data]) -> Iterator[Row]:
        for name, one in _each(found, "weights"):
            yield name, gettext(one["change"]), one["gain"]["n_images"], *_gain(one)

    return Table(
        "weights",
        gettext("Does important text weigh more?"),
        _read(
            gettext("Each protocol with regions weighted by area or by characters."),
            gettext(
                "It does not say anything about importance that neither size nor length shows."
            ),
        ),
        (CRITERION, PROTOCOL, Column("Weight"), count("Images"), *_COLUMNS),
        of_criteria(data["changes"], rows),
    )


def _rules(data: Data) -> Table:
    def rows(found: Sequence[Data]) -> Iterator[Row]:
        for name, one in _each(found, "rules"):
            n_images, n_left_out = one["gain"]["n_images"], one["n_left_out"]
            yield name, gettext(one["change"]), n_images, n_left_out, *_gain(one)

    return Table(
        "nothing",
        gettext("What is the precision of finding nothing?"),
        _read(
            gettext(
                "Each protocol with a different precision for images on which a method finds nothing."
            ),
            gettext(
                "If it is undefined, the number of images left out shows how often, and the other "
                "images do not change. It does not say which rule is right."
            ),
        ),
        (
            *(CRITERION, PROTOCOL, Column("Precision of nothing"), count("Images")),
            *(count("Left out"), *_COLUMNS),
        ),
        of_criteria(data["changes"], rows),
    )


def _thresholds(data: Data) -> Table:
    names = ("parameter", "as_is", "chosen", "least", "greatest")

    def rows(found: Sequence[Data]) -> Iterator[Row]:
        for protocol, one in _each(found, "searches"):
            yield protocol, *(one[name] for name in names), *_gain(one)

    return Table(
        "thresholds",
        gettext("Which thresholds would people choose?"),
        _read(
            gettext(
                "One parameter at a time: its value nearest to people, the range of the best values of "
                "five folds, and the gain on images outside the fold a value was chosen on."
            ),
            gettext(
                "A wide range means that the study cannot tell. It does not say what combinations "
                "of parameters would achieve: they are not searched."
            ),
        ),
        (
            *(CRITERION, PROTOCOL, Column("Parameter"), number("Value as it is")),
            *(number("Nearest value"), number("Least in folds"), number("Greatest in folds")),
            *_COLUMNS,
        ),
        of_criteria(data["changes"], rows),
    )


def _read(before: str, after: str) -> str:
    return f"{before} {gettext(_READ)} {after}"


def _each(found: Sequence[Data], kind: str) -> Iterator[tuple[str, Data]]:
    """Return each protocol with each of its changes of a kind."""
    return ((of["protocol"], one) for of in found for one in of[kind])


def _gain(one: Data) -> Row:
    return tuple(one["gain"][name] for name in _GAIN)
