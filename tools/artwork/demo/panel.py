"""Panels: flat surfaces drawn from the front, each word of which remembers the box of its ink."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .surfaces import clouds, gradient

# "#rrggbb" or "#rrggbbaa"; two of them are a gradient from top to bottom.
Colour = str | tuple[str, str]
Point = tuple[float, float]

# A panel is drawn at this many times its size.
SCALE = 2
_DOT_ROWS = 13


@dataclass(frozen=True, slots=True)
class _Ink:
    """The ink of one word: its mask, where the mask starts from the pen, and how far the pen moves."""

    mask: Image.Image
    left: int
    top: int
    advance: float


@lru_cache(maxsize=64)
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size=size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("The demo needs a Pillow with FreeType.")
    return font


def _ink(
    text: str, size_px: int, bold: int, tracking: float, stretch: float, slant: float, dots: bool
) -> _Ink:
    """Draw a word with the pen on its baseline; ``dots`` shows it on a matrix of lamps."""
    pitch = max(2, round(size_px / _DOT_ROWS)) if dots else 1
    font = _font(size_px // pitch)
    pad = size_px // pitch + bold
    lengths = [font.getlength(letter) + tracking for letter in text]
    advance = sum(lengths) if tracking else font.getlength(text)
    canvas = Image.new("L", (math.ceil(advance) + 2 * pad, 3 * pad))
    draw = ImageDraw.Draw(canvas)
    draw.fontmode = "1" if dots else "L"
    style: dict[str, Any] = {"font": font, "fill": 255, "anchor": "ls", "stroke_width": bold}
    if tracking:
        pen = float(pad)
        for letter, length in zip(text, lengths, strict=True):
            draw.text((pen, 2 * pad), letter, **style)
            pen += length
    else:
        draw.text((pad, 2 * pad), text, **style)
    if dots:
        canvas = _lamps(canvas, pitch)
    if slant:
        shear = (1, slant, -slant * 2 * pad, 0, 1, 0)
        canvas = canvas.transform(
            canvas.size, Image.Transform.AFFINE, shear, Image.Resampling.BICUBIC
        )
    if stretch != 1:
        wide = round(canvas.width * stretch)
        canvas = canvas.resize((wide, canvas.height), Image.Resampling.BICUBIC)
    # Faint rims that resampling leaves are not ink.
    canvas = canvas.point([0 if value < 32 else value for value in range(256)])
    box = canvas.getbbox()
    if box is None:
        raise ValueError(f"{text!r} leaves no ink")
    left = box[0] - round(pad * pitch * stretch)
    return _Ink(canvas.crop(box), left, box[1] - 2 * pad * pitch, advance * pitch * stretch)


def _lamps(bitmap: Image.Image, pitch: int) -> Image.Image:
    lamp = Image.new("L", (pitch, pitch))
    ImageDraw.Draw(lamp).ellipse((0, 0, pitch - 1, pitch - 1), fill=255)
    # Each pixel of the letter becomes a lamp, lit or dark: the Kronecker product lays them side by side.
    lit = np.kron(np.asarray(bitmap) > 0, np.asarray(lamp, dtype=np.uint8))
    return Image.fromarray(lit.astype(np.uint8))


@dataclass(frozen=True, slots=True)
class Word:
    box: tuple[float, float, float, float]
    text: str
    ignored: bool
    line: int


class Panel:
    """A flat surface seen from the front, in units of about one pixel of the scene."""

    def __init__(
        self, width: float, height: float, fill: Colour | None, radius: float, lettering: bool
    ) -> None:
        self.width, self.height = width, height
        self.words: list[Word] = []
        self.n_lines = 0
        self._lettering = lettering
        self.image = Image.new("RGBA", (round(width * SCALE), round(height * SCALE)))
        if fill is not None:
            self.box(0, 0, width, height, fill, radius)

    def box(
        self, left: float, top: float, right: float, bottom: float, fill: Colour, radius: float = 0
    ) -> None:
        corners = _scaled((left, top, right, bottom))
        corners[2:] = [corners[2] - 1, corners[3] - 1]
        self._paint(fill, lambda draw: draw.rounded_rectangle(corners, radius * SCALE, fill=255))

    def frame(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: Colour,
        width: float,
        radius: float = 0,
    ) -> None:
        corners, pen = _scaled((left, top, right, bottom)), round(width * SCALE)
        self._paint(
            fill,
            lambda draw: draw.rounded_rectangle(corners, radius * SCALE, outline=255, width=pen),
        )

    def border(self, inset: float, fill: Colour, width: float, radius: float = 0) -> None:
        self.frame(inset, inset, self.width - inset, self.height - inset, fill, width, radius)

    def oval(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        self._paint(fill, lambda draw: draw.ellipse(_scaled((left, top, right, bottom)), fill=255))

    def ring(self, x: float, y: float, radius: float, fill: Colour, width: float) -> None:
        box, pen = _scaled((x - radius, y - radius, x + radius, y + radius)), round(width * SCALE)
        self._paint(fill, lambda draw: draw.ellipse(box, outline=255, width=pen))

    def shape(self, points: Sequence[Point], fill: Colour) -> None:
        flat = _scaled([value for point in points for value in point])
        self._paint(fill, lambda draw: draw.polygon(flat, fill=255))

    def stroke(self, points: Sequence[Point], fill: Colour, width: float) -> None:
        flat, pen = _scaled([value for point in points for value in point]), round(width * SCALE)
        self._paint(fill, lambda draw: draw.line(flat, fill=255, width=pen, joint="curve"))

    def arrow(self, x: float, y: float, length: float, fill: Colour, angle: float = 0) -> None:
        """Draw an arrow around (x, y), pointing right at angle 0 and down at 90."""
        outline = [
            (-0.5, -0.09),
            (0.08, -0.09),
            (0.08, -0.34),
            (0.5, 0),
            (0.08, 0.34),
            (0.08, 0.09),
            (-0.5, 0.09),
        ]
        turn = math.radians(angle)
        self.shape(
            [
                (
                    x + length * (a * math.cos(turn) - b * math.sin(turn)),
                    y + length * (a * math.sin(turn) + b * math.cos(turn)),
                )
                for a, b in outline
            ],
            fill,
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        fill: Colour,
        anchor: str = "l",
        *,
        bold: float = 0,
        tracking: float = 0,
        stretch: float = 1,
        slant: float = 0,
        dots: bool = False,
        shadow: tuple[float, float, str] | None = None,
        glow: str | None = None,
        illegible: bool = False,
    ) -> float:
        """Write one line with its baseline at y and return where it ends.

        The line starts at x, ends there or has its middle there (anchor l, r, m). An illegible line is
        one ignored region. Shadow (right, down, colour) and glow belong to the surface, not to the ink.
        """
        size_px = round(size * SCALE)
        parts = [text] if illegible else text.split()
        inks = [
            _ink(part, size_px, round(bold * SCALE), tracking * SCALE, stretch, slant, dots)
            for part in parts
        ]
        space = (0.28 * size_px + tracking * SCALE) * stretch
        total = sum(ink.advance for ink in inks) + space * (len(inks) - 1)
        pen = x * SCALE - {"l": 0.0, "m": total / 2, "r": total}[anchor]
        for part, ink in zip(parts, inks, strict=True):
            left, top = round(pen) + ink.left, round(y * SCALE) + ink.top
            if shadow is not None:
                aside = (left + round(shadow[0] * SCALE), top + round(shadow[1] * SCALE))
                self._stamp(ink.mask, aside, shadow[2])
            if glow is not None:
                self._glow(ink.mask, (left, top), glow)
            if self._lettering:
                self._stamp(ink.mask, (left, top), fill)
            right, bottom = left + ink.mask.width, top + ink.mask.height
            box = (left / SCALE, top / SCALE, right / SCALE, bottom / SCALE)
            self.words.append(Word(box, part, illegible, self.n_lines))
            pen += ink.advance + space
        self.n_lines += 1
        return (pen - space) / SCALE

    def small_print(
        self,
        left: float,
        top: float,
        right: float,
        n_lines: int,
        size: float,
        fill: Colour,
        rng: random.Random,
    ) -> None:
        """Fill a block with lines too small to read."""
        for number in range(n_lines):
            end = right if number < n_lines - 1 else left + (right - left) * rng.uniform(0.4, 0.8)
            words: list[str] = []
            while _font(round(size * SCALE)).getlength(" ".join(words)) < (end - left) * SCALE:
                words.append(rng.choice(_SMALL_PRINT))
            line = " ".join(words[:-1]) or words[0]
            self.text(left, top + (number + 0.8) * size * 1.35, line, size, fill, illegible=True)

    def bars(
        self, left: float, top: float, right: float, bottom: float, fill: Colour, rng: random.Random
    ) -> None:
        """Draw a bar code."""
        x = left
        while x < right:
            width = rng.choice((1.0, 1.0, 1.5, 2.5))
            self.box(x, top, min(x + width, right), bottom, fill)
            x += width + rng.choice((1.0, 1.5, 2.0))

    def wear(self, rng: random.Random, strength: float, cell: float = 40) -> None:
        """Make the surface uneven: dirt, fading, grain."""
        cloud = clouds(self.image.size, rng, cell * SCALE)
        self._multiply(1 - strength * (cloud - 0.25))

    def round_off(self, strength: float) -> None:
        """Shade the left and right ends, as on a jar or a bottle."""
        across = np.linspace(-1, 1, self.image.width, dtype=np.float32)
        self._multiply(
            np.broadcast_to(1 - strength * np.abs(across + 0.15) ** 2.2, self.image.size[::-1])
        )

    def _paint(self, fill: Colour, draw_on: Callable[[ImageDraw.ImageDraw], None]) -> None:
        mask = Image.new("L", self.image.size)
        draw_on(ImageDraw.Draw(mask))
        area = mask.getbbox()
        if area is not None:
            self._stamp(mask.crop(area), area[:2], fill)

    def _stamp(self, mask: Image.Image, at: tuple[int, int], fill: Colour) -> None:
        layer = _coloured(mask, fill)
        clipped = (max(0, -at[0]), max(0, -at[1]))
        self.image.alpha_composite(layer, (max(0, at[0]), max(0, at[1])), clipped)

    def _glow(self, mask: Image.Image, at: tuple[int, int], colour: str) -> None:
        for reach, opacity in ((22, "70"), (9, "a0")):
            pad = 3 * reach
            wide = Image.new("L", (mask.width + 2 * pad, mask.height + 2 * pad))
            wide.paste(mask, (pad, pad))
            wide = wide.filter(ImageFilter.GaussianBlur(reach))
            self._stamp(
                wide.point([min(255, value * 2) for value in range(256)]),
                (at[0] - pad, at[1] - pad),
                colour + opacity,
            )

    def _multiply(self, factor: NDArray[np.float32]) -> None:
        pixels = np.asarray(self.image).astype(np.float32)
        pixels[..., :3] *= factor[..., np.newaxis]
        self.image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


_SMALL_PRINT = (
    "terms apply",
    "see reverse",
    "for details and the full list",
    "of places",
    "not valid with",
    "other offers",
    "keep dry",
    "store below",
    "twenty degrees",
    "best before",
    "end printed on",
    "recycled paper",
    "opening times",
    "may vary",
)


def _scaled(values: Sequence[float]) -> list[float]:
    return [value * SCALE for value in values]


def _coloured(mask: Image.Image, fill: Colour) -> Image.Image:
    if isinstance(fill, tuple):
        layer = gradient(mask.size, *fill).convert("RGBA")
        layer.putalpha(mask)
        return layer
    opacity = int(fill[7:9], 16) if len(fill) == 9 else 255
    layer = Image.new("RGBA", mask.size, fill[:7])
    layer.putalpha(
        mask if opacity == 255 else mask.point([value * opacity // 255 for value in range(256)])
    )
    return layer
