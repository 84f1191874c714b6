"""Shops, a market and places to eat, as scenes of the demo."""

from .stage import Stage
from .surfaces import bricks, lighter, planks, street, varied


def bakery(s: Stage) -> None:
    """Draw a shop front: painted fascia, striped awning, lettered window, a hanging sign."""
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


def chalk_menu(s: Stage) -> None:
    """Draw a café's chalk board."""
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


def neon(s: Stage) -> None:
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


def market(s: Stage) -> None:
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


def cafe_window(s: Stage) -> None:
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
