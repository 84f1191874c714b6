#!/usr/bin/env bash
# pycocotools gives an average precision of -1 where 300 detections of an image count; AP50 and AP75 are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pycocotools==2.0.11' 'faster-coco-eval==1.8.0' \
  'numpy==2.4.6'
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import contextlib
import io
from importlib.metadata import version

import faster_coco_eval
import pycocotools.coco
import pycocotools.cocoeval

N_WORDS = 150
boxes = [[40 + 70 * (at % 10), 40 + 30 * (at // 10), 60, 20] for at in range(N_WORDS)]
truth = {
    "images": [{"id": 1, "file_name": "page.jpg", "width": 800, "height": 600}],
    "categories": [{"id": 1, "name": "text"}],
    "annotations": [
        {"id": at, "image_id": 1, "category_id": 1, "bbox": box, "area": 1200, "iscrowd": 0}
        for at, box in enumerate(boxes, 1)
    ],
}
found = [{"image_id": 1, "category_id": 1, "bbox": box, "score": 1 - at / 1000} for at, box in enumerate(boxes)]


def score(coco, evaluation, limits):
    """Return average precision, AP50, AP75 and average recall with these numbers of detections."""
    with contextlib.redirect_stdout(io.StringIO()):
        given = coco()
        given.dataset = truth
        given.createIndex()
        run = evaluation(given, given.loadRes([dict(of) for of in found]), "bbox")
        run.params.maxDets = limits
        run.evaluate()
        run.accumulate()
        run.summarize()
    return [round(float(run.stats[at]), 2) for at in (0, 1, 2, 8)]


print(f"pycocotools {version('pycocotools')}, faster-coco-eval {version('faster-coco-eval')}")
print(f"Input: a page with {N_WORDS} words, all found exactly; the largest number of detections 100, then 300.")
print("Expected: AP, AP50 and AP75 .66 with 100 detections (recall .67), all 1 with 300.")
seen = {}
for limits in ([1, 10, 100], [1, 10, 300]):
    for name, of in {
        "pycocotools": (pycocotools.coco.COCO, pycocotools.cocoeval.COCOeval),
        "faster-coco-eval": (faster_coco_eval.COCO, faster_coco_eval.COCOeval_faster),
    }.items():
        seen[name, limits[2]] = score(*of, limits)
        print(f"Seen: {name}, maxDets {limits}: AP, AP50, AP75, AR: {seen[name, limits[2]]}")
print(
    "Why it matters: pages and maps have more than 100 words, and with the usual 100 a perfect detector has .66.\n"
    "With 300 pycocotools looks for AP at 100, which it did not compute, and gives -1, but AP50 and AP75 at the\n"
    "largest number; nothing fails. torchmetrics 1.9.0 with max_detection_thresholds=[1, 10, 300] and pycocotools\n"
    "hands `map` -1 on. A training that keeps the best AP keeps the first model; a table has AP50 of one\n"
    "program beside -1 of the same."
)
assert seen == {
    ("pycocotools", 100): [0.66, 0.66, 0.66, 0.67],
    ("faster-coco-eval", 100): [0.66, 0.66, 0.66, 0.67],
    ("pycocotools", 300): [-1, 1, 1, 1],
    ("faster-coco-eval", 300): [1, 1, 1, 1],
}, "the behaviour changed"
PYTHON
