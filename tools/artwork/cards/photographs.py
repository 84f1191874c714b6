"""Wide photographs with small text, for pairs that need zooming in.

They are drawn as the photographs of the demo are. `make artwork` writes them to static/img/learning/.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from PIL import Image

from ..demo.panel import Panel
from ..demo.stage import Stage
from ..demo.surfaces import bricks, lighter, plaster, tiles
from .letters import Box

WIDTH: Final = 1600
HEIGHT: Final = 900
_SIZE: Final = (WIDTH, HEIGHT)


@dataclass(frozen=True)
class Photograph:
    """A picture with words too small to be read at a glance; ``says`` describes it."""

    slug: str
    says: str
    draw: Callable[[Stage], Mapping[str, Box]]

    @cached_property
    def _drawn(self) -> tuple[Stage, Mapping[str, Box]]:
        stage = Stage(random.Random(f"learning/{self.slug}"), lettering=True)
        return stage, self.draw(stage)

    @property
    def image(self) -> Image.Image:
        return self._drawn[0].image

    @property
    def file(self) -> str:
        return f"{self.slug}.jpg"

    @property
    def boxes(self) -> Mapping[str, Box]:
        """The box of every word."""
        return {str(word.text): _extent(word.points) for word in self._drawn[0].words}

    @property
    def others(self) -> Mapping[str, Box]:
        """Things that look like text from afar and are none."""
        return self._drawn[1]


def _extent(points: tuple[float, ...]) -> Box:
    xs, ys = points[::2], points[1::2]
    return (min(xs), min(ys), max(xs), max(ys))


def _put(s: Stage, panel: Panel, left: float, top: float, shadow: float = 0) -> None:
    """Put a panel upright, by its corner, so that boxes stay rectangles."""
    s.put(panel, left + panel.width / 2, top + panel.height / 2, shadow=shadow)


_DEPARTURES: Final = (
    ("7:04", "Alford"),
    ("7:19", "Brisley"),
    ("7:32", "Corby"),
    ("7:48", "Dunmore"),
    ("8:05", "Elsham"),
    ("8:21", "Fenwick"),
    ("8:40", "Grantham"),
)


def _platform(s: Stage) -> dict[str, Box]:
    s.image = tiles(_SIZE, s.rng, "#c9cdbf", "#a3a698", 110, 55)
    _put(s, s.panel(WIDTH, 150, ("#77726b", "#57534e")), 0, 750)
    _put(s, s.panel(WIDTH, 14, "#d9c24a"), 0, 770)
    _put(s, s.panel(WIDTH, 60, ("#2f4b3c", "#243a2f")), 0, 0)
    for x in (90, 1180):
        bench = s.panel(330, 120)
        bench.box(0, 30, 330, 62, ("#7c5330", "#5d3d22"), 4)
        bench.box(30, 62, 48, 120, "#2c2f33")
        bench.box(282, 62, 300, 120, "#2c2f33")
        _put(s, bench, x, 660, shadow=8)
    case = s.panel(250, 280, "#27323a", 6)
    case.box(10, 10, 240, 270, "#f1efe6", 2)
    case.box(10, 10, 240, 44, "#1c4f8f", 2)
    case.text(125, 34, "Trains", 20, "#f7f9fb", "m", bold=0.4)
    for at, (time, place) in enumerate(_DEPARTURES):
        y = 74 + 28 * at
        case.text(26, y, time, 15, "#22262b")
        case.text(92, y, place, 15, "#22262b")
        case.box(22, y + 9, 228, y + 10, "#a7a498")
    _put(s, case, 610, 380, shadow=10)
    poster = s.panel(250, 340, ("#8cc0d8", "#e9dcb9"), 2)
    poster.border(0, "#3b3f45", 6)
    poster.oval(150, 40, 206, 96, "#f6d76b")
    poster.shape(
        [(6, 250), (90, 150), (150, 210), (200, 170), (244, 240), (244, 334), (6, 334)], "#3f6d52"
    )
    poster.box(6, 270, 244, 334, "#2b6d95")
    _put(s, poster, 960, 330, shadow=10)
    clock = s.panel(110, 110)
    clock.oval(2, 2, 108, 108, "#f7f6f0")
    clock.ring(55, 55, 51, "#23282c", 6)
    clock.stroke([(55, 55), (55, 22)], "#23282c", 4)
    clock.stroke([(55, 55), (78, 66)], "#23282c", 5)
    _put(s, clock, 745, 150, shadow=8)
    s.finish(light=0.2, from_angle=70, vignette=0.22, blur=0.4, noise=3)
    return {}


_TINS: Final = (
    ("Beans", "#b5452f"),
    ("Peas", "#4d7d3e"),
    ("Corn", "#d2a526"),
    ("Plums", "#6a3a68"),
    ("Pears", "#9aa63a"),
    ("Soup", "#b9352f"),
    ("Rice", "#3d6f9c"),
    ("Oats", "#b98a4e"),
    ("Lentils", "#a3623a"),
    ("Olives", "#5d7146"),
)


def _shelf(s: Stage) -> dict[str, Box]:
    s.image = plaster(_SIZE, s.rng, "#e2ddd1", "#c7c0b0", 0.1)
    others: dict[str, Box] = {}
    for row, top in enumerate((250, 560)):
        _put(s, s.panel(1500, 34, ("#9b744c", "#6c4b2c")), 50, top + 170, shadow=12)
        for at, (what, colour) in enumerate(_TINS[5 * row : 5 * row + 5]):
            left = 150 + 270 * at + 30 * row
            tin = s.panel(130, 170)
            tin.box(0, 0, 130, 170, ("#d8d9d8", "#9b9d9e"), 10)
            tin.box(0, 20, 130, 150, (lighter(colour, 14), colour))
            tin.box(26, 52, 104, 124, "#f4f0e4", 3)
            # Which of the two lines is the word only a close look tells.
            line, bars = (80, 94) if at % 2 else (106, 68)
            tin.text(65, line, what, 16, "#2a2622", "m")
            tin.bars(44, bars, 86, bars + 12, "#6a6257", s.rng)
            tin.round_off(0.4)
            _put(s, tin, left, top, shadow=8)
            others[f"bars of {what}"] = (left + 44, top + bars, left + 86, top + bars + 12)
    s.finish(light=0.2, from_angle=120, vignette=0.25, blur=0.4, noise=3)
    return others


_SHOPS: Final = (
    (("Tailor", "Moss"), "#26404f", "#e7dcc0"),
    (("Clocks", "repaired"), "#5b2a2a", "#f0d9a8"),
    (("Garden", "seeds"), "#2f4f36", "#e9ead6"),
    (("Maps", "prints"), "#453a5c", "#e3dced"),
)


def _shops(s: Stage) -> dict[str, Box]:
    s.image = bricks(_SIZE, s.rng, "#94604b", "#b9a796", 24)
    _put(s, s.panel(WIDTH, 110, ("#8f8b85", "#6f6b66")), 0, 790)
    for at, (words, board, ink) in enumerate(_SHOPS):
        left = 20 + 395 * at
        for x in (60, 220):
            pane = s.panel(90, 150, "#efe9da", 2)
            pane.box(8, 8, 82, 142, ("#6f8794", "#a9bcc2"))
            pane.box(43, 8, 47, 142, "#efe9da")
            _put(s, pane, left + x, 110, shadow=4)
        front = s.panel(375, 430, board, 3)
        front.box(24, 90, 236, 360, ("#3c4a52", "#7f9099"), 2)
        front.box(262, 90, 350, 430, lighter(board, -18), 2)
        front.box(276, 108, 336, 250, ("#46545c", "#8b9ba3"))
        front.box(0, 0, 375, 56, lighter(board, 12), 3)
        front.text(120, 35, words[0], 17, ink, "m", tracking=1)
        front.text(250, 35, words[1], 17, ink, "m", tracking=1)
        _put(s, front, left, 370, shadow=8)
    s.finish(light=0.25, from_angle=50, vignette=0.22, blur=0.4, noise=3)
    return {}


PHOTOGRAPHS: Final[Mapping[str, Photograph]] = {
    photograph.slug: photograph
    for photograph in (
        Photograph(
            "platform",
            "A railway platform with two benches, a clock and a poster. On the wall hangs a small "
            "timetable: Trains, with seven times and places from Alford to Grantham.",
            _platform,
        ),
        Photograph(
            "shelf",
            "Ten tins on two shelves. Each has a small label with a word, such as Beans or Rice, "
            "and a bar code under it.",
            _shelf,
        ),
        Photograph(
            "shops",
            "Four shop fronts in a brick street, each with two small words over its window: Tailor, "
            "Moss; Clocks, repaired; Garden, seeds; Maps, prints.",
            _shops,
        ),
    )
}


def rows() -> Iterator[dict[str, object]]:
    """Yield what the site needs to know of each photograph."""
    for photograph in PHOTOGRAPHS.values():
        yield {
            "slug": photograph.slug,
            "file": photograph.file,
            "width": WIDTH,
            "height": HEIGHT,
            "says": photograph.says,
            "boxes": photograph.boxes,
            "others": photograph.others,
        }
