"""The tables of the detectors' standings, from :meth:`.Detectors.to_json`, computed or kept."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from text_rankings.base.i18n import gettext

from ..orders.buckets import to_text
from .table import (
    CRITERION,
    P_OF_PEOPLE,
    P_OF_PROTOCOL,
    PROTOCOL,
    Cell,
    Column,
    Data,
    Table,
    count,
    number,
    of_criteria,
)

# The names of these tables in addresses.
DETECTOR_TABLES: Final = ("strengths", "standings", "wrongpairs")


def detector_tables(detectors: Data) -> list[Table]:
    """Return every table that has a row.

    Parameters
    ----------
    detectors : mapping
        :meth:`.Detectors.to_json`, as it was computed or kept.

    Examples
    --------
    >>> import numpy as np
    >>> from rankings.detectors.standings import Tallies, detectors
    >>> sums, scored = np.array([[[[3.0, 4, 3, 4], [1, 4, 1, 4]]]]), np.ones((1, 1, 2), dtype=bool)
    >>> tallies = Tallies(("img_1",), ("iou",), ("a", "b"), sums, scored)
    >>> found = detectors({"recall": {"img_1": {"ann": (("a",), ("b",))}}}, tallies)
    >>> [table.slug for table in detector_tables(found.to_json())]  # no pair is ordered wrongly
    ['strengths', 'standings']
    """
    tables = (_strengths(detectors), _standings(detectors), _wrong_pairs(detectors))
    return [table for table in tables if table.rows]


def _strengths(detectors: Data) -> Table:
    """Return people's strengths of the methods, with their intervals."""

    def rows(own: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for row in own["people"]["strengths"]:
            yield row["method"], row["strength"], row["low"], row["high"]

    return Table(
        "strengths",
        gettext("Strengths of the detectors"),
        gettext(
            "How strong people find each method over all images (Davidson's model), with its 95 % "
            "interval by Student's t, errors clustered by image and annotator, for other images and "
            "annotators. Of two methods that differ by d, one is put first exp(d) times as often as "
            "the other. It does not say how good a method is, only which is better."
        ),
        (CRITERION, Column("Method"), number("Strength"), number("Low"), number("High")),
        of_criteria(detectors, rows),
    )


def _standings(detectors: Data) -> Table:
    """Return how well each protocol agrees with people's order of the methods."""

    def rows(own: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for row in own["protocols"]:
            soft, hard = row["soft"], row["hard"]
            yield (
                *(row["protocol"], soft["value"], soft["low"], soft["high"]),
                *(soft["low_methods"], soft["high_methods"]),
                *(hard["value"], hard["low"], hard["high"], row["n_wrong"]),
                to_text(row["order"]),
            )

    return Table(
        "standings",
        gettext("Each protocol's order of the detectors"),
        gettext(
            "How well a protocol's figures of the data set order the methods as people do: 1 is best. "
            "Pairs right is the share of pairs in the same order; soft accuracy also asks whether both "
            "are as sure of it. The 95 % intervals are by bootstrap over images and "
            "annotators, the wider ones over methods too. It does not say how a protocol ranks the "
            "methods of a single image."
        ),
        (
            *(CRITERION, PROTOCOL, number("Soft accuracy", 3), number("Low", 3)),
            *(number("High", 3), number("Low, methods too", 3), number("High, methods too", 3)),
            *(number("Pairs right", 3), number("Low, pairs", 3), number("High, pairs", 3)),
            *(count("Pairs wrong"), Column("Order")),
        ),
        of_criteria(detectors, rows),
    )


def _wrong_pairs(detectors: Data) -> Table:
    """Return the pairs that a protocol puts the other way round than people, and how sure both are."""

    def rows(own: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for row in own["protocols"]:
            for pair in row["wrong"]:
                yield (
                    *(row["protocol"], pair["first"], pair["second"]),
                    *(pair["lead"], pair["low"], pair["high"], pair["p_people"]),
                    *(pair["figure_first"], pair["figure_second"], pair["p_protocol"]),
                    "; ".join(pair["images"]),
                )

    return Table(
        "wrongpairs",
        gettext("Differences a protocol gets wrong"),
        gettext(
            "Pairs of methods that a protocol orders against people, at most 30 of each, those first "
            "that people are surest of. p is one-sided, of each side's own order, from permutations "
            "over images, and not adjusted for the number of pairs. The 95 % interval is of the lead, "
            "by Student's t with errors clustered by image and annotator. The images are where both "
            "pull farthest apart; they do not say why."
        ),
        (
            *(CRITERION, PROTOCOL, Column("People put first"), Column("before")),
            *(number("Lead"), number("Low"), number("High"), number(P_OF_PEOPLE, 3)),
            *(number("Figure of the first", 4), number("Figure of the second", 4)),
            *(number(P_OF_PROTOCOL, 3), Column("Images")),
        ),
        of_criteria(detectors, rows),
    )
