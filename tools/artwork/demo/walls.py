"""Walls and what hangs on them, as scenes of the demo."""

from typing import Any

from PIL import ImageDraw

from .stage import Stage
from .surfaces import clouds, plaster, street, uneven


def street_name(s: Stage) -> None:
    """Draw an enamel street plate high on a rendered wall, seen from the side."""
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


def concert_poster(s: Stage) -> None:
    """Draw a poster pasted on a wall."""
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


def door_notice(s: Stage) -> None:
    """Draw a sheet of paper taped to an office door."""
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


def building_site(s: Stage) -> None:
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


def carved_stone(s: Stage) -> None:
    """Draw an inscription cut into stone: hardly any contrast."""
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


def cork_board(s: Stage) -> None:
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
