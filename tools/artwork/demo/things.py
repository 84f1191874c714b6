"""Things close at hand, as scenes of the demo."""

import math

from .stage import Stage
from .surfaces import lighter, planks, plaster, tiles


def book_spines(s: Stage) -> None:
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


def jam_jars(s: Stage) -> None:
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


def ticket(s: Stage) -> None:
    """Draw a theatre ticket on a table, with a vertical stub."""
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


def tea_tin(s: Stage) -> None:
    """Draw a tin of tea and a folded leaflet."""
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
