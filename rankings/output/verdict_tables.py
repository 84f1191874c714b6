"""The tables of intervals and of pairs of protocols, from :meth:`.Analysis.to_json`."""

from collections.abc import Collection, Iterator
from typing import Final

from text_rankings.base.i18n import gettext, in_language, numeral

from ..analysis.verdicts import for_whom, verdicts
from ..inference.resampling import FEW_IMAGES
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
    of_each,
    picked,
)

# The page of a report shows this above its tables.
VERDICTS: Final = "verdicts"
# Simultaneous limits, which agree with the adjusted p-value.
_PAIR: Final = ("difference", "adjusted_low", "adjusted_high", "adjusted_p_value")
# Analyses of earlier versions have limits of each pair alone, and Holm's p-values.
_PAIR_BEFORE: Final = ("difference", "low", "high", "holm_p_value")
_MEANS: Final = (
    *(number("To annotators"), number("Low, to annotators"), number("High, to annotators")),
)
_PAIR_COLUMNS: Final = (number("Difference"), number("Low"), number("High"), number(ADJUSTED, 3))


def rows_of_pairs(tested: Data, *named: str) -> Iterator[Row]:
    """Return the rows of tested pairs: some names, then difference, limits and adjusted p."""
    return picked(tested["pairs"], *named, *(_PAIR_BEFORE if was_by_holm(tested) else _PAIR))


def was_by_holm(tested: Data) -> bool:
    """Whether comparisons are of an earlier version, with Holm's p-values and limits of a pair alone."""
    return any("holm_p_value" in pair for pair in tested["pairs"])


def intervals(data: Data) -> Table:
    """Return the intervals of the Scores over images, for these annotators.

    Kept reports of earlier versions also hold intervals over annotators. These are not shown:
    drawing annotators twice makes the consensus noisier, so those intervals are too high and may
    exclude their own Score.
    """

    has_means = has_mean_limits(data)

    def rows(around: Data) -> Iterator[Row]:
        of_people = distances_to_people(around)
        place = {name: at for at, name in enumerate(of_people)}
        by_place = sorted(
            around["intervals"]["scores"], key=lambda one: place.get(one["protocol"], 0)
        )
        for interval in by_place:
            name, limits = interval["protocol"], (interval["low"], interval["high"])
            yield (
                name,
                *(of_people[name] if has_means else ()),
                interval["score"],
                *((None, None) if has_few_images(around) else limits),
                around["clusters"][name],
                around.get("letters", {}).get(name),
            )

    return Table(
        "intervals",
        gettext("How certain each Score is"),
        " ".join(
            [
                *_of_means(has_means),
                gettext(
                    "95 % percentile intervals of the Score from {n} bootstrap resamples of the "
                    "images, with these annotators. There is no interval over annotators: if annotators "
                    "are resampled, some repeat, the consensus is noisier, and distances to it come out "
                    "too large."
                ).format(n=_resamples(data)),
                _test_of_clusters(data),
                gettext(
                    "Intervals of single protocols do not say which of two is nearer: protocols "
                    "whose intervals overlap may still differ significantly."
                ),
                *_few_images(data),
            ]
        ),
        (
            *(CRITERION, PROTOCOL, *(_MEANS if has_means else ())),
            *(number("Score"), number("Low"), number("High")),
            *(count("Cluster"), Column("Letters")),
        ),
        of_each(data, rows),
    )


def verdict_sentences(data: Data) -> Table:
    """Return the verdicts as rows, for files and scripts."""
    return Table(
        VERDICTS,
        gettext("Verdicts"),
        (for_whom(data) or gettext("No test was made with annotators and images random."))
        + " "
        + gettext("They do not say how much nearer a protocol is, nor whether that matters."),
        (CRITERION, Column("Sentence")),
        tuple(
            (verdict.criterion, sentence)
            for verdict in verdicts(data)
            for sentence in verdict.sentences
        ),
    )


def against_a_person(data: Data) -> Table:
    """Return every protocol compared with a single person, on the same consensus."""

    def rows(around: Data) -> Iterator[Row]:
        return rows_of_pairs(around.get("against_person", {"pairs": ()}), "first")

    return Table(
        "person",
        gettext("Every protocol and a person"),
        gettext(
            "The distance of the protocol to the consensus of all annotators but one, minus that of "
            "this one, mean over annotators and images (below 0: the protocol is nearer), with the 95 "
            "% interval of this difference by Student's t, annotators and images "
            "random. It does not say how near a protocol can be: one may be nearer than any person."
        )
        + _of_all_protocols(data),
        (CRITERION, PROTOCOL, *_PAIR_COLUMNS),
        of_each(data, rows),
    )


def has_mean_limits(data: Data) -> bool:
    """Whether an analysis has intervals of the mean distances; earlier ones have not."""
    return all("mean_limits" in one.get("comparisons", ()) for one in data["analysis"].values())


def distances_to_people(around: Data) -> dict[str, tuple[float | None, ...]]:
    """Return each protocol's mean distance to single annotators with its limits, nearest first.

    Empty for analyses of earlier versions, which have no such limits.
    """
    tested = around.get("comparisons", {})
    limits = tested.get("mean_limits", ())
    if not limits:
        return {}
    rows = zip(tested["means"], limits, tested["protocols"], strict=True)
    by_mean = sorted(rows, key=lambda row: (row[0] is None, row[0] or 0, row[2]))
    return {name: (mean, *own) for mean, own, name in by_mean}


