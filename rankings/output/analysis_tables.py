"""The tables around Best / Worst / Score: an analysis as rows that can be shown or saved.

They are made from the analysis as JSON, so that a stored one gives the same tables.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from text_rankings.base.i18n import gettext, in_language

from ..agreement.sensitivity import DECIMALS, rounding_name
from .question_tables import TABLES as QUESTIONS
from .table import CRITERION, PROTOCOL, Cell, Column, Data, PValue, Table, count, number, of_each
from .verdict_tables import against_a_person, differences, intervals, verdict_sentences

_TIES_APART: Final = 0.05


def tables_of(data: Data) -> list[Table]:
    """Return every table of an analysis that has a row.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`, as it was computed or kept.

    Returns
    -------
    list of Table
        In the order of the report.

    Examples
    --------
    >>> from rankings.analysis.analysis import analyse
    >>> iou = {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}
    >>> teams = {"recall": {"img_1": dict.fromkeys(["ann", "ben", "cem"], (("a",), ("b",)))}}
    >>> "agreement" in [table.slug for table in tables_of(analyse(teams, {"img_1": iou}).to_json())]
    True
    """
    return [table for table in (make(data) for make in _TABLES) if table.rows]


def _measures(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for measured in around["measures"]:
            yield (
                *(
                    measured["protocol"],
                    measured["kemeny_distance"],
                    measured["tau_b"],
                    measured["n_without_tau_b"],
                ),
                *(measured["pairwise_accuracy"], measured["discordance"]),
            )
        for baseline in around.get("baselines", ()):
            shown = baseline["baseline"], baseline["kemeny_distance"]
            yield (*shown, None, None, baseline["pairwise_accuracy"], None)

    return Table(
        "measures",
        gettext("Other measures"),
        gettext(
            "Means over the images. Kemeny distance: lower is better, neutral towards ties. Kendall's "
            "tau-b: 1 is the same order; undefined on an image where either side ties everything. "
            "Pairs agreed: share of pairs of methods on which protocol and people say the same, ties "
            "included. Discordance: the same in disagreement, weighted by the protocol's margin. They do not "
            "say whether a difference holds for other people or images."
        ),
        (
            *(CRITERION, PROTOCOL, number("Kemeny distance"), number("tau-b", 3)),
            *(count("Images without tau-b"), number("Pairs agreed", 3)),
            number("Discordance", 3),
        ),
        of_each(data, rows),
    )


def _rounding(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for rounding in around["rounding"]:
            yield (rounding["protocol"], *rounding["scores"])

    return Table(
        "rounding",
        gettext("Score by rounding"),
        gettext(
            "The Score when the protocol's values are rounded to so many decimals before they are "
            "ranked: fewer decimals make more ties. It does not say which rounding is right."
        ),
        (
            *(CRITERION, PROTOCOL),
            *(number(rounding_name(places)) for places in DECIMALS),
        ),
        of_each(data, rows),
    )


def _calibration(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for calibration in around["calibration"]:
            yield tuple(
                calibration[name]
                for name in (
                    *("protocol", "epsilon", "accuracy_at_0", "accuracy"),
                    *("cross_validated_accuracy", "score", "cross_validated_score"),
                )
            )

    return Table(
        "calibration",
        gettext("Which differences people see"),
        gettext(
            "Values that differ by no more than epsilon count as tied; the epsilon with the highest "
            "pairwise accuracy is chosen, by each annotator's own rankings (in older reports by their "
            "consensus). Cross-validated: every image judged with the epsilon of images outside its fold; "
            "the other numbers flatter, because the epsilon was chosen on the same images. It does not say "
            "that smaller differences are wrong, only that people seldom tell them."
        ),
        (
            *(CRITERION, PROTOCOL, number("Epsilon", 4), number("Accuracy at 0", 3)),
            *(number("Accuracy", 3), number("Accuracy, cross-validated", 3), number("Distance")),
            number("Distance, cross-validated"),
        ),
        of_each(data, rows),
    )


def _sensitivity(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for variant in around["sensitivity"]:
            order = variant["order"]
            text = " > ".join(" = ".join(bucket) for bucket in order) if order else None
            yield (
                in_language(variant["name"]),
                text,
                variant["tau_b"],
                variant["same_order"],
                variant["n_images"],
            )

    return Table(
        "sensitivity",
        gettext("Does the order of the protocols hold?"),
        gettext(
            "The protocols by Score when one thing is changed, nearest to people first, and tau-b "
            "between that order and the one reported. It does not say which of them is right."
        ),
        (
            *(CRITERION, Column("Changed"), Column("Order"), number("tau-b", 3)),
            *(Column("Same order"), count("Images")),
        ),
        of_each(data, rows),
    )


def _agreement(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        agreement = around["agreement"]
        # Older analyses call it a ceiling.
        friedman = around["friedman"]["p_value"]
        person = around["human_baseline"] if "human_baseline" in around else around["ceiling"]
        yield (gettext("Kendall's W, mean over images (1: the same order)"), agreement["kendall_w"])
        # Older analyses do not count them.
        if agreement.get("n_without_w"):
            yield (gettext("Images without Kendall's W"), agreement["n_without_w"])
        yield (gettext("Krippendorff's alpha, ordinal (1: the same order)"), agreement["alpha"])
        yield (gettext("Edit distance between two annotators, mean"), agreement["edit_distance"])
        yield (
            gettext("Kemeny distance between two annotators, mean"),
            agreement["kemeny_distance"],
        )
        yield (
            gettext("Human baseline: an annotator to the others' consensus, mean"),
            person["score"],
        )
        if person.get("low") is not None:
            yield (
                gettext("Human baseline: low end of its 95 % interval over images"),
                person["low"],
            )
            yield (
                gettext("Human baseline: high end of its 95 % interval over images"),
                person["high"],
            )
        yield (
            gettext("Friedman test of all protocols, annotators fixed: p"),
            None if friedman is None else PValue(friedman),
        )
        yield (
            gettext("Critical difference of average ranks, annotators fixed (Nemenyi, 5 %)"),
            around["critical_difference"]["critical_difference"],
        )

    return Table(
        "agreement",
        gettext("How far annotators agree"),
        gettext(
            "How much people say the same, as means over images. The human baseline is how near a person "
            "comes to the consensus of the others, with a 95 % interval by percentile bootstrap over images, "
            "these annotators fixed. It is no limit: a protocol that orders methods as people do on the "
            "average may be below it. Agreement does not say that people are right."
        )
        + _without_w(data),
        (CRITERION, Column("Measure"), number("Value", 3)),
        of_each(data, rows),
    )


def _without_w(data: Data) -> str:
    """Return which images the mean of Kendall's W leaves out; empty if every image has one."""
    agreements = (around["agreement"] for around in data["analysis"].values())
    if not any(agreement.get("n_without_w") for agreement in agreements):
        return ""
    return " " + gettext(
        "Kendall's W has no value on an image on which every annotator ties all methods, or which only one "
        "annotator ranked; its mean leaves these images out."
    )


def _ties(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        if "ties" not in around:
            return
        shares = around["ties"]
        annotator, protocol = gettext("annotator"), gettext("protocol")
        yield from ((annotator, *share) for share in shares["annotators"].items())
        yield (gettext("consensus"), "", shares["consensus"])
        yield from ((protocol, *share) for share in shares["protocols"].items())

    return Table(
        "ties",
        gettext("How many pairs are tied"),
        gettext(
            "Share of the pairs of methods of an image that are tied, mean over images. "
            "It does not say whether a tie is right."
        )
        + " "
        + _tie_warning(data),
        (CRITERION, Column("Of"), Column("Name"), number("Tied pairs", 3)),
        of_each(data, rows),
    )


def _tie_warning(data: Data) -> str:
    """Return where people, their consensus and protocols tie so differently that distances are affected."""
    apart, protocols = [], []
    for criterion, around in data["analysis"].items():
        shares = around.get("ties", {"annotators": {}, "consensus": None, "protocols": {}})
        people = [share for share in shares["annotators"].values() if share is not None]
        if not people:
            continue
        mean = sum(people) / len(people)
        if abs(mean - shares["consensus"]) > _TIES_APART:
            apart.append(gettext(criterion))
        tied = [share for share in shares["protocols"].values() if share is not None]
        n = sum(abs(mean - share) > _TIES_APART for share in tied)
        if n:
            words = gettext("{n} of {all} by {criterion}")
            protocols.append(words.format(n=n, all=len(tied), criterion=gettext(criterion)))
    points, sentences = f"{100 * _TIES_APART:.0f}", []
    if apart:
        words = gettext(
            "By {criteria} the consensus and single annotators differ by more than {points} points: "
            "Scores do not compare with a study's of more or fewer annotators."
        )
        sentences.append(words.format(criteria=gettext(" and ").join(apart), points=points))
    if protocols:
        words = gettext(
            "Protocols that tie more than {points} points more or fewer pairs than single annotators: "
            "{protocols}. Part of their distance is that alone."
        )
        sentences.append(words.format(points=points, protocols=", ".join(protocols)))
    return " ".join(sentences)


def _annotators(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for name, annotator in around["annotators"].items():
            yield (name, annotator["n_images"], annotator["distance"])

    return Table(
        "annotators",
        gettext("Each annotator and the others"),
        gettext(
            "Mean distance of an annotator's rankings to the consensus of all others, over the images "
            "with at least two rankings. It does not say who is right: a distance may be a taste of one's "
            "own."
        ),
        (CRITERION, Column("Annotator"), count("Images"), number("Distance")),
        of_each(data, rows),
    )


def _criteria(data: Data) -> Table:
    return Table(
        "criteria",
        gettext("Criterion against criterion"),
        gettext(
            "Mean distance between the consensus rankings of two criteria, and as a share of the "
            "number of pairs of methods. It does not say why they differ."
        ),
        (
            *(Column("First"), Column("Second"), number("Distance"), number("Share", 3)),
            count("Images"),
        ),
        tuple(
            (
                *(gettext(pair["first"]), gettext(pair["second"])),
                *(pair["distance"], pair["share"], pair["n_images"]),
            )
            for pair in data["between_criteria"]
        ),
    )


_TABLES: Final = (
    *(
        verdict_sentences,
        intervals,
        differences,
        against_a_person,
        _sensitivity,
        _agreement,
        _ties,
        _annotators,
        _criteria,
    ),
    *(_measures, _rounding, _calibration),
    *QUESTIONS,
)
