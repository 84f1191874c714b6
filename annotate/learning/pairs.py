"""Pairs of the worked examples and the practice: a picture, two sets of boxes, and their verdicts.

They are listed in pairs.json; their words are translated where they are shown.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .pictures import PICTURES, Box, Picture

LEFT, EQUAL, RIGHT = "left", "equal", "right"
# Practice asks for these; preference has no wrong answer.
CHECKED: Final = ("recall", "precision")
CRITERIA: Final = (*CHECKED, "preference")
ROUNDS: Final = (1, 2)
PAIRS_IN_A_ROUND: Final = 6
NEEDED: Final = 5

# Words below this height are unreadable in a pane as wide as it is in a window of 1440 px.
_LEGIBLE_PX: Final = 9
_PANE_WIDE: Final = 680
_ROOM: Final = 40


@dataclass(frozen=True)
class Pair:
    """One picture with two results over it."""

    slug: str
    picture: Picture
    left: tuple[Box, ...]
    right: tuple[Box, ...]

    @property
    def close_up(self) -> Box | None:
        """The region to enlarge, if differences are too small to see in the whole picture."""
        differing = set(self.left) ^ set(self.right)
        highest = max(bottom - top for _, top, _, bottom in differing)
        if highest * _PANE_WIDE / self.picture.width >= _LEGIBLE_PX:
            return None
        lefts, tops, rights, bottoms = zip(*differing, strict=True)
        return (
            round(max(min(lefts) - _ROOM, 0), 1),
            round(max(min(tops) - _ROOM, 0), 1),
            round(min(max(rights) + _ROOM, self.picture.width), 1),
            round(min(max(bottoms) + _ROOM, self.picture.height), 1),
        )


@dataclass(frozen=True)
class Verdict:
    """The verdict of a card on one criterion; ``answer`` is empty where people may disagree."""

    answer: str
    why: str


@dataclass(frozen=True)
class Card:
    title: str
    says: str
    pair: Pair
    recall: Verdict
    precision: Verdict
    preference: Verdict


@dataclass(frozen=True)
class Exercise:
    """A pair whose recall and precision are obvious; ``why`` gives the reason for each."""

    pair: Pair
    expected: Mapping[str, str]
    why: Mapping[str, str]


def _pair(row: Mapping[str, Any]) -> Pair:
    left, right = (tuple(tuple(box) for box in row[side]) for side in (LEFT, RIGHT))
    return Pair(row["slug"], PICTURES[row["picture"]], left, right)


def _card(row: Mapping[str, Any]) -> Card:
    verdicts = {criterion: Verdict(**row[criterion]) for criterion in CRITERIA}
    return Card(row["title"], row["says"], _pair(row["pair"]), **verdicts)


def _exercises(rows: list[dict[str, Any]]) -> tuple[Exercise, ...]:
    return tuple(Exercise(_pair(row["pair"]), row["expected"], row["why"]) for row in rows)


_LISTED: Final = json.loads(Path(__file__).with_name("pairs.json").read_text(encoding="utf-8"))
CARDS: Final = tuple(_card(row) for row in _LISTED["cards"])
# The pair whose difference is invisible without zooming in.
SMALL_TEXT: Final = CARDS[-1]
# Two rounds of six; in each, left, equal and right are expected about equally often.
EXERCISES: Final[Mapping[int, tuple[Exercise, ...]]] = {
    int(number): _exercises(rows) for number, rows in _LISTED["rounds"].items()
}
