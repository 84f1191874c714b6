#!/usr/bin/env bash
# Fleiss' kappa of torchmetrics is near 0 for annotators who agree in everything, where one screen has one answer more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'torchmetrics==1.9.0' 'torch==2.13.0' \
  'numpy==2.4.6' 'krippendorff==0.9.0'
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
from importlib.metadata import version

import krippendorff
import numpy as np
import torch
from torchmetrics.nominal import FleissKappa


def coefficients(counts):
    """Return Fleiss' kappa, and Krippendorff's alpha, which allows for gaps."""
    kappa = FleissKappa(mode="counts")(torch.tensor(counts))
    alpha = krippendorff.alpha(value_counts=np.array(counts), level_of_measurement="nominal")
    return round(float(kappa), 2), round(float(alpha), 2)


def answers(*n_answers):
    """Return the answers left, equal, right to screens: all agree, half of the screens are left, half right."""
    return [[n, 0, 0] if place % 2 else [0, 0, n] for place, n in enumerate(n_answers)]


print(", ".join(f"{name} {version(name)}" for name in ("torchmetrics", "torch", "krippendorff")))
print("Input: ten screens, each answered by two or three annotators, who agree on every screen.")
print("Expected: a kappa of 1, or an error for unequal numbers of answers.")
apart = [[2, 0, 1], [1, 0, 2], [3, 0, 0], [0, 0, 3]]
cases = {
    "three answers each": answers(*[3] * 10),
    "one answer is missing": answers(*[3] * 9, 2),
    "half of the screens have two": answers(*[3] * 5, *[2] * 5),
    "one answer more than two each": answers(*[2] * 9, 3),
    "five screens, three answers each, not all alike": apart + answers(3),
}
seen = {name: coefficients(counts) for name, counts in cases.items()}
for name, (kappa, alpha) in seen.items():
    print(f"Seen: {name}: kappa {kappa:g}, alpha {alpha:g}")
print(
    "Why it matters: annotators skip screens, and a screen may be given to one person more. The largest number of\n"
    "answers of a screen counts for all screens: of three, two equal answers count for less agreement (.17) than\n"
    "three of which one differs (.33). A single answer more makes the kappa of perfect agreement 0, without a\n"
    "warning. Krippendorff's alpha allows for gaps."
)
assert seen == {
    "three answers each": (1, 1),
    "one answer is missing": (0.84, 1),
    "half of the screens have two": (0.36, 1),
    "one answer more than two each": (0.01, 1),
    "five screens, three answers each, not all alike": (0.44, 0.48),
}, "the behaviour changed"
PYTHON
