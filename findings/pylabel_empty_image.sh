#!/usr/bin/env bash
# An image without words makes the word before it occur twice in pylabel's COCO export, with the same id.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pylabel==0.1.55' 'pandas==2.2.3' 'numpy==2.4.6'
cd "$folder"
"$folder/venv/bin/python" -W ignore - 2>/dev/null <<'PYTHON'
import json
from importlib.metadata import version

from pylabel import importer

WORDS = {"a": [[40, 40, 60, 20], [140, 40, 60, 20]], "b": [], "c": [[40, 40, 60, 20]], "d": [], "e": []}


def exported(words_of):
    """Write a COCO file, read it and export it again; return image, id and box of each annotation."""
    images = [{"id": at, "file_name": f"{name}.png", "width": 400, "height": 200} for at, name in enumerate(words_of, 1)]
    boxes = [(image, box) for image, words in zip(images, words_of.values()) for box in words]
    annotations = [
        {"id": at, "image_id": image["id"], "category_id": 1, "bbox": box, "iscrowd": 0}
        | {"area": box[2] * box[3], "segmentation": []}
        for at, (image, box) in enumerate(boxes, 1)
    ]
    categories = [{"id": 1, "name": "text", "supercategory": ""}]
    with open("given.json", "w") as file:
        json.dump({"images": images, "annotations": annotations, "categories": categories}, file)
    dataset = importer.ImportCoco("given.json", path_to_images=".", name="words")
    dataset.export.ExportToCoco(output_path="exported.json")
    with open("exported.json") as file:
        return [(of["image_id"], of["id"], of["bbox"]) for of in json.load(file)["annotations"]]


print(f"pylabel {version('pylabel')}, pandas {version('pandas')}")
print("Input: five images: two words, none, one word, none, none; and the same without the empty images.")
print("Expected: three words each time.")
without = exported({name: words for name, words in WORDS.items() if words})
seen = exported(WORDS)
for name, words in {"without empty images": without, "with them": seen}.items():
    print(f"Seen: {name}: {len(words)} words: {words}")
print(
    "Why it matters: images without text are in every real set, and to convert COCO to COCO is how files are\n"
    "filtered, split and merged. Ground truth then has words twice, under one id and on the image of another:\n"
    "a detector that finds all has a recall below 1, and what programs make of repeated ids is another finding."
)
assert without == [(1, 0, [40, 40, 60, 20]), (1, 1, [140, 40, 60, 20]), (2, 2, [40, 40, 60, 20])], "the behaviour changed"
assert [(image, of) for image, of, _ in seen] == [(1, 0), (1, 1), (1, 1), (3, 3), (3, 3), (3, 3)], "the behaviour changed"
PYTHON
