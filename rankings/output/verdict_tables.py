"""The tables of intervals and of pairs of protocols, of an analysis as JSON."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from text_rankings.base.i18n import gettext, in_language, numeral

from ..analysis.verdicts import for_whom, verdicts
from ..inference.resampling import FEW_IMAGES
from .table import ADJUSTED, CRITERION, PROTOCOL, Cell, Column, Data, Table, count, number, of_each

# The page of a report says this above its tables.
VERDICTS: Final = "verdicts"
_PAIR: Final = ("difference", "low", "high", "holm_p_value")


def intervals(data: Data) -> Table:
    """Return the intervals of the Scores over images, for these annotators.

    Kept reports of earlier versions also hold intervals over annotators. These are not shown:
    annotators who are drawn twice make the consensus noisier, so those intervals are too high and
    may exclude their own Score.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`, as it was computed or kept.

    Examples
    --------
    >>> from rankings.analysis.analysis import analyse
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> teams = {"img_1": dict.fromkeys(["ann", "ben", "cem"], (("b",), ("a",)))}
    >>> intervals(analyse({"recall": teams}, scores, n_resamples=9).to_json()).rows  # one image: no limits
    (('recall', 'iou', 1.0, None, None, None, None),)
    """

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for interval in around["intervals"]["scores"]:
            limits = (interval["low"], interval["high"])
            yield (
                *(interval["protocol"], interval["score"]),
                *((None, None) if has_few_images(around) else limits),
                around["clusters"][interval["protocol"]],
                around.get("letters", {}).get(interval["protocol"]),
            )

    return Table(
        "intervals",
        gettext("How sure each Score is"),
        " ".join(
            [
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
            *(CRITERION, PROTOCOL, number("Score"), number("Low"), number("High")),
            *(count("Cluster"), Column("Letters")),
        ),
        of_each(data, rows),
    )


def verdict_sentences(data: Data) -> Table:
    """Return what may be said as rows, for files and scripts.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`, as it was computed or kept.

    Examples
    --------
    >>> from rankings.analysis.analysis import analyse
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> teams = {"img_1": dict.fromkeys(["ann", "ben", "cem"], (("a",), ("b",)))}
    >>> found = verdict_sentences(analyse({"recall": teams}, scores, n_resamples=9).to_json())
    >>> [(criterion, sentence.rpartition(": ")[2]) for criterion, sentence in found.rows]
    [('recall', 'one image says nothing about others.')]
    """
    return Table(
        VERDICTS,
        gettext("Verdicts"),
        (for_whom(data) or gettext("Nothing was tested with annotators and images random."))
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
    """Return every protocol compared with a single person, on the same consensus.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`, as it was computed or kept.

    Examples
    --------
    >>> pair = {"first": "iou", "difference": -0.5, "low": -0.75, "high": -0.25, "holm_p_value": 0.01}
    >>> around = {"intervals": {"n_images": 30}, "against_person": {"pairs": [pair]}}
    >>> against_a_person({"analysis": {"recall": around}}).rows
    (('recall', 'iou', -0.5, -0.75, -0.25, 0.01),)
    """

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        if "against_person" not in around:
            return
        for pair in around["against_person"]["pairs"]:
            yield tuple(pair[name] for name in ("first", *_PAIR))

    return Table(
        "person",
        gettext("Every protocol and a person"),
        gettext(
            "The distance of the protocol to the consensus of all annotators but one, minus that of "
            "this one, mean over annotators and images (below 0: the protocol is nearer), with the 95 "
            "% interval of this difference by Student's t, annotators and images "
            "random. It does not say how near a protocol can be: one may be nearer than any person."
        ),
        (
            CRITERION,
            PROTOCOL,
            number("Difference"),
            number("Low"),
            number("High"),
            number(ADJUSTED, 3),
        ),
        of_each(data, rows),
    )


def has_few_images(around: Mapping[str, Any]) -> bool:
    """Whether a criterion has too few images for an interval; older analyses keep theirs.

    Examples
    --------
    >>> [has_few_images({"intervals": {"n_images": n}, "comparisons": {}}) for n in (9, 10)]
    [True, False]
    """
    few: bool = around["intervals"]["n_images"] < FEW_IMAGES
    return few and "comparisons" in around


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
    """Return the differences between protocols, and which of them are significant.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`, as it was computed or kept.

    Examples
    --------
    >>> pair = {"first": "iou", "second": "cleval", "difference": -0.5, "low": -0.75, "high": -0.25}
    >>> tested = {"reason": None, "pairs": [pair | {"holm_p_value": 0.01}]}
    >>> around = {"intervals": {"n_images": 30}, "comparisons": tested}
    >>> differences({"analysis": {"recall": around}}).rows
    (('recall', 'iou', 'cleval', -0.5, -0.75, -0.25, 0.01),)
    """
    if _is_fixed(data):
        return _differences_with_fixed_annotators(data)

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for pair in around["comparisons"]["pairs"]:
            yield tuple(pair[name] for name in ("first", "second", *_PAIR))

    reasons = {around["comparisons"]["reason"] for around in data["analysis"].values()} - {None}
    return Table(
        "differences",
        gettext("Every two protocols"),
        gettext(
            "Which is nearer to annotators like these on images like these: the mean distance of the "
            "first to each annotator's own ranking minus that of the second (below 0: the first is "
            "nearer), with the 95 % interval of this difference: Student's t with Satterthwaite's degrees of "
            "freedom, annotators and images both random. p-values are adjusted by Holm's rule over all "
            "pairs; intervals are of each pair alone. It does not say how large a difference matters."
        )
        + not_tested(reasons),
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
    """Return a note that says why some pairs have no test.

    Examples
    --------
    >>> not_tested(["one image says nothing about others"])
    ' Some cannot be tested: one image says nothing about others.'
    """
    words = gettext("Some cannot be tested: {reason}.")
    return "".join(" " + words.format(reason=in_language(reason)) for reason in sorted(reasons))
