#!/usr/bin/env bash
# hotcoco's confusion matrix counts detections of ignored regions as false, its other figures do not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'hotcoco==1.3.0' 'numpy==2.4.6'
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import contextlib
import io
import json
from importlib.metadata import version

from hotcoco import COCO, COCOeval


def box(left):
    return {"image_id": 1, "category_id": 1, "bbox": [left, 20, 50, 20]}


truth = {
    "images": [{"id": 1, "file_name": "a.jpg", "width": 400, "height": 300}],
    "categories": [{"id": 1, "name": "text"}],
    "annotations": [
        box(left) | {"id": number, "area": 1000, "iscrowd": int(number > 2)}
        for number, left in enumerate((10, 80, 150, 220, 290), 1)
    ],
}


def seen_of(lefts):
    """Return what hotcoco says of a detector of the words at these left sides."""
    for name, data in (("truth", truth), ("found", [box(left) | {"score": 0.9} for left in lefts])):
        with open(f"{name}.json", "w") as file:
            json.dump(data, file)
    given = COCO("truth.json")
    run = COCOeval(given, given.load_res("found.json"), "bbox")
    with contextlib.redirect_stdout(io.StringIO()):
        run.run()
    matrix = run.confusion_matrix()["matrix"]
    return {
        "AP": float(run.get_results()["AP"]),
        "tide_errors, Bkg": int(run.tide_errors()["counts"]["Bkg"]),
        "image_diagnostics, fp": int(run.image_diagnostics()["img_summary"][1]["fp"]),
        "confusion_matrix, found and false": (int(matrix[0, 0]), int(matrix[1, 0])),
    }


print(f"hotcoco {version('hotcoco')}")
print("Input: two words, and three illegible ones that are to be ignored (`iscrowd` 1).")
print("Expected: detectors of the two words and of all five have the same figures, without a false detection.")
seen = {"two words": seen_of((10, 80)), "all five": seen_of((10, 80, 150, 220, 290))}
for name, figures in seen.items():
    print(f"Seen: a detector of {name}: {figures}")
print(
    "Why it matters: the matrix is where one reads off precision at a threshold. Ignored regions are not in it, and\n"
    "what is found there counts as found on the background: a precision of .4 next to an AP of 1 and no false\n"
    "detection in the same report. A detector that reads what people cannot looks worse than it is."
)
right = {"AP": 1, "tide_errors, Bkg": 0, "image_diagnostics, fp": 0, "confusion_matrix, found and false": (2, 0)}
assert seen["two words"] == right, "the behaviour changed"
assert seen["all five"] == right | {"confusion_matrix, found and false": (2, 3)}, "the behaviour changed"
PYTHON
