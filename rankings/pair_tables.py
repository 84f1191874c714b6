"""The tables of what pairs say of the protocols, of :func:`.pair_report` as it was computed or kept."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.words import gettext

from .table_parts import (
    ADJUSTED,
    CRITERION,
    PROTOCOL,
    Cell,
    Column,
    Data,
    Table,
    count,
    number,
    of_criteria,
)
from .verdict_tables import not_tested

# The names of these tables in addresses.
PAIR_TABLES: Final = ("losses", "lossdifferences")


def pair_tables(pairs: Data) -> list[Table]:
    """Return every table that has a row.

    Parameters
    ----------
    pairs : mapping
        :func:`.pair_report.pair_report`, as it was computed or kept.

    Examples
    --------
    >>> tested = {"protocols": ["iou"], "means": [0.25], "pairs": [], "reason": None}
    >>> own = {"comparisons": tested, "clusters": {"iou": 1}, "letters": {"iou": "a"}}
    >>> [(table.slug, table.rows) for table in pair_tables({"criteria": {"recall": own}})]
    [('losses', (('recall', 'iou', 0.25, 1, 'a'),))]
    """
    return [table for table in (_losses(pairs), _loss_differences(pairs)) if table.rows]


def _losses(pairs: Data) -> Table:
    """Return how often each protocol orders a pair otherwise than people."""

    def rows(own: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        tested = own["comparisons"]
        mean_of = dict(zip(tested["protocols"], tested["means"], strict=True))
        if None in mean_of.values():
            return
        for name in sorted(mean_of, key=lambda name: (mean_of[name], name)):
            yield name, mean_of[name], own["clusters"][name], own["letters"][name]

    return Table(
        "losses",
        gettext("Loss per pair of methods"),
        gettext(
            "The share of the pairs of methods that a protocol orders otherwise than a person: 1 where they "
            "are opposite, a half where one of them ties the pair. Pairs that were drawn are weighed by the "
            "inverse of their probability. No two protocols of one cluster, and no two that share a letter, "
            "are told apart at 5 %, with annotators and images both random. It does not say how far whole "
            "orders are apart."
        ),
        (CRITERION, PROTOCOL, number("Loss", 4), count("Cluster"), Column("Letters")),
        of_criteria(pairs, rows),
    )


def _loss_differences(pairs: Data) -> Table:
    """Return the differences between protocols in how often they order a pair otherwise than people."""

    def rows(own: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for pair in own["comparisons"]["pairs"]:
            names = ("first", "second", "difference", "low", "high", "holm_p_value")
            yield tuple(pair[name] for name in names)

    reasons = {own["comparisons"]["reason"] for own in pairs["criteria"].values()} - {None}
    return Table(
        "lossdifferences",
        gettext("Every two protocols, by their losses"),
        gettext(
            "The loss of the first minus that of the second (below 0: the first is nearer to people), "
            "with the 95 % interval of this difference by Student's t, annotators and images both "
            "random. p-values are adjusted by Holm's rule over all pairs; intervals are of each pair "
            "alone. It does not say how large a difference matters."
        )
        + not_tested(reasons),
        (
            *(CRITERION, Column("First"), Column("Second"), number("Difference", 4)),
            *(number("Low", 4), number("High", 4), number(ADJUSTED, 3)),
        ),
        of_criteria(pairs, rows),
    )
