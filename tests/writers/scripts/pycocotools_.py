"""pycocotools: masks as run lengths, and the results that loadRes makes of boxes."""

import json
from pathlib import Path

import numpy as np
from pycocotools import mask
from pycocotools.coco import COCO

WORDS = {"EXIT": (10, 20, 110, 60), "STOP": (200, 20, 260, 50)}
image = {"id": 1, "file_name": "street.png", "width": 400, "height": 200}
categories = [{"id": at, "name": name} for at, name in enumerate(WORDS, 1)]
masks = []
for at, (left, top, right, bottom) in enumerate(WORDS.values(), 1):
    pixels = np.zeros((200, 400), np.uint8, order="F")
    pixels[top:bottom, left:right] = 1
    runs = mask.encode(pixels)
    runs["counts"] = runs["counts"].decode()
    box = mask.toBbox(runs).tolist()
    masks.append({"id": at, "image_id": 1, "category_id": at, "segmentation": runs, "bbox": box, "iscrowd": 0,
                  "area": int(mask.area(runs))})  # fmt: skip
truth = {"images": [image], "categories": categories, "annotations": masks}
Path("masks").mkdir()
Path("masks/gt.json").write_text(json.dumps(truth))
coco = COCO("masks/gt.json")
found = [
    {"image_id": 1, "category_id": of["category_id"], "bbox": of["bbox"], "score": 0.9}
    for of in masks
]
Path("results").mkdir()
Path("results/res.json").write_text(json.dumps(coco.loadRes(found).dataset))
