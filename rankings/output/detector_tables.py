"""The tables of the detectors' standings, from :meth:`.Detectors.to_json`, computed or kept."""

from collections.abc import Iterator
from typing import Final

from text_rankings.base.i18n import gettext

from ..orders.buckets import to_text
from .table import (
    CRITERION,
    P_OF_PEOPLE,
    P_OF_PROTOCOL,
    PROTOCOL,
    Column,
    Data,
    Row,
    Table,
    count,
    number,
    of_criteria,
    picked,
    with_rows,
)

# The names of these tables in addresses.
DETECTOR_TABLES: Final = ("strengths", "standings", "wrongpairs")


def detector_tables(detectors: Data) -> list[Table]:
    """Return every table that has a row.

    Parameters
    ----------
    detectors : mapping
        :meth:`.Detectors.to_json`, as it was computed or kept.
    """
    return with_rows(_strengths(detectors), _standings(detectors), _wrong_pairs(detectors))


def _strengths(detectors: Data) -> Table:
    """Return people's strengths of the methods, with their intervals."""

    def rows(own: Data) -> Iterator[Row]:
        return picked(own["people"]["strengths"], "method", "strength", "low", "high")

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
        of_criteria(detectors["criteria"], rows),
    )


def _standings(detectors: Data) -> Table:
    """Return how well each protocol agrees with people's order of the methods."""

    def rows(own: Data) -> Iterator[Row]:
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
            "How well a protocol's figures for the data set order the methods as people do: 1 is "
            "best. “Pairs right” is the share of pairs in the same order; soft accuracy also asks "
            "whether the protocol and people are equally sure of it. The 95 % intervals are by "
            "bootstrap over images and annotators, the wider ones over methods too. It does not say "
            "how a protocol ranks the methods of a single image."
        ),
        (
            *(CRITERION, PROTOCOL, number("Soft accuracy", 3), number("Low", 3)),
            *(number("High", 3), number("Low, methods too", 3), number("High, methods too", 3)),
            *(number("Pairs right", 3), number("Low, pairs", 3), number("High, pairs", 3)),
            *(count("Pairs wrong"), Column("Order")),
        ),
        of_criteria(detectors["criteria"], rows),
    )


def _wrong_pairs(detectors: Data) -> Table:
    """Return the pairs that a protocol orders opposite to people, and how sure both sides are."""
    names = ("first", "second", "lead", "low", "high", "p_people", "figure_first", "figure_second")

    def rows(own: Data) -> Iterator[Row]:
        for row in own["protocols"]:
            for *others, images in picked(row["wrong"], *names, "p_protocol", "images"):
                yield row["protocol"], *others, "; ".join(images)

    return Table(
        "wrongpairs",
        gettext("Differences a protocol gets wrong"),
        gettext(
            "Pairs of methods for which a protocol reverses people's order, at most 30 per "
            "protocol, starting with those that people are surest of. p is one-sided, for each "
            "side's own order, from permutations over images, and not adjusted for the number of "
            "pairs. The 95 % interval is of the lead, by Student's t with errors clustered by "
            "image and annotator. The images are those on which the two differ most; they do not "
            "say why."
        ),
        (
            *(CRITERION, PROTOCOL, Column("People put first"), Column("before")),
            *(number("Lead"), number("Low"), number("High"), number(P_OF_PEOPLE, 3)),
            *(number("Figure of the first", 4), number("Figure of the second", 4)),
            *(number(P_OF_PROTOCOL, 3), Column("Images")),
        ),
        of_criteria(detectors["criteria"], rows),
    )
