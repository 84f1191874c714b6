"""Example scenes for the playground, on most of which protocols disagree."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from .playground import Box, Drawing


@dataclass(frozen=True, slots=True)
class Preset:
    slug: str
    name: str | Promise
    says: str | Promise
    drawing: Drawing


def _word(left: int, top: int, width: int, height: int, text: str = "", line: int = 0) -> Box:
    return Box(left, top, left + width, top + height, text=text, line=line)


def _found(
    left: int, top: int, width: int, height: int, confidence: int = 90, text: str = ""
) -> Box:
    return Box(left, top, left + width, top + height, text=text, confidence=confidence)


def _around(word: Box, margin: int = 0) -> Box:
    """Return a detection with the word's text and a margin on all sides."""
    return Box(
        word.left - margin,
        word.top - margin,
        word.right + margin,
        word.bottom + margin,
        text=word.text,
        confidence=90,
    )


_THREE = (
    _word(120, 130, 260, 80, "Open"),
    _word(420, 130, 320, 80, "every"),
    _word(120, 330, 300, 80, "Sunday"),
)
_LINES = tuple(
    _word(left, top, width, 80, text)
    for left, top, width, text in [
        (180, 110, 280, "Fresh"),
        (490, 110, 300, "bread"),
        (180, 210, 240, "every"),
        (450, 210, 340, "morning"),
        (180, 310, 310, "except"),
        (520, 310, 270, "Monday"),
    ]
)
_LARGE = tuple(
    _word(120 + 400 * (at % 2), 60 + 112 * (at // 2), 360, 76, text)
    for at, text in enumerate(
        ["Bakery", "Coffee", "Bread", "Cakes", "Lunch", "Open", "Daily", "Fresh"]
    )
)
_SMALL = tuple(
    _word(150 + 190 * at, 510, 110, 26, text)
    for at, text in enumerate(["closed", "on", "public", "holidays"])
)
_SIX = tuple(
    _word(90 + 290 * (at % 3), 90 + 330 * (at // 3), 230, 80, text)
    for at, text in enumerate(["North", "Street", "Hotel", "South", "Road", "Inn"])
)
_TWO_ON_A_LINE = (
    _word(150, 250, 300, 90, "Grand", line=1),
    _word(490, 250, 340, 90, "Hotel", line=1),
)

_ALL = [
    Preset(
        "oversized",
        gettext_lazy("One box for three words"),
        gettext_lazy(
            "One large box holds three words and much background. Is all the text found? How precise is it?"
        ),
        Drawing(
            (
                _word(190, 180, 560, 200, "Roland"),
                _word(190, 420, 260, 60, "shoes"),
                _word(480, 420, 260, 60, "repairs"),
            ),
            (_found(160, 150, 620, 370, text="Roland shoes repairs"),),
        ),
    ),
    Preset(
        "margin",
        gettext_lazy("Boxes with a margin"),
        gettext_lazy("Every word is found, by a box whose margin reaches into its neighbours."),
        Drawing(_LINES, tuple(_around(word, 22) for word in _LINES)),
    ),
    Preset(
        "partial",
        gettext_lazy("One word in part"),
        gettext_lazy("One word is found exactly, the other by 70 %. Is that something or nothing?"),
        Drawing(
            (_word(130, 150, 400, 100, "Island"), _word(130, 330, 600, 100, "St.Helena")),
            (_found(130, 150, 400, 100, 90, "Island"), _found(130, 330, 420, 100, 70, "St.Hele")),
        ),
    ),
    Preset(
        "importance",
        gettext_lazy("Small words missed"),
        gettext_lazy(
            "8 of 12 words are found; the 4 that are missed are small. People hardly mind, counts do."
        ),
        Drawing(
            _LARGE + _SMALL,
            tuple(_around(word) for word in _LARGE),
        ),
    ),
    Preset(
        "granularity",
        gettext_lazy("A line instead of words"),
        gettext_lazy(
            "The truth has words; the detection is their whole line. Some protocols handle lines."
        ),
        Drawing(_TWO_ON_A_LINE, (_found(146, 246, 688, 98, text="Grand Hotel"),)),
    ),
    Preset(
        "one-too-large",
        gettext_lazy("One box far too large"),
        gettext_lazy(
            "Five of six words are found exactly; the detection of the sixth is far too large."
        ),
        Drawing(
            _SIX,
            (
                *(_around(word) for word in _SIX[:5]),
                _found(600, 240, 380, 340, 60, "Inn"),
            ),
        ),
    ),
    Preset(
        "exact",
        gettext_lazy("All exact"),
        gettext_lazy(
            "Each word has its own exact detection: every protocol should give everything."
        ),
        Drawing(_THREE, tuple(_around(word) for word in _THREE)),
    ),
    Preset(
        "split",
        gettext_lazy("One word in three parts"),
        gettext_lazy("Three detections share one long word."),
        Drawing(
            (_word(130, 240, 720, 100, "Konditorei"),),
            tuple(
                _found(130 + 240 * at, 240, 236, 100, 90 - 10 * at, part)
                for at, part in enumerate(["Kon", "dito", "rei"])
            ),
        ),
    ),
    Preset(
        "duplicate",
        gettext_lazy("The same word twice"),
        gettext_lazy("Two detections find the same word. Is the second one wrong?"),
        Drawing(
            (_word(140, 240, 300, 90, "Twice"), _word(540, 240, 300, 90, "once")),
            (
                _found(140, 240, 300, 90, 95, "Twice"),
                _found(132, 234, 316, 102, 60, "Twice"),
                _found(540, 240, 300, 90, 90, "once"),
            ),
        ),
    ),
    Preset(
        "nothing-found",
        gettext_lazy("Nothing found"),
        gettext_lazy(
            "Three words and no detection: recall is 0, and precision has nothing to measure."
        ),
        Drawing(_THREE, ()),
    ),
    Preset(
        "only-false",
        gettext_lazy("Only false positives"),
        gettext_lazy("The detections lie where there is no text."),
        Drawing(_THREE[:2], (_found(160, 300, 200, 70, 80), _found(520, 420, 260, 90, 40))),
    ),
    Preset(
        "no-text",
        gettext_lazy("No text at all"),
        gettext_lazy(
            "There is nothing to find, and a method found something. Delete its box to "
            "see the other case."
        ),
        Drawing((), (_found(360, 240, 280, 90, 50),)),
    ),
]
PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.slug: preset for preset in _ALL})
DEFAULT: Final = _ALL[0]
