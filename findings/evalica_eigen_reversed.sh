#!/usr/bin/env bash
# The eigenvector method of evalica gives the highest score to the method that loses most.
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
left, right, winners = [], [], []
for a, b, wins, losses in (("A", "B", 3, 1), ("B", "C", 3, 1), ("A", "C", 7, 1)):
    left += [a] * (wins + losses)
    right += [b] * (wins + losses)
    winners += [Winner.X] * wins + [Winner.Y] * losses
print("Input: judgements of pairs of detectors: A beats B 3 to 1, B beats C 3 to 1, A beats C 7 to 1.")
print("Expected: every method of the library puts A first and C last; in its results the best comes first.")
orders = {}
for name in ("bradley_terry", "newman", "counting", "average_win_rate", "pagerank", "eigen"):
    scores = getattr(evalica, name)(left, right, winners).scores
    orders[name] = "".join(scores.index)
    print(f"Seen: {name}: {' > '.join(orders[name])} {scores.round(3).to_dict()}")
print(
    "Why it matters: all methods have one interface, so that people try several and compare the orders.\n"
    "One of them is reversed, without a word: the worst detector wins, and the methods seem to disagree."
)
assert orders.pop("eigen") == "CBA" and set(orders.values()) == {"ABC"}, "the behaviour changed"
PYTHON
