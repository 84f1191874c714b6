"""The tables of a leaderboard: methods by protocols, and where protocols disagree."""

from collections.abc import Mapping
from typing import Final

from text_rankings.base.i18n import gettext, gettext_noop

from ..detectors.leaderboard import Leaderboard, disagreements
from ..errors import RankingError
from .table import Column, Table, number

_NAMES: Final = {
    "f_score": gettext_noop("F-score"),
    "recall": gettext_noop("Recall"),
    "precision": gettext_noop("Precision"),
}


def leaderboard_table(boards: Mapping[str, Leaderboard], by: str, figure: str) -> Table:
    """Return the methods in the order of one protocol, with the figures of all.

    Boards are of one figure by protocol; interval and letters of the protocol ``by`` are shown.
    Raises RankingError if it has no board.
    """
    if by not in boards:
        raise RankingError(f"there is no leaderboard of {by}")
    board = boards[by]
    others = {
        protocol: dict(zip(other.methods, other.values, strict=True))
        for protocol, other in boards.items()
        if protocol != by
    }
    letters = board.letters or [None] * len(board.methods)
    rows = tuple(
        (method, letter, value, low, high, *(other.get(method) for other in others.values()))
        for method, letter, value, low, high in zip(
            board.methods, letters, board.values, board.low, board.high, strict=True
        )
    )
    columns = (
        Column("Method"),
        Column("Letters"),
        number(by, 4),
        number("Low", 4),
        number("High", 4),
    )
    return Table(
        "leaderboard",
        gettext("{figure} of each method").format(figure=gettext(_NAMES[figure])),
        gettext(
            "The official figures on {n} images, in the order of {protocol}. Low and High: its 95 % "
            "interval over images like these. Methods that share a letter do not differ "
            "significantly (paired t-tests of the linearised figures, Holm's correction)."
        ).format(n=board.n_images, protocol=by),
        (*columns, *(number(protocol, 4) for protocol in others)),
        rows,
    )


def disagreement_table(boards: Mapping[str, Leaderboard]) -> Table:
    """Return every two methods whose significant order, by one figure, depends on the protocol."""
    return Table(
        "disagreements",
        gettext("Where protocols disagree"),
        gettext("Two methods that protocols put in opposite orders, both significantly."),
        tuple(map(Column, ("First", "Second", "First is better by", "Second is better by"))),
        tuple(
            (one.first, one.second, ", ".join(one.for_first), ", ".join(one.for_second))
            for one in disagreements(boards)
        ),
    )
