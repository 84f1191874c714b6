#!/usr/bin/env bash
# In datumaro's consensus of annotators, the word that one person alone drew has the highest score.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'datumaro==1.13.12' 'pillow==12.3.0'
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

import numpy as np
from datumaro import Bbox, Dataset, DatasetItem
from datumaro.components.annotation import RotatedBbox
from datumaro.components.media import Image
from datumaro.components.merge.intersect_merge import IntersectMerge


def annotator(*words):
    image = Image.from_numpy(np.zeros((200, 300, 3), "uint8"))
    return Dataset.from_iterable([DatasetItem("a", annotations=[*words], media=image)], categories=["text"])


def consensus(people, **options):
    merged = IntersectMerge(conf=IntersectMerge.Conf(**options))(*people)
    words = [word for item in merged for word in item.annotations]
    return merged, [(int(word.points[0]), round(float(word.attributes["score"]), 2), word.label) for word in words]


people = [
    annotator(Bbox(10, 10, 50, 20, label=0), Bbox(100, 10, 50, 20, label=0)),
    annotator(Bbox(14, 10, 50, 20, label=0)),
    annotator(Bbox(18, 10, 50, 20, label=0)),
]
turned = [annotator(RotatedBbox(35, 20, 50, 20, 30, label=0)) for _ in range(2)]
print(f"datumaro {version('datumaro')}")
print("Input: three annotators; all draw the word at the left, one person alone draws the word at 100.")
print("Expected: the score says how many agree; a quorum of 2 or a threshold of .95 does not keep the second word alone.")
seen = {}
for options in ({}, {"quorum": 2}, {"quorum": 2, "output_conf_thresh": 0.95}):
    merged, seen[str(options)] = consensus(people, **options)
    print(f"Seen: merge by intersection, {options}: left side, score, label: {seen[str(options)]}")
Dataset.from_iterable([*merged], categories=["text"]).export("icdar", "icdar_text_localization")
[file] = Path("icdar").rglob("gt_*.txt")
lines = file.read_text().splitlines()
print(f"Seen: the last one as ICDAR's format: {lines}")
_, seen["turned"] = consensus(turned, quorum=2)
print(f"Seen: two people draw the same turned rectangle: score {seen['turned'][0][1]:g}")
print(
    "Why it matters: a quorum takes the label of the doubtful word, not the word, and raises its score from .33\n"
    "to 1, above the word that all three drew: the threshold removes that one (the merger lists an error that\n"
    "neither file nor result shows). Formats without labels have it as ground truth, and a turned word can score 4."
)
plain, with_quorum, with_threshold, turned_words = seen.values()
assert [word[::2] for word in plain] == [(14, 0), (100, 0)] and plain[1][1] == 0.33, "the behaviour changed"
assert plain[0][1] < 0.95 and with_quorum[0][1] < 0.95, "the behaviour changed"
assert with_quorum[1] == (100, 1, None) and with_threshold == [(100, 1, None)], "the behaviour changed"
assert turned_words == [(35, 4, 0)] and len(lines) == 1, "the behaviour changed"
PYTHON
