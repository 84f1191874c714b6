"""Drawn scenes in COCO's form: crowds, several sizes and categories, equal scores, many detections."""

import random
from math import cos, pi, sin

WIDTH, HEIGHT = 320, 240


def drawn(seed: int, *, masks: bool) -> tuple[dict, list[dict]]:
    """Return annotations and results; with masks their outlines are polygons, crowds run lengths."""
    rng = random.Random(seed)
    images = [
        {"id": at, "file_name": f"{at}.jpg", "width": WIDTH, "height": HEIGHT}
        for at in rng.sample(range(1, 99), 9)
    ]
    annotations, results = [], []
    for image in images:
        for _ in range(rng.randint(0, 9)):
            box = _box(rng)
            given = {
                "id": len(annotations) + 1,
                "image_id": image["id"],
                "category_id": rng.randint(1, 3),
                "bbox": box,
                "area": box[2] * box[3] * rng.choice((1.0, 0.7)),
                "iscrowd": int(rng.random() < 0.15),
            }
            if masks:
                outline = _outline(rng, box)
                given["segmentation"] = _columns(box) if given["iscrowd"] else [outline]
            annotations.append(given)
            for _ in range(rng.choice((0, 1, 1, 2, 30 if rng.random() < 0.2 else 1))):
                results.append(_found(rng, given, masks))
        for _ in range(rng.randint(0, 3)):
            results.append(
                _found(rng, {**image, "image_id": image["id"], "bbox": _box(rng)}, masks)
            )
    categories = [{"id": 1, "name": "word"}, {"id": 2, "name": "line"}, {"id": 4, "name": "none"}]
    categories.insert(0, {"id": 3, "name": "sign"})
    return {"images": images, "annotations": annotations, "categories": categories}, results


def _box(rng: random.Random) -> list[float]:
    width, height = rng.choice(((20, 9), (60, 20), (150, 80))), rng.random()
    size = [round(side * (0.6 + height), rng.choice((0, 1))) for side in width]
    return [float(rng.randint(-3, 250)), float(rng.randint(-3, 200)), *size]


def _found(rng: random.Random, near: dict, masks: bool) -> dict:
    box = [value + rng.choice((0, 0, 1, -1, 2.5, rng.gauss(0, 4))) for value in near["bbox"]]
    box[2:] = [max(1.0, side) for side in box[2:]]
    found = {
        "image_id": near["image_id"],
        "category_id": near.get("category_id", 1) if rng.random() < 0.9 else 2,
        "score": rng.choice((0.5, 0.9, round(rng.random(), 3))),
    }
    return found | ({"segmentation": [_outline(rng, box)]} if masks else {"bbox": box})


def _outline(rng: random.Random, box: list[float]) -> list[float]:
    left, top, width, height = box
    n, turned = rng.randint(4, 9), rng.random()
    points = []
    for at in range(n):
        angle = 2 * pi * (at + turned) / n
        points += [left + width * (1 + cos(angle)) / 2, top + height * (1 + sin(angle)) / 2]
    return [round(value, 2) for value in points]


def _columns(box: list[float]) -> dict:
    """Return a box as run lengths, down one column after the other."""
    left, top = max(0, int(box[0])), max(0, int(box[1]))
    width, height = min(WIDTH - left, int(box[2]) + 1), min(HEIGHT - top, int(box[3]) + 1)
    counts = [left * HEIGHT + top]
    for _ in range(width):
        counts += [height, HEIGHT - height]
    counts[-1] = WIDTH * HEIGHT - sum(counts[:-1])
    return {"size": [HEIGHT, WIDTH], "counts": counts}
