#!/usr/bin/env bash
# KappaIOU gives 1 to annotators who have no word in common, and its adjusted value depends on the order of writing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'KappaIOU==1.0.0' 'numpy==2.4.6' 'scipy==1.17.1'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from kappaiou import calculate_adjusted_kappa_iou, compute_image_kappa_iou


def words(top=20, width=50, shift=0):
    """Return five words of a line."""
    return [[10 + 70 * place + shift, top, width, 20] for place in range(5)]


first = words()
cases = {
    "the words of another line": words(top=200),
    "nothing": [],
    "half of each word": words(width=25),
    "each word, two pixels off": words(shift=2),
    "four of the five, exactly": first[:4],
    "the same": first,
    "the same, last word first": first[::-1],
}
seen = {
    name: tuple(
        float(f"{value(first, second):.3g}") for value in (compute_image_kappa_iou, calculate_adjusted_kappa_iou)
    )
    for name, second in cases.items()
}
empty = compute_image_kappa_iou([], []), calculate_adjusted_kappa_iou([], [])
print(f"KappaIOU {version('KappaIOU')}")
print("Input: one annotator draws five words, the other draws what is named.")
print("Expected: at most 1, and 0 or less where nothing is in common; the order of the words is irrelevant.")
for name, (kappa, adjusted) in seen.items():
    print(f"Seen: {name}: kappa {kappa:g}, adjusted {adjusted:g}")
print(f"Seen: both draw nothing: kappa {empty[0]:g}, adjusted {empty[1]:g}")
print(
    "Why it matters: it is 1 / (1 - IoU) that is held against the level of chance (.7), not the IoU. Annotators\n"
    "without any overlap have 1, which a reader of kappas takes for perfect agreement, and a mean over images\n"
    "is the value of the one image with the best copy. The adjusted value cuts both lists at each length\n"
    "before it matches words, so that two people who draw the same words from different ends have less."
)
assert seen == {
    "the words of another line": (1, 1),
    "nothing": (1, 1),
    "half of each word": (4.33, 4.33),
    "each word, two pixels off": (41, 41),
    "four of the five, exactly": (14.3, 1.78e6),
    "the same": (3.33e7, 3.33e7),
    "the same, last word first": (3.33e7, 62.8),
}, "the behaviour changed"
assert empty == (1, 0), "the behaviour changed"
PYTHON
