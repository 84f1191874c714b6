"""A figure as SVG, PNG and PDF: files that open, have their size and font, and say where they come from."""

import io
import re
import zlib
from base64 import b64decode
from datetime import date
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont
from PIL import Image as Pillow
from pypdf import PdfReader

from annotate.figures.files import _FILE, FORMATS, _style, to_pdf, to_png, to_svg
from annotate.figures.kinds.distances import distance_distribution
from annotate.figures.kinds.progress import progress_over_time
from annotate.figures.themes import Paper
from tests.support.cases import cases
from tests.support.figures import FACTS, PAPERS, a_figure


@cases("paper", PAPERS)
def test_an_svg_is_as_wide_as_its_paper_and_names_its_source(paper):
    root = ElementTree.fromstring(to_svg(a_figure(), paper, FACTS))
    assert root.get("width") == f"{paper.width_mm}mm"
    _, _, width, height = map(float, root.get("viewBox").split())
    assert float(root.get("height")[:-2]) == pytest.approx(
        paper.width_mm * height / width, abs=0.01
    )
    text = "".join(root.itertext())
    for fact in (*FACTS.values(), "Distances to the consensus"):
        assert fact in text
    assert "style" not in root.attrib
    assert not [element for element in root.iter() if element.tag.endswith("script")]


def test_an_svg_carries_every_letter_of_its_texts(monkeypatch):
    """The font inside is read back: it has a glyph for each letter, and the widths of the original."""
    names = {"i": {"Größe & <Ω>": 1.0, "B": 2.0, "文字": 3.0}}
    figure = distance_distribution(names, list(names["i"]))
    root = ElementTree.fromstring(to_svg(figure, Paper(), FACTS))
    [style] = [element for element in root.iter() if element.tag.endswith("style")]
    [data] = re.findall(r"url\(data:font/woff;base64,([\w+/=]+)\)", style.text)
    assert style.text.startswith('@font-face{font-family:"Liberation Sans"')
    inside = TTFont(io.BytesIO(b64decode(data)))
    whole = TTFont(_FILE)
    letters = {
        letter
        for element in root.iter()
        if element.tag.endswith("}text")
        for letter in element.text or ""
    }
    assert letters > set("Größe & <Ω>")
    for letter in letters - set("文字"):
        own, original = inside.getBestCmap()[ord(letter)], whole.getBestCmap()[ord(letter)]
        assert inside["hmtx"][own][0] == whole["hmtx"][original][0]


@cases("name", ["distances", "progress"])
def test_every_font_of_a_pdf_is_inside(name):
    """As a reader of PDFs has it, font by font."""
    figure = {
        "distances": a_figure(),
        "progress": progress_over_time([(date(2026, 3, day), day) for day in range(1, 9)]),
    }[name]
    [page] = PdfReader(io.BytesIO(to_pdf(figure, Paper(), FACTS))).pages
    found = list(fonts_of(page["/Resources"]))
    assert found
    for font in found:
        [descendant] = font.get("/DescendantFonts", [font])
        descriptor = descendant.get_object()["/FontDescriptor"]
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor)


def fonts_of(resources):
    """The fonts of a page, those of the forms that it draws too."""
    for font in (resources.get("/Font") or {}).values():
        yield font.get_object()
    for drawn in (resources.get("/XObject") or {}).values():
        if "/Resources" in drawn.get_object():
            yield from fonts_of(drawn.get_object()["/Resources"])


@cases("paper", PAPERS)
def test_a_png_opens_at_300_pixels_per_inch(paper):
    with Pillow.open(io.BytesIO(to_png(a_figure(), paper, FACTS))) as png:
        png.load()
        assert png.width == pytest.approx(paper.width_mm / 25.4 * 300, abs=1)
        assert png.info["dpi"][0] == pytest.approx(300, abs=0.1)
        assert png.text["Title"] == "Distances to the consensus by recall"
        assert FACTS["study"] in png.text["Source"]
        ground = tuple(int(paper.theme.ground[at : at + 2], 16) for at in (1, 3, 5))
        assert png.convert("RGB").getpixel((png.width - 1, 0)) == ground


@cases("paper", PAPERS)
def test_a_pdf_has_one_page_of_its_size_with_its_font_inside(paper):
    pdf = to_pdf(a_figure(), paper, FACTS)
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in pdf
    assert re.search(rb"/BaseFont /[A-Z]{6}\+LiberationSans", pdf)
    [page] = PdfReader(io.BytesIO(pdf), strict=True).pages
    assert float(page.mediabox.width) == pytest.approx(paper.width_mm * 72 / 25.4, abs=0.1)
    assert "".join(page.extract_text().split()).count("consensus") == 1


def test_a_pdf_says_what_it_shows_and_where_it_comes_from():
    """A strict reader finds the information, and each letter of it."""
    pdf = PdfReader(io.BytesIO(to_pdf(a_figure(), Paper(), FACTS)), strict=True)
    assert pdf.metadata.title == "Distances to the consensus by recall"
    assert pdf.metadata.subject.startswith("The ranking edit distance of each protocol's ranking")
    assert pdf.metadata.keywords == "; ".join(f"{name}: {FACTS[name]}" for name in FACTS)
    assert pdf.metadata.creator == FACTS["software"]
    assert pdf.metadata["/CreationDate"] == "D:20260304"


def test_a_pdf_without_a_day_has_no_date():
    pdf = PdfReader(io.BytesIO(to_pdf(a_figure(), Paper(), FACTS | {"date": "today"})))
    assert "/CreationDate" not in pdf.metadata


@cases("extension", FORMATS)
def test_equal_figures_give_equal_bytes(extension):
    write = FORMATS[extension].write
    first = write(a_figure(), Paper(), FACTS)
    _style.cache_clear()
    assert all(write(a_figure(), Paper(), FACTS) == first for _ in range(3))
    assert first != write(a_figure(), Paper("dark"), FACTS)


@cases("paper", [Paper("light", "single"), Paper("dark", "double")])
def test_equal_pdfs_are_equal_with_hidden_labels_too(paper):
    figure = progress_over_time([(date(2026, 3, day), day) for day in range(1, 20)])
    first = to_pdf(figure, paper, FACTS)
    assert all(to_pdf(figure, paper, FACTS) == first for _ in range(5))


def test_letters_that_xml_refuses_spoil_no_file():
    facts = FACTS | {"study": "a\x00b\ud800"}
    figure = distance_distribution({"i": {"<b>&\x01": 1.0, "B": 2.0}}, ["<b>&\x01", "B"])
    ElementTree.fromstring(to_svg(figure, Paper(), facts))
    to_png(figure, Paper(), facts)
    to_pdf(figure, Paper(), facts)


def test_the_chunks_of_a_png_have_their_checks():
    png = to_png(a_figure(), Paper(), FACTS)
    at, n_texts = 8, 0
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        kind_and_body = png[at + 4 : at + 8 + length]
        assert zlib.crc32(kind_and_body) == int.from_bytes(png[at + 8 + length : at + 12 + length])
        n_texts += kind_and_body.startswith(b"iTXt")
        at += 12 + length
    assert n_texts == 4
