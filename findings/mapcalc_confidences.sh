#!/usr/bin/env bash
# mapcalc takes the order of the rows for the order of the confidences.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mapcalc==0.2.2' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from mapcalc import calculate_map

WORDS = [[10, 10, 60, 30], [90, 10, 140, 30]]
FALSE = [[10, 100, 60, 120], [90, 100, 140, 120], [170, 100, 220, 120]]


def average_precision(boxes, scores):
    """Return AP at IoU .5 of detections of two words."""
    truth = {"boxes": WORDS, "labels": [1] * len(WORDS)}
    return calculate_map(truth, {"boxes": boxes, "labels": [1] * len(boxes), "scores": scores}, 0.5)


print(f"mapcalc {version('mapcalc')}")
print("Input: two words found exactly, and three detections where no word is.")
print("Expected: 1 where the words have the highest confidences, .4 where they have the lowest, in any order of rows.")
seen = {
    "words first, and most confident": average_precision(WORDS + FALSE, [0.9, 0.8, 0.3, 0.2, 0.1]),
    "words first, and least confident": average_precision(WORDS + FALSE, [0.2, 0.1, 0.9, 0.8, 0.7]),
    "words last, and most confident": average_precision(FALSE + WORDS, [0.3, 0.2, 0.1, 0.9, 0.8]),
    "words last, and least confident": average_precision(FALSE + WORDS, [0.9, 0.8, 0.7, 0.2, 0.1]),
}
for name, value in seen.items():
    print(f"Seen: {name}: {value:g}")
print(
    "Why it matters: `scores` is read, checked for its length, and not used. Text detectors write words from top to\n"
    "bottom, so average precision depends on where an image has its false detections. Sort rows by confidence."
)
assert [round(of, 2) for of in seen.values()] == [1, 1, 0.4, 0.4], "the behaviour changed"
PYTHON