def _of_means(has_means: bool) -> list[str]:
    if not has_means:
        return []
    return [
        gettext(
            "“To annotators”: the mean distance to each annotator's own ranking, with its 95 % interval "
            "by Student's t, annotators and images random. Protocols are ordered by it, as the tests "
            "are about it."
        )
    ]


def _of_all_protocols(data: Data) -> str:
    tested = [around.get("against_person", {"pairs": ()}) for around in data["analysis"].values()]
    if any(map(was_by_holm, tested)):
        return ""
    return " " + gettext("Intervals and p-values hold for all protocols together (Bonferroni).")


def has_few_images(around: Data) -> bool:
    """Whether a criterion has too few images for intervals; older analyses keep their intervals."""
    few: bool = around["intervals"]["n_images"] < FEW_IMAGES
    return few and "comparisons" in around


def human_baseline(around: Data) -> Data:
    """Return a criterion's baseline of a person; older analyses call it a ceiling."""
    person: Data = around["human_baseline"] if "human_baseline" in around else around["ceiling"]
    return person


def _few_images(data: Data) -> list[str]:
    few = [gettext(name) for name, around in data["analysis"].items() if has_few_images(around)]
    if not few:
        return []
    words = gettext("By {criteria} there are too few images: an interval needs {n}.")
    return [words.format(criteria=", ".join(few), n=FEW_IMAGES)]


def _test_of_clusters(data: Data) -> str:
    if _is_fixed(data):
        return gettext(
            "No two protocols of one cluster differ significantly at 5 % by the paired "
            "permutation test, which takes the annotators as fixed."
        )
    return gettext(
        "No two protocols of one cluster, and no two that share a letter, differ significantly "
        "at 5 % by the adjusted p-values of the table of pairs."
    )


def _is_fixed(data: Data) -> bool:
    """Whether the analysis is an older one, whose tests take the annotators as fixed."""
    return any("comparisons" not in around for around in data["analysis"].values())


def _resamples(data: Data) -> str:
    counts = {around["intervals"]["n_resamples"] for around in data["analysis"].values()}
    return ", ".join(numeral(f"{count:,}") for count in sorted(counts)) or "no"


def differences(data: Data) -> Table:
    """Return the differences between protocols, and which of them are significant."""
    if _is_fixed(data):
        return _differences_with_fixed_annotators(data)

    def rows(around: Data) -> Iterator[Row]:
        return rows_of_pairs(around["comparisons"], "first", "second")

    analyses = data["analysis"].values()
    reasons = {around["comparisons"]["reason"] for around in analyses} - {None}
    return Table(
        "differences",
        gettext("Every two protocols"),
        (_by_holm if any(was_by_holm(one["comparisons"]) for one in analyses) else _together)()
        + not_tested(reasons),
        (CRITERION, Column("First"), Column("Second"), *_PAIR_COLUMNS),
        of_each(data, rows),
    )


def _together() -> str:
    return gettext(
        "Which is nearer to annotators like these on images like these: the mean distance of the "
        "first to each annotator's own ranking minus that of the second (below 0: the first is "
        "nearer), annotators and images both random. The 95 % intervals by Student's t "
        "hold for all pairs together: two protocols differ significantly exactly if their interval "
        "does not contain 0, and p-values are adjusted in the same way (Bonferroni). How much "
        "annotators differ is estimated from all pairs, which makes small groups of annotators more "
        "informative (moderated t-tests). It does not say how large a difference matters."
    )


def _by_holm() -> str:
    return gettext(
        "Which is nearer to annotators like these on images like these: the mean distance of the "
        "first to each annotator's own ranking minus that of the second (below 0: the first is "
        "nearer), with the 95 % interval of this difference: Student's t with Satterthwaite's degrees of "
        "freedom, annotators and images both random. p-values are adjusted by Holm's rule over all "
        "pairs; intervals are of each pair alone. It does not say how large a difference matters."
    )


def _differences_with_fixed_annotators(data: Data) -> Table:
    """Return the table of an older analysis as it was."""

    def rows(around: Data) -> Iterator[Row]:
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
        gettext("Every two protocols"),
        gettext(
            "The Score of the first minus that of the second (below 0: the first is nearer to people) "
            "with its 95 % interval by percentile bootstrap over images; p-values of the paired "
            "permutation test, uncorrected, and of Wilcoxon's signed-rank test, Holm-corrected over "
            "all pairs. It does not say what holds for other annotators."
        ),
        (
            *(CRITERION, Column("First"), Column("Second"), number("Difference")),
            *(number("Low"), number("High"), number("p", 3), number("p, Wilcoxon and Holm", 3)),
        ),
        of_each(data, rows),
    )


def not_tested(reasons: Collection[str]) -> str:
    """Return a note that says why some pairs have no test."""
    words = gettext("Some cannot be tested: {reason}.")
    return "".join(" " + words.format(reason=in_language(reason)) for reason in sorted(reasons))
