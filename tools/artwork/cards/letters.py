"""An alphabet of our own, as lines to be stroked, and the box around a word written in it.

Capitals are 7 units high, y down, the baseline at 7; descenders reach 9. Every letter begins at
x = 0 and ends at its width, so that the box of a word is known without a font.
"""

from dataclasses import dataclass
from typing import Final

CAP_HEIGHT: Final = 7
_ASCENT_OF_SMALL, _DESCENT = 2, 2
_SMALL: Final = frozenset("acegmnopqrsuvwxyz")
_BELOW: Final = frozenset("gjpqy")

# letter -> (width, lines)
_LETTERS: Final = {
    "A": (5, "M0 7L2.5 0L5 7M.9 4.7H4.1"),
    "B": (4.3, "M0 7V0H2.3a1.7 1.7 0 0 1 0 3.4H0M2.3 3.4h.2a1.8 1.8 0 0 1 0 3.6H0"),
    "C": (4.4, "M4.4 2.1A2.2 2.2 0 0 0 0 2.2V4.8A2.2 2.2 0 0 0 4.4 4.9"),
    "D": (4.4, "M0 0V7H1.8A2.6 2.6 0 0 0 4.4 4.4V2.6A2.6 2.6 0 0 0 1.8 0Z"),
    "E": (3.8, "M3.8 0H0V7H3.8M0 3.4H3.2"),
    "F": (3.8, "M3.8 0H0V7M0 3.5H3.2"),
    "G": (4.4, "M4.4 2.1A2.2 2.2 0 0 0 0 2.2V4.8A2.2 2.2 0 0 0 4.4 4.8V3.7H2.6"),
    "H": (4.4, "M0 0V7M4.4 0V7M0 3.4H4.4"),
    "I": (0, "M0 0V7"),
    "J": (3, "M3 0V5.4A1.5 1.6 0 0 1 0 5.4"),
    "K": (4.4, "M0 0V7M4.3 0L0 4.3M1.6 2.8L4.4 7"),
    "L": (3.6, "M0 0V7H3.6"),
    "M": (5.4, "M0 7V0L2.7 4.6L5.4 0V7"),
    "N": (4.5, "M0 7V0L4.5 7V0"),
    "O": (4.6, "M0 2.3A2.3 2.3 0 0 1 4.6 2.3V4.7A2.3 2.3 0 0 1 0 4.7Z"),
    "P": (4.2, "M0 7V0H2.3a1.9 1.9 0 0 1 0 3.9H0"),
    "Q": (4.6, "M0 2.3A2.3 2.3 0 0 1 4.6 2.3V4.7A2.3 2.3 0 0 1 0 4.7ZM2.8 5L4.6 7"),
    "R": (4.4, "M0 7V0H2.4a1.9 1.9 0 0 1 0 3.8H0M2.2 3.8L4.4 7"),
    "S": (
        4.1,
        "M4 1.5A1.9 1.6 0 0 0 2.1 0A2.05 1.75 0 0 0 2.05 3.5A2.05 1.75 0 0 1 2 7A2 1.6 0 0 1 0 5.4",
    ),
    "T": (4.4, "M0 0H4.4M2.2 0V7"),
    "U": (4.4, "M0 0V4.8A2.2 2.2 0 0 0 4.4 4.8V0"),
    "V": (4.8, "M0 0L2.4 7L4.8 0"),
    "W": (6.6, "M0 0L1.7 7L3.3 1.2L4.9 7L6.6 0"),
    "X": (4.4, "M0 0L4.4 7M4.4 0L0 7"),
    "Y": (4.6, "M0 0L2.3 3.6L4.6 0M2.3 3.6V7"),
    "Z": (4.2, "M0 0H4.2L0 7H4.2"),
    "a": (3.6, "M3.6 2V7M3.6 4A1.8 2 0 0 0 0 4V5A1.8 2 0 0 0 3.6 5"),
    "b": (3.6, "M0 0V7M0 4A1.8 2 0 0 1 3.6 4V5A1.8 2 0 0 1 0 5"),
    "c": (3.3, "M3.3 3.7A1.7 1.8 0 0 0 0 4V5A1.7 1.9 0 0 0 3.3 5.3"),
    "d": (3.6, "M3.6 0V7M3.6 4A1.8 2 0 0 0 0 4V5A1.8 2 0 0 0 3.6 5"),
    "e": (3.6, "M0 4.5H3.6V4A1.8 2 0 0 0 0 4V5A1.8 2 0 0 0 3.4 5.7"),
    "f": (2.3, "M2.3 0H2.1A1.3 1.4 0 0 0 .8 1.4V7M0 2.4H2.2"),
    "g": (3.6, "M3.6 2V7.2A1.8 1.8 0 0 1 .2 8M3.6 4A1.8 2 0 0 0 0 4V5A1.8 2 0 0 0 3.6 5"),
    "h": (3.5, "M0 0V7M0 4A1.75 2 0 0 1 3.5 4V7"),
    "i": (0, "M0 2.2V7M0 0V.1"),
    "k": (3.4, "M0 0V7M3.2 2.1L0 5.2M1.2 4L3.4 7"),
    "l": (0, "M0 0V7"),
    "m": (5.8, "M0 2V7M0 4A1.45 2 0 0 1 2.9 4V7M2.9 4A1.45 2 0 0 1 5.8 4V7"),
    "n": (3.5, "M0 2V7M0 4A1.75 2 0 0 1 3.5 4V7"),
    "o": (3.6, "M0 4A1.8 2 0 0 1 3.6 4V5A1.8 2 0 0 1 0 5Z"),
    "p": (3.6, "M0 2V9M0 4A1.8 2 0 0 1 3.6 4V5A1.8 2 0 0 1 0 5"),
    "r": (2.3, "M0 2V7M0 4.2A2 2.1 0 0 1 2.3 2.1"),
    "s": (
        3,
        "M2.9 3.1A1.4 1.1 0 0 0 1.5 2A1.5 1.25 0 0 0 1.5 4.5A1.5 1.25 0 0 1 1.5 7A1.5 1.1 0 0 1 0 5.9",
    ),
    "t": (2.3, "M1 .5V5.6A1.3 1.4 0 0 0 2.3 7M0 2.4H2.3"),
    "u": (3.5, "M0 2V5A1.75 2 0 0 0 3.5 5M3.5 2V7"),
    "v": (3.6, "M0 2L1.8 7L3.6 2"),
    "w": (5.2, "M0 2L1.3 7L2.6 2.6L3.9 7L5.2 2"),
    "y": (3.7, "M0 2L1.9 6.8M3.7 2L1.1 9"),
    "0": (4.2, "M0 2.1A2.1 2.1 0 0 1 4.2 2.1V4.9A2.1 2.1 0 0 1 0 4.9Z"),
    "1": (1.8, "M0 1.5L1.8 0V7"),
    "2": (4.1, "M0 2A2.05 2 0 0 1 4.1 2C4.1 3.4 1.9 4.9 0 7H4.1"),
    "3": (4, "M0 0H3.8L1.9 2.8A2.1 2.1 0 1 1 0 5.6"),
    "4": (4.4, "M3.2 7V0L0 5H4.4"),
    "5": (4, "M3.7 0H.5L.2 3.2A2.2 2.1 0 1 1 0 5.8"),
    "7": (4.1, "M0 0H4.1L1.3 7"),
    "8": (
        4.2,
        "M2.1 0a1.8 1.65 0 0 1 0 3.3a1.8 1.65 0 0 1 0-3.3"
        "m0 3.3a2.1 1.85 0 0 1 0 3.7a2.1 1.85 0 0 1 0-3.7",
    ),
}

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Word:
    """A word in a picture: where its ink begins, how high its capitals are (px), and its colour."""

    text: str
    left: float
    top: float
    height: float
    ink: str
    weight: float = 1.15  # of the line, in units of the alphabet
    spacing: float = 1.9

    @classmethod
    def centred(
        cls, text: str, middle: float, top: float, height: float, ink: str, **look: float
    ) -> "Word":
        word = cls(text, 0, top, height, ink, **look)
        return cls(text, middle - word.box[2] / 2, top, height, ink, **look)

    @property
    def box(self) -> Box:
        """Left, top, right and bottom of the ink, in pixels."""
        scale = self.height / CAP_HEIGHT
        over = 0 if set(self.text) - _SMALL else _ASCENT_OF_SMALL
        under = _DESCENT if set(self.text) & _BELOW else 0
        inked = CAP_HEIGHT + under + self.weight
        return (
            self.left,
            self.top + over * scale,
            self.left + (self._width() + self.weight) * scale,
            self.top + inked * scale,
        )

    def svg(self) -> str:
        scale = self.height / CAP_HEIGHT
        half = self.weight / 2
        lines, x = [], half
        for letter in self.text:
            width, path = _LETTERS[letter]
            lines.append(f'<path transform="translate({x:.4g} {half:.4g})" d="{path}"/>')
            x += width + self.spacing
        return (
            f'<g transform="translate({self.left:.5g} {self.top:.5g}) scale({scale:.4g})" fill="none" '
            f'stroke="{self.ink}" stroke-width="{self.weight:g}" stroke-linecap="round" '
            f'stroke-linejoin="round">{"".join(lines)}</g>'
        )

    def _width(self) -> float:
        widths = [_LETTERS[letter][0] for letter in self.text]
        return sum(widths) + self.spacing * (len(widths) - 1)
