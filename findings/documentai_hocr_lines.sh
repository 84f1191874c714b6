#!/usr/bin/env bash
# In the hOCR of Google's Document AI toolbox each line holds its text twice: as text, and as its words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'google-cloud-documentai-toolbox==0.17.5' \
  'google-cloud-documentai==3.16.0' 'pandas==3.1.1' 'protobuf==7.36.2' 'lxml==6.1.3' 'jiwer==4.0.0'
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from importlib.metadata import version

import jiwer
from google.cloud.documentai_toolbox import document
from lxml import html

WORDS = {"STOP": (40, 40, 100, 60), "sign": (120, 40, 180, 60), "Exit": (40, 100, 100, 120)}
LINES = {"STOP sign": (40, 40, 180, 60), "Exit": (40, 100, 100, 120)}
TEXT = "STOP sign\nExit\n"


def layouts(units, whole):
    """Return these units of the text with their boxes, as Document AI answers."""
    found = []
    for text, (left, top, right, bottom) in units.items():
        start = whole.index(text)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        place = {"normalizedVertices": [{"x": x / 400, "y": y / 200} for x, y in corners]}
        segment = {"startIndex": str(start), "endIndex": str(start + len(text) + 1)}
        found.append({"layout": {"textAnchor": {"textSegments": [segment]}, "boundingPoly": place}})
    return found


whole = layouts({TEXT[:-1]: (40, 40, 180, 120)}, TEXT)
page = {"pageNumber": 1, "dimension": {"width": 400, "height": 200, "unit": "pixels"}, "layout": whole[0]["layout"]}
page |= {"blocks": whole, "paragraphs": whole, "lines": layouts(LINES, TEXT), "tokens": layouts(WORDS, TEXT)}
with open("page.json", "w") as file:
    json.dump({"text": TEXT, "mimeType": "image/png", "pages": [page]}, file)
tree = html.fromstring(document.Document.from_document_path("page.json").export_hocr_str("page").encode())


def texts(kind):
    return [" ".join(of.text_content().split()) for of in tree.xpath(f"//*[@class='{kind}']")]


print(f"google-cloud-documentai-toolbox {version('google-cloud-documentai-toolbox')}, jiwer {version('jiwer')}")
print(f"Input: an answer of Document AI with two lines, {list(LINES)}, in three words; all is read rightly.")
print(f"Expected: in export_hocr_str() the words {list(WORDS)}, the lines {list(LINES)}: a character error rate of 0.")
words, lines = texts("ocrx_word"), texts("ocr_line")
rate = round(jiwer.cer(list(LINES), lines), 2)
print(f"Seen: words {words}, lines {lines}; character error rate of the lines {rate}")
print(
    "Why it matters: hOCR nests words in lines, and the text of a line is that of its words, so programs that score\n"
    "or index lines take all that is inside. The same run has no error by its words, an error rate over 1 by its\n"
    "lines, and every sentence twice in a text that is made of the page. Each single file looks right in a\n"
    "browser, where the second copy passes for another line."
)
assert words == list(WORDS), "the behaviour changed"
assert lines == ["STOP sign STOP sign", "Exit Exit"], "the behaviour changed"
assert rate == 1.15, "the behaviour changed"
PYTHON
