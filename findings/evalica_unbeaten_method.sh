#!/usr/bin/env bash
# One method that never lost makes evalica's Bradley-Terry call all methods equal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'evalica==0.4.2' 'numpy==1.26.4' 'pandas==2.3.3'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import evalica
from evalica import Winner

print(f"evalica {version('evalica')}")


def scores(method, *pairs):
    left, right, winners = [], [], []
    for a, b, wins, losses in pairs:
        left += [a] * (wins + losses)
        right += [b] * (wins + losses)
        winners += [Winner.X] * wins + [Winner.Y] * losses
    result = method(left, right, winners)
    return result.scores.sort_index().round(6).to_dict(), result.iterations


others = ("B", "C", 9, 1), ("C", "D", 9, 1), ("B", "D", 9, 1)
without, _ = scores(evalica.bradley_terry, *others)
unbeaten, iterations = scores(evalica.bradley_terry, *others, ("A", "B", 3, 0))
print("Input: B beats C, C beats D and B beats D, each 9 to 1; then also A, which beat B 3 to 0.")
print("Expected: A's score grows without end, so an error, a warning or a very high score; B > C > D as before.")
print(f"Seen: without A: {without}")
print(f"Seen: with A: {unbeaten}, after {iterations} iterations of 100; no error, no warning.")
print(
    "Why it matters: in a small study one detector often wins all its pairs. The result then reads as a\n"
    "perfect tie of all detectors, also of those between which people decided clearly."
)
assert without["B"] > without["C"] > without["D"], "the behaviour changed"
assert len(set(unbeaten.values())) == 1, "the behaviour changed"
PYTHON
