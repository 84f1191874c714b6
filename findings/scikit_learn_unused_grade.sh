#!/usr/bin/env bash
# scikit-learn's weighted kappa closes the gap of a grade that nobody gave.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'scikit-learn==1.9.1' 'scipy==1.17.1' 'nltk==3.10.4' \
  'numpy==2.4.6'
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

from nltk.metrics import interval_distance
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

names = ("scikit-learn", "nltk")
print(", ".join(f"{name} {version(name)}" for name in names))


def agreement(one, other):
    triples = [(who, image, grade) for who, all_ in (("one", one), ("other", other)) for image, grade in enumerate(all_)]
    values = (
        cohen_kappa_score(one, other, weights="quadratic"),
        AnnotationTask(triples, distance=interval_distance).weighted_kappa(),
    )
    return [round(float(value), 2) for value in values]


wide = {"one": [1, 1, 2, 2, 2, 2, 9, 9, 1, 9], "other": [1, 2, 1, 2, 2, 1, 9, 9, 2, 9]}
relabelled = {who: [3 if grade == 9 else grade for grade in grades] for who, grades in wide.items()}
print("Input: two annotators grade ten results from 1 to 9, quadratic weights; nobody gives a grade from 3 to 8.")
print("Expected: 2 and 9 are seven grades apart, so that agreement on the nines counts for much.")
seen = agreement(**wide), agreement(**relabelled)
for grades, values in zip(("1, 2 and 9", "1, 2 and 3"), seen):
    print(f"Seen: the grades {grades}: " + ", ".join(f"{name} {value}" for name, value in zip(names, values)))
labelled = round(float(cohen_kappa_score(*wide.values(), weights="quadratic", labels=range(1, 10))), 2)
print(f"Seen: scikit-learn with labels=range(1, 10): {labelled}")
print(
    "Why it matters: the distance is that of the places among the grades that occur in the data, not that of the\n"
    "grades. The number moves when one more image brings a grade into use, and two studies, or two pairs of\n"
    "annotators of one study, are on different scales unless `labels` names the whole scale."
)
assert seen[0][0] == seen[1][0] == seen[1][1], "the behaviour changed"
assert seen[0][1] == labelled and labelled - seen[0][0] > 0.2, "the behaviour changed"
PYTHON
