#!/usr/bin/env bash
# OpenCV's suppression of turned rectangles takes a word within a line for a duplicate of it, however small it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'opencv-python-headless==5.0.0.93' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import cv2

LINE = 400, 40
THRESHOLD = 0.9


def kept(size, angle, confidences=(0.9, 0.8)):
    """Return which stay of a line and of a rectangle of this size with the same middle and angle."""
    rectangles = [((300, 300), LINE, angle), ((300, 300), size, angle)]
    return [int(index) for index in cv2.dnn.NMSBoxesRotated(rectangles, confidences, 0.1, THRESHOLD)]


def kept_upright(size):
    """Return the same of upright rectangles, with the function for them."""
    boxes = [[300 - width / 2, 300 - height / 2, width, height] for width, height in (LINE, size)]
    return [int(index) for index in cv2.dnn.NMSBoxes(boxes, (0.9, 0.8), 0.1, THRESHOLD)]


print(f"opencv-python-headless {version('opencv-python-headless')}")
print("Input: a line of 400 times 40 pixels (0), and a word in its middle (1); a threshold of .9 for the IoU.")
print("Expected: both stay. The IoU of a word of 40 times 30 pixels with the line is .075.")
seen = {
    "NMSBoxes, word of 40 x 30": kept_upright((40, 30)),
    "NMSBoxesRotated, angle 0, word of 40 x 30": kept((40, 30), 0),
    "NMSBoxesRotated, angle 10, word of 40 x 30": kept((40, 30), 10),
    "NMSBoxesRotated, angle 10, word of 8 x 6": kept((8, 6), 10),
    "NMSBoxesRotated, angle 10, word of 40 x 30, more confident": kept((40, 30), 10, (0.8, 0.9)),
    "NMSBoxesRotated, angle 10, word of 40 x 42, higher than the line": kept((40, 42), 10),
}
for name, indexes in seen.items():
    print(f"Seen: {name}: {indexes} stay")
print(
    "Why it matters: it is the function for detectors that give turned rectangles, as EAST does. Where one rectangle\n"
    "is within the other it takes 1 for their IoU, so no threshold below 1 keeps both: a line that is found in\n"
    "addition removes its words, and a confident speck of a few pixels removes the line. A word that leaves the\n"
    "line by a pixel stays. What is lost here looks like the low recall of a detector."
)
both, first, second = [0, 1], [0], [1]
assert list(seen.values()) == [both, first, first, first, second, both], "the behaviour changed"
PYTHON
