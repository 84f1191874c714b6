#!/usr/bin/env bash
# Non-maximum suppression of lanms-neo adds up scores, and its boxes depend on the order of the rows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'lanms-neo==1.0.2' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import lanms
import numpy as np


def quadrilateral(x, score):
    return [x, 10, x + 50, 10, x + 50, 30, x, 30, score]


DOUBTFUL = [quadrilateral(x, 0.4) for x in (10, 12, 14)]
CERTAIN = quadrilateral(200, 0.95)
seen = {}
for name, rows in {
    "one after the other": [*DOUBTFUL, CERTAIN],
    "mixed": [DOUBTFUL[0], CERTAIN, DOUBTFUL[1], DOUBTFUL[2]],
}.items():
    kept = np.array(lanms.merge_quadrangle_n9(np.array(rows, "float32"), 0.2))
    seen[name] = [(round(float(row[0]), 1), round(float(row[8]), 2)) for row in sorted(kept, key=lambda row: row[0])]
print(f"lanms-neo {version('lanms-neo')}")
print("Input: three overlapping candidates of one word with score .4, and a word elsewhere with score .95.")
print("Expected: two boxes with scores of at most 1; .95 is the best; the order of the rows changes nothing.")
for name, kept in seen.items():
    print(f"Seen: {name}: left side and score of each box: {kept}")
print(
    "Why it matters: the score of a merged box is the sum of its parts (so it is in EAST's paper; the package\n"
    "does not say it), and grows with the number of pixels that propose it. Average precision, which goes by\n"
    "score, then prefers large doubtful words to certain ones, a threshold of confidence keeps them, and the\n"
    "same candidates in another order are another box with another score."
)
assert seen == {
    "one after the other": [(12.0, 1.2), (200.0, 0.95)],
    "mixed": [(13.0, 0.8), (200.0, 0.95)],
}, "the behaviour changed"
PYTHON
