"""Rankings, consensus and strengths from people's answers: rankings or pairs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from rankings.command_line.files import read_rankings, rows_of
from rankings.consensus.davidson import DavidsonFit, davidson
from rankings.consensus.rules import ConsensusMethod, consensus_of
from rankings.elicitation.pairs import rankings_of_pairs
from rankings.errors import RankingError
from rankings.orders.buckets import Ranking, checked, to_text
from rankings.output.table import CRITERION, Column, Table, number

from .tables import Plot, Shown, dots, is_frame, records_of

# criterion -> image -> annotator -> ranking
Nested = Mapping[str, Mapping[str, Mapping[str, Ranking]]]


@dataclass(frozen=True, slots=True, repr=False)
class Rankings(Shown):
    """People's rankings, and what follows from their answers.

    Attributes
    ----------
    rankings : criterion -> image -> annotator -> Ranking
        Whole rankings; of pairs, those that order all methods of an image.
    consensus : criterion -> image -> Ranking
        The ranking that represents the annotators of an image.
    strengths : criterion -> DavidsonFit
        Of the methods over all images, from every answer.
    left_out : tuple of (image, annotator, reason)
        Pairs that give no whole ranking; they count for the strengths.
    """

    rankings: Nested
    consensus: Mapping[str, Mapping[str, Ranking]]
    strengths: Mapping[str, DavidsonFit]
    left_out: tuple[tuple[str, str, str], ...]

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
        columns = (CRITERION, Column("Method"), number("Strength"), number("Standard error"))
        orders = tuple(
            (criterion, image, to_text(ranking))
            for criterion, images in self.consensus.items()
            for image, ranking in images.items()
        )
        heads = (CRITERION, Column("Image"), Column("Consensus"))
        return [
            Table("strengths", "Strengths", note, columns, rows),
            Table("consensus", "Consensus", "", heads, orders),
        ]

    def plot(self) -> Plot:
        """Return a plot of the strengths with 95 % intervals."""
        return dots(self.rows(), "strength", "method", "criterion", "strength")


def rank(answers: Any, consensus: ConsensusMethod = "mean-rank") -> Rankings:
    """Return rankings, consensus and strengths from answers.

    Parameters
    ----------
    answers
        A path of a CSV file, a data frame, a list of dictionaries, or a dictionary of criterion to image
        to annotator to ranking. Rows are rankings with the columns ``image``, ``annotator``,
        ``criterion`` and ``buckets``, or pairs with ``method_a``, ``method_b`` (or ``left``, ``right``;
        ``model_a``, ``model_b``) and ``verdict`` ("left", "right", "equal"), or with ``winner`` and
        ``loser``; pairs may have ``image``, ``annotator`` and ``criterion``.
    consensus : "mean-rank" or "kemeny"

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
    whole: dict[str, dict[str, dict[str, Ranking]]]
    orders: dict[str, list[Ranking]] = {}
    left_out: list[tuple[str, str, str]] = []
    if isinstance(answers, Mapping):
        whole = _nested(answers)
    elif isinstance(answers, str | PathLike) and _are_rankings(fspath(answers)):
        whole = read_rankings(fspath(answers))
    else:
        rows, place = _rows(answers)
        if rows and "buckets" in rows[0]:
            whole = _of_buckets(rows, place)
        else:
            of_pairs = rankings_of_pairs(rows, place)
            whole, orders, left_out = of_pairs.whole, of_pairs.orders, of_pairs.left_out
    for criterion, images in whole.items():
        if criterion not in orders:
            orders[criterion] = [one for own in images.values() for one in own.values()]
    if not any(orders.values()):
        raise RankingError("there are no answers")
    agreed = {
        criterion: {
            image: consensus_of(list(own.values()), consensus)
            for image, own in images.items()
            if own
        }
        for criterion, images in whole.items()
    }
    strengths = {criterion: davidson(own) for criterion, own in orders.items() if own}
    return Rankings(whole, agreed, strengths, tuple(left_out))


def _nested(answers: Nested) -> dict[str, dict[str, dict[str, Ranking]]]:
    try:
        return {
            criterion: {
                image: {str(name): checked(ranking) for name, ranking in own.items()}
                for image, own in images.items()
            }
            for criterion, images in answers.items()
        }
    except (AttributeError, TypeError) as fault:
        wanted = "criterion -> image -> annotator -> ranking"
        raise RankingError(f"expected rankings as {wanted}: {fault}") from fault


def _are_rankings(path: str) -> bool:
    return any("buckets" in row for _, row in rows_of(path))


def _rows(answers: Any) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of answers, and what they are called in messages."""
    if is_frame(answers):
        return records_of(answers), "row"
    if not isinstance(answers, str | PathLike):
        if isinstance(answers, Sequence) and all(isinstance(row, Mapping) for row in answers):
            return [dict(row) for row in answers], "row"
        raise RankingError(
            f"expected a path, a data frame, rows or a dictionary, got {type(answers).__name__}"
        )
    return [row for _, row in rows_of(fspath(answers))], f"{answers}, row"


def _of_buckets(
    rows: Iterable[Mapping[str, Any]], place: str
) -> dict[str, dict[str, dict[str, Ranking]]]:
    whole: dict[str, dict[str, dict[str, Ranking]]] = {}
    for at, row in enumerate(rows):
        try:
            buckets = row["buckets"]
            ranking = checked(json.loads(buckets) if isinstance(buckets, str) else buckets)
            criterion, image, name = (str(row[key]) for key in ("criterion", "image", "annotator"))
        except KeyError as fault:
            raise RankingError(f"{place} {at} has no {fault.args[0]}") from fault
        except (TypeError, ValueError) as fault:
            raise RankingError(f"{place} {at}: buckets are no ranking: {fault}") from fault
        own = whole.setdefault(criterion, {}).setdefault(image, {})
        if name in own:
            raise RankingError(f"{place} {at}: {name} ranks {image} a second time")
        own[name] = ranking
    return whole
