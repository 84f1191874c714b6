#!/usr/bin/env bash
# The largest distance, given to NLTK's weighted kappa, divides one half of the formula.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'nltk==3.10.4' 'scikit-learn==1.9.1' 'numpy==1.26.4'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from nltk.metrics import interval_distance
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

print(f"nltk {version('nltk')}, scikit-learn {version('scikit-learn')}")
one, other = [1, 2, 3, 3, 2, 1, 1, 2, 3, 2], [1, 2, 3, 2, 2, 1, 1, 2, 3, 3]
answers = [("one", image, answer) for image, answer in enumerate(one)]
answers += [("other", image, answer) for image, answer in enumerate(other)]
task = AnnotationTask(answers, distance=interval_distance)
kappa = float(cohen_kappa_score(one, other, weights="quadratic"))
largest = interval_distance(1, 3)
print("Input: two annotators grade ten images from 1 to 3; they differ by one grade on two images.")
print("Expected: `max_distance` is the scale of the weights; it cancels, and weighted kappa is what others compute.")
seen = [round(float(task.weighted_kappa(max_distance=scale)), 3) for scale in (1, 2, largest)]
for scale, value in zip((1, 2, largest), seen):
    print(f"Seen: nltk, max_distance={scale:g}: {value}")
print(f"Seen: scikit-learn, quadratic weights: {kappa:.3f}")
print(
    "Why it matters: the expected disagreement is divided by the largest distance, the observed one is not.\n"
    "Whoever states the largest distance, as the argument asks, gets no agreement for grades that agree well;\n"
    "among scales of different length the numbers cannot be compared."
)
assert seen[0] == round(kappa, 3) and seen == [0.833, 0.667, 0.333], "the behaviour changed"
PYTHON
