#!/usr/bin/env bash
# crowd-kit's consistency is perfect where one annotator is always in a majority, whatever the others say.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'crowd-kit==1.4.2' 'krippendorff==0.9.0' \
  'pandas==2.3.3' 'numpy==1.26.4'
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import krippendorff
import pandas as pd
from crowdkit.metrics.data import consistency

# Each word is the verdicts of three annotators on a pair of results: left, right, equal.
ANSWERS = {
    "all agree": ["lll", "rrr", "eee", "lll", "rrr", "eee"],
    "the first is always with a majority of two": ["lle", "lrl", "rrl", "rer", "eel", "ere"],
    "each is once or twice alone": ["lle", "lrl", "lrr", "rrl", "rer", "err"],
}
print(f"crowd-kit {version('crowd-kit')}, krippendorff {version('krippendorff')}")
print("Input: three annotators judge six pairs; in each pair of the last two sets one of the three disagrees.")
print("Expected: consistency tells agreement from disagreement: 1 for the first set, about the same for the others.")
seen = {}
for name, pairs in ANSWERS.items():
    rows = [(pair, who, verdict) for pair, verdicts in enumerate(pairs) for who, verdict in zip("abc", verdicts)]
    table = pd.DataFrame(rows, columns=["task", "worker", "label"])
    numbers = [["lre".index(pair[who]) for pair in pairs] for who in range(3)]
    alpha = krippendorff.alpha(numbers, level_of_measurement="nominal")
    seen[name] = round(float(consistency(table)), 2), round(float(alpha), 2)
    print(f"Seen: {name}: consistency {seen[name][0]}, Krippendorff's alpha {seen[name][1]}")
print(
    "Why it matters: an annotator's skill is the share of answers that agree with the majority. A skill of 1 is\n"
    "certainty, and no other answer counts beside it, so that annotators who agree no more than by chance have\n"
    "the consistency of those who agree in all. With three annotators, the usual number, this is easy to meet."
)
perfect, led, mixed = seen.values()
assert perfect == (1, 1) and led[0] == 1 and led[1] < 0.1 and mixed[0] < 0.8, "the behaviour changed"
PYTHON
