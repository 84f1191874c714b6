#!/usr/bin/env bash
# The first word of Label Studio's COCO export cannot be found, however well a detector finds it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'label-studio-sdk==2.1.2' 'pycocotools==2.0.11' \
  'faster-coco-eval==1.8.0' 'numpy==2.2.6'
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import contextlib
import io
import json
from importlib.metadata import version
from pathlib import Path

import faster_coco_eval
import pycocotools.coco
import pycocotools.cocoeval
from label_studio_sdk.converter import Converter

CONFIG = """<View><Image name="image" value="$image"/>
<RectangleLabels name="label" toName="image"><Label value="Text"/></RectangleLabels></View>"""
EVALUATORS = {
    "pycocotools": (pycocotools.coco.COCO, pycocotools.cocoeval.COCOeval),
    "faster-coco-eval": (faster_coco_eval.COCO, faster_coco_eval.COCOeval_faster),
}


def word(left):
    value = {"x": left, "y": 20, "width": 8, "height": 4, "rotation": 0, "rectanglelabels": ["Text"]}
    return {"id": f"{left}", "from_name": "label", "to_name": "image", "type": "rectanglelabels", "value": value,
            "original_width": 1000, "original_height": 500, "image_rotation": 0}  # fmt: skip


def export(n_words):
    result = [word(10 * number) for number in range(n_words)]
    annotation = {"id": 1, "completed_by": 1, "result": result, "was_cancelled": False, "lead_time": 1.0,
                  "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}  # fmt: skip
    task = {"id": 1, "data": {"image": "/data/upload/1/street.png"}, "annotations": [annotation], "predictions": []}
    Path("tasks.json").write_text(json.dumps([task]))
    converter = Converter(config=CONFIG, project_dir=".", download_resources=False)
    converter.convert("tasks.json", f"out{n_words}", "COCO", is_dir=False)
    return Path(f"out{n_words}", "result.json")


def score(name, truth):
    """Average precision and recall of detections that are the ground truth itself."""
    coco, evaluator = EVALUATORS[name]
    found = [
        {"image_id": region["image_id"], "category_id": region["category_id"], "bbox": region["bbox"], "score": 0.9}
        for region in json.loads(truth.read_text())["annotations"]
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        given = coco(str(truth))
        run = evaluator(given, given.loadRes(found), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return [round(float(run.stats[place]), 2) for place in (0, 8)]


print(", ".join(f"{name} {version(name)}" for name in ("label-studio-sdk", *EVALUATORS)))
print("Input: one photograph with one, two or four words; the detections are the words themselves.")
print("Expected: average precision 1, recall 1.")
seen = {}
for n_words in (1, 2, 4):
    truth = export(n_words)
    ids = [region["id"] for region in json.loads(truth.read_text())["annotations"]]
    seen[n_words] = [score(name, truth) for name in EVALUATORS]
    for name, (precision, recall) in zip(EVALUATORS, seen[n_words]):
        print(f"Seen: regions with the ids {ids}: {name}: average precision {precision}, recall {recall}")
print(
    "Why it matters: the export counts regions from 0, and the evaluators write down the id of the region that\n"
    "a detection matches, where 0 means none. The first word of each file is a miss and its detection an error:\n"
    "little for a whole dataset, half of the score for a file per photograph. (faster-coco-eval warns of the\n"
    "id 0 since 1.8, and has the same numbers. A reader who counts from 1 has other scores for the same data.)"
)
assert seen == {1: [[0, 0]] * 2, 2: [[0.25, 0.5]] * 2, 4: [[0.56, 0.75]] * 2}, "the behaviour changed"
PYTHON
