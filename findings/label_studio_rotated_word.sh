#!/usr/bin/env bash
# One rotated rectangle of Label Studio is at three places in four exports.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'label-studio-sdk==2.1.2'
"$folder/venv/bin/python" - "$folder" 2>"$folder/log" <<'PYTHON' || { cat "$folder/log" >&2; exit 1; }
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path

from label_studio_sdk.converter import Converter

folder = Path(sys.argv[1])
width, height = 1600, 900
config = (
    '<View><Image name="image" value="$image"/><RectangleLabels name="label" toName="image">'
    '<Label value="text"/></RectangleLabels></View>'
)
region = {
    "id": "a", "type": "rectanglelabels", "from_name": "label", "to_name": "image",
    "original_width": width, "original_height": height, "image_rotation": 0,
    "value": {"x": 50, "y": 10, "width": 20, "height": 5, "rotation": 90, "rectanglelabels": ["text"]},
}  # fmt: skip
task = {"id": 1, "data": {"image": "http://localhost/a.jpg"}, "predictions": [],
        "annotations": [{"id": 1, "result": [region], "was_cancelled": False}]}  # fmt: skip
(folder / "tasks").mkdir()
(folder / "tasks" / "tasks.json").write_text(json.dumps([task]))


def export(name):
    out = folder / name
    Converter(config, str(folder), download_resources=False).convert(str(folder / "tasks"), str(out), name, is_dir=True)
    return out


def columns(name):
    [path] = (export(name) / "labels").glob("*.txt")
    return [float(number) for number in path.read_text().split()[1:]]


def iou(a, b):
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return shared / (sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)) - shared)


x, y, w, h = json.loads((export("COCO") / "result.json").read_text())["annotations"][0]["bbox"]
boxes = {"COCO": [x, y, x + w, y + h]}
x, y, w, h = columns("YOLO")
boxes["YOLO"] = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height]
[voc] = export("VOC").rglob("*.xml")
boxes["VOC"] = [
    float(re.search(f"<{side}>(.*?)</{side}>", voc.read_text())[1]) for side in ("xmin", "ymin", "xmax", "ymax")
]
points = columns("YOLO_OBB")
boxes["YOLO_OBB"] = [
    min(points[::2]) * width, min(points[1::2]) * height, max(points[::2]) * width, max(points[1::2]) * height
]  # fmt: skip
# 320 x 45 pixels, turned by a quarter around the top left corner at (800, 90).
true = [755, 90, 800, 410]
seen = {name: round(iou(box, true), 2) for name, box in boxes.items()}
print(f"label-studio-sdk {version('label-studio-sdk')}")
print(f"Input: an image of {width}x{height} with one word that runs downwards: 320x45 pixels, turned by 90 degrees.")
print(f"Expected: every export has the word's upright hull {true}, or its corners.")
for name, box in boxes.items():
    print(f"Seen: {name}: {[round(number) for number in box]}, IoU with the hull {seen[name]}")
print(
    "Why it matters: COCO's export turns the rectangle in per cent, as if the image were a square; YOLO's and\n"
    "VOC's do not turn it. Slanted and vertical words have a wrong ground truth that no detector can match,\n"
    "and two people who export the same annotations compare detectors on different data."
)
assert seen == {"COCO": 0.39, "YOLO": 0.0, "VOC": 0.0, "YOLO_OBB": 1.0}, "the behaviour changed"
PYTHON
