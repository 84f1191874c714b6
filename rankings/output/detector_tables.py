"""The tables of the detectors' standings (:meth:`.Detectors.to_json`), and of leaderboards."""

from collections.abc import Iterator, Mapping
from typing import Final

from ..detectors.leaderboard import Leaderboard, disagreements
from ..errors import RankingError
from ..orders.buckets import to_text
from .table import (
    Cell,
    Column,
    Data,
    Row,
    Table,
    count,
    listed,
    number,
    of_criteria,
    picked,
    with_rows,
)

# The names of these tables in addresses.
DETECTOR_TABLES: Final = ("preferences", "preferencepairs", "strengths", "standings", "wrongpairs")


def detector_tables(detectors: Data) -> list[Table]:
    """Return every table of :meth:`.Detectors.to_json` that has a row."""
    return with_rows(
        _preferences(detectors),
        _preference_pairs(detectors),
        _strengths(detectors),
        _standings(detectors),
        _wrong_pairs(detectors),
    )


def _preferences(detectors: Data) -> Table:
    """Return how many of 100 other detectors people place before each one, the fewest first."""

    def rows(own: Data) -> Iterator[Row]:
        tested = own["preferences"]["comparisons"]
        if not tested["n_rankings"]:
            return
        of_all = zip(tested["protocols"], tested["means"], tested["mean_limits"], strict=True)
        for method, mean, limits in sorted(of_all, key=lambda one: one[1]):
            letters = own["preferences"]["letters"][method]
            yield method, tested["n_images"], tested["n_rankings"], mean, *limits, letters

    return listed("preferences", of_criteria(_with_preferences(detectors), rows))


def _preference_pairs(detectors: Data) -> Table:
    """Return every two detectors, compared by people's rankings."""
    names = ("first", "second", "difference", "adjusted_low", "adjusted_high", "adjusted_p_value")

    def rows(own: Data) -> Iterator[Row]:
        tested = own["preferences"]["comparisons"]
        return picked(tested["pairs"], *names) if tested["n_rankings"] else iter(())

    return listed("preferencepairs", of_criteria(_with_preferences(detectors), rows))


def _with_preferences(detectors: Data) -> Data:
    """Return the criteria that have them; reports kept before had none."""
    return {name: own for name, own in detectors["criteria"].items() if "preferences" in own}


def _strengths(detectors: Data) -> Table:
    """Return people's strengths of the methods, with their intervals."""

    def rows(own: Data) -> Iterator[Row]:
        people = own["people"]
        for method, *figures in picked(people["strengths"], "method", "strength", "low", "high"):
            yield method, people["n_images"], *figures

    return listed("strengths", of_criteria(detectors["criteria"], rows))


def _standings(detectors: Data) -> Table:
    """Return how well each protocol agrees with people's order of the methods.

    Reports kept before had no number of images.
    """

    def rows(own: Data) -> Iterator[Row]:
        for row in own["protocols"]:
            soft, hard = row["soft"], row["hard"]
            yield (
                *(row["protocol"], row.get("n_images"), soft["value"], soft["low"], soft["high"]),
                *(soft["low_methods"], soft["high_methods"]),
                *(hard["value"], hard["low"], hard["high"], row["n_wrong"]),
                to_text(row["order"]),
            )

    return listed("standings", of_criteria(detectors["criteria"], rows))


def _wrong_pairs(detectors: Data) -> Table:
    """Return the pairs that a protocol orders opposite to people, and how sure both sides are."""
    names = ("first", "second", "lead", "low", "high", "p_people", "figure_first", "figure_second")

    def rows(own: Data) -> Iterator[Row]:
        for row in own["protocols"]:
            for *others, images in picked(row["wrong"], *names, "p_protocol", "images"):
                yield row["protocol"], *others, "; ".join(images)

    return listed("wrongpairs", of_criteria(detectors["criteria"], rows))


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
    return f"{board.n_images_of(at)} of {board.n_images}"


def _on_sets(board: Leaderboard) -> Iterator[str]:
    if board.sets_differ:
        yield (
            "Methods without a place were not evaluated on all images of the others, "
            f"so that their figures are not comparable; {board.n_shared} images are "
            "shared by all methods."
        )


def disagreement_table(boards: Mapping[str, Leaderboard]) -> Table:
    """Return every two methods whose significant order, by one figure, depends on the protocol."""
    rows = (
        (one.first, one.second, ", ".join(one.for_first), ", ".join(one.for_second))
        for one in disagreements(boards)
    )
    return listed("disagreements", rows)
