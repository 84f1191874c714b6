"""Pairs of the worked examples and the practice: a picture, two sets of boxes, and their verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .pictures import HEIGHT, PICTURES, WIDTH, Box, Picture

LEFT, EQUAL, RIGHT = "left", "equal", "right"
# Practice asks for these; preference has no wrong answer.
CHECKED: Final = ("recall", "precision")
CRITERIA: Final = (*CHECKED, "preference")
ROUNDS: Final = (1, 2)
PAIRS_IN_A_ROUND: Final = 6
NEEDED: Final = 5


@dataclass(frozen=True)
class Pair:
    """One picture with two results over it."""

    slug: str
    picture: Picture
    left: tuple[Box, ...]
    right: tuple[Box, ...]


@dataclass(frozen=True)
class Verdict:
    """The verdict of a card on one criterion; no ``answer`` where people may well differ."""

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
    """A pair whose recall and precision are plain to see; ``why`` gives the reason for each."""

    pair: Pair
    expected: Mapping[str, str]
    why: Mapping[str, str]


def around(picture: str, *texts: str, by: float = 4) -> Box:
    """Return the box around these words of a picture, with so many pixels of air."""
    boxes = [PICTURES[picture].boxes[text] for text in texts]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return _inside(min(lefts) - by, min(tops) - by, max(rights) + by, max(bottoms) + by)


def each(picture: str, *texts: str, by: float = 4) -> tuple[Box, ...]:
    """Return a box around each of these words; of every word where none is named."""
    return tuple(around(picture, text, by=by) for text in texts or PICTURES[picture].boxes)


def start_of(box: Box, share: float) -> Box:
    left, top, right, bottom = box
    return _inside(left, top, left + share * (right - left), bottom)


def top_of(box: Box, share: float) -> Box:
    left, top, right, bottom = box
    return _inside(left, top, right, top + share * (bottom - top))


def _inside(left: float, top: float, right: float, bottom: float) -> Box:
    return (
        round(max(left, 0), 1),
        round(max(top, 0), 1),
        round(min(right, WIDTH), 1),
        round(min(bottom, HEIGHT), 1),
    )


def _pair(slug: str, picture: str, left: tuple[Box, ...], right: tuple[Box, ...]) -> Pair:
    return Pair(slug, PICTURES[picture], left, right)


CARDS: Final = (
    Card(
        "A box that is too large",
        "Both results found both words. On the right, one box reaches far beyond its word.",
        _pair(
            "too-large",
            "bakery",
            each("bakery"),
            ((36, 26, 604, 172), *each("bakery", "OPEN")),
        ),
        Verdict(EQUAL, "“Bakery” and “Open” lie inside a box on both sides. Nothing is missing."),
        Verdict(
            LEFT,
            "The large box marks wall and awning as if they were text. The left boxes mark the "
            "words and little else.",
        ),
        Verdict(
            "",
            "Your choice, all in all. You may find the large box useless, or good enough.",
        ),
    ),
    Card(
        "A box that cuts the word",
        "On the right, the box round “Platform” ends in the middle of the word.",
        _pair(
            "cut",
            "station",
            each("station"),
            (start_of(around("station", "Platform"), 0.52), *each("station", "3", "EXIT")),
        ),
        Verdict(
            LEFT,
            "Half of “Platform” is outside every box: the right result finds less of the text.",
        ),
        Verdict(
            EQUAL, "What the cut box marks is text all the same. Neither side marks anything else."
        ),
        Verdict("", "How bad half a word is, is for you to say."),
    ),
    Card(
        "Some air around the word",
        "The same words on both sides. The left boxes touch the letters, the right ones leave a margin.",
        _pair("margin", "boat", each("boat", by=1), each("boat", by=11)),
        Verdict(EQUAL, "Every word is inside a box on both sides."),
        Verdict(
            "",
            "A margin is, strictly, not text; but does it matter? “Equal” is a good answer "
            "as long as you would not mind the margin yourself.",
        ),
        Verdict("", "Tight or airy: whichever you would rather work with. Or equal."),
    ),
    Card(
        "One box for the line, or one for each word",
        "On the left one box holds “City Hall”; on the right each word has its own.",
        _pair(
            "line",
            "stop",
            (around("stop", "CITY", "HALL"), *each("stop", "12", "40")),
            each("stop"),
        ),
        Verdict(EQUAL, "All the text is inside a box, whichever way it is divided."),
        Verdict(
            "",
            "The line box also marks the gap between the words. You may find the gap too small to "
            "matter (equal) or find the word boxes cleaner (right). Both are allowed.",
        ),
        Verdict(
            "", "Lines or words: people want different things from a result. What would you want?"
        ),
    ),
    Card(
        "Invented boxes",
        "Both results found the sign. The right one also put boxes where there is no text.",
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
            EQUAL, "“Old” and “Books” are found on both sides. Extra boxes do not find more text."
        ),
        Verdict(
            LEFT,
            "Books, lamp, door and window are not text. The right result marks them; the left does not.",
        ),
        Verdict("", "Your choice. It may follow precision here, but it need not."),
    ),
    Card(
        "Nothing found at all, or only false boxes",
        "The left result has no boxes. The right one has five, and none of them is on text.",
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
        Verdict(EQUAL, "Neither finds any text: not “Luna”, not “Coffee”."),
        Verdict(
            "",
            "Two readings, both allowed. The left marks nothing wrong, so “left better”. Or: "
            "where nothing is marked there is nothing to be precise about, so “equal”. "
            "Formulas do not agree here either. Trust your eye, and answer alike next time.",
        ),
        Verdict("", "Nothing, or something useless: which would you rather have?"),
    ),
)


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


_ONLY_TEXT = "neither side marks anything that is not text."
_ALL_FOUND = "both sides have every word inside a box."

# Two rounds of six; in each, left, equal and right are about as often expected.
EXERCISES: Final[Mapping[int, tuple[Exercise, ...]]] = {
    1: (
        _exercise(
            "street",
            "street",
            each("street"),
            each("street", "Street", "17"),
            (LEFT, "the right result misses “Helena”."),
            (EQUAL, _ONLY_TEXT),
        ),
        _exercise(
            "pharmacy",
            "pharmacy",
            (*each("pharmacy"), (50, 46, 136, 132), (58, 170, 170, 304), (540, 222, 558, 278)),
            each("pharmacy"),
            (EQUAL, _ALL_FOUND),
            (RIGHT, "the left result marks the cross, a window and the door handle."),
        ),
        _exercise(
            "market",
            "market",
            each("market", "Apples", "250"),
            each("market"),
            (RIGHT, "the left result finds one line of the board, the right result all three."),
            (EQUAL, _ONLY_TEXT),
        ),
        _exercise(
            "garden",
            "garden",
            each("garden"),
            ((20, 100, 396, 300), *each("garden", "Please", "knock")),
            (EQUAL, _ALL_FOUND),
            (LEFT, "the box round “Garden” on the right takes in half of the gate."),
        ),
        _exercise(
            "parking",
            "parking",
            each("parking"),
            each("parking", by=5),
            (EQUAL, _ALL_FOUND),
            (EQUAL, "the boxes differ by a pixel; that is nothing to choose by."),
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
            (LEFT, "the right result misses “Music”, “Tonight” and “8”."),
            (LEFT, "the right result marks the record and two nails."),
        ),
    ),
    2: (
        _exercise(
            "station",
            "station",
            (top_of(around("station", "Platform"), 0.4), *each("station", "EXIT")),
            each("station"),
            (RIGHT, "the left result cuts “Platform” and misses “3”."),
            (EQUAL, _ONLY_TEXT),
        ),
        _exercise(
            "bakery",
            "bakery",
            each("bakery"),
            (*each("bakery"), (446, 168, 536, 254), (48, 130, 200, 190), (80, 258, 180, 304)),
            (EQUAL, _ALL_FOUND),
            (LEFT, "the right result marks the door, the awning and a window."),
        ),
        _exercise(
            "stop",
            "stop",
            (*each("stop"), (162, 146, 190, 174), (162, 196, 190, 224), (430, 180, 560, 290)),
            each("stop", "HALL"),
            (LEFT, "the right result finds one word only."),
            (
                RIGHT,
                "the left result marks two dots and a bush. Extra words found do not count here.",
            ),
        ),
        _exercise(
            "books",
            "books",
            ((8, 8, 632, 340),),
            each("books"),
            (EQUAL, _ALL_FOUND),
            (RIGHT, "the box on the left marks nearly the whole photograph."),
        ),
        _exercise(
            "boat",
            "boat",
            each("boat", by=5),
            each("boat"),
            (EQUAL, _ALL_FOUND),
            (EQUAL, "the boxes differ by a pixel; that is nothing to choose by."),
        ),
        _exercise(
            "cafe",
            "cafe",
            ((574, 16, 622, 64), (84, 214, 230, 324), *each("cafe", "Coffee")),
            each("cafe"),
            (RIGHT, "the left result misses “Luna”."),
            (RIGHT, "the left result marks the moon and a window."),
        ),
    ),
}
