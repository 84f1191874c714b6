"""The tables of the effects of changing protocols, from their JSON."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from text_rankings.base.i18n import gettext, gettext_noop

from .table import ADJUSTED, CRITERION, PROTOCOL, Cell, Column, Data, Table, count, number

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
    """Return the tables that have a row: weights, rules of finding nothing, thresholds.

    Parameters
    ----------
    data : mapping
        "changes": criterion -> list of :class:`.changes.ProtocolChanges` as data.

    Examples
    --------
    >>> gain = {"before": 1.0, "after": 0.5, "difference": -0.5, "low": None, "high": None}
    >>> area = {"change": "area", "gain": gain | {"holm_p_value": None, "n_images": 2}}
    >>> of = {"protocol": "iou", "weights": [area], "rules": [], "searches": []}
    >>> [(table.slug, table.rows[0][:7]) for table in change_tables({"changes": {"recall": [of]}})]
    [('weights', ('recall', 'iou', 'area', 2, 1.0, 0.5, -0.5))]
    """
    return [table for table in (_weights(data), _rules(data), _thresholds(data)) if table.rows]


def _weights(data: Data) -> Table:
    return Table(
        "weights",
        gettext("Does important text weigh more?"),
        _read(
            gettext("Each protocol with regions weighed by area or by characters."),
            gettext("It does not say anything of importance that neither size nor length shows."),
        ),
        (CRITERION, PROTOCOL, Column("Weight"), count("Images"), *_COLUMNS),
        tuple(
            (
                criterion,
                of["protocol"],
                gettext(one["change"]),
                one["gain"]["n_images"],
                *_gain(one),
            )
            for criterion, of in _each(data)
            for one in of["weights"]
        ),
    )


def _rules(data: Data) -> Table:
    return Table(
        "nothing",
        gettext("What is the precision of finding nothing?"),
        _read(
            gettext("Each protocol with another precision where a method finds nothing."),
            gettext(
                "Where it is undefined, the images left out say how often that is, and the others do not "
                "change. It does not say which rule is right."
            ),
        ),
        (
            *(CRITERION, PROTOCOL, Column("Precision of nothing"), count("Images")),
            *(count("Left out"), *_COLUMNS),
        ),
        tuple(
            (
                *(criterion, of["protocol"], gettext(one["change"]), one["gain"]["n_images"]),
                *(one["n_left_out"], *_gain(one)),
            )
            for criterion, of in _each(data)
            for one in of["rules"]
        ),
    )


def _thresholds(data: Data) -> Table:
    return Table(
        "thresholds",
        gettext("Which thresholds would people choose?"),
        _read(
            gettext(
                "One parameter at a time: its value nearest to people, the range of the best values of "
                "five folds, and the gain on images outside the fold a value was chosen on."
            ),
            gettext(
                "A wide range means that the study cannot tell. It does not say what combinations of "
                "parameters would bring: they are not searched."
            ),
        ),
        (
            *(CRITERION, PROTOCOL, Column("Parameter"), number("Value as it is")),
            *(number("Nearest value"), number("Least in folds"), number("Greatest in folds")),
            *_COLUMNS,
        ),
        tuple(
            (
                *(criterion, of["protocol"], one["parameter"]),
                *(one[name] for name in ("as_is", "chosen", "least", "greatest")),
                *_gain(one),
            )
            for criterion, of in _each(data)
            for one in of["searches"]
        ),
    )


def _read(before: str, after: str) -> str:
    return f"{before} {gettext(_READ)} {after}"


def _each(data: Data) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for criterion, found in data["changes"].items():
        for of in found:
            yield criterion, of


def _gain(one: Mapping[str, Any]) -> tuple[Cell, ...]:
    return tuple(one["gain"][name] for name in _GAIN)
