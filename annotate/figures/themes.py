"""Papers that figures are drawn on: column width, font, and the colours of a theme."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

POINTS_PER_MM: Final = 72 / 25.4
WIDTHS_MM: Final[Mapping[str, int]] = {"single": 84, "double": 174}
# As shown on pages in a window that is not small: letters are then as large as the page's.
ON_PAGES: Final = "page"
# The theme of a drawing that a browser draws: it has the colours of both.
ON_SCREEN: Final = "light|dark"
ALL_WIDTHS_MM: Final[Mapping[str, int]] = {**WIDTHS_MM, ON_PAGES: 124}
# The first comes with the drawing program and is embedded in PDFs; the others have the same letter
# widths.
FONT: Final = "Liberation Sans, Arimo, Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Theme:
    """Colours that differ in lightness, so that they stay distinct in greyscale.

    ``ramp`` runs from a share of 0 to a share of 1; ``lines`` also differ by dashes and marks.
    """

    ground: str
    ink: str
    soft: str
    line: str
    edge: str
    sunken: str
    mark: str
    middle: str
    pale: str
    ramp: tuple[str, str]
    lines: tuple[str, ...]

    def ink_on(self, share: float) -> str:
        """Return the text colour with more contrast, at least 4.5:1, to this share of the ramp."""
        low, high = (_channels(colour) for colour in self.ramp)
        ground = _luminance([a + share * (b - a) for a, b in zip(low, high, strict=True)])

        def contrast(colour: str) -> float:
            one, other = sorted((_luminance(_channels(colour)), ground))
            return (other + 0.05) / (one + 0.05)

        return max(("#000000", "#ffffff"), key=contrast)


class _BothThemes(Theme):
    """Colours such as "#ffffff|#1f2226", of which a browser takes that of its theme."""

    def ink_on(self, share: float) -> str:
        return "|".join(theme.ink_on(share) for theme in THEMES.values())


THEMES: Final[Mapping[str, Theme]] = {
    "light": Theme(
        ground="#ffffff",
        ink="#1a1d21",
        soft="#545a63",
        line="#dcdfe2",
        edge="#7b818a",
        sunken="#f0f1ef",
        mark="#0d5f73",
        middle="#6fa7b5",
        pale="#bfdae1",
        ramp=("#f1f6f7", "#0b4a5a"),
        lines=("#0b2e38", "#b0451c", "#0f8099", "#8568b0"),
    ),
    "dark": Theme(
        ground="#1f2226",
        ink="#e9ebee",
        soft="#aab1bb",
        line="#363b42",
        edge="#838b96",
        sunken="#282c31",
        mark="#7ccbdd",
        middle="#4a8795",
        pale="#2b5661",
        ramp=("#2b3136", "#b5e6f1"),
        lines=("#e9ebee", "#f2a37e", "#7ccbdd", "#a892cf"),
    ),
}


def _both(*colours: str | tuple[str, ...]) -> Any:
    """Join the colours of the themes; of several colours, each with its own."""
    if isinstance(colours[0], str):
        return "|".join(map(str, colours))
    return tuple(map(_both, *colours))


_BOTH: Final = _BothThemes(
    **{
        field.name: _both(*(getattr(theme, field.name) for theme in THEMES.values()))
        for field in fields(Theme)
    }
)


@dataclass(frozen=True)
class Paper:
    """The width and the theme of a drawing; lengths are in points, as text is."""

    theme_name: str = "light"
    width_name: str = "double"

    @property
    def theme(self) -> Theme:
        return _BOTH if self.theme_name == ON_SCREEN else THEMES[self.theme_name]

    @property
    def width_mm(self) -> int:
        return ALL_WIDTHS_MM[self.width_name]

    @property
    def width_pt(self) -> float:
        return round(self.width_mm * POINTS_PER_MM, 2)

    @property
    def is_wide(self) -> bool:
        return self.width_name != "single"

    @property
    def font(self) -> str:
        return FONT


def text_width_pt(text: str) -> float:
    """Estimate the width of a 7-point label."""
    return sum(7.0 if ord(letter) > 0x2E7F else 3.8 for letter in text)


def _channels(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def _luminance(channels: list[float]) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
