#!/usr/bin/env bash
# Rotated rectangles of CVAT are read, and then missing from most formats that they are written to.
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
folder = Path(sys.argv[1])
(folder / "cvat" / "images").mkdir(parents=True)
Image.new("RGB", (600, 300)).save(folder / "cvat" / "images" / "a.jpg")
(folder / "cvat" / "a.xml").write_text("""<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><task><id>1</id><name>words</name><size>1</size><mode>annotation</mode>
<overlap>0</overlap><start_frame>0</start_frame><stop_frame>0</stop_frame>
<labels><label><name>text</name><type>rectangle</type><attributes/></label></labels></task></meta>
<image id="0" name="a.jpg" width="600" height="300">
<box label="text" occluded="0" xtl="100" ytl="140" xbr="300" ybr="160" rotation="20.00" z_order="0"></box>
<box label="text" occluded="0" xtl="100" ytl="40" xbr="300" ybr="60" z_order="0"></box>
</image></annotations>""")
dataset = Dataset.import_from(str(folder / "cvat"), "cvat")
[item] = dataset
read = [(type(region).__name__, region.points) for region in item.annotations]
print("Input: a file of CVAT 1.1 with two words; one rectangle has a rotation of 20 degrees.")
print(f"Read: {read}")
print("Expected: other formats get its corners or its upright hull; else an error or a warning.")
for name in ("coco_instances", "icdar_text_localization", "yolo", "voc_detection"):
    dataset.export(str(folder / name), name, save_media=False)
[coco] = (folder / "coco_instances").rglob("*.json")
[icdar] = (folder / "icdar_text_localization").rglob("gt_*.txt")
[yolo] = (folder / "yolo").glob("obj_*/a.txt")
[voc] = (folder / "voc_detection").rglob("a.xml")
seen = {
    "COCO": len(json.loads(coco.read_text())["annotations"]),
    "ICDAR": len(icdar.read_text().split()) // 4,
    "YOLO": len(yolo.read_text().splitlines()),
    "VOC": voc.read_text().count("<object>"),
}
print(f"Seen: regions of two that are in each export: {seen}; no error, no warning.")
print(
    "Why it matters: the slanted words, the hard ones, are gone from the ground truth. A detector that\n"
    "finds them loses precision, and one that finds upright words only is perfect."
)
assert [kind for kind, _ in read] == ["RotatedBbox", "Bbox"], "the behaviour changed"
assert set(seen.values()) == {1}, "the behaviour changed"
PYTHON
