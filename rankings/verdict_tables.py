"""The tables of intervals and of pairs of protocols, of an analysis as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

from .resampling import FEW_IMAGES
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
    of_each,
)


def intervals(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        two_way = {row["protocol"]: row for row in around["two_way"]["scores"]}
        for interval in around["intervals"]["scores"]:
            wide = two_way[interval["protocol"]]
            limits = (interval["low"], interval["high"], wide["low"], wide["high"])
            yield (
                *(interval["protocol"], interval["score"]),
                *((None,) * 4 if has_few_images(around) else limits),
                around["clusters"][interval["protocol"]],
                around.get("letters", {}).get(interval["protocol"]),
            )

    return Table(
        "intervals",
        "How sure each Score is",
        f"95 % percentile intervals from {_resamples(data)} bootstrap resamples: of the images, and "
        f"of the images and the annotators together. {_test_of_clusters(data)}" + _few_images(data),
        (
            *(CRITERION, PROTOCOL, number("Score"), number("Low"), number("High")),
            *(number("Low, annotators too"), number("High, annotators too"), count("Cluster")),
            Column("Letters"),
        ),
        of_each(data, rows),
    )


def has_few_images(around: Mapping[str, Any]) -> bool:
    """Whether a criterion has too few images for an interval; older analyses keep theirs."""
    few: bool = around["intervals"]["n_images"] < FEW_IMAGES
    return few and "comparisons" in around


def _few_images(data: Data) -> str:
    few = [name for name, around in data["analysis"].items() if has_few_images(around)]
    if not few:
        return ""
    return f" By {', '.join(few)} there are too few images: an interval needs {FEW_IMAGES}."


def _test_of_clusters(data: Data) -> str:
    if _is_fixed(data):
        return (
            "No two protocols of one cluster are told apart at 5 % by the paired permutation test, "
            "which takes the annotators as fixed."
        )
    return (
        "No two protocols of one cluster, and no two that share a letter, are told apart at 5 % by "
        "the adjusted p-values of the table of pairs."
    )


def _is_fixed(data: Data) -> bool:
    """Whether the analysis is an older one, whose tests take the annotators as fixed."""
    return any("comparisons" not in around for around in data["analysis"].values())


def _resamples(data: Data) -> str:
    counts = {around["intervals"]["n_resamples"] for around in data["analysis"].values()}
    return ", ".join(f"{count:,}" for count in sorted(counts)) or "no"


def differences(data: Data) -> Table:
    if _is_fixed(data):
        return _differences_with_fixed_annotators(data)

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for pair in around["comparisons"]["pairs"]:
            yield tuple(
                pair[name]
                for name in ("first", "second", "difference", "low", "high", "holm_p_value")
            )

    reasons = {around["comparisons"]["reason"] for around in data["analysis"].values()} - {None}
    return Table(
        "differences",
        "Every two protocols",
        "Which is nearer to annotators like these on images like these: the mean distance of the "
        "first to each annotator's own ranking minus that of the second (below 0: the first is "
        "nearer), with its 95 % interval. Annotators and images are both random. p-values are "
        "adjusted by Holm's rule over all pairs; intervals are of each pair alone."
        + "".join(f" Some cannot be tested: {reason}." for reason in sorted(reasons)),
        (
            *(CRITERION, Column("First"), Column("Second"), number("Difference")),
            *(number("Low"), number("High"), number(ADJUSTED, 3)),
        ),
        of_each(data, rows),
    )


def _differences_with_fixed_annotators(data: Data) -> Table:
    """Return the table of an older analysis as it was."""

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        tested = around["permutations"]
        place = {name: at for at, name in enumerate(tested["protocols"])}
        holm = {
            (test["first"], test["second"]): test["holm_p_value"] for test in around["wilcoxon"]
        }
        for difference in around["intervals"]["differences"]:
            pair = (difference["first"], difference["second"])
            p_value = tested["p_values"][place[pair[0]]][place[pair[1]]]
            yield (
                *(*pair, difference["value"], difference["low"], difference["high"], p_value),
                holm.get(pair, holm.get((pair[1], pair[0]))),
            )

    return Table(
        "differences",
        "Every two protocols",
        "The Score of the first minus that of the second (below 0: the first is nearer to people) "
        "with its 95 % interval over images; p-values of the paired permutation test, uncorrected, "
        "and of Wilcoxon's signed-rank test, Holm-corrected over all pairs.",
        (
            *(CRITERION, Column("First"), Column("Second"), number("Difference")),
            *(number("Low"), number("High"), number("p", 3), number("p, Wilcoxon and Holm", 3)),
        ),
        of_each(data, rows),
    )
