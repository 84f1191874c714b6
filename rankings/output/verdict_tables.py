"""The tables of intervals and of pairs of protocols, from :meth:`.Analysis.to_json`."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from ..analysis.verdicts import for_whom, verdicts
from ..inference.resampling import FEW_IMAGES
from .table import Data, Row, Table, listed, of_each, picked

# The page of a report shows this above its tables.
VERDICTS: Final = "verdicts"
# Simultaneous limits, which agree with the adjusted p-value.
_PAIR: Final = ("difference", "adjusted_low", "adjusted_high", "adjusted_p_value")


def rows_of_pairs(tested: Data, *named: str) -> Iterator[Row]:
    """Return the rows of tested pairs: some names, then difference, limits and adjusted p."""
    return picked(tested["pairs"], *named, *_PAIR)


def intervals(data: Data) -> Table:
    """Return the intervals of the Scores over images, for these annotators."""

    def rows(around: Data) -> Iterator[Row]:
        of_people = distances_to_people(around)
        place = {name: at for at, name in enumerate(of_people)}
        for interval in sorted(
            around["intervals"]["scores"], key=lambda one: place[one["protocol"]]
        ):
            name, limits = interval["protocol"], (interval["low"], interval["high"])
            yield (
                *(name, *of_people[name], interval["score"]),
                *((None, None) if has_few_images(around) else limits),
                *(around["clusters"][name], around["letters"][name]),
            )

    return listed("intervals", of_each(data, rows), *_few_images(data), n=_resamples(data))


def verdict_sentences(data: Data) -> Table:
    """Return the verdicts as rows, for files and scripts."""
    rows = (
        (verdict.criterion, sentence)
        for verdict in verdicts(data)
        for sentence in verdict.sentences
    )
    table = listed(VERDICTS, rows)
    whom = for_whom(data) or "No test was made with annotators and images random."
    return replace(table, note=f"{whom} {table.note}")


def against_a_person(data: Data) -> Table:
    """Return every protocol compared with a single person, on the same consensus."""

    def rows(around: Data) -> Iterator[Row]:
        return rows_of_pairs(around["against_person"], "first")

    return listed("person", of_each(data, rows))


def distances_to_people(around: Data) -> dict[str, tuple[float | None, ...]]:
    """Return each protocol's mean distance to single annotators with its limits, nearest first."""
    tested = around["comparisons"]
    rows = zip(tested["means"], tested["mean_limits"], tested["protocols"], strict=True)
    by_mean = sorted(rows, key=lambda row: (row[0] is None, row[0] or 0, row[2]))
    return {name: (mean, *own) for mean, own, name in by_mean}


def has_few_images(around: Data) -> bool:
    """Whether a criterion has too few images for intervals."""
    few: bool = around["intervals"]["n_images"] < FEW_IMAGES
    return few


def _few_images(data: Data) -> list[str]:
    few = [name for name, around in data["analysis"].items() if has_few_images(around)]
    if not few:
        return []
    words = "By {criteria} there are too few images: an interval needs {n}."
    return [words.format(criteria=", ".join(few), n=FEW_IMAGES)]


def _resamples(data: Data) -> str:
    counts = {around["intervals"]["n_resamples"] for around in data["analysis"].values()}
    return ", ".join(f"{count:,}" for count in sorted(counts)) or "no"


def differences(data: Data) -> Table:
    """Return the differences between protocols, and which of them are significant."""

    def rows(around: Data) -> Iterator[Row]:
        return rows_of_pairs(around["comparisons"], "first", "second")

    reasons = {around["comparisons"]["reason"] for around in data["analysis"].values()} - {None}
    return listed("differences", of_each(data, rows), *not_tested(reasons))


def not_tested(reasons: Collection[str]) -> list[str]:
    """Return sentences that say why some pairs have no test."""
    words = "Some cannot be tested: {reason}."
    return [words.format(reason=reason) for reason in sorted(reasons)]
