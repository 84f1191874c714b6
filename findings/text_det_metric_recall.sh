#!/usr/bin/env bash
# Recall above 1: text-det-metric counts pairs, not matched words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'text-det-metric==0.0.8' 'shapely==2.2.0' 'numpy==2.4.6'
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

from text_det_metric import TextDetMetric

print(f"text-det-metric {version('text-det-metric')}, shapely {version('shapely')}")


def box(x, y, width=100, height=20):
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def score(detections, truth):
    path = Path(sys.argv[1], "pairs.txt")
    path.write_text(f"{detections}\t{truth}\t0.1\n")
    return {name: value for name, value in TextDetMetric()(str(path)).items() if name != "avg_elapse"}


truth = [box(0, 0), box(0, 50)]
cases = {
    "each word once": score([box(0, 0), box(0, 50)], truth),
    "one word three times, the other missed": score([box(0, 0), box(1, 0), box(2, 0)], truth),
    "each word three times": score([box(x, y) for x in range(3) for y in (0, 50)], truth),
}
print("Input: two words; detections that find them once, or several times.")
print("Expected: as in ICDAR's evaluation, a word is matched once; further detections cost precision.")
for name, values in cases.items():
    print(f"Seen: {name}: {values}")
print(
    "Why it matters: a detector without suppression of duplicates gets recall 3 and F-score 1.5, and one\n"
    "that misses half of the words gets recall 1.5 and precision 1. Rankings by this F-score reward duplicates."
)
assert [list(values.values()) for values in cases.values()] == [[1, 1, 1], [1, 1.5, 1.2], [1, 3, 1.5]], (
    "the behaviour changed"
)
PYTHON
