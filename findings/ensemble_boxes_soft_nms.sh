#!/usr/bin/env bash
# Soft-NMS of ensemble-boxes lowers no confidence: of words that two detectors find, both boxes stay as they were.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ensemble-boxes==1.0.9' 'numba==0.68.1' 'numpy==2.4.6' \
  'pandas==3.1.1'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from ensemble_boxes import nms_method

WORDS = [[0.1, 0.1, 0.3, 0.2], [0.5, 0.1, 0.7, 0.2], [0.1, 0.5, 0.3, 0.6]]  # shares of the image, as asked for
FOUND = [WORDS, WORDS], [[0.9, 0.85, 0.8], [0.75, 0.7, 0.65]]
METHODS = {"linear": 1, "Gaussian": 2, "plain": 3}


def confidences(method, **options):
    """Return what is left of the two detectors' boxes, highest first."""
    labels = [[0] * 3] * 2
    _, scores, _ = nms_method(*FOUND, labels, method=METHODS[method], iou_thr=0.5, **options)
    return sorted((round(float(score), 3) for score in scores), reverse=True)


print(f"ensemble-boxes {version('ensemble-boxes')}")
print(f"Input: two detectors find the same three words with the same boxes, with the confidences {FOUND[1]}.")
print("Expected: linear weight 1 - IoU: the second boxes at 0, so none; Gaussian exp(-IoU² / .5) = .135: .101, .095")
print("and .088; plain: none; so that a threshold of .5 leaves three boxes of three words.")
seen = {method: confidences(method) for method in METHODS}
for method, scores in seen.items():
    print(f"Seen: {method}: {scores}; precision from .5 up: {3 / sum(score >= 0.5 for score in scores):g}")
high = confidences("Gaussian", thresh=0.5)
print(f"Seen: Gaussian with thresh=.5: {high}")
print(
    "Why it matters: the lower confidences are used inside and then left; what is returned are those of the\n"
    "detectors, for each box whose lower one reached `thresh` (.001 as it comes). Soft-NMS is taken to merge\n"
    "detectors or scales, and here the duplicates of all words come before other words: precision .5. Lists\n"
    "look as they should, since Soft-NMS is known to keep boxes."
)
assert seen == {
    "linear": [0.9, 0.85, 0.8],
    "Gaussian": [0.9, 0.85, 0.8, 0.75, 0.7, 0.65],
    "plain": [0.9, 0.85, 0.8],
}, "the behaviour changed"
assert high == [0.9, 0.85, 0.8], "the behaviour changed"
PYTHON
