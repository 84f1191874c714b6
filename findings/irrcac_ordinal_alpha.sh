#!/usr/bin/env bash
# Krippendorff's alpha for ordinal answers is another number in irrCAC than in krippendorff.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'irrCAC==0.4.4' 'krippendorff==0.8.1' 'numpy==1.26.4' 'pandas==2.3.3'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import krippendorff
import pandas as pd
from irrCAC.raw import CAC

print(f"irrCAC {version('irrCAC')}, krippendorff {version('krippendorff')}")
answers = {"one": [1, 2, 3, 1, 2, 3, 5, 4], "other": [1, 2, 3, 2, 2, 3, 4, 4]}
print(f"Input: two annotators grade eight images from 1 to 5: {answers}")
print("Expected: Krippendorff's alpha has one definition a level of measurement, so both libraries agree.")
seen = {}
for level, weights in (("nominal", "identity"), ("interval", "quadratic"), ("ordinal", "ordinal")):
    one = krippendorff.alpha(list(answers.values()), level_of_measurement=level)
    other = CAC(pd.DataFrame(answers), weights=weights).krippendorff()["est"]["coefficient_value"]
    seen[level] = round(float(one), 3), round(float(other), 3)
    print(f"Seen: {level}: krippendorff {seen[level][0]}, irrCAC {seen[level][1]}")
print(
    "Why it matters: nominal and interval values agree, which makes one trust the third; but irrCAC's ordinal\n"
    "weights count ranks only, and Krippendorff's also how often each grade was given. A study is above a\n"
    "threshold of agreement with one library and below it with the other."
)
assert all(abs(a - b) < 0.002 for level, (a, b) in seen.items() if level != "ordinal"), "the behaviour changed"
assert abs(seen["ordinal"][0] - seen["ordinal"][1]) > 0.02, "the behaviour changed"
PYTHON
