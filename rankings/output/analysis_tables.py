"""The tables of an analysis besides Best / Worst / Score, as rows that can be shown or saved.

They are made from the analysis as JSON, so that a stored analysis gives the same tables.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ..agreement.sensitivity import DECIMALS, rounding_name
from ..analysis.verdicts import earlier_loss
from ..analysis.words import named
from ..orders.buckets import to_text
from .question_tables import TABLES as QUESTIONS
from .table import Data, PValue, Row, Table, listed, number, of_each, picked, with_rows
from .verdict_tables import (
    against_a_person,
    against_silence,
    differences,
    intervals,
    verdict_sentences,
)

_TIES_APART: Final = 0.05


def tables_of(data: Data) -> list[Table]:
    """Return the tables of :meth:`.Analysis.to_json` with rows, in the order of the report."""
    tables = with_rows(*(make(data) for make in _TABLES))
    if earlier := earlier_loss(data):
        return [replace(one, note=f"{earlier} {one.note}") for one in tables]
    return tables


def _measures(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        names = ("kemeny_distance", "tau_b", "n_without_tau_b", "pairwise_accuracy", "discordance")
        yield from picked(around["measures"], "protocol", *names)
        for baseline in around["baselines"]:
            yield baseline["baseline"], *(baseline.get(name) for name in names)

    return listed("measures", of_each(data, rows))


def _rounding(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        return ((one["protocol"], *one["scores"]) for one in around["rounding"])

    columns = [number(rounding_name(places)) for places in DECIMALS]
    return listed("rounding", of_each(data, rows), columns=columns)


def _calibration(data: Data) -> Table:
    names = (
        *("protocol", "epsilon", "accuracy_at_0", "accuracy"),
        *("cross_validated_accuracy", "score", "cross_validated_score"),
    )
    return listed("calibration", of_each(data, lambda own: picked(own["calibration"], *names)))


def _sensitivity(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        names = ("name", "order", "tau_b", "same_order", "n_images")
        for name, order, *others in picked(around["sensitivity"], *names):
            yield name, to_text(order) if order else None, *others

    return listed("sensitivity", of_each(data, rows))


# The words of a row, the part of an analysis and the number in it; a row with "?" is left out if there
# is no number, as in reports that were kept earlier.
_AGREEMENT: Final = (
    ("Kendall's W, mean over images (1: the same order)", "agreement", "kendall_w"),
    ("Kendall's W of orders at random, for as many annotators", "agreement", "w_by_chance?"),
    ("Kendall's W: low end of its 95 % interval over images", "agreement", "w_low?"),
    ("Kendall's W: high end of its 95 % interval over images", "agreement", "w_high?"),
    ("Images without Kendall's W", "agreement", "n_without_w?"),
    ("Krippendorff's alpha, ordinal (1: the same order)", "agreement", "alpha"),
    ("Edit distance between two annotators, mean", "agreement", "edit_distance"),
    ("Kemeny distance between two annotators, mean", "agreement", "kemeny_distance"),
    ("Human baseline: an annotator to the others' consensus, mean", "human_baseline", "score"),
    ("Human baseline: low end of its 95 % interval over images", "human_baseline", "low?"),
    ("Human baseline: high end of its 95 % interval over images", "human_baseline", "high?"),
    ("Friedman test of all protocols, annotators fixed: p", "friedman", "p_value"),
    (
        "Critical difference of average ranks, annotators fixed (Nemenyi, 5 %)",
        *("critical_difference", "critical_difference"),
    ),
)


def _agreement(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        for words, part, name in _AGREEMENT:
            value = around[part].get(name.rstrip("?"))
            if name == "n_without_w?":
                value = value or None
            if name == "p_value" and value is not None:
                value = PValue(value)
            if value is not None or not name.endswith("?"):
                yield words, value

    return listed("agreement", of_each(data, rows), *_without_w(data))


def _without_w(data: Data) -> list[str]:
    """Return a note that the mean of Kendall's W leaves images out, if it does."""
    if not any(around["agreement"]["n_without_w"] for around in data["analysis"].values()):
        return []
    return [
        (
            "Kendall's W has no value on an image on which every annotator ties all methods, or which "
            "only one annotator ranked; its mean leaves these images out."
        )
    ]


def _ties(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        shares = around["ties"]
        annotator, protocol = "annotator", "protocol"
        yield from ((annotator, *share) for share in shares["annotators"].items())
        yield ("consensus", "", shares["consensus"])
        yield from ((protocol, *share) for share in shares["protocols"].items())

    return listed("ties", of_each(data, rows), *_tie_warnings(data))


def _tie_warnings(data: Data) -> list[str]:
    """Return warnings on shares of ties that differ so much that they affect distances."""
    apart, protocols = [], []
    for criterion, around in data["analysis"].items():
        shares = around["ties"]
        people = [share for share in shares["annotators"].values() if share is not None]
        if not people:
            continue
        mean = sum(people) / len(people)
        if abs(mean - shares["consensus"]) > _TIES_APART:
            apart.append(criterion)
        tied = [share for share in shares["protocols"].values() if share is not None]
        n = sum(abs(mean - share) > _TIES_APART for share in tied)
        if n:
            protocols.append(f"{n} of {len(tied)} by {criterion}")
    points, sentences = f"{100 * _TIES_APART:.0f}", []
    if apart:
        sentences.append(
            f"By {named(apart)} the consensus and single annotators differ by more than {points} points: "
            "Scores cannot be compared with those of a study with more or fewer annotators."
        )
    if protocols:
        sentences.append(
            "Protocols whose share of tied pairs differs from single annotators' by more than "
            f"{points} points: {', '.join(protocols)}. Part of their distance comes from that alone."
        )
    return sentences


def _annotators(data: Data) -> Table:
    def rows(around: Data) -> Iterator[Row]:
        for name, annotator in around["annotators"].items():
            yield name, annotator["n_images"], annotator["distance"]

    return listed("annotators", of_each(data, rows))


def _criteria(data: Data) -> Table:
    names = ("first", "second", "distance", "share", "n_images")
    return listed("criteria", picked(data["between_criteria"], *names))


_TABLES: Final = (
    *(verdict_sentences, intervals, differences, against_silence, against_a_person),
    *(_sensitivity, _agreement, _ties, _annotators, _criteria),
    *(_measures, _rounding, _calibration, *QUESTIONS),
)
