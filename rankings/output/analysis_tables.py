"""The tables of an analysis besides Best / Worst / Score, as rows that can be shown or saved.

They are made from the analysis as JSON, so that a stored analysis gives the same tables.
"""

from collections.abc import Iterator
from typing import Final

from text_rankings.base.i18n import gettext, in_language

from ..agreement.sensitivity import DECIMALS, rounding_name
from ..orders.buckets import to_text
from .question_tables import TABLES as QUESTIONS
from .table import (
    CRITERION,
    PROTOCOL,
    Column,
    Data,
    PValue,
    Row,
    Table,
    count,
    number,
    of_each,
    picked,
    with_rows,
)
from .verdict_tables import (
    against_a_person,
    differences,
    human_baseline,
    intervals,
    verdict_sentences,
)

_TIES_APART: Final = 0.05


def tables_of(data: Data) -> list[Table]:
    """Return all tables of an analysis that are not empty.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`, as it was computed or kept.

    Returns
    -------
    list of Table
        In the order of the report.
    """
    return with_rows(*(make(data) for make in _TABLES))


def _measures(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        names = ("kemeny_distance", "tau_b", "n_without_tau_b", "pairwise_accuracy", "discordance")
        yield from picked(around["measures"], "protocol", *names)
        for baseline in around.get("baselines", ()):
            yield baseline["baseline"], *(baseline.get(name) for name in names)

    return Table(
        "measures",
        gettext("Other measures"),
        gettext(
            "Means over the images. Kemeny distance: lower is better, neutral towards ties. "
            "Kendall's tau-b: 1 is the same order; undefined on an image where either side ties "
            "everything. Pairs agreed: share of pairs of methods on which protocol and people "
            "agree, ties included. Discordance: the share on which they disagree, weighted by the "
            "protocol's margin. They do not say whether a difference holds for other people or "
            "images."
        ),
        (
            *(CRITERION, PROTOCOL, number("Kemeny distance"), number("tau-b", 3)),
            *(count("Images without tau-b"), number("Pairs agreed", 3)),
            number("Discordance", 3),
        ),
        of_each(data, rows),
    )


def _rounding(data: Data) -> Table:
    return Table(
        "rounding",
        gettext("Score by rounding"),
        gettext(
            "The Score when the protocol's values are rounded to this many decimals before they "
            "are ranked: fewer decimals make more ties. It does not say which rounding is right."
        ),
        (
            *(CRITERION, PROTOCOL),
            *(number(rounding_name(places)) for places in DECIMALS),
        ),
        of_each(data, lambda own: ((one["protocol"], *one["scores"]) for one in own["rounding"])),
    )


def _calibration(data: Data) -> Table:
    names = (
        *("protocol", "epsilon", "accuracy_at_0", "accuracy"),
        *("cross_validated_accuracy", "score", "cross_validated_score"),
    )
    return Table(
        "calibration",
        gettext("Which differences people see"),
        gettext(
            "Values that differ by no more than epsilon count as tied; the epsilon with "
            "the highest pairwise accuracy is chosen, by each annotator's own rankings "
            "(in older reports by their consensus). Cross-validated: every image judged "
            "with the epsilon of images outside its fold; the other numbers are too "
            "optimistic, because the epsilon was chosen on the same images. It does not "
            "say that smaller differences are wrong, only that people seldom notice them."
        ),
        (
            *(CRITERION, PROTOCOL, number("Epsilon", 4), number("Accuracy at 0", 3)),
            *(number("Accuracy", 3), number("Accuracy, cross-validated", 3), number("Distance")),
            number("Distance, cross-validated"),
        ),
        of_each(data, lambda own: picked(own["calibration"], *names)),
    )


def _sensitivity(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        names = ("name", "order", "tau_b", "same_order", "n_images")
        for name, order, *others in picked(around["sensitivity"], *names):
            yield in_language(name), to_text(order) if order else None, *others

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
    def rows(around: Data) -> Iterator[Row]:
        agreement, person = around["agreement"], human_baseline(around)
        friedman = around["friedman"]["p_value"]
        yield gettext("Kendall's W, mean over images (1: the same order)"), agreement["kendall_w"]
        # Older analyses do not count them.
        if agreement.get("n_without_w"):
            yield gettext("Images without Kendall's W"), agreement["n_without_w"]
        yield gettext("Krippendorff's alpha, ordinal (1: the same order)"), agreement["alpha"]
        yield gettext("Edit distance between two annotators, mean"), agreement["edit_distance"]
        yield gettext("Kemeny distance between two annotators, mean"), agreement["kemeny_distance"]
        yield (
            gettext("Human baseline: an annotator to the others' consensus, mean"),
            person["score"],
        )
        if person.get("low") is not None:
            yield gettext("Human baseline: low end of its 95 % interval over images"), person["low"]
            yield (
                gettext("Human baseline: high end of its 95 % interval over images"),
                person["high"],
            )
        p_value = None if friedman is None else PValue(friedman)
        yield gettext("Friedman test of all protocols, annotators fixed: p"), p_value
        yield (
            gettext("Critical difference of average ranks, annotators fixed (Nemenyi, 5 %)"),
            around["critical_difference"]["critical_difference"],
        )

    return Table(
        "agreement",
        gettext("How far annotators agree"),
        gettext(
            "How much people agree, as means over images. The human baseline is how near a person "
            "comes to the consensus of the others, with a 95 % interval by percentile bootstrap "
            "over images, these annotators fixed. It is not a limit: a protocol that orders "
            "methods as people do on average may be below it. Agreement does not say that people "
            "are right."
        )
        + _without_w(data),
        (CRITERION, Column("Measure"), number("Value", 3)),
        of_each(data, rows),
    )


def _without_w(data: Data) -> str:
    """Return a note that the mean of Kendall's W leaves images out; empty if it leaves out none."""
    agreements = (around["agreement"] for around in data["analysis"].values())
    if not any(agreement.get("n_without_w") for agreement in agreements):
        return ""
    return " " + gettext(
        "Kendall's W has no value on an image on which every annotator ties all methods, or which only one "
        "annotator ranked; its mean leaves these images out."
    )


def _ties(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
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
    """Return a warning on shares of ties that differ so much that they affect distances."""
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
            "By {criteria} the consensus and single annotators differ by more than "
            "{points} points: Scores cannot be compared with those of a study with more "
            "or fewer annotators."
        )
        sentences.append(words.format(criteria=gettext(" and ").join(apart), points=points))
    if protocols:
        words = gettext(
            "Protocols whose share of tied pairs differs from single annotators' by more "
            "than {points} points: {protocols}. Part of their distance comes from that "
            "alone."
        )
        sentences.append(words.format(points=points, protocols=", ".join(protocols)))
    return " ".join(sentences)


def _annotators(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        for name, annotator in around["annotators"].items():
            yield name, annotator["n_images"], annotator["distance"]

    return Table(
        "annotators",
        gettext("Each annotator and the others"),
        gettext(
            "Mean distance of an annotator's rankings to the consensus of all others, "
            "over the images with at least two rankings. It does not say who is right: a "
            "distance may reflect a personal taste."
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
            (gettext(first), gettext(second), *others)
            for first, second, *others in picked(
                data["between_criteria"], "first", "second", "distance", "share", "n_images"
            )
        ),
    )


_TABLES: Final = (
    *(verdict_sentences, intervals, differences, against_a_person),
    *(_sensitivity, _agreement, _ties, _annotators, _criteria),
    *(_measures, _rounding, _calibration, *QUESTIONS),
)
