"""docTR: a document of its own elements as JSON and as hOCR, with a table as of version 1.1."""

import json
from pathlib import Path

import numpy as np
import torch

try:
    import torchvision  # noqa: F401
except RuntimeError:
    # A torch for processors alone has no compiled operators of torchvision; none is called.
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from doctr.io.elements import Block, Document, Line, Page, Table, TableCell, Word

WORDS = {"EXIT": ((0.025, 0.1), (0.275, 0.3)), "STOP": ((0.5, 0.1), (0.65, 0.25))}
upright = {"value": 0, "confidence": None}


def word(text, box, turned=False):
    (left, top), (right, bottom) = box
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    return Word(text, 0.9, corners if turned else box, 0.9, upright)


def page(turned=False, tables=None):
    lines = [Line([word(text, box, turned)]) for text, box in WORDS.items()]
    pixels = np.zeros((200, 400, 3), np.uint8)
    return Page(pixels, [Block([line]) for line in lines], 0, (200, 400), tables=tables)


cell = TableCell("apple", 0.7, ((0.1, 0.5), (0.4, 0.7)), 0, 0, 0, 0)
table = Table([cell], 1, 1, ((0.1, 0.5), (0.4, 0.7)), 0.9)
for name, of in {"json": page(), "turned": page(True), "tables": page(tables=[table])}.items():
    Path(name).mkdir()
    Path(name, "street.json").write_text(json.dumps(Document([of]).export(), default=float))
Path("hocr").mkdir()
[(hocr, _)] = Document([page(tables=[table])]).export_as_xml()
Path("hocr", "street.html").write_bytes(hocr)
