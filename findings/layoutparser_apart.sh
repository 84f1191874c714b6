#!/usr/bin/env bash
# The intersection of two rectangles that do not touch has a positive area in layoutparser.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'layoutparser==0.3.4' 'numpy==2.4.6' 'pandas==3.1.1' \
  'opencv-python==5.0.0.93' 'pillow==12.3.0' 'scipy==1.17.1'
"$folder/venv/bin/python" -W error::UserWarning - <<'PYTHON'
from importlib.metadata import version

from layoutparser import Rectangle


def iou(a, b):
    """Return the share of the intersection in the union, both as the library gives them."""
    shared = a.intersect(b).area
    return shared / (a.area + b.area - shared)


WORD = Rectangle(40, 40, 100, 60)
OTHERS = {
    "the same": Rectangle(40, 40, 100, 60),
    "half of it": Rectangle(40, 40, 70, 60),
    "40 px to the right": Rectangle(140, 40, 200, 60),
    "40 px to the right, 20 px below": Rectangle(140, 80, 200, 100),
    "30 px to the right, 40 px below": Rectangle(130, 100, 190, 120),
}
EXPECTED = {"the same": 1, "half of it": 0.5} | dict.fromkeys(list(OTHERS)[2:], 0)
seen = {name: (WORD.intersect(of).area, round(iou(WORD, of), 2)) for name, of in OTHERS.items()}
print(f"layoutparser {version('layoutparser')}")
print("Input: the box of a word, and the boxes of other words: the same, half of it, and three that are apart from it.")
print(f"Expected: IoU {EXPECTED}")
for name, (area, of_union) in seen.items():
    print(f"Seen: {name}: area of the intersection {area:g} (of a word: {WORD.area:g}), IoU {of_union:g}")
print(
    "Why it matters: Layout Parser is read and compared with through its own shapes. The sides of an intersection\n"
    "that is empty are negative, and the product of two negative sides is positive: a box that is missed by some\n"
    "lines and some words has a larger intersection than one that is hit, with IoU of any size and sign. A\n"
    "matching that takes the largest intersection pairs words with words elsewhere. No warning says it, and\n"
    "`is_in` and `strict` do not help."
)
assert seen == {
    "the same": (1200, 1),
    "half of it": (600, 0.5),
    "40 px to the right": (-800, -0.25),
    "40 px to the right, 20 px below": (800, 0.5),
    "30 px to the right, 40 px below": (1200, 1),
}, "the behaviour changed"
PYTHON
