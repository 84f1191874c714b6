#!/usr/bin/env bash
# One annotator who ties all detectors makes ranky's Kemeny consensus a matter of chance.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ranky==1.0.0' 'numpy==1.26.4' 'scipy==1.17.1' \
  'pandas==3.0.6' 'scikit-learn==1.9.1'
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
from importlib.metadata import version

import pandas as pd
import ranky

print(f"ranky {version('ranky')}, scipy {version('scipy')}")
scores = pd.DataFrame({name: [4, 3, 2, 1] for name in ("ann", "bob", "eve")}, index=list("ABCD"))


def consensus(scores, seed):
    found = ranky.kemeny_young(scores, seed=seed, maxiter=10, polish=False, verbose=False)
    return "".join(found.sort_values(ascending=False).index)


orders = [consensus(scores, seed) for seed in range(3)]
with_undecided = [consensus(scores.assign(tom=1), seed) for seed in range(3)]
print("Input: three annotators score four detectors A > B > C > D; a fourth gives all the same score.")
print("Expected: the fourth is as far from every strict order, so the consensus stays A > B > C > D.")
print(f"Seen: without the fourth annotator, for three seeds: {orders}")
print(f"Seen: with the fourth annotator, for three seeds: {with_undecided}")
print(f"Seen: how central A > B > C > D is: {ranky.centrality(scores.assign(tom=1), [4, 3, 2, 1]):g}")
print(
    "Why it matters: Kendall's tau-b is not defined for an annotator who ties all, so that every order has the\n"
    "mean nan and the search returns where it began. One person who sees no difference among the results of\n"
    "an image, which is common, and the consensus is noise that looks like a ranking."
)
assert set(orders) == {"ABCD"}, "the behaviour changed"
assert len(set(with_undecided)) > 1, "the behaviour changed"
PYTHON
