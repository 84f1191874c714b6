#!/usr/bin/env bash
# A photograph with two annotators is two images in COCO, and has the earlier annotator's words alone in YOLO and VOC.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'label-studio-sdk==2.1.2'
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import json
from importlib.metadata import version
from pathlib import Path

from label_studio_sdk.converter import Converter

CONFIG = """<View><Image name="image" value="$image"/>
<RectangleLabels name="label" toName="image"><Label value="Text"/></RectangleLabels></View>"""
SIZE = {"original_width": 1000, "original_height": 500, "image_rotation": 0}


def word(left, top):
    value = {"x": left / 10, "y": top / 5, "width": 8, "height": 4, "rotation": 0, "rectanglelabels": ["Text"]}
    return {"id": f"{left}", "from_name": "label", "to_name": "image", "type": "rectanglelabels", "value": value, **SIZE}


def annotation(person, *words):
    return {"id": person, "completed_by": person, "result": [*words], "was_cancelled": False, "lead_time": 1.0,
            "created_at": f"2026-01-0{person}T00:00:00Z", "updated_at": f"2026-01-0{person}T00:00:00Z"}  # fmt: skip


FIRST, SECOND = word(100, 100), word(500, 300)
annotations = [annotation(1, FIRST, SECOND), annotation(2, word(104, 102))]
task = {"id": 1, "data": {"image": "/data/upload/1/0a1b2c3d-street.png"}, "annotations": annotations, "predictions": []}
Path("tasks.json").write_text(json.dumps([task]))
converter = Converter(config=CONFIG, project_dir=".", download_resources=False)
for kind in ("COCO", "YOLO", "VOC"):
    converter.convert("tasks.json", kind, kind, is_dir=False)
coco = json.loads(Path("COCO", "result.json").read_text())
names = [image["file_name"].rpartition("/")[2] for image in coco["images"]]
n_coco = [sum(of["image_id"] == image["id"] for of in coco["annotations"]) for image in coco["images"]]
n_yolo = len(next(Path("YOLO", "labels").iterdir()).read_text().splitlines())
n_voc = next(Path("VOC", "Annotations").iterdir()).read_text().count("<object>")
print(f"label-studio-sdk {version('label-studio-sdk')}")
print("Input: one photograph, two annotators: two words, and on the next day one word by the other person.")
print("Expected: one image, with the words of the same people in each format, or an error.")
print(f"Seen: COCO lists {names}, with {n_coco} words.")
print(f"Seen: YOLO has {n_yolo} words, VOC has {n_voc}: the later annotation is gone.")
print(
    "Why it matters: as COCO, a detector that answers for one of the two ids of the photograph misses all\n"
    "words of the other; as YOLO or VOC, the annotation that came last, often the correction, does not\n"
    "count. The ground truth, and so the detector that is best, depends on the format of the export."
)
assert names == ["0a1b2c3d-street.png"] * 2, "the behaviour changed"
assert n_coco == [1, 2], "the behaviour changed"
assert (n_yolo, n_voc) == (2, 2), "the behaviour changed"
PYTHON
