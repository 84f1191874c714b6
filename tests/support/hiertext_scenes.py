"""Drawn pages in HierText's form: slanted words in lines in paragraphs, some of them illegible."""

import random
from math import cos, sin

WIDTH, HEIGHT = 300, 220


def drawn(seed: int) -> tuple[dict, dict]:
    """Return ground truth and results of five pages."""
    rng = random.Random(seed)
    truth, results = [], []
    for page in range(5):
        name = f"page{page}"
        paragraphs = [_paragraph(rng, at) for at in range(rng.randint(1, 4))]
        size = {"image_id": name, "image_width": WIDTH, "image_height": HEIGHT}
        truth.append({**size, "paragraphs": paragraphs})
        results.append({"image_id": name, "paragraphs": _found(rng, paragraphs)})
    return {"annotations": truth}, {"annotations": results}


def _paragraph(rng: random.Random, at: int) -> dict:
    left, top = rng.randint(-4, 130), 5 + 52 * at + rng.randint(-6, 6)
    slant = rng.choice((0.0, rng.uniform(-0.3, 0.3)))
    lines = []
    for number in range(rng.randint(1, 3)):
        y, x, words = top + 16 * number, left, []
        for _ in range(rng.choice((0, 1, 2, 3, 4))):
            width = rng.randint(9, 45)
            words.append(_word(rng, x, y, width, slant))
            x += width + rng.choice((0, 1, 4))
        legible = rng.random() < 0.8 if words else False
        text = " ".join(word["text"] for word in words)
        outline = _quad(left, y, 60, 12, slant)
        lines.append({"vertices": outline, "text": text, "legible": legible, "words": words})
    outline = _quad(left, top, 90, 16 * len(lines), slant)
    return {"vertices": outline, "legible": rng.random() < 0.8, "lines": lines}


def _word(rng: random.Random, x: float, y: float, width: float, slant: float) -> dict:
    vertices = _quad(x, y, width, rng.randint(8, 13), slant)
    text = rng.choice(("one", "two", "three"))
    return {"vertices": vertices, "text": text, "legible": rng.random() < 0.8}


def _quad(x: float, y: float, width: float, height: float, slant: float) -> list[list[int]]:
    corners = ((0, 0), (width, 0), (width, height), (0, height))
    return [
        [round(x + a * cos(slant) - b * sin(slant)), round(y + a * sin(slant) + b * cos(slant))]
        for a, b in corners
    ]


def _found(rng: random.Random, paragraphs: list[dict]) -> list[dict]:
    found = []
    for paragraph in paragraphs:
        lines = []
        for line in paragraph["lines"]:
            words = [_near(rng, word) for word in line["words"] if rng.random() < 0.9]
            if not line["words"] and rng.random() < 0.5:
                words = [_near(rng, {"vertices": line["vertices"], "text": "?"})]
            if words:
                text = " ".join(word["text"] for word in words)
                lines.append({"text": text, "words": words})
        if len(lines) > 1 and rng.random() < 0.3:
            found.append({"lines": [lines.pop()]})
        if lines:
            found.append({"lines": lines})
    return found


def _near(rng: random.Random, word: dict) -> dict:
    moved = [
        [x + rng.choice((0, 0, 1, -1)), y + rng.choice((0, 0, 2))] for x, y in word["vertices"]
    ]
    return {"vertices": moved, "text": word["text"] if rng.random() < 0.8 else "other"}
