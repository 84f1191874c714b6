"""Roads, stations and freight, as scenes of the demo."""

import math

from PIL import ImageDraw, ImageFilter

from .stage import Stage
from .surfaces import clouds, gradient, leaves, lighter, lights, plaster, street, tiles, uneven


def road_sign(s: Stage) -> None:
    """Draw a direction sign by a country road."""
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


def number_plate(s: Stage) -> None:
    """Draw the back of a parked car in the evening."""
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


def departures(s: Stage) -> None:
    """Draw a departure board on a platform."""
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


def parking_sign(s: Stage) -> None:
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


def platform(s: Stage) -> None:
    """Draw an underground platform with tiled walls."""
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


def bus(s: Stage) -> None:
    """Draw a bus coming towards us in the rain."""
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


def containers(s: Stage) -> None:
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


def motorway_fog(s: Stage) -> None:
    """Draw a gantry over a motorway in fog: the further sign is hardly visible."""
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


def ticket_machine(s: Stage) -> None:
    """Draw the front of a ticket machine."""
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
