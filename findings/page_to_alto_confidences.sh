#!/usr/bin/env bash
# OCR-D's page-to-alto writes no confidence of PAGE into ALTO, where each word has a place for one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ocrd-page-to-alto==2.2.12' 'ocrd==3.13.3'
cd "$folder"
cat > page.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Metadata><Creator>c</Creator>
<Created>2026-01-01T00:00:00</Created><LastChange>2026-01-01T00:00:00</LastChange></Metadata>
<Page imageFilename="p.png" imageWidth="400" imageHeight="200"><PrintSpace><Coords points="0,0 400,0 400,200 0,200"/></PrintSpace>
<TextRegion id="r"><Coords points="40,40 340,40 340,60 40,60"/>
<TextLine id="l"><Coords points="40,40 340,40 340,60 40,60"/>
<Word id="w0"><Coords points="40,40 100,40 100,60 40,60" conf="0.95"/><TextEquiv conf="0.9"><Unicode>STOP</Unicode></TextEquiv></Word>
<Word id="w1"><Coords points="120,40 180,40 180,60 120,60" conf="0.3"/><TextEquiv conf="0.2"><Unicode>5lQN</Unicode></TextEquiv></Word>
<TextEquiv conf="0.6"><Unicode>STOP 5lQN</Unicode></TextEquiv></TextLine></TextRegion></Page></PcGts>
XML
"$folder/venv/bin/page-to-alto" --alto-version 4.2 -O alto.xml page.xml > said.txt 2>&1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

from lxml import etree

words = etree.parse("alto.xml").xpath("//*[local-name()='String']")
seen = {of.get("CONTENT"): of.get("WC") for of in words}
print(f"ocrd-page-to-alto {version('ocrd-page-to-alto')}, ocrd {version('ocrd')}")
print("Input: PAGE with two words; the first is read with the confidence .9, the second with .2.")
print("Expected: in ALTO 4.2 STOP with WC=.9 and 5lQN with WC=.2 (WC is the confidence of a word).")
print(f"Seen: {seen}; what the program said of it: {Path('said.txt').read_text().count('conf')} lines")
print(
    "Why it matters: by the converted file an engine has no confidences, so that it has no average precision, no\n"
    "threshold can leave out what it doubts, and tools that show uncertain words show none. ALTO of an engine\n"
    "itself (Tesseract, kraken) has them: two engines of one study are compared with and without."
)
assert seen == {"STOP": None, "5lQN": None}, "the behaviour changed"
assert "conf" not in Path("said.txt").read_text(), "the behaviour changed"
PYTHON
