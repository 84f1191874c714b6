#!/usr/bin/env bash
# The same self-crossing outline, written clockwise and counterclockwise, mended with buffer(0).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'shapely==2.2.0' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'PYTHON'
import shapely
from shapely import Polygon, make_valid

print(f"shapely {shapely.__version__}, GEOS {shapely.geos_version_string}")
print(
    "Input: four corners of a word in zigzag order, a common mistake of annotators and scripts;\n"
    "a second file holds the same outline, written the other way around."
)
corners = [(0, 0), (40, 20), (40, 0), (0, 20)]
one, other = Polygon(corners), Polygon(corners[::-1])


def iou(a, b):
    return a.intersection(b).area / a.union(b).area


mended = [one.buffer(0), other.buffer(0)]
seen = iou(*mended), iou(make_valid(one), make_valid(other))
print("Expected: buffer(0) may lose a part, but the same part twice: the IoU of an outline with itself is 1.")
for name, polygon in zip(("one way", "other way"), mended):
    print(f"Seen: {name}: {polygon.wkt}, area {polygon.area:g}")
print(f"Seen: IoU after buffer(0) {seen[0]:g}; after make_valid {seen[1]:g}.")
print(
    "Why it matters: evaluators mend outlines with buffer(0). Which half of the word stays depends on\n"
    "the direction of writing, so a detection that equals the ground truth can count as a miss."
)
assert seen == (0, 1), "the behaviour changed"
PYTHON
