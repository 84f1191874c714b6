"""Rankings, consensus and strengths from people's answers: rankings or pairs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from rankings.command_line.answer_files import read_answer_file
from rankings.command_line.tools import counted, read_records
from rankings.consensus.davidson import DavidsonFit, davidson
from rankings.consensus.rules import ConsensusMethod, agreed, why_no_order
from rankings.elicitation.answers import Answers, answers_of_rankings, answers_of_rows
from rankings.elicitation.pairs import Codes, LeftOut, codes_of, text_of
from rankings.errors import RankingError
from rankings.orders.buckets import Ranking, checked, to_text
from rankings.orders.pairwise import pair_counts
from rankings.output.table import CRITERION, Column, Table, count, number

from .tables import Plot, Shown, dots, is_frame, records_of

# criterion -> image -> annotator -> ranking
Nested = Mapping[str, Mapping[str, Mapping[str, Ranking]]]


@dataclass(frozen=True, slots=True, repr=False)
class Rankings(Shown):
    """People's rankings, and what follows from their answers.

    Attributes
    ----------
    rankings : criterion -> image -> annotator -> Ranking
        Whole rankings: those of all methods that anyone compared on an image.
    consensus : criterion -> image -> Ranking
        The ranking that represents the annotators of an image. If they ranked different methods it
        is Kemeny's over the pairs that were compared; there is none if no answer connects some of
        the methods.
    strengths : criterion -> DavidsonFit
        Of the methods over all images, from every answer; none by a criterion of which no answer
        connects some of the methods.
    left_out : tuple of (image, annotator, reason)
        Answers that are not used, and annotators whose answers give no whole ranking; the pairs of
        these count for consensus and strengths.
    notes : tuple of str
        What else should be known: images whose consensus rests on some pairs or is missing,
        methods without a common order, and answers without an annotator.
    """

    rankings: Nested
    consensus: Mapping[str, Mapping[str, Ranking]]
    strengths: Mapping[str, DavidsonFit]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "criterion": criterion,
                "method": method,
                "strength": strength,
                "standard_error": fit.standard_errors[method],
                "low": strength - 1.96 * fit.standard_errors[method],
                "high": strength + 1.96 * fit.standard_errors[method],
            }
            for criterion, fit in self.strengths.items()
            for method, strength in sorted(fit.strengths.items(), key=lambda of: -of[1])
        ]

    def tables(self) -> list[Table]:
        rows = tuple(
            (row["criterion"], row["method"], row["strength"], row["standard_error"])
            for row in self.rows()
        )
        n = sum(len(own) for images in self.rankings.values() for own in images.values())
        note = f"Davidson's model; {n} whole rankings, {len(self.left_out)} left out."
        reasons = tuple(sorted(Counter(reason for _, _, reason in self.left_out).items()))
        why = (Column("Reason"), count("Answers or annotators"))
        columns = (CRITERION, Column("Method"), number("Strength"), number("Standard error"))
        orders = tuple(
            (criterion, image, to_text(ranking))
            for criterion, images in self.consensus.items()
            for image, ranking in images.items()
        )
        heads = (CRITERION, Column("Image"), Column("Consensus"))
        return [
            Table("strengths", "Strengths", note, columns, rows),
            Table("consensus", "Consensus", "\n".join(self.notes), heads, orders),
            *([Table("left-out", "Left out", "", why, reasons)] if reasons else []),
        ]

    def plot(self) -> Plot:
        """Return a plot of the strengths with 95 % intervals."""
        return dots(self.rows(), "strength", "method", "criterion", "strength")


def rank(
    answers: Any,
    consensus: ConsensusMethod = "mean-rank",
    codes: str | Mapping[Any, str] | None = None,
) -> Rankings:
    """Return rankings, consensus and strengths from answers.

    Parameters
    ----------
    answers
        A path of a file (CSV, JSON, JSON Lines, or the export of a labelling tool), a data frame, a list
        of dictionaries, or a dictionary of criterion to image to annotator to ranking. Rows are
        rankings with the columns ``image``, ``annotator``, ``criterion`` and ``buckets``, or pairs with
        ``method_a``, ``method_b`` (or ``left``, ``right``; ``model_a``, ``model_b``) and ``verdict``
        ("left", "right", "equal"), or with ``winner`` and ``loser``; pairs may have ``image``,
        ``annotator`` and ``criterion``.
    consensus : "mean-rank" or "kemeny"
        Of images on which all ranked the same methods.
    codes : str or mapping, optional
        Meaning of numbers, or of a choice next to a Pairwise of Label Studio, as a verdict:
        ``"0=left, 1=right, 2=equal"`` or ``{0: "left", 1: "right"}``. Without it, numbers are refused.

    Returns
    -------
    Rankings

    Raises
    ------
    RankingError
        If an answer is invalid; names file or row.

    Examples
    --------
    >>> people = {"ann": (("east",), ("craft",)), "ben": (("craft",), ("east",))}
    >>> rank({"recall": {"street": people}}).consensus["recall"]["street"]
    (('craft', 'east'),)
    >>> pairs = [{"method_a": "east", "method_b": "craft", "verdict": "left"}] * 3
    >>> rank(pairs).strengths["preference"].ranking
    (('east',), ('craft',))
    """
    if isinstance(answers, Rankings):
        return answers
    explained = codes_of(codes)
    left_out: Sequence[LeftOut] = ()
    notes: list[str] = []
    if isinstance(answers, Mapping):
        found = answers_of_rankings(_nested(answers))
    else:
        found, left_out, notes = _answers(answers, explained)
    if not any(found.orders.values()):
        raise RankingError("; ".join(["there are no answers", *counted(left_out)]))
    agreements = {
        criterion: {image: agreed(rankings, consensus) for image, rankings in images.items()}
        for criterion, images in found.compared.items()
    }
    notes += found.notes
    notes += [
        f"{criterion}, {image or 'no image'}: {one.note}"
        for criterion, images in agreements.items()
        for image, one in images.items()
        if one.note
    ]
    apart = {
        criterion: why
        for criterion, own in found.orders.items()
        if own and (why := why_no_order(pair_counts(own)))
    }
    # Of one image, the note on its consensus has said it.
    notes += [f"{by}: {why}" for by, why in apart.items() if len(agreements[by]) > 1]
    return Rankings(
        found.whole,
        {
            criterion: {image: one.ranking for image, one in images.items() if one.ranking}
            for criterion, images in agreements.items()
        },
        {by: davidson(own) for by, own in found.orders.items() if own and by not in apart},
        (*left_out, *found.left_out),
        tuple(notes),
    )


def _nested(answers: Nested) -> dict[str, dict[str, dict[str, Ranking]]]:
    try:
        return {
            by: {
                image: {name: checked(ranking) for name, ranking in _named(own, f"{by}, {image}")}
                for image, own in _named(images, by)
            }
            for by, images in _named(answers, "answers")
        }
    except (AttributeError, TypeError) as fault:
        wanted = "criterion -> image -> annotator -> ranking"
        raise RankingError(f"expected rankings as {wanted}: {fault}") from fault


def _named(given: Mapping[Any, Any], place: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a dictionary by their names as text; a missing one, also as nan, is empty."""
    seen = set[str]()
    for key, value in given.items():
        name = key if isinstance(key, str) else text_of(key)
        if name in seen:
            raise RankingError(f"{place}: {name or 'what has no name'} occurs twice")
        seen.add(name)
        yield name, value


def _answers(answers: Any, codes: Codes) -> tuple[Answers, list[LeftOut], list[str]]:
    """Return the answers in rows or a file, those that are not used, and notes."""
    if isinstance(answers, str | PathLike):
        file = read_answer_file(fspath(answers), (), codes)
        place = f"{answers}, {file.unit}"
        return answers_of_rows(file.rows, place, codes), file.left_out, file.notes
    if is_frame(answers):
        rows = records_of(answers)
    elif isinstance(answers, Sequence) and all(isinstance(row, Mapping) for row in answers):
        rows = [dict(row) for row in answers]
    else:
        raise RankingError(
            f"expected a path, a data frame, rows or a dictionary, got {type(answers).__name__}"
        )
    read = read_records(rows, codes)
    return answers_of_rows(enumerate(read.rows), "row", codes), read.left_out, read.notes
