#!/usr/bin/env bash
# Regions that count for nobody become words to find when SAHI or globox reads a COCO file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'sahi==0.12.8' 'globox==2.9.0' 'pycocotools==2.0.11' \
  'shapely==2.2.0' 'numpy==2.4.6' 'pillow==12.3.0'
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import contextlib
import io
import json
from importlib.metadata import version
from pathlib import Path

from globox import AnnotationSet
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from sahi.slicing import slice_coco
from sahi.utils.coco import Coco

Image.new("RGB", (400, 300)).save("a.jpg")


def region(number, left, ignored):
    outline = [left, 20, left + 50, 20, left + 50, 40, left, 40]
    return {"id": number, "image_id": 1, "category_id": 1, "bbox": [left, 20, 50, 20], "area": 1000,
            "iscrowd": ignored, "segmentation": [outline]}  # fmt: skip


truth = {
    "images": [{"id": 1, "file_name": "a.jpg", "width": 400, "height": 300}],
    "categories": [{"id": 1, "name": "text"}],
    "annotations": [region(1, 10, 0), region(2, 80, 0), region(3, 150, 1), region(4, 220, 1), region(5, 290, 1)],
}
Path("truth.json").write_text(json.dumps(truth))
written = {"as it was": truth, "SAHI, read and written": Coco.from_coco_dict_or_path("truth.json").json}
with contextlib.redirect_stdout(io.StringIO()):
    written["SAHI, one slice"], _ = slice_coco(
        "truth.json", ".", "sliced", output_dir="slices", slice_height=300, slice_width=400
    )
AnnotationSet.from_coco("truth.json").save_coco("globox.json")
written["globox, read and written"] = json.loads(Path("globox.json").read_text())


def score(truth):
    """Average precision at IoU .5 and recall of a detector that finds the legible words, and those alone."""
    [image] = truth["images"]
    category = truth["categories"][0]["id"]
    found = [{"image_id": image["id"], "category_id": category, "bbox": [left, 20, 50, 20], "score": 0.9}
             for left in (10, 80)]  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        given = COCO()
        given.dataset = truth | {
            "annotations": [of | {"id": number} for number, of in enumerate(truth["annotations"], 1)]
        }
        given.createIndex()
        run = COCOeval(given, given.loadRes(found), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return round(float(run.stats[1]), 2), round(float(run.stats[8]), 2)


print(f"sahi {version('sahi')}, globox {version('globox')}, pycocotools {version('pycocotools')}")
print("Input: a COCO file with two words, and three illegible ones that are to be ignored (`iscrowd` 1).")
print("Expected: what is ignored stays ignored, or is left out, or is an error.")
seen = {}
for name, file in written.items():
    seen[name] = [of["iscrowd"] for of in file["annotations"]], *score(file)
    print(f"Seen: {name}: iscrowd {seen[name][0]}; a detector of both words: precision {seen[name][1]}, "
          f"recall {seen[name][2]}")  # fmt: skip
print(
    "Why it matters: cutting large pages into slices, or changing a format, turns don't-care regions into words.\n"
    "A detector that is right to leave illegible text alone loses more than half of its score, and one that\n"
    "reports every smudge wins."
)
assert seen.pop("as it was") == ([0, 0, 1, 1, 1], 1, 1), "the behaviour changed"
assert set(map(str, seen.values())) == {"([0, 0, 0, 0, 0], 0.41, 0.4)"}, "the behaviour changed"
PYTHON
