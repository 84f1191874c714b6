#!/usr/bin/env bash
# Of a ground truth as ICDAR 2015 publishes it, texts of two words vanish with their regions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'datumaro==1.13.12' 'pillow==12.3.0'
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

from datumaro import Dataset
from PIL import Image

print(f"datumaro {version('datumaro')}")
lines = [
    "377,117,463,117,465,130,378,130,Main Street",
    "493,115,519,115,519,131,493,131,###",
    "374,155,409,155,409,170,374,170,Exit",
    "492,151,551,151,551,170,492,170,Paris, France",
    "300,200,380,200,380,220,300,220,No. 7",
]
images = Path(sys.argv[1], "icdar", "train", "images")
images.mkdir(parents=True)
Image.new("RGB", (1280, 720)).save(images / "img_1.jpg")
images.with_name("gt_img_1.txt").write_text("\n".join(lines) + "\n")
[item] = Dataset.import_from(sys.argv[1] + "/icdar", "icdar_text_localization")
seen = [(type(region).__name__, region.attributes["text"]) for region in item.annotations]
print("Input: five lines in the form of ICDAR 2015's ground truth (eight numbers, then the text as it is):")
print("\n".join(f"  {line}" for line in lines))
print("Expected: five polygons, or an error that names the line that cannot be read.")
print(f"Seen: {len(seen)} of 5: {seen}; no error, no warning.")
print(
    "Why it matters: a space in the text makes a region vanish from the ground truth. Detectors that find it\n"
    "lose precision, and those that miss it lose nothing; an image whose texts all have spaces has no truth."
)
assert seen == [("Polygon", "###"), ("Polygon", "Exit")], "the behaviour changed"
PYTHON
