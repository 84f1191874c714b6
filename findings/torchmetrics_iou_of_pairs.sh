#!/usr/bin/env bash
# The IoU of torchmetrics is the mean over all pairs: a perfect detector of five words has .2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'torchmetrics==1.9.0' 'torch==2.13.0' \
  'torchvision==0.28.0' 'pycocotools==2.0.11' 'numpy==2.4.6' 'pillow==12.3.0'
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
from importlib.metadata import version

import torch

try:
    import torchvision
except RuntimeError:
    # A torch for processors alone has no compiled operators of torchvision. None is called here.
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchmetrics.detection import IntersectionOverUnion


def boxes(n):
    """Return words of a line, with gaps between them."""
    lefts = torch.arange(n) * 80.0
    return torch.stack([lefts, lefts * 0, lefts + 60, lefts * 0 + 20], 1)


def iou(*images, **options):
    """Return the metric of images, each with how many of its words are found, and how many words it has."""
    metric = IntersectionOverUnion(**options)
    for found, n in images:
        sides = [{"boxes": boxes(of), "labels": torch.zeros(of, dtype=torch.int64)} for of in (found, n)]
        sides[0]["scores"] = torch.ones(found)
        metric.update(sides[:1], sides[1:])
    return round(float(metric.compute()["iou"]), 2)


print(f"torchmetrics {version('torchmetrics')}, torch {version('torch')}, torchvision {version('torchvision')}")
print("Input: lines of words that do not touch, all of one class; what is found is exactly right.")
print("Expected: 1 where all words are found, and less where some are missed.")
seen = {
    "1 of 1": iou((1, 1)),
    "5 of 5": iou((5, 5)),
    "50 of 50": iou((50, 50)),
    "5 of 5, pairs from .5": iou((5, 5), iou_threshold=0.5),
    "1 of 5, pairs from .5": iou((1, 5), iou_threshold=0.5),
}
for name, value in seen.items():
    print(f"Seen: found {name}: iou {value:g}")
print(
    "Why it matters: the metric is the mean over all pairs of a detection and a word of the same class, and text\n"
    "has one class. It falls with the number of words of an image, so that a detector looks better on images\n"
    "with few words; the variants (GIoU, DIoU, CIoU) share it. With a threshold only the pairs above it count,\n"
    "and then a detector that misses four words of five is perfect: neither value can choose a detector."
)
assert seen == {
    "1 of 1": 1,
    "5 of 5": 0.2,
    "50 of 50": 0.02,
    "5 of 5, pairs from .5": 1,
    "1 of 5, pairs from .5": 1,
}, "the behaviour changed"
PYTHON
