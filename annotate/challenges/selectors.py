"""Standings of a challenge, as far as a reader may see them now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from operator import itemgetter
from typing import Any, Final

from django.core.cache import cache

from annotate.datasets.models import Image
from annotate.leaderboards.selectors import Boards, Row, rows_of
from protocols.core.base import Tally
from protocols.core.regions import Region, decode_regions
from rankings.detectors.leaderboard import Leaderboard, leaderboard

from . import files
from .models import Challenge, Entry, EntryScore, Split, Team

FIGURE: Final = "f_score"
_MONTH: Final = 30 * 24 * 3600
_DIGITS: Final = 2
# entry key, protocol -> F-score
Values = dict[tuple[int, str], float | None]


@dataclass(frozen=True)
class Reader:
    """A reader of standings: an organiser, a team, or the public."""

    team: Team | None = None
    is_organiser: bool = False


PUBLIC: Final = Reader()


@dataclass(frozen=True)
class Standings:
    """The entries of a split in order: one of each team, and the leaderboards of the protocols."""

    split: str
    # In the order of the board.
    entries: Sequence[Entry]
    names: Sequence[str]
    boards: Boards
    is_rounded: bool
    ties: str

    @property
    def rows(self) -> list[Row]:
        """The rows of the table; places are shared only if the challenge says so."""
        rows = rows_of(self.boards)
        if self.ties == Challenge.Ties.SHARED:
            return rows
        return [replace(row, place=at) for at, row in enumerate(rows, 1)]


def is_told(challenge: Challenge, split: str, reader: Reader = PUBLIC) -> bool:
    """Return whether a reader may see scores on a split now."""
    after = challenge.hidden_score == Challenge.HiddenScore.AFTER
    return reader.is_organiser or split == Split.VISIBLE or not after or challenge.is_over


def is_rounded(challenge: Challenge, split: str, reader: Reader = PUBLIC) -> bool:
    rounded = challenge.hidden_score == Challenge.HiddenScore.ROUNDED
    is_open = not (challenge.is_over or reader.is_organiser)
    return rounded and split == Split.HIDDEN and is_open


def shown_name(team: Team, reader: Reader = PUBLIC) -> str:
    challenge = team.challenge
    is_blind = challenge.sees != Challenge.Sees.OPEN and not challenge.is_over
    return team.blind_name if is_blind and not reader.is_organiser else team.name


def counted(challenge: Challenge, reader: Reader = PUBLIC) -> list[Entry]:
    """Return the entries that standings are made of, the earliest first."""
    entries = Entry.objects.told().filter(team__challenge=challenge, team__is_trial=False)
    if challenge.phase == "frozen" and not reader.is_organiser:
        entries = entries.filter(created__lt=challenge.freezes)
    is_closed = challenge.sees == Challenge.Sees.CLOSED and not challenge.is_over
    if is_closed and not reader.is_organiser:
        entries = entries.filter(team=reader.team)
    found = list(entries.select_related("team").order_by("created", "pk"))
    for entry in found:
        entry.team.challenge = challenge
    return found


def finals(challenge: Challenge, split: str, reader: Reader = PUBLIC) -> list[Entry]:
    """Return the entry of each team that counts: chosen, the best or the last."""
    of_team: dict[int, list[Entry]] = {}
    for entry in counted(challenge, reader):
        of_team.setdefault(entry.team_id, []).append(entry)
    rule = challenge.final_rule
    if rule == Challenge.FinalRule.BEST:
        values = _values(challenge, split, reader, [one for of in of_team.values() for one in of])
        by = challenge.names[0]
        # Of equal ones the earliest.
        return [
            max(of, key=lambda one: _or_last(values.get((one.pk, by)))) for of in of_team.values()
        ]
    if rule != Challenge.FinalRule.HAND:
        return [of[-1] for of in of_team.values()]
    is_frozen = challenge.phase == "frozen" and not reader.is_organiser
    freeze = challenge.freezes if is_frozen else None
    return [_chosen(of, freeze) or of[-1] for of in of_team.values()]


def _chosen(entries: Sequence[Entry], freeze: datetime | None) -> Entry | None:
    """Return the entry that its team made final; in a freeze, as it was when that began."""
    if freeze is None:
        return next((one for one in entries if one.is_final), None)
    chosen = [(one.chosen, one) for one in entries if one.chosen and one.chosen < freeze]
    return max(chosen, key=itemgetter(0), default=(None, None))[1]


def _or_last(value: float | None) -> float:
    return -1.0 if value is None else value


def _values(challenge: Challenge, split: str, reader: Reader, entries: Sequence[Entry]) -> Values:
    rows = EntryScore.objects.filter(entry__in=entries, split=split)
    digits = _DIGITS if is_rounded(challenge, split, reader) else None
    return {
        (entry, protocol): value if value is None or digits is None else round(value, digits)
        for entry, protocol, value in rows.values_list("entry", "protocol", FIGURE)
    }


def standings(
    challenge: Challenge, split: str, reader: Reader = PUBLIC, by: str = ""
) -> Standings | None:
    """Return the standings on a split; None before they are shown or without an entry."""
    if split not in challenge.splits or not is_told(challenge, split, reader):
        return None
    chosen = finals(challenge, split, reader)
    if not chosen:
        return None
    by = by if by in challenge.names else challenge.names[0]
    hides = is_rounded(challenge, split, reader)
    values = _values(challenge, split, reader, chosen)
    boards = (
        _rounded(challenge, split, chosen, values) if hides else _tested(challenge, split, chosen)
    )
    order = _order(challenge, boards, by, values)
    own = {entry.pk: entry for entry in chosen}
    keys = [int(boards[by].methods[at]) for at in order]
    names = {f"{key:012d}": shown_name(entry.team, reader) for key, entry in own.items()}
    named = {
        name: _named(_permuted(board, order) if name == by else board, names)
        for name, board in boards.items()
    }
    return Standings(
        split,
        [own[key] for key in keys],
        [names[f"{key:012d}"] for key in keys],
        Boards(FIGURE, by, named, {}),
        hides,
        challenge.ties,
    )


def _tested(challenge: Challenge, split: str, chosen: Sequence[Entry]) -> dict[str, Leaderboard]:
    """Return the boards with intervals and tests, under the keys of entries; kept until one changes."""
    keys = sorted(entry.pk for entry in chosen)
    name = f"challenge-{challenge.pk}-{split}-{sha256(repr(keys).encode()).hexdigest()}"
    found: dict[str, Leaderboard] | None = cache.get(name)
    if found is None:
        found = {protocol: _board(keys, protocol, split) for protocol in challenge.names}
        cache.set(name, found, _MONTH)
    return found


def _board(keys: Sequence[int], protocol: str, split: str) -> Leaderboard:
    rows = {
        row.entry_id: row
        for row in EntryScore.objects.filter(entry__in=keys, protocol=protocol, split=split)
    }
    # By image, then by entry.
    sums: Any = list(zip(*(rows[key].tallies for key in keys), strict=True))
    # Of equal figures the board puts the first name first: the earliest entry.
    names = [f"{key:012d}" for key in keys]
    return leaderboard(sums, names, FIGURE, official=[rows[key].f_score for key in keys])


def _rounded(
    challenge: Challenge, split: str, chosen: Sequence[Entry], values: Values
) -> dict[str, Leaderboard]:
    """Return boards of rounded figures alone: intervals and tests would tell more digits."""
    boards, n_images = {}, challenge.images_of(split).count()
    for protocol in challenge.names:
        rows = sorted(
            (-_or_last(value := values.get((entry.pk, protocol))), entry.pk, value)
            for entry in chosen
        )
        none: tuple[None, ...] = (None,) * len(rows)
        boards[protocol] = Leaderboard(
            tuple(f"{key:012d}" for _, key, _value in rows),
            tuple(value for _, _key, value in rows),
            none,
            none,
            tuple(none for _row in rows),
            None,
            n_images,
        )
    return boards


def _order(
    challenge: Challenge, boards: dict[str, Leaderboard], by: str, values: Values
) -> list[int]:
    """Return the order of the board's entries, with ties broken by the next protocols if asked."""
    board = boards[by]
    places = range(len(board.methods))
    if challenge.ties != Challenge.Ties.NEXT:
        return list(places)
    others = [name for name in challenge.names if name != by]

    def key(at: int) -> tuple[float, ...]:
        entry = int(board.methods[at])
        rest = (_or_last(values.get((entry, name))) for name in others)
        return (-_or_last(board.values[at]), *(-value for value in rest), float(entry))

    return sorted(places, key=key)


