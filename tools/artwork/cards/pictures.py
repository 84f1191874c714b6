"""The pictures of the worked examples and the practice, drawn here: streets, shops and signs.

`make artwork` writes them to static/img/learning/, and their words with their boxes to a table that
the site reads. They are ours and are given away under CC0. Words are drawn from our own alphabet, so
their boxes are known exactly.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..demo.scenes import jpeg_bytes
from . import photographs
from .letters import Box, Word
from .shapes import (
    HEIGHT,
    WIDTH,
    awning,
    board,
    bricks,
    circle,
    fade,
    leaves,
    path,
    pavement,
    planks,
    pole,
    rect,
    window,
)

_ROOT: Final = Path(__file__).resolve().parents[3]
_DRAWINGS: Final = _ROOT / "static" / "img" / "learning"
_TABLE: Final = _ROOT / "annotate" / "learning" / "pictures.json"


@dataclass(frozen=True)
class Picture:
    """A drawn photograph; ``says`` describes it to those who do not see it."""

    slug: str
    says: str
    scenery: tuple[str, ...]
    words: tuple[Word, ...]

    @property
    def boxes(self) -> Mapping[str, Box]:
        return {word.text: word.box for word in self.words}

    def svg(self) -> str:
        lines = [*self.scenery, *(word.svg() for word in self.words), _VIGNETTE]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}">\n'
            f"<title>{self.says}</title>\n" + "\n".join(lines) + "\n</svg>\n"
        )


# Light falls off towards the corners, as in a photograph.
_VIGNETTE: Final = (
    '<radialGradient id="lens" cx=".48" cy=".42" r=".75"><stop offset=".45" stop-opacity="0"/>'
    '<stop offset="1" stop-opacity=".38"/></radialGradient>'
    f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#lens)"/>'
)


def _street() -> Picture:
    return Picture(
        "street",
        "A blue street plate on a brick wall: Helena Street. Next to it the house number 17.",
        (
            bricks(0, HEIGHT, "#9c5b45", "#c9b9a5", "#8d4f3b"),
            window(468, 150, 130, 160, "#e9e4d8"),
            board(70, 92, 330, 132, "#1c4f8f", edge="#f4f6f8", r=8),
            board(500, 48, 66, 66, "#f2efe6", edge="#27323a", r=33),
            leaves(30, 330, 44, "#3e5b34"),
            leaves(118, 352, 34, "#4a6b3d"),
        ),
        (
            Word.centred("Helena", 235, 112, 42, "#f7f9fb"),
            Word.centred("Street", 235, 170, 30, "#f7f9fb"),
            Word.centred("17", 533, 67, 24, "#27323a"),
        ),
    )


def _bakery() -> Picture:
    return Picture(
        "bakery",
        "The front of a bakery with a striped awning; a small sign in the window says open.",
        (
            rect(0, 0, WIDTH, HEIGHT, "#d8cdb8"),
            path("M0 46H640M0 18H640", stroke="#b9ad96", stroke_width=3),
            board(60, 40, 520, 84, "#5b3424", edge="#84533c"),
            window(80, 176, 300, 128, "#5b3424", panes=3),
            rect(430, 150, 120, 176, "#5b3424"),
            rect(442, 166, 96, 90, "#8fa7b3"),
            circle(532, 280, 5, "#e2c07a"),
            awning(48, 132, 544, 30, "#a5392f"),
            board(196, 206, 92, 44, "#f7f3e8", edge="#a5392f"),
            pavement(322, "#8b8780", "#a9a59d"),
        ),
        (
            Word.centred("BAKERY", 320, 60, 38, "#f2dca6", spacing=2.6),
            Word.centred("OPEN", 242, 219, 15, "#a5392f", weight=1.3),
        ),
    )


def _concert() -> Picture:
    return Picture(
        "concert",
        "A poster on wooden planks: live music tonight, at 8.",
        (
            planks(0, HEIGHT, "#6f5b49", "#3f3228"),
            board(120, 34, 400, 292, "#f0e3c4", r=1),
            circle(320, 226, 74, "#d9573f"),
            circle(320, 226, 26, "#f0e3c4"),
            circle(320, 226, 7, "#2b2a33"),
            path("M120 300H520V326H120Z", "#2b2a33"),
            *(circle(x, y, 5, "#b9bdc0") for x in (134, 506) for y in (48, 286)),
        ),
        (
            Word("LIVE", 150, 62, 40, "#2b2a33", weight=1.5, spacing=2.2),
            Word("MUSIC", 292, 62, 40, "#2b2a33", weight=1.5, spacing=2.2),
            Word("Tonight", 150, 118, 26, "#a8352a", weight=1.2),
            Word("8", 452, 208, 36, "#2b2a33", weight=1.4),
        ),
    )


def _books() -> Picture:
    return Picture(
        "books",
        "A bookshop in a brick house with two windows and a lamp. The sign says: Old Books.",
        (
            bricks(0, HEIGHT, "#7f6a62", "#a89a8e", "#75605a"),
            window(64, 166, 150, 130, "#27423a", panes=3),
            window(426, 166, 150, 130, "#27423a", panes=3),
            rect(268, 150, 104, 178, "#27423a"),
            rect(284, 168, 72, 74, "#93a9a6"),
            circle(360, 250, 5, "#d9b872"),
            *(
                rect(70 + 18 * n, 262 - 5 * (n % 3), 13, 34 + 5 * (n % 3), c)
                for n, c in enumerate(
                    (
                        "#a5532f",
                        "#d3b06a",
                        "#3e6b74",
                        "#8d3a4b",
                        "#cfc7ae",
                        "#55713f",
                        "#a5532f",
                        "#3e6b74",
                    )
                )
            ),
            board(150, 44, 340, 76, "#27423a", edge="#48695d"),
            path("M560 60h28v20", stroke="#23282b", stroke_width=5),
            path("M574 80h28l8 34h-44Z", "#e8cf8a"),
            pavement(328, "#75716b", "#949089"),
        ),
        (
            Word("OLD", 190, 62, 34, "#eedaa4", spacing=2.4),
            Word("BOOKS", 302, 62, 34, "#eedaa4", spacing=2.4),
        ),
    )


def _parking() -> Picture:
    return Picture(
        "parking",
        "A parking sign on a pole before a hedge: P, 2 hours, Mon to Fri.",
        (
            fade("sky", "#8fb4cd", "#dfe8e8"),
            rect(0, 0, WIDTH, HEIGHT, "url(#sky)"),
            *(
                leaves(x, 250 + (x % 3) * 9, 52, c)
                for x, c in (
                    (40, "#4c6e42"),
                    (140, "#3f5f38"),
                    (250, "#55784a"),
                    (390, "#3f5f38"),
                    (490, "#4c6e42"),
                    (600, "#55784a"),
                )
            ),
            rect(0, 280, WIDTH, 80, "#3f5f38"),
            pavement(316, "#7d7d7a", "#9a9a96"),
            pole(320),
            board(250, 30, 140, 140, "#1f5da8", edge="#f4f6f8", r=10),
            board(226, 184, 188, 92, "#f4f4ef", edge="#23282b", r=6),
        ),
        (
            Word.centred("P", 320, 52, 82, "#f7f9fb", weight=1.4),
            Word("2", 252, 198, 22, "#23282b"),
            Word("hours", 284, 198, 22, "#23282b"),
            Word("Mon", 248, 240, 18, "#23282b"),
            Word("Fri", 346, 240, 18, "#23282b"),
        ),
    )


def _cafe() -> Picture:
    return Picture(
        "cafe",
        "A café at night: the name Luna in pink neon, next to it a green sign says coffee.",
        (
            fade("night", "#141828", "#2a2238"),
            rect(0, 0, WIDTH, HEIGHT, "url(#night)"),
            '<radialGradient id="glow"><stop stop-color="#ff6fae" stop-opacity=".45"/>'
            '<stop offset="1" stop-color="#ff6fae" stop-opacity="0"/></radialGradient>',
            '<ellipse cx="250" cy="110" rx="260" ry="130" fill="url(#glow)"/>',
            window(80, 216, 300, 104, "#4b3a55", panes=4),
            rect(450, 170, 110, 160, "#3a2d45"),
            rect(466, 188, 78, 64, "#d9a95a", opacity=".7"),
            board(428, 96, 168, 50, "#4fb3a9", r=25),
            circle(596, 40, 20, "#efe9cf"),
            circle(588, 35, 17, "#161a2b"),
            pavement(330, "#22202b", "#33303d"),
        ),
        (
            Word("LUNA", 130, 72, 74, "#ff9cc7", weight=0.8, spacing=2.6),
            Word.centred("Coffee", 512, 107, 22, "#0f2b2c"),
        ),
    )


def _station() -> Picture:
    return Picture(
        "station",
        "A railway platform: a blue sign says Platform 3, a green one says Exit.",
        (
            fade("sky", "#b9c8d0", "#e6e7e0"),
            rect(0, 0, WIDTH, HEIGHT, "url(#sky)"),
            path("M0 0H640V26L0 54Z", "#5d666b"),
            rect(0, 210, WIDTH, 70, "#9a5a4a"),
            *(window(20 + 150 * n, 224, 104, 38, "#d8cbb5", panes=2) for n in range(4)),
            pavement(286, "#8e8c86", "#b1afa8"),
            rect(0, 300, WIDTH, 7, "#e9d58a"),
            rect(196, 20, 8, 70, "#4a5155"),
            rect(356, 20, 8, 70, "#4a5155"),
            board(120, 84, 320, 84, "#173a67", r=6),
            board(490, 108, 112, 54, "#1f6b45", r=6),
        ),
        (
            Word("Platform", 142, 108, 34, "#f7f9fb"),
            Word("3", 392, 108, 34, "#f6d353", weight=1.4),
            Word("EXIT", 512, 124, 18, "#f7f9fb", weight=1.3),
        ),
    )


def _boat() -> Picture:
    return Picture(
        "boat",
        "A red boat in a harbour; its name is Marie Rose, with the number 208 at the bow.",
        (
            fade("sky", "#a9c7da", "#eaeee6"),
            rect(0, 0, WIDTH, 210, "url(#sky)"),
            path("M0 170L70 140 150 164 260 128 370 166 470 138 560 160 640 142V210H0Z", "#8ba3a0"),
            fade("sea", "#5f8b98", "#27515f"),
            rect(0, 205, WIDTH, 155, "url(#sea)"),
            rect(300, 20, 8, 140, "#e6dfcc"),
            path("M312 34L420 150H312Z", "#f4efe2"),
            rect(190, 116, 170, 50, "#f4efe2", r=4),
            *(
                circle(222 + 52 * n, 140, 13, "#3d5260", stroke="#b9a77f", stroke_width=4)
                for n in range(3)
            ),
            path("M54 160H590L540 286Q320 304 120 286Z", "#a3352d"),
            path("M54 160H590L584 176H62Z", "#f4efe2"),
            path(
                "M20 300Q90 288 160 300T300 300 440 300 580 300 720 300"
                "M-30 330Q60 318 150 330T330 330 510 330 690 330",
                stroke="#fff",
                stroke_opacity=".3",
                stroke_width=4,
            ),
        ),
        (
            Word("Marie", 178, 200, 36, "#f7f2e3"),
            Word("Rose", 330, 200, 36, "#f7f2e3"),
            Word("208", 476, 206, 24, "#f7f2e3"),
        ),
    )


def _pharmacy() -> Picture:
    return Picture(
        "pharmacy",
        "A white shop front with a green cross; the sign says Pharmacy, the door says Push.",
        (
            rect(0, 0, WIDTH, HEIGHT, "#d9dcd8"),
            path("M0 30H640M0 140H640", stroke="#bcc1bd", stroke_width=2),
            board(150, 52, 430, 74, "#f7f8f5", r=4),
            board(54, 50, 78, 78, "#187a4a", r=6),
            path("M84 62h18v18h18v18h-18v18h-18v-18h-18v-18h18Z", "#f7f8f5"),
            window(60, 172, 330, 130, "#7c8a85", panes=3),
            rect(440, 150, 130, 178, "#7c8a85"),
            rect(452, 162, 106, 154, "#a9bec2"),
            rect(546, 228, 6, 44, "#3c4644"),
            board(474, 196, 60, 30, "#f7f8f5", r=3),
            pavement(322, "#85857f", "#a4a49e"),
        ),
        (
            Word.centred("PHARMACY", 365, 70, 36, "#187a4a", weight=1.4, spacing=2.3),
            Word.centred("PUSH", 504, 204, 11, "#27323a", weight=1.3),
        ),
    )


def _stop() -> Picture:
    return Picture(
        "stop",
        "A bus stop in a park: City Hall, line 12 and line 40.",
        (
            fade("sky", "#a8c6d6", "#e9ede4"),
            rect(0, 0, WIDTH, HEIGHT, "url(#sky)"),
            *(
                leaves(x, y, 60, c)
                for x, y, c in (
                    (40, 150, "#6b8f52"),
                    (560, 130, "#5d8248"),
                    (620, 220, "#4f733e"),
                    (110, 230, "#557a44"),
                    (480, 236, "#6b8f52"),
                )
            ),
            rect(0, 262, WIDTH, 98, "#7f9a5c"),
            pavement(300, "#86857f", "#a8a79f"),
            pole(200),
            board(120, 40, 400, 70, "#14606b", r=8),
            board(150, 128, 150, 118, "#f7f6f0", r=5),
            circle(176, 160, 13, "#1f6b45"),
            circle(176, 210, 13, "#1f6b45"),
        ),
        (
            Word("CITY", 156, 58, 32, "#f7f6f0", spacing=2.3),
            Word("HALL", 306, 58, 32, "#f7f6f0", spacing=2.3),
            Word("12", 212, 150, 24, "#23282b"),
            Word("40", 212, 200, 24, "#23282b"),
        ),
    )


def _garden() -> Picture:
    return Picture(
        "garden",
        "A wooden gate with two painted boards: Garden and Please knock.",
        (
            fade("sky", "#bcd3dc", "#eef0e4"),
            rect(0, 0, WIDTH, HEIGHT, "url(#sky)"),
            *(
                leaves(x, 70, 62, c)
                for x, c in (
                    (30, "#587a48"),
                    (170, "#69905a"),
                    (330, "#4c6e3f"),
                    (480, "#69905a"),
                    (610, "#587a48"),
                )
            ),
            planks(96, 240, "#a58a63", "#6e5838"),
            rect(0, 120, WIDTH, 16, "#7c6444"),
            rect(0, 290, WIDTH, 16, "#7c6444"),
            board(110, 146, 260, 76, "#f1ead6", r=3),
            board(410, 164, 170, 94, "#3b5a4c", r=3),
            circle(390, 284, 9, "none", stroke="#2b2a26", stroke_width=5),
            pavement(330, "#7f9a5c", "#9bb27a"),
        ),
        (
            Word.centred("GARDEN", 240, 164, 34, "#8a3a2a", spacing=2.2),
            Word.centred("Please", 495, 178, 22, "#f1ead6"),
            Word.centred("knock", 495, 216, 22, "#f1ead6"),
        ),
    )


PICTURES: Final[Mapping[str, Picture]] = {
    picture.slug: picture
    for picture in (
        _street(), _bakery(), _concert(), _books(), _parking(),
        _cafe(), _station(), _boat(), _pharmacy(), _stop(), _garden(),
    )
}  # fmt: skip


def files() -> Iterator[tuple[Path, bytes]]:
    """Yield each file that is made of drawings and photographs, with what is in it."""
    for picture in PICTURES.values():
        yield _DRAWINGS / f"{picture.slug}.svg", picture.svg().encode()
    for photograph in photographs.PHOTOGRAPHS.values():
        yield _DRAWINGS / photograph.file, jpeg_bytes(photograph.image)
    yield _TABLE, _table().encode()


def _table() -> str:
    """Return what the site needs to know of drawings and photographs as JSON, one in a line."""
    drawn = (
        {
            "slug": picture.slug,
            "file": f"{picture.slug}.svg",
            "width": WIDTH,
            "height": HEIGHT,
            "says": picture.says,
            "boxes": picture.boxes,
            "others": {},
        }
        for picture in PICTURES.values()
    )
    rows = (json.dumps(row, ensure_ascii=False) for row in (*drawn, *photographs.rows()))
    return "[\n" + ",\n".join(rows) + "\n]\n"
