#!/usr/bin/env bash
# mean-average-precision counts difficult words as missed, and puts their flags on other words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mean-average-precision==2024.1.5.0' 'numpy==2.4.6' \
  'pandas==3.1.1'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import numpy as np
from mean_average_precision import MetricBuilder


def words(n):
    """Return words of a line, with gaps between them."""
    lefts = np.arange(n) * 80.0
    return np.stack([lefts, lefts * 0, lefts + 60, lefts * 0 + 20], 1)


def average_precision(flagged, found, column):
    """Return AP at IoU .5 of a line of three words: which is flagged in a column, and which are found."""
    metric = MetricBuilder.build_evaluation_metric("map_2d", async_mode=False, num_classes=1)
    truth = np.column_stack([words(3), np.zeros((3, 3))])
    truth[flagged, column] = 1
    sure = [0.9, 0.8, 0.7][: len(found)]
    metric.add(np.column_stack([words(3)[found], np.zeros(len(found)), sure]), truth)
    return round(float(metric.value(iou_thresholds=0.5)["mAP"]), 2)


DIFFICULT, CROWD = 5, 6
print(f"mean-average-precision {version('mean-average-precision')}")
print("Input: a line of three words, one of them difficult; the two others are found exactly.")
print("Expected: 1, as in PASCAL VOC, where a difficult object is neither missed nor found.")
seen = {
    "the first word is difficult": average_precision(0, [1, 2], DIFFICULT),
    "the second word is difficult": average_precision(1, [0, 2], DIFFICULT),
    "the third word is difficult": average_precision(2, [0, 1], DIFFICULT),
    "the third is difficult, and all are found": average_precision(2, [0, 1, 2], DIFFICULT),
    "the third is a crowd": average_precision(2, [0, 1], CROWD),
}
for name, value in seen.items():
    print(f"Seen: {name}: {value:g}")
print(
    "Why it matters: difficult objects count in the divisor of recall. And with more than one detection the flags\n"
    "are laid out in another order than the overlaps, so that a flag applies to another word, and the detection of\n"
    "that one is passed over: which of three words is illegible decides on the score of the same detector. Text has\n"
    "many illegible words; remove them and what was found on them first, and leave both columns 0."
)
assert [*seen.values()] == [0.33, 0.67, 0.33, 0.67, 0.67], "the behaviour changed"
PYTHON
