#!/usr/bin/env bash
# map-boxes does not count what is found on images without words, whatever its option says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'map-boxes==1.0.6' 'numpy==2.4.6' 'pandas==3.1.1'
"$folder/venv/bin/python" - <<'PYTHON'
import contextlib
import io
from importlib.metadata import version

import numpy as np

with contextlib.redirect_stdout(io.StringIO()):
    from map_boxes import mean_average_precision_for_boxes

# Image, class, confidence for detections, and left, right, top, bottom in shares of the sides.
WORDS = [["street", "text", at / 10, at / 10 + 0.05, 0.1, 0.2] for at in (1, 3)]
FOUND = [["street", "text", sure, *of[2:]] for of, sure in zip(WORDS, (0.5, 0.4))]
FALSE = [["forest", "text", sure, at / 10, at / 10 + 0.05, 0.4, 0.5] for at, sure in ((1, 0.9), (3, 0.8), (5, 0.7))]
NO_WORD = [["forest", "nan", 0, 0, 0, 0]]


def average_precision(truth, **options):
    """Return AP at IoU .5 of a detector that finds two words, and three that are not there."""
    tables = (np.array(of, dtype=object) for of in (truth, FOUND + FALSE))
    return round(float(mean_average_precision_for_boxes(*tables, verbose=False, **options)[0]), 2)


print(f"map-boxes {version('map-boxes')}")
print("Input: two words on one image, found exactly; three detections, more confident, on an image without words.")
print("Expected: .4, since precision is 1/4 and 2/5 where the words are found; 1 where images that are not in the")
print("ground truth are left out, which `exclude_not_in_annotations=True` asks for. It is False as it comes.")
seen = {
    "as it comes": average_precision(WORDS),
    "exclude_not_in_annotations=False": average_precision(WORDS, exclude_not_in_annotations=False),
    "exclude_not_in_annotations=True": average_precision(WORDS, exclude_not_in_annotations=True),
    "the image has a row of ground truth of the class nan": average_precision(WORDS + NO_WORD),
}
for name, value in seen.items():
    print(f"Seen: {name}: {value:g}")
print(
    "Why it matters: what is compared are the images of the ground truth alone, so the option changes nothing. A\n"
    "list of words has no row for an image without one, and a detector that sees text in every forest is perfect.\n"
    "Give each image without words a row of the class nan, which is passed over."
)
assert [*seen.values()] == [1, 1, 1, 0.4], "the behaviour changed"
PYTHON
