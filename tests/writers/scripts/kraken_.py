"""kraken: its serialisers, on lines with the cuts between their characters; no model is needed."""

from pathlib import Path

from kraken.containers import BaselineLine, BaselineOCRRecord, Segmentation
from kraken.serialization import serialize

STEP = 10
LINES = {"He said": (40, 40), "10,000 no": (40, 100)}


def record(number, text, left, top):
    """Return a line whose characters are 8 px wide and 25 px high, with 2 px between them."""
    right = left + STEP * len(text)
    line = BaselineLine(
        id=f"l{number}",
        baseline=[(left, top + 20), (right, top + 20)],
        boundary=[(left, top), (right, top), (right, top + 25), (left, top + 25)],
        text=text,
    )
    cuts = [(at * STEP + 1, (at + 1) * STEP - 1) for at in range(len(text))]
    return BaselineOCRRecord(text, cuts, [0.9] * len(text), line)


lines = [record(at, text, *corner) for at, (text, corner) in enumerate(LINES.items(), 1)]
found = Segmentation("baselines", "page.png", "horizontal-lr", False, lines, {}, [])
for name, template, words in (
    ("alto", "alto", True),
    ("alto-lines", "alto", False),
    ("page", "pagexml", True),
    ("page-lines", "pagexml", False),
    ("hocr", "hocr", True),
    ("hocr-lines", "hocr", False),
    ("abbyy", "abbyyxml", True),
):
    Path(name).mkdir()
    suffix = "html" if template == "hocr" else "xml"
    written = serialize(found, (400, 200), template=template, sub_line_segmentation=words)
    Path(name, f"page.{suffix}").write_text(written)
