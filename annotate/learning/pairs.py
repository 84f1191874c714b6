"""Pairs of the worked examples and the practice: a picture, two sets of boxes, and their verdicts.

Their words are marked here and translated where they are shown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_noop as _

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
        return _around(self.picture, differing, by=_ROOM)


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


def around(picture: str, *texts: str, by: float = 4) -> Box:
    """Return the bounding box of these words of a picture, with a margin in pixels."""
    of = PICTURES[picture]
    return _around(of, [of.boxes[text] for text in texts], by=by)


def each(picture: str, *texts: str, by: float = 4) -> tuple[Box, ...]:
    """Return a box around each of these words, or around every word if none is named."""
    return tuple(around(picture, text, by=by) for text in texts or PICTURES[picture].boxes)


def all_but(picture: str, *texts: str, by: float = 4) -> tuple[Box, ...]:
    return each(picture, *(text for text in PICTURES[picture].boxes if text not in texts), by=by)


def marks(picture: str, *names: str, by: float = 4) -> tuple[Box, ...]:
    """Return a box around each of these objects, which only look like text."""
    of = PICTURES[picture]
    return tuple(_around(of, [of.others[name]], by=by) for name in names)


def start_of(box: Box, share: float) -> Box:
    left, top, right, bottom = box
    return (left, top, round(left + share * (right - left), 1), bottom)


def beside(box: Box, across: float = 0, down: float = 0) -> Box:
    """Return a box moved by these shares of its width and height."""
    left, top, right, bottom = box
    x, y = across * (right - left), down * (bottom - top)
    return (round(left + x, 1), round(top + y, 1), round(right + x, 1), round(bottom + y, 1))


def _around(picture: Picture, boxes: Iterable[Box], by: float) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (
        round(max(min(lefts) - by, 0), 1),
        round(max(min(tops) - by, 0), 1),
        round(min(max(rights) + by, picture.width), 1),
        round(min(max(bottoms) + by, picture.height), 1),
    )


def _pair(slug: str, picture: str, left: tuple[Box, ...], right: tuple[Box, ...]) -> Pair:
    return Pair(slug, PICTURES[picture], left, right)


# The words of the timetable whose boxes are shifted.
_UNDER: Final = ("Brisley", "Dunmore", "Fenwick")

CARDS: Final = (
    Card(
        _("A box that is too large"),
        _("Both results found both words. On the right, one box reaches far beyond its word."),
        _pair(
            "too-large",
            "bakery",
            each("bakery"),
            ((36, 26, 604, 172), *each("bakery", "OPEN")),
        ),
        Verdict(
            EQUAL, _("“Bakery” and “Open” lie inside a box on both sides. Nothing is missing.")
        ),
        Verdict(
            LEFT,
            _(
                "The large box marks wall and awning as if they were text. The left boxes mark the "
                "words and little else."
            ),
        ),
        Verdict(
            "",
            _("Your overall choice. You may find the large box useless, or good enough."),
        ),
    ),
    Card(
        _("A box that cuts the word"),
        _("On the right, the box round “Platform” ends in the middle of the word."),
        _pair(
            "cut",
            "station",
            each("station"),
            (start_of(around("station", "Platform"), 0.52), *each("station", "3", "EXIT")),
        ),
        Verdict(
            LEFT,
            _("Half of “Platform” is outside every box: the right result finds less of the text."),
        ),
        Verdict(EQUAL, _("The cut box still marks text. Neither side marks anything else.")),
        Verdict("", _("You decide how bad half a word is.")),
    ),
    Card(
        _("A margin around the word"),
        _(
            "The same words on both sides. The left boxes touch the letters, the right ones leave a margin."
        ),
        _pair("margin", "boat", each("boat", by=1), each("boat", by=11)),
        Verdict(EQUAL, _("Every word is inside a box on both sides.")),
        Verdict(
            "",
            _(
                "A margin is, strictly, not text; but does it matter? “Equal” is a good answer "
                "as long as you would not mind the margin yourself."
            ),
        ),
        Verdict("", _("Tight or loose: whichever you would rather work with. Or equal.")),
    ),
    Card(
        _("One box for the line, or one for each word"),
        _("On the left one box holds “City Hall”; on the right each word has its own."),
        _pair(
            "line",
            "stop",
            (around("stop", "CITY", "HALL"), *each("stop", "12", "40")),
            each("stop"),
        ),
        Verdict(EQUAL, _("All the text is inside a box, whichever way it is divided.")),
        Verdict(
            "",
            _(
                "The line box also marks the gap between the words. You may find the gap too small to "
                "matter (equal) or find the word boxes cleaner (right). Both are allowed."
            ),
        ),
        Verdict(
            "",
            _("Lines or words: people want different things from a result. What would you want?"),
        ),
    ),
    Card(
        _("Invented boxes"),
        _("Both results found the sign. The right one also put boxes where there is no text."),
        _pair(
            "invented",
            "books",
            each("books"),
            (
                *each("books"),
                (66, 242, 214, 300),
                (546, 50, 618, 120),
                (282, 166, 358, 244),
                (428, 168, 500, 232),
            ),
        ),
        Verdict(
            EQUAL,
            _("“Old” and “Books” are found on both sides. Extra boxes do not find more text."),
        ),
        Verdict(
            LEFT,
            _(
                "Books, lamp, door and window are not text. The right result marks them; the left does not."
            ),
        ),
        Verdict("", _("Your choice. It may follow precision here, but it need not.")),
    ),
    Card(
        _("Nothing found at all, or only false boxes"),
        _("The left result has no boxes. The right one has five, and none of them is on text."),
        _pair(
            "nothing",
            "cafe",
            (),
            (
                (74, 210, 160, 326),
                (460, 182, 550, 258),
                (572, 14, 622, 66),
                (232, 216, 312, 326),
                (300, 2, 420, 46),
            ),
        ),
        Verdict(EQUAL, _("Neither finds any text: not “Luna”, not “Coffee”.")),
        Verdict(
            "",
            _(
                "Two readings, both allowed. The left marks nothing wrong, so “left "
                "better”. Or: where nothing is marked there is nothing to be precise "
                "about, so “equal”. Formulas do not agree here either. Trust your eye, "
                "and answer the same way next time."
            ),
        ),
        Verdict("", _("Nothing, or something useless: which would you rather have?")),
    ),
    Card(
        _("Small text"),
        _(
            "Both results have the same number of boxes here, and as a whole they look alike. Zoom in on "
            "the timetable before you read on."
        ),
        _pair(
            "timetable",
            "platform",
            each("platform", by=2),
            (
                *all_but("platform", *_UNDER, by=2),
                *(beside(box, down=0.7) for box in each("platform", *_UNDER, by=2)),
            ),
        ),
        Verdict(
            LEFT,
            _(
                "“Brisley”, “Dunmore” and “Fenwick” have no box on the right: those boxes slipped down "
                "between the lines."
            ),
        ),
        Verdict(LEFT, _("The three boxes that slipped mark empty paper and a thin line.")),
        Verdict("", _("Now that you have seen it, you decide.")),
    ),
)


# The pair whose difference is invisible without zooming in.
SMALL_TEXT: Final = CARDS[-1]


def _exercise(
    slug: str,
    picture: str,
    left: tuple[Box, ...],
    right: tuple[Box, ...],
    recall: tuple[str, str],
    precision: tuple[str, str],
) -> Exercise:
    return Exercise(
        _pair(slug, picture, left, right),
        {"recall": recall[0], "precision": precision[0]},
        {"recall": recall[1], "precision": precision[1]},
    )


_ONLY_TEXT = _("neither side marks anything that is not text.")
_BARRED = ("Plums", "Soup", "Oats")
_ASIDE = ("Tailor", "repaired", "Maps")
_ALL_FOUND = _("both sides have every word inside a box.")

# Two rounds of six; in each, left, equal and right are expected about equally often.
EXERCISES: Final[Mapping[int, tuple[Exercise, ...]]] = {
    1: (
        _exercise(
            "street",
            "street",
            each("street"),
            each("street", "Street", "17"),
            (LEFT, _("the right result misses “Helena”.")),
            (EQUAL, _ONLY_TEXT),
        ),
        _exercise(
            "pharmacy",
            "pharmacy",
            (*each("pharmacy"), (50, 46, 136, 132), (58, 170, 170, 304), (540, 222, 558, 278)),
            each("pharmacy"),
            (EQUAL, _ALL_FOUND),
            (RIGHT, _("the left result marks the cross, a window and the door handle.")),
        ),
        _exercise(
            "shelf",
            "shelf",
            (
                *all_but("shelf", *_BARRED, by=2),
                *marks("shelf", *(f"bars of {name}" for name in _BARRED), by=2),
            ),
            each("shelf", by=2),
            (RIGHT, _("the left result misses “Plums”, “Soup” and “Oats”.")),
            (RIGHT, _("the left result marks the bar codes of three tins.")),
        ),
        _exercise(
            "garden",
            "garden",
            each("garden"),
            ((20, 100, 396, 300), *each("garden", "Please", "knock")),
            (EQUAL, _ALL_FOUND),
            (LEFT, _("the box round “Garden” on the right takes in half of the gate.")),
        ),
        _exercise(
            "parking",
            "parking",
            each("parking"),
            each("parking", by=5),
            (EQUAL, _ALL_FOUND),
            (EQUAL, _("the boxes differ by a pixel, which is too little to matter.")),
        ),
        _exercise(
            "concert",
            "concert",
            each("concert"),
            (
                *each("concert", "LIVE"),
                (242, 148, 398, 304),
                (122, 36, 146, 62),
                (492, 272, 518, 300),
            ),
            (LEFT, _("the right result misses “Music”, “Tonight” and “8”.")),
            (LEFT, _("the right result marks the record and two nails.")),
        ),
    ),
    2: (
        _exercise(
            "bakery",
            "bakery",
            each("bakery"),
            (*each("bakery"), (446, 168, 536, 254), (48, 130, 200, 190), (80, 258, 180, 304)),
            (EQUAL, _ALL_FOUND),
            (LEFT, _("the right result marks the door, the awning and a window.")),
        ),
        _exercise(
            "stop",
            "stop",
            (*each("stop"), (162, 146, 190, 174), (162, 196, 190, 224), (430, 180, 560, 290)),
            each("stop", "HALL"),
            (LEFT, _("the right result finds one word only.")),
            (
                RIGHT,
                _(
                    "the left result marks two dots and a bush. Extra words found do not count here."
                ),
            ),
        ),
        _exercise(
            "books",
            "books",
            ((8, 8, 632, 340),),
            each("books"),
            (EQUAL, _ALL_FOUND),
            (RIGHT, _("the box on the left marks nearly the whole photograph.")),
        ),
        _exercise(
            "shops",
            "shops",
            each("shops", by=2),
            (
                *all_but("shops", *_ASIDE, by=2),
                *(beside(box, across=0.5) for box in each("shops", *_ASIDE, by=2)),
            ),
            (
                LEFT,
                _("on the right, half of “Tailor”, “repaired” and “Maps” is outside every box."),
            ),
            (LEFT, _("on the right, three boxes mark as much of the bare boards as of the words.")),
        ),
        _exercise(
            "boat",
            "boat",
            each("boat", by=5),
            each("boat"),
            (EQUAL, _ALL_FOUND),
            (EQUAL, _("the boxes differ by a pixel, which is too little to matter.")),
        ),
        _exercise(
            "cafe",
            "cafe",
            ((574, 16, 622, 64), (84, 214, 230, 324), *each("cafe", "Coffee")),
            each("cafe"),
            (RIGHT, _("the left result misses “Luna”.")),
            (RIGHT, _("the left result marks the moon and a window.")),
        ),
    ),
}