def _permuted(board: Leaderboard, order: Sequence[int]) -> Leaderboard:
    def moved(of: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(of[at] for at in order)

    return replace(
        board,
        methods=moved(board.methods),
        values=moved(board.values),
        low=moved(board.low),
        high=moved(board.high),
        p_values=moved([moved(row) for row in board.p_values]),
        letters=moved(board.letters) if board.letters else None,
    )


def _named(board: Leaderboard, names: dict[str, str]) -> Leaderboard:
    return replace(board, methods=tuple(names[method] for method in board.methods))


def best_by_date(
    challenge: Challenge, split: str, reader: Reader = PUBLIC
) -> list[tuple[str, datetime, float]]:
    """Return team, time and score of every entry that was the best of its team, the earliest first."""
    if not is_told(challenge, split, reader):
        return []
    entries = counted(challenge, reader)
    values = _values(challenge, split, reader, entries)
    best: dict[int, float] = {}
    found = []
    for entry in entries:
        value = values.get((entry.pk, challenge.names[0]))
        if value is not None and value > best.get(entry.team_id, -1.0):
            best[entry.team_id] = value
            found.append((shown_name(entry.team, reader), entry.created, value))
    return found


def own_scores(entry: Entry, reader: Reader) -> list[tuple[str, list[EntryScore]]]:
    """Return the scores of an entry that a reader may see, by split; rounded ones in place."""
    challenge = entry.team.challenge
    found = []
    has_scores = entry.state == Entry.State.SCORED and entry.is_told
    for split in challenge.splits if has_scores else ():
        if not is_told(challenge, split, reader):
            continue
        of_protocol = {score.protocol: score for score in entry.scores.filter(split=split)}
        rows = [of_protocol[name] for name in challenge.names if name in of_protocol]
        if is_rounded(challenge, split, reader):
            for row in rows:
                row.recall = row.precision = None
                row.n_digits = _DIGITS
                row.f_score = None if row.f_score is None else round(row.f_score, _DIGITS)
        found.append((split, rows))
    return found


@dataclass(frozen=True)
class ImageFigure:
    """An image, and the F-score of an entry on it by the deciding protocol."""

    image: Image
    value: float | None


def images_of_entry(entry: Entry) -> list[ImageFigure]:
    """Return the visible images, those with the lowest scores first; none before they are shown."""
    if not entry.is_told or entry.erased:
        return []
    figures = figures_by_image(entry, Split.VISIBLE)
    return sorted(figures, key=lambda one: 2.0 if one.value is None else one.value)


def figures_by_image(entry: Entry, split: str) -> list[ImageFigure]:
    challenge = entry.team.challenge
    score = entry.scores.filter(split=split, protocol=challenge.names[0]).first()
    if score is None:
        return []
    images = challenge.images_of(split).defer("truth")
    return [
        ImageFigure(image, Tally(*tally).figures[2])
        for image, tally in zip(images, score.tallies, strict=True)
    ]


def detections_of(entry: Entry, image: Image) -> tuple[Region, ...]:
    """Return the boxes of an entry on an image; none without a file for it."""
    for _method, name, regions, *_more in files.rows_of(entry.key):
        if name == image.name:
            return decode_regions(regions)
    return ()
