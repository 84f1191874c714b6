#!/usr/bin/env bash
# With tables, docTR's hOCR has cells in place of the words in them, empty cells too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'python-doctr==1.1.0' 'torch==2.13.0' \
  'torchvision==0.28.0' 'numpy==2.4.6'
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import re
from importlib.metadata import version

import numpy as np
import torch

try:
    import torchvision
except RuntimeError:
    # A torch for processors alone has no compiled operators of torchvision. None is called here.
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from doctr.models.builder import DocumentBuilder

# In shares of the sides: a heading, and below it a table of two rows and two columns, with an empty cell.
WORDS = {
    "PRICES": (0.1, 0.05, 0.3, 0.12),
    "green": (0.1, 0.3, 0.2, 0.36),
    "apples": (0.22, 0.3, 0.34, 0.36),
    "2.50": (0.6, 0.3, 0.7, 0.36),
    "pears": (0.1, 0.5, 0.22, 0.56),
}
CELLS = [
    {"geometry": np.array([0.05 + 0.45 * column, 0.25 + 0.2 * row, 0.5 + 0.45 * column, 0.45 + 0.2 * row]),
     "score": 0.9, "row_start": row, "row_end": row, "col_start": column, "col_end": column}
    for row in (0, 1) for column in (0, 1)
]  # fmt: skip


def words(table):
    """Return the texts of the words in hOCR, and of those with a box in JSON."""
    n = len(WORDS)
    document = DocumentBuilder()(
        [np.zeros((200, 400, 3), np.uint8)], [np.array([*WORDS.values()])], [np.full(n, 0.9)],
        [[(word, 0.9) for word in WORDS]], [(200, 400)], [[{"value": 0, "confidence": None}] * n], tables=[table],
    )  # fmt: skip
    [(hocr, _)] = document.export_as_xml()
    [page] = document.export()["pages"]
    lines = [line for block in page["blocks"] for line in block["lines"]]
    in_json = [word["value"] for line in lines for word in line["words"]]
    return re.findall(r'class="ocrx_word"[^>]*>([^<]*)', hocr.decode()), in_json


print(f"python-doctr {version('python-doctr')}, torch {version('torch')}")
print(f"Input: the words {', '.join(WORDS)}; all but the first in the cells of a table, of which one is empty.")
print("Expected: five words (`ocrx_word`) in hOCR with a table and without it, since what was detected is the same.")
(without, _), (hocr, in_json) = words(None), words({"cells": CELLS, "num_rows": 2, "num_cols": 2})
print(f"Seen: without a table, hOCR: {without}")
print(f"Seen: with a table, hOCR: {hocr}; words with a box in JSON: {in_json}")
print(
    "Why it matters: a cell is written as a word with the box of the cell, so `green apples` is one word, and an\n"
    "empty cell is a word without a text; JSON has the texts of cells, and no box of their words. A detector of\n"
    "words loses recall and precision on each page with a table, by an option that is about the layout. Export\n"
    "from a predictor without `detect_tables` to compare words."
)
assert sorted(without) == sorted(WORDS), "the behaviour changed"
assert hocr == ["PRICES", "green apples", "2.50", "pears", ""], "the behaviour changed"
assert in_json == ["PRICES"], "the behaviour changed"
PYTHON
