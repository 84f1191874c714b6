#!/usr/bin/env bash
# RapidOCR gives other boxes for a photograph by its path than for the same file's bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'rapidocr==3.10.0' 'onnxruntime==1.32.0' \
  'opencv-python-headless==4.14.0.94' 'pillow==12.3.0' 'numpy==2.4.6'
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import logging
import sys
from importlib.metadata import version
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rapidocr import RapidOCR

logging.disable(logging.CRITICAL)
print(f"rapidocr {version('rapidocr')}, pillow {version('pillow')}")
upright = Image.new("RGB", (640, 320), "white")
ImageDraw.Draw(upright).text((40, 40), "HELLO WORLD", fill="black", font=ImageFont.load_default(40))
exif = Image.Exif()
exif[0x112] = 6  # orientation: turn by a quarter to show
path = Path(sys.argv[1], "photograph.jpg")
upright.rotate(90, expand=True).save(path, exif=exif, quality=95)
engine = RapidOCR()
seen = {}
for name, source in (("path", path), ("bytes", path.read_bytes()), ("PIL image", Image.open(path))):
    result = engine(source)
    box = result.boxes[0].round().astype(int)
    seen[name] = result.img.shape[:2], bool(box[:, 0].max() - box[:, 0].min() > box[:, 1].max() - box[:, 1].min())
    if name == "path":
        print("Input: a JPEG as telephones write them: its pixels lie on the side, a tag of EXIF says how to turn it.")
        print("Expected: the same file gives the same boxes, whichever way it is handed over.")
    height, width = seen[name][0]
    print(f"Seen: {name}: image {width}x{height}, {result.txts}, box {box.tolist()}")
print(
    "Why it matters: the text is read in every case, so that nothing seems wrong, but the boxes are in two\n"
    "frames. Half of them match no ground truth when one script reads paths and another reads bytes."
)
assert seen == {"path": ((320, 640), True), "bytes": ((640, 320), False), "PIL image": ((640, 320), False)}, (
    "the behaviour changed"
)
PYTHON
