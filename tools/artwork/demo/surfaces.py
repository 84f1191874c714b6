"""Backgrounds and materials: plaster, bricks, planks, tiles, leaves, a street, lights at night."""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Size = tuple[int, int]


def _rgb(colour: str) -> NDArray[np.float32]:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float32)


def varied(colour: str, rng: random.Random, spread: float) -> str:
    factor = rng.uniform(1 - spread, 1 + spread)
    return "#" + "".join(
        f"{min(255, round(value * factor)):02x}" for value in _rgb(colour).tolist()
    )


def gradient(size: Size, top: str, bottom: str) -> Image.Image:
    down = np.linspace(0, 1, size[1], dtype=np.float32)[:, np.newaxis, np.newaxis]
    pixels = _rgb(top) * (1 - down) + _rgb(bottom) * down
    return Image.fromarray(np.broadcast_to(pixels, (size[1], size[0], 3)).astype(np.uint8))


def clouds(size: Size, rng: random.Random, cell: float, stretch: float = 1) -> NDArray[np.float32]:
    """Return smooth noise in [0, 1], of shape (height, width); ``stretch`` draws it out sideways."""
    source = np.random.default_rng(rng.getrandbits(64))
    total = np.zeros((size[1], size[0]), dtype=np.float32)
    weight, weights = 1.0, 0.0
    # Four grids of random values, each finer and fainter than the one before, enlarged and added up.
    for _ in range(4):
        coarse = (max(2, round(size[0] / cell / stretch) + 1), max(2, round(size[1] / cell) + 1))
        grid = Image.fromarray(source.random((coarse[1], coarse[0]), dtype=np.float32))
        total += weight * np.asarray(grid.resize(size, Image.Resampling.BICUBIC))
        weights += weight
        weight, cell = weight * 0.55, max(cell / 2.6, 1.0)
    return (total / weights).clip(0, 1)


def uneven(image: Image.Image, cloud: NDArray[np.float32], strength: float) -> Image.Image:
    factor = 1 + strength * (cloud - 0.5) * 2
    pixels = np.asarray(image).astype(np.float32) * factor[..., np.newaxis]
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def plaster(
    size: Size, rng: random.Random, top: str, bottom: str, strength: float = 0.16
) -> Image.Image:
    fine = uneven(gradient(size, top, bottom), clouds(size, rng, 160), strength)
    return uneven(fine, clouds(size, rng, 5), strength / 2)


def bricks(
    size: Size, rng: random.Random, colour: str, mortar: str, height: int = 26
) -> Image.Image:
    image = Image.new("RGB", size, mortar)
    draw = ImageDraw.Draw(image)
    width = round(height * 2.6)
    for row, y in enumerate(range(-3, size[1], height)):
        for x in range(-width // 2 * (row % 2) - 5, size[0], width):
            corners = (x, y, x + width - 4, y + height - 4)
            shade = varied(colour, rng, 0.16)
            draw.rectangle(corners, fill=shade)
            draw.line(
                (x, y + height - 4, x + width - 4, y + height - 4),
                fill=lighter(shade, -24),
                width=1,
            )
            draw.line((x, y, x + width - 4, y), fill=lighter(shade, 18), width=1)
    return uneven(uneven(image, clouds(size, rng, 4), 0.14), clouds(size, rng, 220), 0.16)


def lighter(colour: str, by: int) -> str:
    return "#" + "".join(
        f"{min(255, max(0, round(value) + by)):02x}" for value in _rgb(colour).tolist()
    )


def planks(size: Size, rng: random.Random, colour: str, width: int = 120) -> Image.Image:
    image = Image.new("RGB", size)
    draw = ImageDraw.Draw(image)
    for y in range(0, size[1], width):
        draw.rectangle((0, y, size[0], y + width), fill=varied(colour, rng, 0.1))
    image = uneven(image, clouds(size, rng, 7, 24), 0.3)
    draw = ImageDraw.Draw(image)
    for y in range(width, size[1], width):
        draw.line((0, y, size[0], y), fill=lighter(colour, -70), width=3)
        draw.line((0, y + 3, size[0], y + 3), fill=lighter(colour, 14), width=1)
    return uneven(image, clouds(size, rng, 200), 0.12)


def tiles(
    size: Size, rng: random.Random, colour: str, grout: str, width: int, height: int
) -> Image.Image:
    image = Image.new("RGB", size, grout)
    draw = ImageDraw.Draw(image)
    for row, y in enumerate(range(0, size[1], height)):
        for x in range(-(width // 2) * (row % 2), size[0], width):
            shade = varied(colour, rng, 0.035)
            right, bottom = x + width - 3, y + height - 3
            draw.rectangle((x, y, right, bottom), fill=shade)
            draw.line((x, bottom, x, y, right, y), fill=lighter(shade, 16), width=2)
            draw.line((x, bottom, right, bottom, right, y), fill=lighter(shade, -22), width=2)
    return uneven(image, clouds(size, rng, 240), 0.12)


def street(
    size: Size, rng: random.Random, sky: tuple[str, str], walls: Sequence[str], blur: float
) -> Image.Image:
    """Draw a street far behind the sign, out of focus."""
    image = gradient(size, *sky)
    draw = ImageDraw.Draw(image)
    x = -40
    while x < size[0]:
        width, top = rng.randint(110, 210), rng.randint(round(size[1] * 0.12), round(size[1] * 0.5))
        wall = varied(rng.choice(walls), rng, 0.15)
        draw.rectangle((x, top, x + width, size[1]), fill=wall)
        for y in range(top + 26, size[1] - 90, 58):
            for wx in range(x + 18, x + width - 26, 44):
                pane = (
                    "#e8d9a8" if rng.random() < 0.25 else lighter(wall, rng.choice((-45, -30, 35)))
                )
                draw.rectangle((wx, y, wx + 22, y + 34), fill=pane)
        x += width
    road = round(size[1] * 0.86)
    draw.rectangle((0, road, size[0], size[1]), fill="#6d6b6b")
    draw.rectangle((0, road, size[0], road + 12), fill="#a09a92")
    return image.filter(ImageFilter.GaussianBlur(blur))


def leaves(size: Size, rng: random.Random, colours: Sequence[str], blur: float) -> Image.Image:
    image = gradient(size, colours[0], colours[-1])
    draw = ImageDraw.Draw(image)
    for _ in range(900):
        x, y = rng.uniform(-20, size[0]), rng.uniform(-20, size[1])
        r = rng.uniform(8, 30)
        draw.ellipse(
            (x, y, x + r, y + r * rng.uniform(0.5, 1)), fill=varied(rng.choice(colours), rng, 0.3)
        )
    return image.filter(ImageFilter.GaussianBlur(blur))


def lights(
    size: Size, rng: random.Random, sky: tuple[str, str], colours: Sequence[str], n: int
) -> Image.Image:
    """Draw a city at night, out of focus."""
    image = gradient(size, *sky)
    for _ in range(n):
        r = rng.randint(10, 34)
        x, y = rng.randint(-r, size[0]), rng.randint(round(size[1] * 0.2), size[1])
        disc = Image.new("L", (2 * r + 9, 2 * r + 9))
        ImageDraw.Draw(disc).ellipse((4, 4, 2 * r + 4, 2 * r + 4), fill=rng.randint(70, 190))
        image.paste(rng.choice(colours), (x - r, y - r), disc.filter(ImageFilter.GaussianBlur(2)))
    return image
