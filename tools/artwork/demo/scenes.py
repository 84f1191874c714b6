"""Twenty-four scenes with text, drawn with Pillow, and the ground truth of their words."""

import io
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from protocols.core.regions import Region

from .stage import Stage
from .surfaces import (
    bricks,
    clouds,
    gradient,
    leaves,
    lighter,
    lights,
    planks,
    plaster,
    street,
    tiles,
    uneven,
    varied,
)

SEED = 2018


@dataclass(frozen=True, slots=True)
class DrawnScene:
    """A picture, its words clockwise from the top-left corner of the text, and which words form a line."""

    name: str
    image: Image.Image
    words: tuple[Region, ...]
    lines: tuple[tuple[int, ...], ...]

    @property
    def number(self) -> int:
        return int(self.name.rpartition("_")[2])


def draw_scenes(n: int = 24, seed: int = SEED) -> list[DrawnScene]:
    """Draw the first ``n`` scenes."""
    return [draw_scene(number, seed) for number in range(1, n + 1)]


def draw_scene(number: int, seed: int = SEED, lettering: bool = True) -> DrawnScene:
    """Draw scene ``number``, counted from 1.

    The seed moves angles, colours and textures; words and layout stay. Without ``lettering`` the picture
    is the same but for the ink of its words, which shows where the ink is.

    Raises ValueError if there is no such scene.
    """
    if not 1 <= number <= len(_SCENES):
        raise ValueError(f"scenes are numbered 1 to {len(_SCENES)}, got {number}")
    stage = Stage(random.Random(f"{seed}/scene/{number}"), lettering)
    _SCENES[number - 1](stage)
    return DrawnScene(
        name=f"scene_{number:02}",
        image=stage.image,
        words=tuple(stage.words),
        lines=tuple(tuple(line) for line in stage.lines),
    )


