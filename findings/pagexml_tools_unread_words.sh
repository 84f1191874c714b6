#!/usr/bin/env bash
# pagexml-tools leaves out the words of PAGE that have no text: a file of a detector has none, of ground truth some.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pagexml-tools==0.9.0' 'numpy==2.4.6' 'scipy==1.17.1' \
  'shapely==2.2.0'
cd "$folder"
"$folder/venv/bin/python" -W error - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

from pagexml.parser import parse_pagexml_file

SPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"


def box(left, top, right, bottom):
    return f'<Coords points="{left},{top} {right},{top} {right},{bottom} {left},{bottom}"/>'


def n_words(name, texts):
    """Write a page with a line of words, of which some have a text, and return how many are read of it."""
    words = "".join(
        f'<Word id="w{at}">{box(40 + 80 * at, 40, 100 + 80 * at, 60)}'
        + (f"<TextEquiv><Unicode>{text}</Unicode></TextEquiv>" if text else "")
        + "</Word>"
        for at, text in enumerate(texts)
    )
    line = f'<TextLine id="l">{box(40, 40, 340, 60)}{words}</TextLine>'
    Path(name).write_text(
        f'<PcGts xmlns="{SPACE}"><Metadata><Creator>c</Creator><Created>2026-01-01T00:00:00</Created>'
        "<LastChange>2026-01-01T00:00:00</LastChange></Metadata>"
        f'<Page imageFilename="p.png" imageWidth="400" imageHeight="200"><TextRegion id="r">'
        f"{box(40, 40, 340, 60)}{line}</TextRegion></Page></PcGts>"
    )
    page = parse_pagexml_file(name)
    return sum(len(of.words) for of in page.get_lines()), page.stats["words"]


print(f"pagexml-tools {version('pagexml-tools')}")
print("Input: PAGE with a line of four words, of which all, three or none have a text; TextEquiv is optional.")
print("Expected: four words each time, with their boxes; those without a text have none.")
seen = {}
for name, texts in {
    "all read": ["He", "said", "no", "more"],
    "one illegible": ["He", None, "no", "more"],
    "detected only": [None] * 4,
}.items():
    seen[name] = n_words(f"{name}.xml", texts)
    print(f"Seen: {name}: {seen[name][0]} words of the line, {seen[name][1]} in the page's `stats`")
print(
    "Why it matters: a detector has boxes and no texts, and ground truth has illegible words, which evaluations\n"
    "ignore. The one has nothing found after reading; in the other a detector that finds the illegible word has\n"
    "a false alarm. Lines and regions stay, the counts of the page agree with what is left, and no warning says\n"
    "what is gone."
)
assert seen == {"all read": (4, 4), "one illegible": (3, 3), "detected only": (0, 0)}, "the behaviour changed"
PYTHON
