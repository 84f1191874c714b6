#!/usr/bin/env bash
# Kendall's W of five annotators who agree in everything is .08 or 1.28, where their ranking has ties.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'kendall-w==1.0.0' 'pingouin==0.6.1' 'pandas==2.3.3' \
  'numpy==2.4.6'
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import kendall_w
import pandas as pd
import pingouin

print(f"kendall-w {version('kendall-w')}, pingouin {version('pingouin')}")
print("Input: five annotators who give the same ranking of the detectors; tied detectors have the same rank.")
print("Expected: the documentation says 0 to 1, 1 for unanimous agreement: W is 1 (with the correction for ties).")
seen = {}
for ranking in ((1, 2, 3, 4), (1, 2, 2, 4), (1, 2, 2, 3), (1, 1, 1, 1, 2), (1, 1, 1, 1, 5)):
    rows = [[rank] * 5 for rank in ranking]  # one detector a row, one annotator a column, as documented
    table = pd.DataFrame(rows).rename_axis("detector").reset_index().melt("detector", var_name="annotator")
    other = pingouin.friedman(table, dv="value", within="detector", subject="annotator")["W"].iloc[0]
    seen[ranking] = round(kendall_w.compute_w(rows), 2), round(float(other), 2)
    print(f"Seen: all five give the ranks {ranking}: kendall-w {seen[ranking][0]}, pingouin {seen[ranking][1]}")
print(
    "Why it matters: the ranks are taken as they are written, and ties are not corrected; average ranks, which\n"
    "would help, are refused because the numbers must be whole. Agreement then measures how many detectors\n"
    "people tie and how they number the ranks after a tie: a unanimous image looks like noise, or passes 1."
)
assert seen == {
    (1, 2, 3, 4): (1, 1), (1, 2, 2, 4): (0.95, 1), (1, 2, 2, 3): (0.4, 1), (1, 1, 1, 1, 2): (0.08, 1),
    (1, 1, 1, 1, 5): (1.28, 1),
}, "the behaviour changed"  # fmt: skip
PYTHON
