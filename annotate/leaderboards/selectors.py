"""The leaderboards of a dataset, by the newest run of each protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotate.figures.data import data_of_kept
from annotate.reports.models import KeptReport
from annotate.scoring.leaderboards import leaderboards_of
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.detectors.leaderboard import Leaderboard, disagreements
from rankings.output.detector_tables import images_of


@dataclass(frozen=True)
class Boards:
    """The leaderboards of one figure by protocol; ``by`` is the protocol that orders the methods.

    With ``is_shared``, they count the images of all methods alone.
    """

    figure: str
    by: str
    boards: dict[str, Leaderboard]
    # Of each method's name.
    slugs: dict[str, str]
    is_shared: bool = False

    @property
    def board(self) -> Leaderboard:
        return self.boards[self.by]

    @property
    def others(self) -> list[str]:
        return [name for name in self.boards if name != self.by]

    @property
    def query(self) -> str:
        """The part of an address that keeps the choice of images."""
        return "&shared=on" if self.is_shared else ""

    @property
    def lacking(self) -> list[str]:
        """The methods without a place: they lack images on which others were evaluated."""
        return [name for at, name in enumerate(self.board.methods) if not self.board.is_ranked(at)]

    @property
    def offers_shared(self) -> bool:
        """Return whether the images of all methods are fewer than those of some, by a protocol."""
        return self.is_shared or any(board.sets_differ for board in self.boards.values())


def boards_of(
    runs: list[ProtocolRun], figure: str, by: str = "", *, shared_only: bool = False
) -> Boards:
    """Return the leaderboards of at least one run.

    Without ``by``, the first protocol whose figures have tests orders the methods.
    """
    boards = {run.name: leaderboards_of(run, shared_only=shared_only)[figure] for run in runs}
    tested = [name for name, board in boards.items() if board.letters]
    slugs = dict(runs[0].dataset.methods.values_list("name", "slug"))
    return Boards(figure, by or (tested or list(boards))[0], boards, slugs, shared_only)


@dataclass(frozen=True)
class Cell:
    """A method's figure by one protocol; ``differs`` names methods in the opposite order.

    ``images`` is a count, as in "2 of 12", if it is not that of the row.
    """

    protocol: str
    value: float | None
    differs: Sequence[str]
    images: str = ""


@dataclass(frozen=True)
class Row:
    """A method: its place, the deciding figure with its interval, and the other protocols' figures.

    The place is None for a method that misses images of others. ``images`` counts those of its
    figure, as in "2 of 12". Limits are None without an interval. ``drawn`` has low, value and high
    in percent of the range of all methods.
    """

    place: int | None
    method: str
    slug: str
    n_images: int
    images: str
    letters: str
    value: float | None
    low: float | None
    high: float | None
    drawn: Sequence[float] | None
    others: Sequence[Cell]
    # By the people of each study; None if it does not have the method.
    people: Sequence[int | None] = ()

    @property
    def figures(self) -> dict[str, float | None]:
        """The figures by the other protocols."""
        return {cell.protocol: cell.value for cell in self.others}


@dataclass(frozen=True)
class PeopleOrder:
    """The places that the people of a study give the methods, by preference, in a kept report."""

    study: Study
    report: KeptReport
    places: Mapping[str, int]


def orders_of_people(studies: QuerySet[Study]) -> list[PeopleOrder]:
    """Return the order in the newest kept report of each study; nothing for studies without one."""
    found = []
    for study in studies:
        report = study.kept_reports.order_by("-pk").first()
        data = data_of_kept(study, report, "preference") if report else None
        if report is None or data is None:
            continue
        places: dict[str, int] = {}
        for bucket in data.detectors["order"]:
            places |= dict.fromkeys(bucket, len(places) + 1)
        found.append(PeopleOrder(study, report, places))
    return found


def rows_of(boards: Boards, people: Sequence[PeopleOrder] = ()) -> list[Row]:
    """Return the methods in the order of the deciding protocol."""
    board = boards.board
    others = {
        name: {method: at for at, method in enumerate(boards.boards[name].methods)}
        for name in boards.others
    }
    against, drawn = _against(boards), _drawn(board)

    def cell(name: str, method: str, images: str) -> Cell:
        other, own = boards.boards[name], others[name].get(method)
        if own is None:
            return Cell(name, None, ())
        counted = images_of(other, own)
        differs = against.get((name, method), ())
        return Cell(name, other.values[own], differs, "" if counted == images else counted)

    return [
        Row(
            board.place(at),
            method,
            boards.slugs.get(method, ""),
            board.n_images_of(at),
            images_of(board, at),
            board.letters[at] if board.letters else "",
            board.values[at],
            board.low[at],
            board.high[at],
            drawn[at],
            [cell(name, method, images_of(board, at)) for name in others],
            [order.places.get(method) for order in people],
        )
        for at, method in enumerate(board.methods)
    ]


def _against(boards: Boards) -> dict[tuple[str, str], list[str]]:
    """Return, by protocol and method, the methods that it orders against the deciding protocol."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in disagreements(boards.boards):
        if boards.by in one.for_first:
            opposed = one.for_second
        elif boards.by in one.for_second:
            opposed = one.for_first
        else:
            continue
        for name in opposed:
            found.setdefault((name, one.first), []).append(one.second)
            found.setdefault((name, one.second), []).append(one.first)
    return found


def _drawn(board: Leaderboard) -> list[Sequence[float] | None]:
    limits = zip(board.low, board.values, board.high, strict=True)
    known = [
        (low, value, high) if low is not None and value is not None and high is not None else None
        for low, value, high in limits
    ]
    start = min((one[0] for one in known if one), default=0)
    size = max((one[2] for one in known if one), default=0) - start
    if not size:
        return [None] * len(known)
    return [[100 * (part - start) / size for part in one] if one else None for one in known]
