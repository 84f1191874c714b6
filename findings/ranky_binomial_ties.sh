#!/usr/bin/env bash
# The significant wins of ranky: 3 wins of 20 with 17 ties are significant, 9 wins with 11 ties are not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ranky==1.0.0' 'numpy==1.26.4' 'scipy==1.17.1' \
  'pandas==3.0.6' 'scikit-learn==1.9.1'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import pandas as pd
import ranky
from scipy.stats import binomtest

print(f"ranky {version('ranky')}, scipy {version('scipy')}")
print("Input: 20 annotators score two detectors A and B; A is better for some, B for nobody, the rest tie them.")
print("Expected: more wins are more significant; a sign test leaves ties out, so 3:0 has p = .25 and 9:0 p = .004.")
seen = {}
for wins in (3, 5, 6, 9, 14, 15):
    better, worse = [2] * wins + [1] * (20 - wins), [1] * 20
    seen[wins] = bool(ranky.p_wins(better, worse)), bool(ranky.p_wins(worse, better))
    print(
        f"Seen: A wins {wins}, {20 - wins} ties: A wins significantly: {seen[wins][0]} "
        f"(ties left out: p = {binomtest(wins, wins).pvalue:.4f})"
    )
scores = pd.DataFrame({f"annotator {i}": [2 if i < 9 else 1, 2 if 9 <= i < 12 else 1, 1] for i in range(20)})
scores.index = ["A", "B", "C"]
table = ranky.pairwise(scores, wins=ranky.p_wins)
print("Input: A is alone at the top for 9 annotators, B for 3, C for nobody; 8 tie all three.")
print(f"Seen: significant wins (`pairwise` with `p_wins`): {table.to_dict()}")
print(
    "Why it matters: ties stay in the number of trials, and the test has two sides: few wins among many ties\n"
    "are significantly fewer than half, and count as a significant win of the side that has them. Where people\n"
    "often answer 'equal', the detector that nobody could tell apart wins, and the clearly better one does not."
)
assert seen == {wins: (wins in (3, 5, 15), False) for wins in seen}, "the behaviour changed"
assert table.to_dict() == {"A": 0, "B": 1, "C": 0}, "the behaviour changed"
PYTHON
