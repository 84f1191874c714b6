"""The tables of a leaderboard: methods by protocols, and where protocols disagree."""

from collections.abc import Iterator, Mapping
from typing import Final

from ..detectors.leaderboard import Leaderboard, disagreements
from ..errors import RankingError
from .table import Cell, Column, Table, count, number

_NAMES: Final = {
    "f_score": "F-score",
    "recall": "Recall",
    "precision": "Precision",
}
_NOTE: Final = (
    "The official figures on {n} images, in the order of {protocol}. Low and High: its 95 % interval "
    "over images like these. Methods that share a letter do not differ significantly (paired t-tests "
    "of the linearised figures, Holm's correction)."
)
_OF: Final = "{n} of {all}"


def leaderboard_table(boards: Mapping[str, Leaderboard], by: str, figure: str) -> Table:
    """Return the methods in the order of one protocol, with the figures of all.

    Boards are of one figure by protocol; interval and letters of the protocol ``by`` are shown.
    Raises RankingError if it has no board.
    """
    if by not in boards:
        raise RankingError(f"there is no leaderboard of {by}")
    board = boards[by]
    others = {protocol: other for protocol, other in boards.items() if protocol != by}
    own = {method: images_of(board, at) for at, method in enumerate(board.methods)}
    columns: list[Column] = []
    of_others: dict[str, list[Cell]] = {method: [] for method in board.methods}
    for protocol, other in others.items():
        values = dict(zip(other.methods, other.values, strict=True))
        images = {method: images_of(other, at) for at, method in enumerate(other.methods)}
        has_own_images = any(images.get(method, own[method]) != own[method] for method in own)
        columns += [number(protocol, 4)]
        columns += [Column(f"Images, {protocol}")] * has_own_images
        for method, cells in of_others.items():
            cells += [values.get(method), images.get(method)][: 1 + has_own_images]
    rows = tuple(
        (
            *(method, own[method], board.place(at), board.letters[at] if board.letters else None),
            *(board.values[at], board.low[at], board.high[at], *of_others[method]),
        )
        for at, method in enumerate(board.methods)
    )
    first = (Column("Method"), Column("Images"), count("Place"), Column("Letters"))
    figures = (number(by, 4), number("Low", 4), number("High", 4))
    return Table(
        "leaderboard",
        f"{_NAMES[figure]} of each method",
        " ".join([_NOTE.format(n=board.n_images, protocol=by), *_on_sets(board)]),
        (*first, *figures, *columns),
        rows,
    )


def images_of(board: Leaderboard, at: int) -> str:
    """Return the number of a method's images, and of all: "2 of 12"."""
    return _OF.format(n=board.n_images_of(at), all=board.n_images)


def _on_sets(board: Leaderboard) -> Iterator[str]:
    if board.sets_differ:
        yield (
            "Methods without a place were not evaluated on all images of the others, "
            f"so that their figures are not comparable; {board.n_shared} images are "
            "shared by all methods."
        )


def disagreement_table(boards: Mapping[str, Leaderboard]) -> Table:
    """Return every two methods whose significant order, by one figure, depends on the protocol."""
    return Table(
        "disagreements",
        "Where protocols disagree",
        "Two methods that protocols put in opposite orders, both significantly.",
        tuple(map(Column, ("First", "Second", "First is better by", "Second is better by"))),
        tuple(
            (one.first, one.second, ", ".join(one.for_first), ", ".join(one.for_second))
            for one in disagreements(boards)
        ),
    )
