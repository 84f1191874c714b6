#!/usr/bin/env bash
# birra ties the detector that all annotators rank last with the one that all rank second last.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'birra==0.1.2'
"$folder/venv/bin/python" - <<'PYTHON'
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO

import numpy as np
from birra.birra import birra

seen = {}
for n_detectors in (5, 8, 25):
    for n_annotators in (1, 4, 12):
        ranks = np.array([[place] * n_annotators for place in range(1, n_detectors + 1)], dtype=float)
        with redirect_stdout(StringIO()):
            seen[n_detectors, n_annotators] = birra(ranks).tolist()
print(f"birra {version('birra')}")
print("Input: the ranks of 5, 8 or 25 detectors, in which 1, 4 or 12 annotators agree completely.")
print("Expected: the order of all annotators, without a tie.")
for (n_detectors, n_annotators), places in seen.items():
    print(f"Seen: detectors {n_detectors}, annotators {n_annotators}: the last three have ranks {places[-3:]}")
print(
    "Why it matters: the evidence of a place is counted in 50 bins and smoothed by medians of three. The last\n"
    "place is in a bin of its own at the end, which the medians take for noise: it gets the evidence of the\n"
    "place before. No number of annotators separates the two worst detectors, and a table shows a tie that\n"
    "no annotator gave."
)
for (n_detectors, _), places in seen.items():
    rest = [float(place) for place in range(1, n_detectors - 1)]
    assert places == [*rest, n_detectors - 0.5, n_detectors - 0.5], "the behaviour changed"
PYTHON
