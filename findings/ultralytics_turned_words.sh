#!/usr/bin/env bash
# For ultralytics' turned boxes a third of a word is a find at IoU .5, and so is a box three times as long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'torch==2.13.0' 'torchvision==0.28.0' \
  'opencv-python-headless==5.0.0.93' 'numpy==2.4.6' 'pillow==12.3.0' 'pyyaml==6.0.4'
# Without the rest that it asks for: nothing is trained, drawn or downloaded.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps 'ultralytics==8.4.190'
cd "$folder"
export YOLO_CONFIG_DIR="$folder" YOLO_OFFLINE=true YOLO_AUTOINSTALL=false YOLO_VERBOSE=false
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

import torch

try:
    import torchvision
except RuntimeError:
    # A torch for processors alone has no compiled operators of torchvision. None is called here.
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from ultralytics.models.yolo.detect import DetectionValidator
from ultralytics.models.yolo.obb import OBBValidator

SIDE = 640
VALIDATORS = {"detect": DetectionValidator, "obb": OBBValidator}
WORDS = torch.tensor([[320.0, 100 + 60 * place, 150, 30] for place in range(5)])  # center, width, height


def figures(task, found):
    """Return precision, recall, mAP50 and mAP50-95 of what is found of five upright words of one image."""
    validator = VALIDATORS[task](args={"task": task, "plots": False}, save_dir=Path("."))
    validator.device, validator.data, validator.names = torch.device("cpu"), {"val": ""}, {0: "text"}
    validator.seen, validator.is_custom_json, validator.build_gdict = 0, False, False
    validator.metrics.names = validator.names
    angles = torch.zeros(len(WORDS), 1)
    truth, boxes = WORDS / SIDE, torch.cat([found[:, :2] - found[:, 2:] / 2, found[:, :2] + found[:, 2:] / 2], 1)
    if task == "obb":
        truth, boxes = torch.cat([truth, angles], 1), torch.cat([found, angles], 1)
    batch = {"img": torch.zeros(1, 3, SIDE, SIDE), "ori_shape": [(SIDE, SIDE)], "ratio_pad": [((1.0, 1.0), (0.0, 0.0))]}
    batch |= {"im_file": ["a.jpg"], "batch_idx": angles[:, 0], "cls": angles, "bboxes": truth}
    validator.update_metrics([{"bboxes": boxes, "conf": angles[:, 0] + 0.9, "cls": angles[:, 0]}], batch)
    return [round(float(value), 2) for value in list(validator.get_stats().values())[:4]]


print(", ".join(f"{name} {version(name)}" for name in ("ultralytics", "torch", "torchvision")))
print("Input: five upright words; found are the words, their middle thirds, or boxes three times as long.")
print("Expected: nothing is found at IoU .5 but by the words: the IoU of the others is .33. Both tasks agree.")
cases = {name: WORDS * torch.tensor([1, 1, by, 1]) for name, by in (("words", 1), ("thirds", 1 / 3), ("thrice", 3))}
seen = {f"{name}, {task}": figures(task, found) for name, found in cases.items() for task in VALIDATORS}
for name, (precision, recall, ap50, ap) in seen.items():
    print(f"Seen: {name}: precision {precision:g}, recall {recall:g}, mAP50 {ap50:g}, mAP50-95 {ap:g}")
print(
    "Why it matters: the task `obb` compares boxes as normal distributions with their spread (ProbIoU). Boxes with\n"
    "one middle have .53 where one is a third of the other, whatever the angle: a piece of a word, or a line for the\n"
    "word in its middle. A detector that cuts or joins words like this has the mAP50 of a perfect one, and figures of\n"
    "the tasks `detect` and `obb`, or of `obb` and a program that measures areas, cannot be compared."
)
none, all_found = [0, 0, 0, 0], [1, 1, 0.99, 0.99]
assert [seen[f"{name}, detect"] for name in cases] == [all_found, none, none], "the behaviour changed"
assert [seen[f"{name}, obb"] for name in cases] == [all_found, *[[1, 1, 0.99, 0.1]] * 2], "the behaviour changed"
PYTHON
