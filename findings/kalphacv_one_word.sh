#!/usr/bin/env bash
# Krippendorff's alpha of two annotators is 0 in kalphacv where one draws one word more, of 5 words or of 500.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'kalphacv==1.5.2' 'krippendorff==0.9.0' \
  'numpy==2.4.6' 'pillow==12.3.0' 'scipy==1.17.1' 'shapely==2.2.0' 'tqdm==4.70.1'
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from importlib.metadata import version

from kalphacv import calculate_iaa_from_annotations


def alpha(words_of):
    """Return alpha of one page, whose boxes are in the form that the library recommends."""
    page = {"id": 1, "file_name": "page.png", "width": 800, "height": 1600, "rater_list": list(words_of)}
    drawn = [
        {"image_id": 1, "category_id": 1, "bbox": box, "rater": rater}
        for rater, boxes in words_of.items()
        for box in boxes
    ]
    with open("page.json", "w") as file:
        json.dump({"images": [page], "annotations": drawn}, file)
    [found] = calculate_iaa_from_annotations(
        "bbox", "page.json", images_rater_key="rater_list", annotations_rater_key="rater", silent=True
    ).values()
    return round(float(found), 3) + 0  # no -0.0


print(f"kalphacv {version('kalphacv')}, krippendorff {version('krippendorff')}")
print("Input: a page of words of one class; the second annotator draws the same boxes, all or less than all.")
print("Expected: 1 where all are equal, near 1 where 499 of 500 are, and less the fewer are.")
seen = {}
for n_words in (5, 50, 500):
    words = [[40 + 70 * (at % 10), 40 + 30 * (at // 10), 60, 20] for at in range(n_words)]
    for n_left_out in sorted({0, 1, 2, n_words // 2}):
        seen[n_words, n_left_out] = alpha({"first": words, "second": words[n_left_out:]})
        print(f"Seen: {n_words - n_left_out} of {n_words} words drawn by both: alpha {seen[n_words, n_left_out]}")
print(
    "Why it matters: the library counts a word that somebody left out as an answer of a second class, and no place\n"
    "without a word as one on which both agree. Chance then explains almost all, so that alpha is 1 for nothing\n"
    "left out, 0 for one word, and below 0 for more, whatever the number of words. With one class, as text has,\n"
    "the mean over pages is about the share of pages on which nobody missed anything. No agreement beyond chance\n"
    "would be said of people who drew 499 of 500 words alike."
)
assert seen == {
    (5, 0): 1, (5, 1): 0, (5, 2): -0.125,
    (50, 0): 1, (50, 1): 0, (50, 2): -0.01, (50, 25): -0.32,
    (500, 0): 1, (500, 1): 0, (500, 2): -0.001, (500, 250): -0.332,
}, "the behaviour changed"  # fmt: skip
PYTHON
