#!/usr/bin/env bash
# An option of one call of RapidOCR changes all later calls.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'rapidocr==3.10.0' 'onnxruntime==1.32.0' \
  'opencv-python-headless==4.14.0.94' 'pillow==12.3.0' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'PYTHON'
import logging
from importlib.metadata import version

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rapidocr import RapidOCR

logging.disable(logging.CRITICAL)
print(f"rapidocr {version('rapidocr')}, onnxruntime {version('onnxruntime')}")
image = Image.new("RGB", (640, 320), "white")
font = ImageFont.load_default(40)
ImageDraw.Draw(image).text((40, 40), "HELLO WORLD", fill="black", font=font)
ImageDraw.Draw(image).text((300, 200), "TEXT 2024", fill="black", font=font)
image = np.array(image)


def corner(result):
    return None if result.boxes is None else [round(float(x)) for x in result.boxes[0][0]]


print("Input: one image with two lines of text, read three times: plainly, with an option, plainly.")
print("Expected: an argument of a call holds for that call; the third result equals the first.")
seen = {}
for option in ({"unclip_ratio": 3.0}, {"box_thresh": 0.99}):
    engine = RapidOCR()
    seen[str(option)] = [corner(engine(image)), corner(engine(image, **option)), corner(engine(image))]
    print(f"Seen: first corner of the first box, {option} in the middle: {seen[str(option)]}")
print(
    "Why it matters: a loop that tries thresholds, or one image read with other options, changes the\n"
    "boxes of all images after it. The scores of a detector then depend on the order of the images."
)
for before, during, after in seen.values():
    assert before is not None and before != during and during == after, "the behaviour changed"
PYTHON
