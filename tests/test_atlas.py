"""The pages that compare versions of protocols, against the figures computed now."""

import re
from pathlib import Path

import pytest

from protocols import registry
from tests.support.reading import scenes_of
from tests.support.shared import shared_path

PAGES = Path(__file__).resolve().parents[1] / "docs" / "protocols"
# The names of the ways on the page of IoU 0.5.
WAYS = {
    "ICDAR 2015": ("iou", {}),
    "ArT, LSVT: best IoU": ("iou:art", {}),
    "as many as possible": ("iou", {"matching": "most"}),
    "largest sum of IoU": ("iou", {"matching": "heaviest"}),
    "PASCAL VOC, RCTW-17": ("average-precision:rctw", {}),
    "PaddleOCR": ("iou-toolkits", {}),
    "MMOCR, no sweep": ("iou-toolkits:mmocr-no-sweep", {}),
    "MMOCR": ("iou-toolkits:mmocr", {}),
    "MMOCR, most, no sweep": ("iou-toolkits:mmocr-most-no-sweep", {}),
    "MMOCR, most": ("iou-toolkits:mmocr-most", {}),
    "docTR, polygons": ("iou-toolkits:doctr", {}),
    "docTR, boxes": ("iou-toolkits:doctr-boxes", {}),
}


def overall(slug, parameters, data, method):
    shared_path("data", data, "gt.zip")
    protocol = registry.get(slug, parameters)
    return protocol.overall(protocol.score(scenes_of(data, method)))


def rows_of(text):
    return [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_the_page_of_iou_has_the_figures_of_every_way():
    text = PAGES.joinpath("iou-atlas.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.+?)\n(.+?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    for name in WAYS:
        assert (
            sum(f"; {name};" in f"; {line[2:].split(' | ')[0]};" for line in text.splitlines()) >= 4
        )
    (_, *methods, _), *rows = rows_of(sections["ICDAR 2013, words as boxes"])
    for names, *figures in rows[1:-1]:
        for way in names.split("; "):
            found = [overall(*WAYS[way], "icdar2013", method).f_score for method in methods]
            assert [f"{100 * value:.2f}" for value in found] == figures[:-1], way


@pytest.mark.parametrize("data", ["ctw1500", "icdar2013"])
def test_the_page_of_versions_has_their_figures(data):
    rows = rows_of(PAGES.joinpath("versions.md").read_text(encoding="utf-8"))
    of_data = [row for row in rows if row[0] == data]
    assert len(of_data) in (2, 15)
    for _, method, version, *figures in of_data:
        whole = overall(version.strip("`"), {}, data, method)
        values = [whole.recall, whole.precision, whole.f_score]
        assert [f"{value:.4f}" for value in values] == figures[:3], (method, version)