def jpeg_bytes(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.convert("RGB").save(stream, "JPEG", quality=85, optimize=True, progressive=True)
    return stream.getvalue()


def _bakery(s: Stage) -> None:
    """A shop front: painted fascia, striped awning, lettered window, a hanging sign."""
    s.image = bricks((960, 640), s.rng, "#8f5443", "#b9aa99")
    front = s.panel(860, 470, "#20382f")
    front.border(6, "#35564a", 3)
    front.box(40, 60, 590, 440, ("#46606a", "#1c262b"))
    front.box(60, 250, 570, 440, ("#8c7a58", "#4b3a27"))
    for x in range(80, 560, 62):
        front.oval(x, 335 + 9 * (x % 3), x + 54, 375 + 9 * (x % 3), ("#d9a35c", "#8f5622"))
    front.shape([(110, 60), (240, 60), (110, 330)], "#ffffff20")
    front.shape([(300, 60), (350, 60), (160, 440), (110, 440)], "#ffffff18")
    front.text(315, 150, "Fresh bread daily", 42, "#f5eedc", "m", slant=0.2)
    front.text(315, 205, "Rolls  Tarts  Coffee", 27, "#f5eedc", "m", tracking=1)
    front.box(640, 60, 815, 470, "#2c4a3f")
    front.box(662, 85, 793, 330, ("#4d6871", "#2b393d"))
    front.text(727, 130, "34", 36, "#e3c77b", "m", bold=0.8)
    front.text(727, 395, "Push", 22, "#d8cfae", "m", tracking=2)
    s.put(front, 480, 420)
    awning = s.panel(600, 64)
    for i in range(15):
        awning.shape(
            [(i * 40, 0), (i * 40 + 40, 0), (i * 40 + 40, 46), (i * 40, 46)],
            "#d8d2c0" if i % 2 else "#a33a32",
        )
        awning.oval(i * 40, 30, i * 40 + 40, 62, "#d8d2c0" if i % 2 else "#a33a32")
    s.put(awning, 365, 222, shadow=12)
    fascia = s.panel(900, 118, ("#2c4c40", "#1a3229"), 4)
    fascia.border(8, "#c6a557", 2)
    fascia.text(
        450,
        84,
        "HARVEST BAKERY",
        76,
        ("#fbe9ae", "#b9862f"),
        "m",
        bold=1.4,
        tracking=7,
        shadow=(3, 3, "#0c1a14"),
    )
    s.put(fascia, 480, 132, shadow=7)
    board = s.panel(118, 76, "#efe6d2", 8)
    board.border(4, "#7a2b26", 2, 6)
    board.text(59, 50, "OPEN", 34, "#7a2b26", "m", bold=0.8)
    s.put(board, 777, 400, angle=7 + s.lean(2), shadow=5)
    s.finish(light=0.22, from_angle=60)


def _road_sign(s: Stage) -> None:
    """A direction sign by a country road."""
    sky = uneven(
        gradient((960, 640), "#7fa9d6", "#e3ecf1"), clouds((960, 640), s.rng, 150, 2.5), 0.16
    )
    draw = ImageDraw.Draw(sky)
    for base, height, colour in ((430, 60, "#8fa793"), (470, 46, "#6c8a63"), (520, 30, "#57773f")):
        hills = [(x, base + height * math.sin(x / 170 + base)) for x in range(0, 980, 20)]
        draw.polygon([(0, 640), *hills, (960, 640)], fill=colour)
    draw.polygon([(600, 540), (650, 540), (960, 620), (960, 640), (330, 640)], fill="#77777a")
    s.image = sky.filter(ImageFilter.GaussianBlur(3))
    for x in (300, 640):
        pole = s.panel(18, 420, ("#b8bcc0", "#83888c"))
        s.put(pole, x, 470, shadow=4)
    sign = s.panel(640, 330, ("#1f6d4d", "#185a3f"), 18)
    sign.border(9, "#f2f5f2", 5, 14)
    for y, place, miles in (
        (92, "Northfield", "12"),
        (166, "Alder Bridge", "27"),
        (240, "Kingsmere", "41"),
    ):
        sign.text(120, y, place, 52, "#f4f7f4", bold=0.7)
        sign.text(590, y, miles, 52, "#f4f7f4", "r", bold=0.7)
    sign.arrow(70, 72, 64, "#f4f7f4", -90)
    sign.arrow(70, 148, 60, "#f4f7f4", 0)
    sign.arrow(70, 222, 60, "#f4f7f4", 0)
    sign.stroke([(30, 262), (610, 262)], "#f4f7f4", 2)
    sign.text(120, 302, "Services 3 miles", 30, "#f4f7f4")
    sign.wear(s.rng, 0.14)
    s.put(sign, 470, 230, yaw=-18 + s.lean(4), angle=-2, shadow=4)
    limit = s.panel(120, 120)
    limit.oval(2, 2, 118, 118, "#f3f3f0")
    limit.ring(60, 60, 58, "#c3272b", 11)
    limit.text(60, 79, "50", 54, "#161616", "m", bold=1)
    s.put(s.panel(10, 250, "#9aa0a4"), 850, 520)
    s.put(limit, 850, 395, yaw=-15, shadow=3)
    s.finish(light=0.15, from_angle=90, noise=3)


def _number_plate(s: Stage) -> None:
    """The back of a parked car in the evening."""
    s.image = street(
        (960, 640), s.rng, ("#5d6b86", "#c79a80"), ("#4a4552", "#5b5058", "#3c4250"), 9
    )
    for x in (190, 770):
        s.put(s.panel(110, 90, ("#1a1b1d", "#0c0c0d"), 20), x, 600)
    body = s.panel(860, 420, ("#8f2b38", "#401219"), 70)
    body.box(70, 0, 790, 120, ("#1b2027", "#39424d"), 60)
    body.shape([(180, 0), (330, 0), (230, 120), (100, 120)], "#ffffff1c")
    body.stroke([(20, 150), (840, 150)], "#a34a52", 3)
    body.stroke([(20, 290), (840, 290)], "#2b0b10", 4)
    for x in (24, 706):
        body.box(x, 160, x + 130, 240, ("#e2514a", "#7d120f"), 18)
        body.box(x + 14, 205, x + 116, 230, ("#f5d6b8", "#b98a62"), 8)
    body.box(235, 165, 625, 282, "#300d13", 10)
    body.text(430, 152, "VELDRA", 20, ("#f4f4f4", "#9a9a9a"), "m", tracking=9, bold=0.4)
    body.text(200, 272, "2.0 Hybrid", 21, ("#f4f4f4", "#a9a9a9"), "m", slant=0.25)
    body.box(0, 330, 860, 420, ("#34373c", "#18191b"), 40)
    for x in (60, 740):
        body.box(x, 356, x + 60, 372, ("#d8443a", "#8c1714"), 4)
    s.put(body, 480, 390, shadow=20)
    plate = s.panel(356, 84, "#f3c928", 8)
    plate.border(3, "#2d2508", 2, 6)
    plate.box(6, 6, 40, 78, "#1c3f94", 4)
    plate.text(23, 68, "QX", 15, "#f4f4f4", "m")
    plate.text(198, 66, "KX72 BRM", 70, "#15140f", "m", bold=1.6, stretch=0.86, tracking=2)
    plate.wear(s.rng, 0.22, 16)
    s.put(plate, 480, 396, angle=s.lean(1.5), shadow=3)
    note = s.panel(150, 92, "#f2efe4", 4)
    note.text(75, 30, "Baby on", 24, "#2a56a0", "m", bold=0.5)
    note.text(75, 60, "board", 24, "#2a56a0", "m", bold=0.5)
    note.text(75, 81, "please keep your distance", 9, "#555555", "m", illegible=True)
    s.put(note, 690, 235, angle=-6, shadow=2)
    s.finish(light=0.25, from_angle=-60, vignette=0.3, noise=6, tint=(0.05, -0.05))


def _chalk_menu(s: Stage) -> None:
    """A café's chalk board."""
    s.image = planks((640, 960), s.rng, "#8b6a49", 92)
    board = s.panel(530, 830, ("#6d4a2c", "#543619"), 6)
    board.box(26, 26, 504, 804, ("#2e3331", "#252a29"))
    chalk = "#e9ebe3"
    board.text(265, 112, "Today", 82, "#f2d98a", "m", slant=0.22, bold=0.6)
    board.stroke([(150, 138), (265, 146), (380, 136)], "#f2d98a", 3)
    dishes = (
        ("Tomato soup", "4.50"),
        ("Leek tart", "6.20"),
        ("Fish pie", "8.90"),
        ("Green salad", "5.40"),
        ("Plum crumble", "3.80"),
    )
    for i, (dish, price) in enumerate(dishes):
        y = 220 + 88 * i
        board.text(62, y, dish, 44, chalk, slant=0.08)
        board.text(470, y, price, 40, "#bfe0d6", "r")
        board.stroke([(62, y + 22), (470, y + 22 + s.lean(3))], "#e9ebe350", 1.5)
    board.text(265, 690, "All served with bread", 28, "#f0b7a2", "m", slant=0.2)
    board.text(265, 752, "ask us about allergies and nuts", 14, "#8d938f", "m")
    board.wear(s.rng, 0.34, 22)
    s.put(board, 320, 480, angle=s.lean(2), pitch=-14, shadow=16)
    s.finish(light=0.3, from_angle=120, vignette=0.24)


def _departures(s: Stage) -> None:
    """A departure board on a platform."""
    s.image = lights(
        (1000, 620), s.rng, ("#20242c", "#3c4048"), ("#f0e6c8", "#c8d8e8", "#e8b070"), 60
    )
    for x in (250, 750):
        s.put(s.panel(24, 160, ("#555a60", "#33373c")), x, 50)
    board = s.panel(860, 420, ("#15171b", "#0d0e11"), 10)
    board.border(0, "#474d54", 8, 10)
    board.box(24, 20, 836, 74, "#1d3f73")
    board.text(42, 60, "Departures", 38, "#f5f7fa", bold=0.6)
    board.text(816, 60, "09:38", 38, "#f5f7fa", "r", bold=0.6)
    amber = "#ffb52e"
    trains = (
        ("09:42", "Harwick", "4", "On time"),
        ("09:51", "Eastmoor", "2", "Delayed"),
        ("10:05", "Saltby", "1", "On time"),
        ("10:17", "Pinehurst", "6", "On time"),
    )
    for i, (time, place, platform, state) in enumerate(trains):
        y = 138 + 66 * i
        board.box(24, y - 46, 836, y + 14, "#1a1710")
        for x, word in ((40, time), (215, place), (545, platform)):
            board.text(x, y, word, 46, amber, dots=True)
        board.text(618, y, state, 46, "#ff6a3c" if state == "Delayed" else amber, dots=True)
    board.text(40, 394, "Please keep your belongings with you", 24, "#b9a24a")
    s.put(board, 500, 320, yaw=14 + s.lean(3), pitch=-8, shadow=14)
    s.finish(light=0.1, vignette=0.28, blur=0.6, noise=6)


def _street_name(s: Stage) -> None:
    """An enamel street plate high on a rendered wall, seen from the side."""
    s.image = plaster((960, 640), s.rng, "#d8c4a0", "#b89f78")
    draw = ImageDraw.Draw(s.image)
    draw.polygon([(690, 0), (960, 0), (960, 640), (735, 640)], fill="#5c6f7c")
    draw.line((690, 0, 735, 640), fill="#efe6d4", width=16)
    for y in range(40, 640, 150):
        draw.polygon([(770, y), (930, y - 16), (930, y + 80), (776, y + 84)], fill="#33424d")
    s.image = uneven(s.image, clouds((960, 640), s.rng, 60), 0.1)
    plate = s.panel(560, 190, ("#20468c", "#173569"), 10)
    plate.border(8, "#eef1f4", 4, 8)
    plate.text(280, 52, "Old Quarter", 26, "#eef1f4", "m", tracking=2)
    plate.text(280, 128, "LINDEN STREET", 66, "#f7f9fb", "m", bold=1.2)
    plate.text(280, 168, "leading to Mill Lane", 22, "#eef1f4", "m")
    plate.wear(s.rng, 0.25, 30)
    for x in (20, 540):
        plate.oval(x - 5, 90, x + 5, 100, "#9aa3ad")
    s.put(plate, 350, 215, yaw=34 + s.lean(4), angle=-11, shadow=8)
    number = s.panel(110, 84, ("#20468c", "#173569"), 8)
    number.border(5, "#eef1f4", 3, 6)
    number.text(55, 62, "118", 52, "#f7f9fb", "m", bold=0.8)
    s.put(number, 470, 420, yaw=34, angle=-6, shadow=6)
    tag = s.panel(220, 60)
    tag.text(110, 44, "river moss", 34, "#6e6252", "m", slant=0.35)
    s.put(tag, 200, 520, angle=-9 + s.lean(3), yaw=30)
    s.finish(light=0.3, from_angle=20)


def _book_spines(s: Stage) -> None:
    """Books on a shelf; their titles run downwards."""
    s.image = planks((960, 640), s.rng, "#4f3823", 200)
    s.put(s.panel(960, 60, ("#8a6440", "#5b3f25")), 480, 610)
    books = (
        (74, 500, "#7b2d2a", "#e7cf9a", "The Salt Road", "Amory"),
        (58, 452, "#27445e", "#dfe6ea", "Winter Gardens", "Lisle"),
        (92, 520, "#d9cfb8", "#3b2f25", "A HISTORY OF MAPS", "Ortel"),
        (50, 430, "#3f5c42", "#dcd6a8", "Moss", "Fenn"),
        (82, 486, "#1f1f25", "#c9a646", "NIGHT TRAINS", "Varga"),
        (64, 512, "#a8622c", "#f6e7cf", "Bread and Stone", "Ilves"),
        (56, 440, "#6a5a7d", "#81719a", "Quiet Water", "Odell"),
        (88, 500, "#b9c3bd", "#2b5c61", "Field Notes", "Marsh"),
        (70, 474, "#5e1f3a", "#e8c7d2", "Letters Home", "Quill"),
    )
    x = 70.0
    for width, height, cover, gilt, title, author in books:
        spine = s.panel(height, width, (lighter(cover, 22), lighter(cover, -26)), 4)
        for edge in (16, height - 22):
            spine.box(edge, 0, edge + 5, width, gilt)
        size = min(width * 0.5, 40)
        spine.text(40, width / 2 + size * 0.34, title, size, gilt, bold=0.5)
        spine.text(height - 38, width / 2 + 8, author, 21, gilt, "r")
        spine.wear(s.rng, 0.25, 14)
        tilt = 90 + (7 if title == "Moss" else s.lean(0.6))
        x += 12 if title == "Moss" else 0
        s.put(spine, x + width / 2, 580 - height / 2, angle=tilt, shadow=5)
        x += width + 4 + (34 if title == "Moss" else 0)
    paper = s.panel(96, 130, "#e9e2cd")
    paper.text(48, 48, "Travel", 25, "#444444", "m", bold=0.3)
    paper.text(48, 80, "910", 25, "#444444", "m", bold=0.3)
    paper.small_print(14, 92, 84, 2, 6, "#777777", s.rng)
    s.put(paper, 838, 515, angle=-5, shadow=4)
    s.finish(light=0.35, from_angle=10, vignette=0.3, noise=5, tint=(0.04, -0.06))


def _jam_jars(s: Stage) -> None:
    """Jars on a kitchen shelf, with round labels."""
    s.image = tiles((960, 640), s.rng, "#e4e2da", "#c3beb2", 120, 80)
    s.put(s.panel(960, 90, ("#a37b52", "#6f4e2f")), 480, 598)
    jars = (
        (170, "#4a1233", "#f4ead8", "#5a1840", "Blackcurrant", "JAM", "340 g"),
        (425, "#c8861d", "#fff4d6", "#7c4a08", "Clover", "HONEY", "450 g"),
        (680, "#a8442a", "#f3ecdf", "#8a2c18", "Apricot", "CHUTNEY", "280 g"),
    )
    for x, glass, label, print_colour, kind, what, weight in jars:
        jar = s.panel(220, 330)
        jar.box(12, 40, 208, 326, (lighter(glass, 40), glass), 34)
        jar.box(20, 6, 200, 58, ("#d9d7d2", "#8f8c86"), 10)
        jar.box(12, 120, 208, 272, label, 3)
        jar.frame(18, 126, 202, 266, print_colour, 1.5)
        jar.text(110, 164, kind, 29, print_colour, "m", slant=0.15)
        jar.text(110, 208, what, 31, print_colour, "m", bold=1, tracking=1)
        jar.text(110, 236, weight, 18, print_colour, "m")
        jar.small_print(40, 240, 180, 2, 6.5, print_colour, s.rng)
        jar.round_off(0.45)
        jar.box(34, 66, 50, 112, "#ffffff60", 8)
        s.put(jar, x + s.lean(6), 395, angle=s.lean(2), shadow=10)
    note = s.panel(130, 110, "#f6e27a")
    note.text(65, 48, "use", 30, "#39414f", "m", slant=0.2)
    note.text(65, 84, "first!", 30, "#39414f", "m", slant=0.2)
    s.put(note, 868, 190, angle=9 + s.lean(3), shadow=4)
    recipe = s.panel(250, 150, "#faf7ef", 4)
    recipe.text(20, 40, "Plum cake", 28, "#39414f", bold=0.4)
    recipe.text(20, 74, "300 g flour", 20, "#565c66")
    recipe.text(20, 102, "4 eggs and sugar", 20, "#565c66")
    recipe.text(20, 130, "bake 40 min", 20, "#565c66")
    s.put(recipe, 330, 120, angle=-4 + s.lean(2), shadow=4)
    s.finish(light=0.2, from_angle=200, noise=3)


def _concert_poster(s: Stage) -> None:
    """A poster pasted on a wall."""
    s.image = plaster((640, 960), s.rng, "#77736c", "#57534d", 0.22)
    poster = s.panel(500, 740, ("#1a1446", "#c8472f"))
    for r, colour in ((210, "#f0a24a30"), (150, "#f5b55a50"), (96, "#f9d27c")):
        poster.oval(250 - r, 330 - r, 250 + r, 330 + r, colour)
    for i in range(9):
        poster.stroke([(0, 420 + i * 26), (500, 340 + i * 34)], "#150d3060", 5)
    poster.text(250, 96, "MIDNIGHT", 80, ("#fff3c8", "#f7b64c"), "m", bold=1.6, tracking=3)
    poster.text(250, 158, "ORCHESTRA", 62, "#fff3c8", "m", bold=1, tracking=4)
    poster.text(250, 560, "Summer concert", 44, "#fdf4e4", "m", slant=0.2, bold=0.5)
    poster.text(250, 612, "Friday 14 June 20:30", 31, "#ffe1a0", "m")
    poster.text(250, 656, "Riverside Hall", 34, "#ffe1a0", "m", bold=0.5)
    poster.text(30, 706, "Tickets 12", 22, "#fdf4e4")
    poster.text(470, 706, "Free under 16", 22, "#fdf4e4", "r")
    poster.small_print(30, 714, 470, 1, 7, "#e8c0a8", s.rng)
    poster.wear(s.rng, 0.2, 70)
    s.put(poster, 322, 455, angle=-8 + s.lean(2), yaw=8, shadow=5)
    strip = s.panel(270, 62, "#f0e63c")
    strip.text(135, 44, "SOLD OUT", 42, "#1c1c1c", "m", bold=1.2)
    s.put(strip, 440, 500, angle=-22 + s.lean(2), shadow=3)
    s.finish(light=0.28, from_angle=70, vignette=0.2, noise=5)


def _door_notice(s: Stage) -> None:
    """A sheet of paper taped to an office door."""
    s.image = plaster((640, 960), s.rng, "#b9b4a6", "#9d978a", 0.1)
    door = s.panel(560, 960, ("#5f8286", "#456468"))
    door.frame(60, 60, 500, 900, "#3a5659", 6, 4)
    door.frame(70, 70, 490, 890, "#7fa0a2", 2, 4)
    s.put(door, 320, 480, shadow=10)
    plate = s.panel(190, 66, ("#d7d9da", "#9ea3a6"), 6)
    plate.text(95, 45, "Room 207", 33, "#2d3336", "m", bold=0.4)
    s.put(plate, 320, 150, shadow=4)
    sheet = s.panel(370, 480, ("#fbfaf5", "#e9e6db"))
    sheet.text(185, 84, "PLEASE", 62, "#1f2226", "m", bold=1)
    sheet.text(185, 152, "KNOCK", 66, "#1f2226", "m", bold=1)
    sheet.stroke([(40, 180), (330, 180)], "#b02f2f", 4)
    sheet.text(185, 236, "Exam in progress", 34, "#b02f2f", "m", bold=0.4)
    sheet.text(185, 282, "until half past four", 27, "#1f2226", "m")
    sheet.small_print(40, 304, 330, 4, 8, "#5a5f66", s.rng)
    sheet.text(40, 400, "Thank you", 27, "#26408b", slant=0.3)
    sheet.text(40, 444, "Dr Halloran", 30, "#26408b", slant=0.3)
    sheet.wear(s.rng, 0.1, 120)
    s.put(sheet, 316, 440, angle=3 + s.lean(2), pitch=10, shadow=6)
    for x, y, turn in ((160, 214, -40), (484, 226, 40)):
        tape = s.panel(86, 30, "#e6d9a8b0")
        s.put(tape, x, y, angle=turn)
    low = s.panel(230, 54, "#486a6e")
    low.text(115, 38, "Staff only", 34, "#5a7d81", "m", bold=0.5)
    s.put(low, 320, 800)
    handle = s.panel(110, 26, ("#e6e7e8", "#7f868a"), 13)
    s.put(handle, 555, 600, shadow=6)
    s.finish(light=0.3, from_angle=150, vignette=0.2)


def _ticket(s: Stage) -> None:
    """A theatre ticket on a table, with a vertical stub."""
    s.image = planks((960, 640), s.rng, "#7a5535", 150)
    ticket = s.panel(720, 300, ("#f0dfb8", "#dcc38d"), 14)
    ticket.border(10, "#8c2f2b", 3, 10)
    ticket.box(560, 10, 564, 290, "#8c2f2b60")
    for y in range(16, 290, 18):
        ticket.oval(557, y, 567, y + 9, "#7a5535")
    ticket.text(284, 60, "The Larkspur Theatre", 36, "#8c2f2b", "m", tracking=1)
    ticket.text(284, 142, "ADMIT ONE", 82, "#6e201d", "m", bold=1.6, tracking=4)
    ticket.stroke([(40, 162), (530, 162)], "#8c2f2b", 2)
    ticket.text(44, 206, "Row F", 36, "#3b2a1c", bold=0.4)
    ticket.text(206, 206, "Seat 18", 36, "#3b2a1c", bold=0.4)
    ticket.text(526, 206, "24.00", 36, "#3b2a1c", "r")
    ticket.text(44, 250, "Saturday 9 November", 27, "#3b2a1c")
    ticket.text(526, 250, "19:45", 27, "#3b2a1c", "r")
    ticket.small_print(44, 262, 480, 1, 7, "#7b6342", s.rng)
    ticket.wear(s.rng, 0.2, 60)
    angle = -15 + s.lean(3)
    s.put(ticket, 470, 330, angle=angle, shadow=8)
    stub = s.panel(270, 120)
    stub.text(135, 52, "No 004718", 34, "#8c2f2b", "m", bold=0.5)
    stub.bars(30, 70, 240, 106, "#3b2a1c", s.rng)
    turn = math.radians(angle)
    s.put(stub, 470 + 282 * math.cos(turn), 330 + 282 * math.sin(turn), angle=angle - 90)
    coin = s.panel(110, 110)
    coin.oval(4, 4, 106, 106, ("#d8b463", "#8a662a"))
    coin.ring(55, 55, 46, "#a8853f", 3)
    coin.text(55, 74, "20", 50, "#7f5c22", "m", bold=0.6, shadow=(-1, -1, "#f0d793"))
    s.put(coin, 150, 120, angle=20 + s.lean(5), shadow=6)
    s.finish(light=0.35, from_angle=40, vignette=0.3)


def _building_site(s: Stage) -> None:
    """Warning boards on a site fence."""
    s.image = street(
        (960, 640), s.rng, ("#b9c4cf", "#e6e4dc"), ("#a6a096", "#8d8a86", "#b5a58c"), 7
    )
    fence = s.panel(960, 640)
    for x in range(0, 960, 26):
        fence.stroke([(x, 90), (x, 640)], "#8f969c", 1.6)
    for y in (90, 300, 520):
        fence.stroke([(0, y), (960, y)], "#848c93", 4)
    s.put(fence, 480, 320)
    danger = s.panel(430, 330, "#f6c515", 10)
    danger.border(6, "#161616", 5, 8)
    danger.box(18, 18, 412, 118, "#161616", 4)
    danger.text(215, 96, "DANGER", 84, "#f6c515", "m", bold=1.6, tracking=3)
    danger.shape([(60, 290), (118, 160), (176, 290)], "#161616")
    danger.shape([(78, 278), (118, 188), (158, 278)], "#f6c515")
    danger.box(113, 212, 123, 252, "#161616", 4)
    danger.oval(112, 258, 124, 270, "#161616")
    danger.text(196, 196, "Deep", 50, "#161616", bold=0.8)
    danger.text(196, 252, "excavation", 42, "#161616", bold=0.6)
    danger.text(196, 296, "Keep out", 36, "#8a1512", bold=0.6)
    danger.wear(s.rng, 0.28, 36)
    s.put(danger, 290, 300, angle=-5 + s.lean(2), yaw=12, shadow=8)
    rules = s.panel(300, 400, "#f2f3f1", 6)
    rules.box(0, 0, 300, 74, "#1d57a6", 6)
    rules.text(150, 52, "Site safety", 40, "#ffffff", "m", bold=0.6)
    for i, rule in enumerate(("Hard hats", "Safety boots", "Bright vests")):
        y = 104 + 72 * i
        rules.oval(20, y, 72, y + 52, "#1d57a6")
        rules.arrow(46, y + 26, 30, "#ffffff")
        rules.text(88, y + 38, rule, 31, "#1b2430")
    rules.text(150, 344, "Report to the office", 25, "#1b2430", "m")
    rules.small_print(24, 356, 276, 2, 7, "#606a76", s.rng)
    rules.wear(s.rng, 0.16, 50)
    s.put(rules, 720, 330, angle=2 + s.lean(2), yaw=-14, shadow=8)
    s.finish(light=0.15, from_angle=80, noise=4)


def _neon(s: Stage) -> None:
    """Neon signs in a bar window at night."""
    s.image = bricks((960, 640), s.rng, "#5a404a", "#2e252b", 30)
    window = s.panel(700, 440, ("#14101c", "#241a2c"), 8)
    for x in range(440, 660, 34):
        top = 352 + 17 * (x // 34 % 3)
        window.box(x, top + 24, x + 24, 426, ("#4b6a5c", "#1f2c2a"), 5)
        window.box(x + 8, top, x + 16, top + 30, "#4b6a5c", 3)
    window.border(0, "#0b090d", 14, 8)
    window.text(350, 150, "Blue Heron", 96, "#e8fbff", "m", slant=0.22, glow="#2fb9e8")
    window.stroke([(110, 186), (590, 186)], "#ff5fa2", 4)
    window.text(350, 262, "COCKTAILS", 62, "#fff0f7", "m", tracking=8, glow="#f03a8c")
    window.text(350, 330, "live jazz", 46, "#fff6df", "m", slant=0.15, glow="#e88a1f")
    window.text(40, 408, "Last orders at midnight", 21, "#6b5f78")
    s.put(window, 430, 320, yaw=10 + s.lean(3), shadow=10)
    small = s.panel(170, 100, "#100c12", 14)
    small.border(5, "#e03038", 3, 12)
    small.text(85, 68, "OPEN", 50, "#fff1ee", "m", glow="#e83a30", tracking=2)
    s.put(small, 860, 180, angle=-6 + s.lean(3), yaw=10)
    s.finish(vignette=0.3, blur=0.8, noise=7)


def _parking_sign(s: Stage) -> None:
    """Parking rules on a post."""
    s.image = leaves((640, 960), s.rng, ("#9db978", "#557a3c", "#38562c"), 9)
    s.put(s.panel(26, 900, ("#a5abb0", "#7b8287")), 320, 560, shadow=5)
    top = s.panel(330, 400, ("#2459ac", "#1b468c"), 20)
    top.border(8, "#f4f6f8", 5, 16)
    top.text(165, 208, "P", 220, "#f7f9fb", "m", bold=5)
    top.text(165, 272, "Mon-Sat", 48, "#f7f9fb", "m", bold=0.6)
    top.text(165, 330, "8am-6pm", 46, "#f7f9fb", "m", bold=0.6)
    top.text(165, 376, "2 hours", 34, "#f7f9fb", "m")
    top.wear(s.rng, 0.16, 60)
    s.put(top, 322, 290, yaw=-12 + s.lean(4), angle=s.lean(2), shadow=8)
    low = s.panel(320, 230, "#f4f4ef", 14)
    low.border(7, "#1a1a1a", 3, 10)
    low.text(160, 62, "Permit holders", 40, "#1a1a1a", "m", bold=0.5)
    low.text(160, 108, "or pay by phone", 33, "#1a1a1a", "m")
    low.text(160, 158, "Zone 4B", 42, "#b02626", "m", bold=0.8)
    low.arrow(160, 194, 90, "#1a1a1a", 0)
    low.wear(s.rng, 0.14, 40)
    s.put(low, 326, 640, yaw=-12, angle=2 + s.lean(2), shadow=8)
    tag = s.panel(120, 70, "#e9e4d4", 4)
    tag.text(60, 30, "Lost keys?", 19, "#444a52", "m")
    tag.text(60, 54, "555 0128", 16, "#444a52", "m")
    s.put(tag, 322, 842, angle=-9 + s.lean(4), shadow=3)
    s.finish(light=0.2, from_angle=100)


def _carved_stone(s: Stage) -> None:
    """An inscription cut into stone: hardly any contrast."""
    s.image = plaster((960, 640), s.rng, "#a9a497", "#8c877a", 0.2)
    draw = ImageDraw.Draw(s.image)
    for y in (92, 548):
        draw.line((0, y, 960, y), fill="#6f6b60", width=5)
        draw.line((0, y + 5, 960, y + 5), fill="#bdb8ab", width=2)
    slab = s.panel(800, 400, "#a19c8f", 2)
    slab.border(0, "#7e796d", 4)
    slab.border(16, "#8b8679", 3)
    slab.border(19, "#bbb6a9", 2)
    cut: dict[str, Any] = {"shadow": (1.5, 1.5, "#c4bfb2"), "tracking": 5}
    slab.text(400, 120, "THIS BRIDGE", 66, "#79746a", "m", bold=0.8, **cut)
    slab.text(400, 186, "was opened to all", 42, "#7d786d", "m", **cut)
    slab.text(400, 262, "5 MAY 1887", 66, "#79746a", "m", bold=0.8, **cut)
    slab.text(
        400,
        330,
        "by the people of Wexmere",
        34,
        "#857f74",
        "m",
        shadow=(1, 1, "#bdb8ab"),
        tracking=2,
    )
    slab.text(400, 368, "J. Ashdown", 20, "#857f74", "m", tracking=1)
    slab.wear(s.rng, 0.25, 26)
    s.put(slab, 480, 320, yaw=-16 + s.lean(4), pitch=6, shadow=4)
    s.finish(light=0.35, from_angle=30, vignette=0.2, noise=6)


def _market(s: Stage) -> None:
    """Price cards stuck into crates of fruit."""
    s.image = planks((960, 640), s.rng, "#6b5138", 64)
    crates = (
        (170, 190, "#b8342c", "Apples", "2.40"),
        (490, 180, "#d98a1f", "Oranges", "3.10"),
        (800, 195, "#6b8f2c", "Limes", "0.35"),
        (180, 470, "#7d2c52", "Plums", "2.95"),
        (490, 480, "#d4b532", "Lemons", "0.40"),
        (800, 470, "#a63f24", "Peppers", "1.80"),
    )
    for x, y, colour, fruit, price in crates:
        crate = s.panel(290, 250, ("#8a6a45", "#5e4529"), 6)
        crate.box(14, 14, 276, 236, "#33261a", 4)
        for row in range(5):
            for column in range(6):
                cx, cy = 40 + 42 * column + 12 * (row % 2) + s.lean(5), 38 + 42 * row + s.lean(5)
                tone = varied(colour, s.rng, 0.18)
                crate.oval(
                    cx - 25, cy - 23, cx + 23, cy + 23, (lighter(tone, 30), lighter(tone, -45))
                )
                crate.oval(cx - 13, cy - 14, cx - 5, cy - 7, "#ffffff50")
        s.put(crate, x, y, shadow=8)
        card = s.panel(180, 104, "#f7f3e6", 4)
        card.border(4, lighter(colour, -30), 2, 2)
        card.text(90, 42, fruit, 34, "#26231f", "m", slant=0.22, bold=0.4)
        end = card.text(22, 88, price, 40, "#a3201c", slant=0.1, bold=0.8)
        card.text(end + 8, 88, "each" if price.startswith("0") else "kg", 22, "#26231f")
        s.put(card, x + s.lean(24), y + 20 + s.lean(20), angle=s.lean(17), yaw=s.lean(15), shadow=6)
    s.finish(light=0.2, from_angle=60, noise=4)


def _platform(s: Stage) -> None:
    """An underground platform with tiled walls."""
    s.image = tiles((960, 640), s.rng, "#d9dcd6", "#a7aaa4", 96, 48)
    s.put(s.panel(960, 70, ("#1f5a54", "#153c38")), 480, 585)
    band = s.panel(1000, 60, ("#1f5a54", "#174540"))
    for x in (140, 500, 860):
        band.text(x, 42, "MOOR LANE", 32, "#eef0f6", "m", tracking=1, bold=0.4)
    s.put(band, 480, 96, shadow=3)
    lozenge = s.panel(380, 260)
    lozenge.shape([(0, 130), (190, 0), (380, 130), (190, 260)], ("#e8a33a", "#cf7f22"))
    lozenge.shape([(22, 130), (190, 15), (358, 130), (190, 245)], "#f4efe2")
    lozenge.box(4, 92, 376, 168, "#1f5a54", 3)
    lozenge.text(190, 150, "MOOR LANE", 56, "#ffffff", "m", bold=0.9)
    s.put(lozenge, 250, 330, shadow=5)
    sign = s.panel(400, 210, ("#2b2d30", "#1e2022"), 6)
    sign.text(28, 74, "Platform 4", 56, "#f6f7f8", bold=0.6)
    sign.text(28, 124, "Northbound trains", 32, "#f2c12e")
    sign.box(0, 146, 400, 210, "#f2c12e", 4)
    sign.text(80, 190, "Way out", 40, "#1e2022", bold=0.6)
    sign.arrow(44, 178, 44, "#1e2022", 180)
    s.put(sign, 690, 290, yaw=-14 + s.lean(3), shadow=8)
    advert = s.panel(230, 120, ("#e9d8c2", "#c99a74"), 2)
    advert.text(115, 50, "Slow down.", 34, "#5d3520", "m")
    advert.text(115, 84, "Drink tea.", 30, "#7a4a2e", "m")
    advert.small_print(30, 92, 200, 1, 7, "#7a4a2e", s.rng)
    s.put(advert, 700, 470, yaw=-14, shadow=4)
    edge = s.panel(960, 34, "#d8b92f")
    edge.text(480, 26, "MIND THE STEP    MIND THE STEP", 24, "#4a3f14", "m", tracking=4)
    s.put(edge, 480, 622)
    s.finish(light=0.2, from_angle=-90, vignette=0.24, tint=(0.03, -0.04))


def _bus(s: Stage) -> None:
    """A bus coming towards us in the rain."""
    s.image = lights(
        (900, 675), s.rng, ("#3d4650", "#6b7278"), ("#e8d9b0", "#d84a3a", "#8fb0c8", "#e8a83a"), 30
    )
    bus = s.panel(600, 600, ("#2f7d6d", "#1d5145"), 44)
    bus.box(30, 24, 570, 112, "#0e0f10", 12)
    bus.text(56, 94, "57", 76, "#ffc23a", dots=True)
    bus.text(186, 94, "Riverside", 72, "#ffc23a", dots=True)
    bus.box(30, 124, 570, 390, ("#5f7a86", "#22303a"), 20)
    bus.shape([(80, 124), (210, 124), (110, 390), (30, 390), (30, 260)], "#ffffff22")
    bus.stroke([(300, 124), (300, 390)], "#16201f", 6)
    bus.stroke([(110, 384), (240, 280)], "#0c1010", 5)
    bus.stroke([(360, 384), (500, 270)], "#0c1010", 5)
    bus.box(330, 336, 520, 378, "#f1efe6", 2)
    bus.text(425, 366, "Not in service", 26, "#1a1a1a", "m")
    bus.text(300, 444, "CITY LINE", 44, "#f0efe2", "m", bold=0.8, tracking=10)
    for x in (40, 480):
        bus.oval(x, 460, x + 80, 540, ("#fdf6da", "#c9b98c"))
        bus.oval(x + 18, 478, x + 62, 522, "#fffdf2")
    bus.box(190, 486, 410, 540, "#f3f3ee", 6)
    bus.text(300, 529, "TRV 408", 42, "#141414", "m", bold=1, tracking=3)
    bus.box(0, 556, 600, 600, "#16201f", 20)
    bus.text(92, 424, "2841", 21, "#d6e4dc", "m")
    s.put(bus, 440, 350, yaw=12 + s.lean(3), shadow=18)
    stop = s.panel(120, 210, "#e9ecee", 8)
    stop.box(0, 0, 120, 92, "#c8342e", 8)
    stop.text(60, 44, "BUS", 36, "#ffffff", "m", bold=0.8)
    stop.text(60, 80, "STOP", 32, "#ffffff", "m", bold=0.8)
    for i, route in enumerate(("12  57", "57A", "N3")):
        stop.text(60, 124 + 34 * i, route, 28, "#1f2a33", "m")
    s.put(stop, 820, 280, angle=s.lean(3), yaw=-14, shadow=5)
    s.finish(light=0.12, vignette=0.24, blur=0.9, noise=6, haze=0.12)


def _containers(s: Stage) -> None:
    """Shipping containers: big faded letters, small codes, stencils that run downwards."""
    s.image = plaster((960, 640), s.rng, "#9fb2c2", "#c6cdd0", 0.1)
    boxes = (
        (320, 205, 600, 250, "#2f5f86", "#5f8bab", "TIDEWELL", 108, "TWLU 483920 6", "22G1"),
        (790, 200, 320, 260, "#a84e28", "#bd6a45", "ORRIN", 78, "ORNU 117", "45R1"),
        (300, 480, 560, 260, "#4b6a45", "#dfe5d8", "Green Strait", 84, "GSTU 902215 3", "22G1"),
        (760, 490, 350, 250, "#8d9296", "#a2a7aa", "BRENNA", 74, "BRNU 331", "42G1"),
    )
    for x, y, width, height, paint, ink, company, size, code, kind in boxes:
        side = s.panel(width, height, paint)
        for rib in range(0, width, 22):
            side.box(rib, 0, rib + 9, height, lighter(paint, -16))
            side.box(rib + 9, 0, rib + 11, height, lighter(paint, 18))
        side.border(0, lighter(paint, -40), 7)
        side.text(
            width / 2, height / 2 + size * 0.4, company, size, ink, "m", bold=1.4, stretch=0.92
        )
        side.text(width - 28, 46, code, 26, "#e9ecee", "r", bold=0.3)
        side.text(width - 28, 76, kind, 22, "#e9ecee", "r")
        side.small_print(24, height - 40, 130, 2, 7, "#d5dade", s.rng)
        side.wear(s.rng, 0.35, 34)
        s.put(side, x + s.lean(4), y, yaw=s.lean(6), shadow=6)
    stencil = s.panel(170, 44)
    stencil.text(85, 33, "FRAGILE", 34, "#e3dccb", "m", bold=0.8, tracking=2)
    s.put(stencil, 56, 205, angle=-90)
    stencil = s.panel(190, 44)
    stencil.text(95, 33, "THIS SIDE", 32, "#e3dccb", "m", bold=0.6, tracking=2)
    s.put(stencil, 54, 462, angle=-90)
    s.finish(light=0.2, from_angle=75, vignette=0.3, blur=0.6, noise=5)


def _tea_tin(s: Stage) -> None:
    """A tin of tea and a folded leaflet."""
    s.image = planks((720, 960), s.rng, "#a98f6f", 240)
    s.image.paste(plaster((720, 620), s.rng, "#cfd8d2", "#b3c0ba", 0.08), (0, 0))
    tin = s.panel(360, 560, ("#20524f", "#153b39"), 18)
    tin.box(0, 0, 360, 70, ("#c7a24e", "#8d6b25"), 18)
    tin.box(0, 66, 360, 76, "#5d4516")
    tin.box(40, 130, 320, 470, "#f3ead2", 140)
    tin.frame(50, 140, 310, 460, "#b48d3c", 3, 130)
    tin.text(180, 228, "Heatherdown", 34, "#20524f", "m", slant=0.2, bold=0.6)
    tin.text(180, 296, "TEA", 76, "#7f2d22", "m", bold=1.8, tracking=10)
    tin.text(180, 340, "smoked leaves", 27, "#40362a", "m")
    tin.text(180, 376, "125 g", 25, "#40362a", "m")
    tin.small_print(120, 388, 240, 3, 7, "#6a5c48", s.rng)
    tin.text(180, 520, "Since 1921", 28, "#d9bd74", "m", tracking=3)
    tin.round_off(0.5)
    s.put(tin, 290, 520, angle=s.lean(1.5), shadow=16)
    leaflet = s.panel(230, 310, ("#f8f4ea", "#e2dccb"))
    leaflet.text(24, 48, "How to", 32, "#7f2d22", bold=0.4)
    leaflet.text(24, 84, "brew", 32, "#7f2d22", bold=0.4)
    for i, step in enumerate(("1 Warm the pot", "2 One spoon each", "3 Wait 4 minutes")):
        leaflet.text(24, 130 + 36 * i, step, 22, "#2f2f2f")
    leaflet.small_print(24, 224, 206, 4, 7, "#666666", s.rng)
    s.put(leaflet, 590, 775, angle=14 + s.lean(3), pitch=20, shadow=8)
    cup = s.panel(190, 150)
    cup.box(0, 10, 150, 150, ("#f2f3f2", "#b6bbb9"), 40)
    cup.ring(150, 76, 34, "#cfd3d1", 12)
    cup.oval(6, 2, 144, 34, "#7a4620")
    cup.text(72, 104, "good morning", 18, "#9aa5a2", "m")
    s.put(cup, 585, 545, shadow=10)
    s.finish(light=0.3, from_angle=35, vignette=0.24)


def _cork_board(s: Stage) -> None:
    """Flyers pinned over each other at all angles."""
    cork = plaster((960, 640), s.rng, "#b98a58", "#a4764a", 0.1)
    s.image = uneven(cork, clouds((960, 640), s.rng, 3), 0.45)
    frame = s.panel(960, 640)
    frame.border(0, ("#6d5136", "#4c3722"), 20)
    s.put(frame, 480, 320)
    cat = s.panel(220, 270, "#fbfaf4")
    cat.text(110, 56, "LOST CAT", 44, "#1d1d1d", "m", bold=1, stretch=0.92)
    cat.box(40, 74, 180, 176, ("#b7b0a3", "#857c6e"))
    cat.shape(
        [(80, 116), (86, 90), (100, 106), (120, 106), (134, 90), (140, 116), (128, 150), (92, 150)],
        "#3a342d",
    )
    cat.text(110, 208, "Answers to Pickle", 24, "#1d1d1d", "m")
    cat.text(110, 244, "call 555 0143", 26, "#a31f1f", "m", bold=0.3)
    guitar = s.panel(250, 160, "#f4d94f")
    guitar.text(125, 56, "Guitar", 48, "#27303d", "m", bold=0.8)
    guitar.text(125, 100, "lessons", 42, "#27303d", "m", bold=0.4)
    guitar.text(125, 138, "all ages welcome", 24, "#27303d", "m")
    room = s.panel(230, 200, "#cfe3ea")
    room.text(115, 50, "Room to rent", 34, "#1f3b4d", "m", bold=0.4)
    room.text(115, 88, "quiet street", 26, "#1f3b4d", "m")
    room.text(115, 122, "from 1 March", 26, "#1f3b4d", "m")
    room.small_print(24, 138, 206, 3, 7, "#4a6474", s.rng)
    sale = s.panel(270, 170, ("#e4573d", "#b93420"))
    sale.text(135, 62, "JUMBLE SALE", 39, "#fff4e0", "m", bold=0.8)
    sale.text(135, 108, "Sunday 10-2", 34, "#ffdf9e", "m")
    sale.text(135, 146, "St Bride Hall", 28, "#fff4e0", "m")
    choir = s.panel(210, 150, "#efe9f4")
    choir.text(105, 50, "Choir needs", 31, "#4b3566", "m")
    choir.text(105, 96, "TENORS", 46, "#4b3566", "m", bold=0.8)
    choir.text(105, 130, "no audition", 22, "#7d6b95", "m")
    sheets = (
        (cat, 160, 190, -4),
        (guitar, 445, 140, 8),
        (room, 160, 500, 9),
        (sale, 760, 190, -13),
        (choir, 460, 360, -20),
    )
    for sheet, x, y, angle in sheets:
        sheet.wear(s.rng, 0.1, 60)
        s.put(sheet, x, y, angle=angle + s.lean(2.5), shadow=5)
        pin = s.panel(18, 18)
        pin.oval(0, 0, 18, 18, s.rng.choice(("#d23b32", "#2f6fc0", "#3f9a54")))
        pin.oval(4, 3, 10, 9, "#ffffff90")
        s.put(pin, x, y - sheet.height / 2 + 12, shadow=3)
    dog = s.panel(260, 200, "#e9f0dc")
    dog.text(130, 58, "Dog walker", 42, "#39502b", "m", bold=0.6)
    dog.text(130, 100, "mornings and evenings", 22, "#39502b", "m")
    dog.text(130, 140, "Ask for Nell", 30, "#39502b", "m", slant=0.2)
    dog.text(130, 180, "local and insured", 20, "#6d8360", "m")
    s.put(dog, 750, 460, angle=5 + s.lean(3), shadow=5)
    s.finish(light=0.2, from_angle=120, vignette=0.2)


def _motorway_fog(s: Stage) -> None:
    """A gantry over a motorway in fog: the further sign is hardly to be seen."""
    s.image = plaster((1000, 620), s.rng, "#b9bfc4", "#9aa0a4", 0.06)
    draw = ImageDraw.Draw(s.image)
    draw.polygon([(430, 400), (570, 400), (1000, 620), (0, 620)], fill="#868b8f")
    for left, right in ((478, 330), (522, 670)):
        draw.polygon(
            [(left, 400), (left + 4, 400), (right + 14, 620), (right, 620)], fill="#b4b8ba"
        )
    s.image = s.image.filter(ImageFilter.GaussianBlur(4))
    s.put(s.panel(1000, 20, "#7c8387"), 500, 80)
    s.put(s.panel(8, 420, "#8a9195"), 514, 480)
    for x in (40, 960):
        s.put(s.panel(22, 560, "#7c8387"), x, 350)
    far = s.panel(170, 66, "#a3adb5", 4)
    far.text(85, 30, "Exit 32", 24, "#bac2c8", "m")
    far.text(85, 54, "Calder 9", 21, "#bac2c8", "m")
    s.put(far, 506, 300)
    left_sign = s.panel(420, 230, ("#5a7ea6", "#51749b"), 12)
    left_sign.border(7, "#c9d3dc", 4, 9)
    left_sign.text(40, 78, "Exit 31", 58, "#d5dde4", bold=0.7)
    left_sign.text(40, 140, "Thornbury", 52, "#d5dde4", bold=0.5)
    left_sign.text(40, 196, "Docks", 44, "#d5dde4")
    left_sign.arrow(350, 150, 100, "#d5dde4", -50)
    s.put(left_sign, 255, 180, yaw=10 + s.lean(3), shadow=5)
    right_sign = s.panel(400, 190, ("#5a7ea6", "#51749b"), 12)
    right_sign.border(7, "#c9d3dc", 4, 9)
    right_sign.text(34, 74, "The North", 54, "#d5dde4", bold=0.6)
    right_sign.text(34, 134, "Ashby", 46, "#d5dde4", bold=0.5)
    right_sign.arrow(340, 128, 80, "#d5dde4", 90)
    s.put(right_sign, 752, 165, yaw=-10 + s.lean(3), shadow=5)
    matrix = s.panel(150, 120, "#4a4f54", 8)
    matrix.text(75, 58, "FOG", 46, "#e9d38a", "m", dots=True)
    matrix.text(75, 106, "40", 46, "#e9d38a", "m", dots=True)
    s.put(matrix, 514, 420)
    s.finish(vignette=0.3, blur=1.1, noise=5, haze=0.25)


def _ticket_machine(s: Stage) -> None:
    """The front of a ticket machine."""
    s.image = tiles((720, 960), s.rng, "#8c9aa0", "#6d787d", 180, 120)
    front = s.panel(580, 860, ("#d6d9dc", "#a9aeb2"), 22)
    front.box(0, 0, 580, 96, ("#d4542a", "#b04019"), 20)
    front.text(290, 66, "Tickets", 58, "#fff8f0", "m", bold=0.8)
    front.box(44, 130, 400, 470, "#14181c", 10)
    front.box(56, 142, 388, 458, ("#f4f8fb", "#d5e2ec"), 2)
    front.text(74, 184, "Where to?", 34, "#143a5c", bold=0.4)
    for i, (place, price) in enumerate(
        (("Harbour", "2.80"), ("Airport", "6.50"), ("Castle Hill", "1.90"))
    ):
        y = 208 + 62 * i
        front.box(72, y, 372, y + 52, "#1d6aa8" if i != 1 else "#2c8a5a", 8)
        front.text(86, y + 36, place, 28, "#ffffff")
        front.text(358, y + 36, price, 28, "#ffffff", "r")
    front.box(72, 402, 210, 446, "#b73a32", 8)
    front.text(141, 433, "Cancel", 25, "#ffffff", "m")
    front.box(234, 402, 372, 446, "#7d8a94", 8)
    front.text(303, 433, "Help", 25, "#ffffff", "m")
    front.box(430, 130, 540, 300, "#3a3f44", 10)
    front.text(485, 162, "Card", 26, "#e8ebed", "m")
    front.box(450, 190, 520, 204, "#0b0c0d", 4)
    for i in range(9):
        x, y = 450 + 26 * (i % 3), 222 + 24 * (i // 3)
        front.box(x, y, x + 18, y + 16, "#c9ced2", 3)
    front.text(485, 352, "Coins", 26, "#3a3f44", "m")
    front.box(476, 366, 494, 430, "#0b0c0d", 6)
    front.box(60, 560, 520, 760, ("#60676d", "#2b2f33"), 14)
    front.box(84, 584, 496, 736, ("#14171a", "#33383c"), 8)
    front.text(290, 538, "Take ticket and change below", 25, "#3a3f44", "m")
    front.text(290, 800, "Machine 0417", 21, "#8b9196", "m", tracking=2)
    front.small_print(60, 812, 520, 1, 7, "#7c8287", s.rng)
    front.wear(s.rng, 0.12, 90)
    s.put(front, 360, 490, yaw=-9 + s.lean(3), pitch=8, shadow=16)
    slip = s.panel(150, 96, "#fbe9a0", 2)
    slip.text(75, 42, "OUT OF", 32, "#a3201c", "m", bold=0.6)
    slip.text(75, 80, "NOTES", 32, "#a3201c", "m", bold=0.6)
    s.put(slip, 560, 690, angle=-14 + s.lean(3), shadow=4)
    s.finish(light=0.25, from_angle=-40, vignette=0.2)


def _cafe_window(s: Stage) -> None:
    """White lettering on a window full of reflections."""
    inside = street(
        (960, 640), s.rng, ("#cbb79a", "#8a6f52"), ("#6b5138", "#7e6448", "#4e3b2a"), 14
    )
    s.image = inside
    pane = s.panel(960, 640)
    for edge, width in ((90, 130), (300, 50), (640, 190)):
        pane.shape(
            [(edge, 0), (edge + width, 0), (edge + width - 190, 640), (edge - 190, 640)],
            "#e9f1f51e",
        )
    pane.box(0, 0, 960, 26, "#2c2a27")
    pane.box(0, 600, 960, 640, ("#3a3733", "#1f1d1b"))
    pane.box(466, 26, 482, 600, ("#3a3733", "#262421"))
    s.put(pane, 480, 320)
    left = s.panel(400, 480)
    left.ring(200, 150, 118, "#f3ede0", 4)
    left.ring(200, 150, 108, "#f3ede0", 1.5)
    left.text(200, 142, "Copper", 52, "#f7f1e4", "m", slant=0.2, bold=0.4)
    left.text(200, 196, "KETTLE", 42, "#f7f1e4", "m", tracking=5)
    left.text(200, 338, "COFFEE & CAKE", 43, "#f2ece0", "m", bold=0.5)
    left.text(200, 388, "Est. 1994", 28, "#e6dcc8", "m", tracking=2)
    left.text(200, 448, "soup of the day inside", 25, "#bda98c", "m")
    s.put(left, 242, 300, yaw=16 + s.lean(3))
    right = s.panel(400, 480)
    right.text(40, 90, "Open", 48, "#f7f1e4", bold=0.4)
    for i, (days, hours) in enumerate((("Mon-Thu", "8-5"), ("Friday", "8-9"), ("Weekend", "9-6"))):
        right.text(40, 150 + 50 * i, days, 32, "#e9e0cf")
        right.text(340, 150 + 50 * i, hours, 32, "#e9e0cf", "r")
    right.text(40, 350, "Wifi", 34, "#cdbb9c")
    right.text(40, 396, "Dogs welcome", 34, "#cdbb9c")
    s.put(right, 716, 300, yaw=14 + s.lean(3))
    sticker = s.panel(130, 130)
    sticker.oval(0, 0, 130, 130, "#b8402f")
    sticker.text(65, 60, "FREE", 36, "#fff3e2", "m", bold=0.8)
    sticker.text(65, 94, "refills", 28, "#fff3e2", "m")
    s.put(sticker, 860, 480, angle=-16 + s.lean(4), shadow=3)
    s.finish(light=0.2, from_angle=-30, vignette=0.2, noise=4)


_SCENES: tuple[Callable[[Stage], None], ...] = (
    _bakery,
    _road_sign,
    _number_plate,
    _chalk_menu,
    _departures,
    _street_name,
    _book_spines,
    _jam_jars,
    _concert_poster,
    _door_notice,
    _ticket,
    _building_site,
    _neon,
    _parking_sign,
    _carved_stone,
    _market,
    _platform,
    _bus,
    _containers,
    _tea_tin,
    _cork_board,
    _motorway_fog,
    _ticket_machine,
    _cafe_window,
)
