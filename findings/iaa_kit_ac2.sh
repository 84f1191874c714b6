#!/usr/bin/env bash
# iaa-kit's AC2 is weighted kappa, and its alpha of ordinal answers is that of intervals.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'iaa-kit==0.1.2' 'irrCAC==0.4.4' 'krippendorff==0.9.0' \
  'pandas==2.3.3' 'numpy==1.26.4' 'scipy==1.12.0'
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import iaa_kit
import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC

GRADES = [1, 2, 3]  # left, equal, right
PAIRS = [(2, 2)] * 90 + [(2, 1), (1, 2), (2, 3), (3, 2)] * 2 + [(1, 1), (3, 3)]
first, second = zip(*PAIRS)
other = CAC(pd.DataFrame(PAIRS), weights="linear", categories=GRADES).gwet()["est"]["coefficient_value"]
seen = {
    "AC1": (iaa_kit.ac1(first, second), CAC(pd.DataFrame(PAIRS), categories=GRADES).gwet()["est"]["coefficient_value"]),
    "AC2, linear": (iaa_kit.ac2(first, second, weight="linear"), other),
    "weighted kappa, linear": (iaa_kit.weighted_kappa(first, second, weight="linear"), None),
}
# Six screens: all five annotators answered the first, which is hard, two of them each of the others.
ANSWERS = [[1, 2, 5, 4, 2]] + [[grade, grade, None, None, None] for grade in (1, 1, 2, 5, 5)]
table = np.array(ANSWERS, float).T
for level in ("nominal", "ordinal", "interval"):
    reference = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    seen[f"alpha, {level}"] = iaa_kit.alpha_value(ANSWERS, level), reference
seen = {name: tuple(None if value is None else round(float(value), 2) for value in row) for name, row in seen.items()}
print(", ".join(f"{package} {version(package)}" for package in ("iaa-kit", "irrCAC", "krippendorff")))
print("Input: two annotators who call 90 of 100 pairs of detectors equal, both; and six screens with grades.")
print("Expected: Gwet's AC2 and Krippendorff's alpha as irrCAC and krippendorff have them.")
for name, (of_kit, of_other) in seen.items():
    print(f"Seen: {name}: {of_kit}" + ("" if of_other is None else f"; the other library {of_other}"))
print(
    "Why it matters: AC2 is reported because kappa falls where nearly all answers are alike, which is usual where\n"
    "many detectors are tied; here it is kappa under its name, so agreement looks poor and the remedy useless.\n"
    "At the level `ordinal` grades count as numbers, and at each level all pairs of answers weigh alike, where\n"
    "alpha gives each answer one weight: a screen with five answers has ten times the weight of one with two."
)
assert seen == {
    "AC1": (0.92, 0.92), "AC2, linear": (0.31, 0.96), "weighted kappa, linear": (0.31, None),
    "alpha, nominal": (0.2, 0.6), "alpha, ordinal": (0.43, 0.75), "alpha, interval": (0.43, 0.72),
}, "the behaviour changed"  # fmt: skip
PYTHON
