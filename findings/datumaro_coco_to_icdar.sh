#!/usr/bin/env bash
# Two words of a COCO file become four words of ICDAR's format, half of them upright hulls.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'datumaro==1.13.12' 'pillow==12.3.0'
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from importlib.metadata import version
from pathlib import Path

from datumaro import Dataset
from PIL import Image

print(f"datumaro {version('datumaro')}")
coco, icdar = Path(sys.argv[1], "coco"), Path(sys.argv[1], "icdar")
(coco / "images" / "train").mkdir(parents=True)
(coco / "annotations").mkdir()
Image.new("RGB", (300, 200)).save(coco / "images" / "train" / "a.jpg")
words = {"tilted": [10, 100, 60, 110, 55, 130, 5, 120], "flat": [100, 10, 150, 10, 150, 30, 100, 30]}
annotations = []
for number, (text, points) in enumerate(words.items(), 1):
    left, top = min(points[::2]), min(points[1::2])
    box = [left, top, max(points[::2]) - left, max(points[1::2]) - top]
    annotations.append(
        {"id": number, "image_id": 1, "category_id": 1, "segmentation": [points], "bbox": box,
         "area": 1000, "iscrowd": 0, "attributes": {"text": text}}
    )
(coco / "annotations" / "instances_train.json").write_text(
    json.dumps(
        {"info": {}, "licenses": [], "categories": [{"id": 1, "name": "text"}], "annotations": annotations,
         "images": [{"id": 1, "width": 300, "height": 200, "file_name": "a.jpg"}]}
    )
)
Dataset.import_from(str(coco), "coco_instances").export(str(icdar), "icdar_text_localization")
lines = (icdar / "train" / "gt_a.txt").read_text().splitlines()
print("Input: a COCO file with two words, each with its polygon and the box that COCO asks for.")
print("Expected: two lines, one a word; the polygon of the tilted word.")
print(f"Seen: {len(lines)} lines, with commas and with spaces between the numbers:")
print("\n".join(f"  {line}" for line in lines))
print(
    "Why it matters: each word is in the ground truth twice. A perfect detector has recall .5, or 1 where\n"
    "it reports every word twice, and readers that know one separator lose the other half of the lines."
)
assert sorted(line.split()[-1] for line in lines if "," not in line) == ['"flat"', '"tilted"'], "the behaviour changed"
assert len(lines) == 4, "the behaviour changed"
PYTHON
