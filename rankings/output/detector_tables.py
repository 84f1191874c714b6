"""The tables of the detectors' standings, from :meth:`.Detectors.to_json`, computed or kept."""

from collections.abc import Iterator
from typing import Final

from ..orders.buckets import to_text
from .table import Data, Row, Table, listed, of_criteria, picked, with_rows

# The names of these tables in addresses.
DETECTOR_TABLES: Final = ("strengths", "standings", "wrongpairs")


def detector_tables(detectors: Data) -> list[Table]:
    """Return every table of :meth:`.Detectors.to_json` that has a row."""
    return with_rows(_strengths(detectors), _standings(detectors), _wrong_pairs(detectors))


def _strengths(detectors: Data) -> Table:
    """Return people's strengths of the methods, with their intervals."""

    def rows(own: Data) -> Iterator[Row]:
        people = own["people"]
        for method, *figures in picked(people["strengths"], "method", "strength", "low", "high"):
            yield method, people["n_images"], *figures

    return listed("strengths", of_criteria(detectors["criteria"], rows))


def _standings(detectors: Data) -> Table:
    """Return how well each protocol agrees with people's order of the methods.

    Reports kept before had no number of images.
    """

    def rows(own: Data) -> Iterator[Row]:
        for row in own["protocols"]:
            soft, hard = row["soft"], row["hard"]
            yield (
                *(row["protocol"], row.get("n_images"), soft["value"], soft["low"], soft["high"]),
                *(soft["low_methods"], soft["high_methods"]),
                *(hard["value"], hard["low"], hard["high"], row["n_wrong"]),
                to_text(row["order"]),
            )

    return listed("standings", of_criteria(detectors["criteria"], rows))


def _wrong_pairs(detectors: Data) -> Table:
    """Return the pairs that a protocol orders opposite to people, and how sure both sides are."""
    names = ("first", "second", "lead", "low", "high", "p_people", "figure_first", "figure_second")

    def rows(own: Data) -> Iterator[Row]:
        for row in own["protocols"]:
            for *others, images in picked(row["wrong"], *names, "p_protocol", "images"):
                yield row["protocol"], *others, "; ".join(images)

    return listed("wrongpairs", of_criteria(detectors["criteria"], rows))
