"""Words, lines and blocks of ALTO, PAGE, hOCR and Tesseract: which are read, and what of them.

In tests/support/cases, Tesseract 5.3.0 wrote its files of a drawn page of 14 words and a rule, and
of two pages. OCR-D's model of PAGE (ocrd 3.13.0) and kraken's serialiser (7.1.1) wrote theirs of
values that were given to them, without weights: the words below, their characters of equal width.
"""

import io
from pathlib import Path
from xml.etree import ElementTree

import pytest

from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.cases import cases

CASES = Path(__file__).resolve().parents[1] / "support" / "cases"
# Text, left, top, right, bottom of the words and lines that kraken and OCR-D wrote.
KRAKEN = [
    ("He", 40, 40, 80, 70),
    ("said", 100, 40, 180, 70),
    ("for", 40, 100, 100, 130),
    ("CARE", 120, 100, 200, 130),
    ("at", 220, 100, 260, 130),
]
KRAKEN_LINES = [("He said", 40, 40, 180, 70), ("for CARE at", 40, 100, 260, 130)]
TEXTS = [
    *("He", "said", "open", "the", "door", "for", "CARE", "at", "gate", "12"),
    *("and", "left", "it", "shut"),
]
N_TEXTS_OF_PAGES = {"two_1": 14, "two_2": 7}


def case(name):
    return (CASES / name).read_bytes()


def opened(content, name="page.xml", kind="results", **given):
    content = content if isinstance(content, bytes) else content.encode()
    return read(io.BytesIO(content), kind=kind, name=name, **given)


def boxes(regions):
    """Return texts and boxes; all outlines of these cases are upright rectangles."""
    assert all(region.n_points == 4 for region in regions)
    return [(region.text, *map(int, region.box)) for region in regions]


def said(archive):
    assert archive.errors == ()
    return [f"{of.code}: {of.found}" for of in archive.problems]


class TestOwnChildren:
    """The outline, text and confidence of a word are never those of its characters."""

    def test_a_word_of_page_has_its_own_text_of_the_lowest_index(self):
        archive = opened(case("ocrd/page.xml"))
        he, word = archive.regions["page"]
        assert (he.text, he.confidence, he.box) == ("He", 0.9, (40, 40, 80, 70))
        assert (word.text, word.confidence, word.parent) == ("said", 0.8, "l0")

    @cases(
        ("texts", "wanted"),
        [
            ((("", "a"), ("", "b")), "a"),
            ((("index='2'", "a"), ("index='1'", "b")), "b"),
            ((("index='1'", "a"), ("", "b")), "b"),
            ((("index='1'", "a"), ("index='1'", "b")), "a"),
            # An index that cannot be read is reported, and its text is no main one.
            ((("index='x'", "a"), ("index='1'", "b")), "b"),
        ],
    )
    def test_a_text_without_index_is_the_main_one_and_the_first_of_two_counts(self, texts, wanted):
        equivalents = "".join(
            f"<TextEquiv {index}><Unicode>{text}</Unicode></TextEquiv>" for index, text in texts
        )
        [word] = opened(page_xml(f"<Word>{COORDS}{equivalents}</Word>")).regions["p"]
        assert word.text == wanted

    def test_glyphs_alone_give_a_word_of_page_no_text(self):
        glyph = f"<Glyph>{COORDS}<TextEquiv conf='0.5'><Unicode>H</Unicode></TextEquiv></Glyph>"
        [word] = opened(page_xml(f"<Word>{COORDS}{glyph}</Word>")).regions["p"]
        assert (word.text, word.confidence) == (None, None)

    @cases("format", ["alto.xml", "page.xml", "hocr"])
    def test_words_of_kraken_are_those_that_it_was_given(self, format):
        archive = opened(case(f"kraken/words.{format}"), f"page.{format.rpartition('.')[2]}")
        regions = archive.regions["page"]
        assert boxes(regions) == KRAKEN
        # Characters have 0.7 and 0.9 in turn.
        assert [region.confidence for region in regions[:2]] == pytest.approx([0.8, 0.8])
        assert regions[2].confidence == pytest.approx(23 / 30, abs=1e-4)
        assert [region.parent for region in regions] == ["line_0"] * 2 + ["line_1"] * 3

    def test_tesseract_has_the_same_words_in_each_format_with_boxes_of_characters_or_not(self):
        plain, characters = (
            opened(case(f"tesseract/{name}.hocr"), "one.hocr").regions["one"]
            for name in ("one", "one-characters")
        )
        assert [region.text for region in plain] == TEXTS
        assert characters == plain
        for name in ("one.xml", "one.tsv"):
            assert boxes(opened(case(f"tesseract/{name}"), name).regions["one"]) == boxes(plain)

    @cases(
        "inside",
        [
            # As Tesseract writes characters, alternatives (lstm_choice_mode) and emphasis.
            "\n <span class='ocrx_cinfo' title='x_bboxes 40 40 60 70; x_conf 99'>H</span>\n <span "
            "class='ocrx_cinfo' title='x_bboxes 60 40 80 70; x_conf 99'>e</span>\n",
            "He\n <span class='ocrx_cinfo' id='lstm_choices_1'>\n  <span class='ocrx_cinfo' id='choice_1' "
            "title='x_confs 94.2'>H</span>\n  <span class='ocrx_cinfo' title='x_confs 0'>M</span></span>",
            "He\n <span class='ocr_symbol' id='symbol_1'>\n  <span class='ocrx_cinfo' id='timestep1'>\n   "
            "<span class='ocrx_cinfo' id='choice_1' title='x_confs 54'>H</span></span></span>",
            "\n <span class='ocrx_cinfo' title='x_bboxes 40 40 60 70'>H</span>\n <span class='ocrx_cinfo'>"
            "<span class='ocrx_cinfo' title='x_confs 9'>M</span></span>\n <span class='ocrx_cinfo' "
            "title='x_bboxes 60 40 80 70'>e</span>",
            "\n  <strong><em>He</em></strong>\n",
            "<strong>H</strong>\n<strong>e</strong>",
        ],
    )
    def test_a_word_of_hocr_has_its_text_however_it_is_written(self, inside):
        [word] = opened(hocr(f"<span class='ocrx_word' title='{BBOX}'>{inside}</span>")).regions[
            "p"
        ]
        assert word.text == "He"

    def test_confidences_of_characters_are_shares_or_per_cent_for_a_whole_file(self):
        words = "<span class='ocrx_word' title='{}; x_confs {}'>ab</span>"
        for first, confidence in (("0.5 1", 0.75), ("50 100", 0.75)):
            second = "1 1" if first == "0.5 1" else "1 3"
            content = hocr(words.format(BBOX, first) + words.format("bbox 90 40 99 70", second))
            a, b = opened(content).regions["p"]
            assert (a.confidence, b.confidence) == (confidence, 1 if second == "1 1" else 0.02)


COORDS = '<Coords points="40,40 80,40 80,70 40,70"/>'
BBOX = "bbox 40 40 80 70"


def page_xml(inside):
    return (
        f'<PcGts><Page imageFilename="p.png"><TextLine>{COORDS}{inside}</TextLine></Page></PcGts>'
    )


def hocr(inside, title="image p.png; bbox 0 0 200 100", n=1):
    page = f"""<div class="ocr_page" title='{title}'>{inside}</div>"""
    return f"<html><body>{page * n}</body></html>"


def alto(inside, file_name="p.png", n=1):
    source = f"<sourceImageInformation><fileName>{file_name}</fileName></sourceImageInformation>"
    page = f'<Page WIDTH="200" HEIGHT="100">{inside}</Page>'
    return f"<alto><Description>{source}</Description><Layout>{page * n}</Layout></alto>"


STRING = '<String CONTENT="{}" HPOS="40" VPOS="40" WIDTH="40" HEIGHT="30"/>'
WORDS = {
    "alto-xml": lambda *texts: alto("".join(map(STRING.format, texts))),
    "page-xml": lambda *texts: page_xml(
        "".join(
            f"<Word>{COORDS}<TextEquiv><Unicode>{text}</Unicode></TextEquiv></Word>"
            for text in texts
        )
    ),
    "hocr": lambda *texts: hocr(
        "".join(f"<span class='ocrx_word' title='{BBOX}'>{text}</span>" for text in texts)
    ),
}


class TestWithoutText:
    @cases("slug", WORDS)
    @cases("kind", ["truth", "results"])
    def test_blank_words_are_left_out_and_counted_and_texts_lose_blanks_at_both_ends(
        self, slug, kind
    ):
        archive = opened(WORDS[slug](" He ", " ", "\u00a0"), kind=kind, format=slug)
        assert [region.text for region in archive.regions["p"]] == ["He"]
        assert said(archive) == ["U1: 2 words or lines without text"]
        [problem] = archive.problems
        assert (problem.action, problem.line) == ("left out", 1)

    @cases("slug", WORDS)
    def test_an_empty_text_is_left_out_of_results_unless_nothing_has_a_text(self, slug):
        """Ground truth may have words that could not be read, and a detector reads none."""
        for texts, kind, n in (
            (("He", ""), "results", 1),
            (("He", ""), "truth", 2),
            (("", ""), "results", 2),
        ):
            archive = opened(WORDS[slug](*texts), kind=kind, format=slug)
            assert len(archive.regions["p"]) == n
            left = ["U1: 1 word or line without text"] if n < 2 else []
            assert [of for of in said(archive) if of.startswith("U1")] == left

    def test_a_page_of_blank_words_has_no_words_and_its_lines_are_not_read(self):
        line = f"<span class='ocr_line' title='{BBOX}'><span class='ocrx_word' title='{BBOX}'> </span></span>"
        archive = opened(hocr(line))
        assert archive.regions == {"p": ()}
        assert said(archive) == ["U1: 1 word or line without text"]

    @cases(
        ("name", "texts"),
        [
            ("wordstrbox", ["He said open the door", "for CARE at gate 12", "and left it shut"]),
            ("lstmbox", ["He said open the door", "for CARE at gate 12", "and left it shut"]),
            # A rule is one character here, and nothing tells it from a letter.
            ("makebox", [*"".join(TEXTS), "~"]),
        ],
    )
    def test_boxes_of_tesseract_are_recognised_and_have_no_blanks(self, name, texts):
        content = case(f"tesseract/{name}.box")
        assert guess(io.BytesIO(content), "one.box").format == "tesseract-box"
        pack = zip_bytes({"one.box": content, "one.png": picture_bytes(700, 320)})
        archive = opened(pack, "boxes.zip")
        assert [region.text for region in archive.regions["one"]] == texts
        is_line = name != "makebox"
        assert said(archive) == ["U1: 1 word or line without text"] * is_line

    def test_lines_of_boxes_are_those_of_the_table_of_tesseract(self):
        """The table has left, top, width and height of each line."""
        content = case("tesseract/one.tsv")
        lines = opened(content, "one.tsv", format="tesseract-tsv-lines").regions["one"]
        pack = zip_bytes(
            {"one.box": case("tesseract/wordstrbox.box"), "one.png": picture_bytes(700, 320)}
        )
        assert boxes(opened(pack, "boxes.zip").regions["one"]) == boxes(lines)
        rows = [line.split("\t") for line in content.decode().split("\n") if line.startswith("4")]
        assert [list(map(int, row[6:10])) for row in rows[:3]] == [
            [of[1], of[2], of[3] - of[1], of[4] - of[2]] for of in boxes(lines)
        ]

    @cases("format", ["words.alto.xml", "words.page.xml"])
    def test_every_word_of_kraken_is_read_or_counted(self, format):
        """ALTO has the blanks between words as SP, PAGE as words."""
        content = case(f"kraken/{format}")
        names = [
            element.tag.rpartition("}")[2] for element in ElementTree.fromstring(content).iter()
        ]
        n_words, archive = names.count("Word") + names.count("String"), opened(content)
        n_out = 3 if "page" in format else 0
        assert n_words == len(archive.regions["page"]) + n_out
        assert said(archive) == [f"U1: {n_out} words or lines without text"] * bool(n_out)


class TestLevels:
    LINES = "U2: 1 page without words, of which the lines are read"

    @cases("what", ["lines", "segmented"])
    @cases("format", ["alto.xml", "page.xml", "hocr"])
    def test_lines_of_kraken_are_read_where_it_wrote_no_words(self, what, format):
        """kraken's hOCR has no text of a line that it did not divide."""
        archive = opened(case(f"kraken/{what}.{format}"), f"page.{format.rpartition('.')[2]}")
        has_text = what == "lines" and format != "hocr"
        wanted = [(text if has_text else None, *box) for text, *box in KRAKEN_LINES]
        assert boxes(archive.regions["page"]) == wanted
        assert said(archive) == [self.LINES]

    def test_a_string_of_alto_without_sides_is_the_text_of_its_line(self):
        archive = opened(
            alto(
                '<TextLine HPOS="40" VPOS="40" WIDTH="140" HEIGHT="30"><Shape><Polygon POINTS="40 40 '
                '180 44 180 74 40 70"/></Shape><String CONTENT="He said" WC="0.5"/></TextLine>'
            )
        )
        [line] = archive.regions["p"]
        assert line.points == (40, 40, 180, 44, 180, 74, 40, 70)
        assert (line.text, line.confidence) == ("He said", 0.5)
        assert said(archive) == [self.LINES]

    @cases(
        ("sides", "points"),
        [
            # The box of the line, as eScriptorium writes it; and a word in a part of the line.
            ('HPOS="40" VPOS="40" WIDTH="140" HEIGHT="34"', (40, 40, 180, 44, 180, 74, 40, 70)),
            ('HPOS="40" VPOS="40" WIDTH="40" HEIGHT="30"', (40, 40, 80, 40, 80, 70, 40, 70)),
        ],
    )
    def test_a_string_that_is_all_of_its_line_keeps_the_outline_of_the_line(self, sides, points):
        shape = '<Shape><Polygon POINTS="40,40 180,44 180,74 40,70"/></Shape>'
        archive = opened(alto(f'<TextLine>{shape}<String CONTENT="a" {sides}/></TextLine>'))
        assert [region.points for region in archive.regions["p"]] == [points]

    @cases(
        ("slug", "content"),
        [
            ("page-xml", case("ocrd/page.xml")),
            (
                "alto-xml",
                alto(
                    f'<TextLine ID="l0">{STRING.format("He")}{STRING.format("said")}</TextLine><TextLine '
                    'HPOS="40" VPOS="80" WIDTH="40" HEIGHT="10"><String CONTENT="CARE"/></TextLine>',
                    "page.png",
                ),
            ),
            (
                "hocr",
                hocr(
                    f"<span class='ocr_line' id='l0' title='{BBOX}'><span class='ocrx_word' title='{BBOX}'>He"
                    f"</span> <span class='ocrx_word' title='bbox 90 40 99 70'>said</span></span>\n"
                    f"<span class='ocr_line' title='bbox 40 80 80 90'>CARE</span>",
                    "image page.png",
                ),
            ),
        ],
    )
    def test_a_line_without_words_among_lines_with_words_is_counted(self, slug, content):
        archive = opened(content, format=slug)
        assert [of.text for of in archive.regions["page"]] == ["He", "said"]
        assert [of for of in said(archive) if of[:2] == "U1"] == [
            "U1: 1 line without words among others"
        ]

    def test_blocks_are_read_and_named_where_there_is_nothing_else(self):
        block = 'HPOS="40" VPOS="40" WIDTH="40" HEIGHT="30"'
        contents = {
            "alto-xml": alto(f"<TextBlock {block}/>"),
            "hocr": hocr(f"<div class='ocr_carea' title='{BBOX}'></div>"),
            "page-xml": f'<PcGts><Page imageFilename="p"><TextRegion>{COORDS}</TextRegion></Page></PcGts>',
        }
        for slug, content in contents.items():
            archive = opened(content, format=slug)
            assert boxes(archive.regions["p"]) == [(None, 40, 40, 80, 70)]
            told = "U2: 1 page without words and lines, of which the blocks are read"
            assert said(archive) == [told]

    @cases(
        ("slug", "inside"),
        [
            ("alto-xml", alto('<Illustration ID="a"/><GraphicalElement ID="b"/>')),
            ("hocr", hocr("<div class='ocr_photo'></div><div class='ocr_separator'></div>")),
            (
                "page-xml",
                '<PcGts><Page imageFilename="p.png"><TableRegion/><ImageRegion/></Page></PcGts>',
            ),
        ],
    )
    def test_a_page_of_pictures_and_tables_alone_has_no_words_and_says_so(self, slug, inside):
        archive = opened(inside, format=slug)
        assert archive.regions == {"p": ()}
        assert said(archive) == ["U1: 2 pictures, tables or rules on pages without words"]

    @cases(("level", "format"), [("4", "tesseract-tsv"), ("5", "tesseract-tsv-lines")])
    def test_a_table_of_tesseract_with_one_level_gives_it_and_says_so(self, level, format):
        header, *rows = case("tesseract/one.tsv").decode().split("\n")
        kept = "\n".join([header, *(row for row in rows if row.startswith(level))])
        archive = opened(kept, "one.tsv", format=format)
        # Without their words, nothing tells the line of a rule from others.
        assert len(archive.regions["one"]) == (4 if level == "4" else 14)
        read, lacking = ("lines", "words") if level == "4" else ("words", "lines")
        told = f"U2: 1 page without {lacking}, of which the {read} are read"
        assert [of for of in said(archive) if of[:2] == "U2"] == [told]


ABBYY = case("kraken/words.abbyy.xml")


class TestOtherFormats:
    """A document without an element of its format is an error in each reader."""

    DOCUMENTS = (
        "<a/>",
        "<document/>",
        "<document><anything/></document>",
        '<document xmlns="x"><page width="200" height="100"><block l="40"/></page></document>',
        ABBYY.decode(),
        "<evaltex/>",
        "<alto/>",
        "<alto><Layout/></alto>",
        "<PcGts/>",
        '<html><body><span class="ocr_line" title="bbox 0 0 9 9">a</span></body></html>',
    )

    @cases("slug", ["alto-xml", "page-xml", "hocr", "ctdar-xml", "evaltex-xml"])
    @cases("content", DOCUMENTS)
    def test_it_is_refused(self, slug, content):
        archive = opened(content, format=slug)
        assert [problem.code for problem in archive.errors] == ["A1"]
        assert archive.n_regions == 0

    @cases(
        ("slug", "content"),
        [("alto-xml", page_xml("")), ("page-xml", alto("")), ("evaltex-xml", alto(""))],
    )
    def test_a_page_of_another_format_is_refused_by_its_root(self, slug, content):
        [problem] = opened(content, format=slug).errors
        assert problem.found.startswith("a document “")

    def test_words_of_abbyy_are_those_that_kraken_wrote(self):
        for name, given in (("page.xml", ABBYY), ("set.zip", zip_bytes({"page.xml": ABBYY}))):
            archive = opened(given, name)
            assert (archive.format, archive.problems) == ("abbyy-xml", ())
            found = [(of.text, *of.box) for of in archive.regions["page"]]
            assert found[:2] == [("He", 40, 40, 80, 70), ("said", 100, 40, 180, 70)]
            assert found[-1] == ("at", 220, 100, 260, 130)

    def test_blocks_of_abbyy_without_lines_are_counted(self):
        archive = opened(self.DOCUMENTS[3])
        assert archive.regions == {"page": ()}
        assert said(archive) == ["U1: 1 block without lines (first in page)"]

    def test_a_page_of_tables_without_a_table_is_read(self):
        """As a detector of tables writes it that found none."""
        archive = opened('<document filename="page.jpg"/>')
        assert (archive.format, archive.errors) == ("ctdar-xml", ())
        assert archive.regions == {"page": ()}

    def test_alto_with_an_identifier_of_its_document_is_alto(self):
        content = alto("").replace(
            "<fileName>", "<documentIdentifier>1</documentIdentifier><fileName>"
        )
        assert guess(io.BytesIO(content.encode()), "page.xml").format == "alto-xml"

    def test_comments_do_not_hide_the_root(self):
        content = '<?xml version="1.0"?>\n<!-- <evaltex> -- > -->\n<document filename="a"/>'
        assert guess(io.BytesIO(content.encode()), "page.xml").format == "ctdar-xml"


NAMES = ("unknown", "-", "stdin", "/tmp/tess_ab12cd34_input.PNG", "")
PAGES = {
    "hocr": lambda name, n=1: hocr(
        f"<span class='ocrx_word' title='{BBOX}'>He</span>", f'image "{name}"; bbox 0 0 200 100', n
    ),
    "alto-xml": lambda name, n=1: alto(STRING.format("He"), name, n),
    "page-xml": lambda name, n=1: page_xml(f"<Word>{COORDS}</Word>").replace("p.png", name),
}


class TestNames:
    @cases("slug", PAGES)
    @cases("name", NAMES)
    def test_names_that_engines_make_up_are_replaced_by_that_of_the_file(self, slug, name):
        suffix = "hocr" if slug == "hocr" else "xml"
        files = {f"{stem}.{suffix}": PAGES[slug](name) for stem in ("rot8", "other")}
        archive = opened(zip_bytes(files), "set.zip", format=slug)
        assert (archive.errors, set(archive.regions)) == ((), {"rot8", "other"})

    @cases("slug", PAGES)
    def test_other_names_are_kept(self, slug):
        for name, image in (("a/tess_input.png", "tess_input"), ("unknown_1.png", "unknown_1")):
            assert list(opened(PAGES[slug](name), "page.x", format=slug).regions) == [image]

    def test_a_path_of_hocr_without_quotes_may_have_blanks(self):
        archive = opened(hocr("", "bbox 0 0 9 9; image a/my page.png; ppageno 0"))
        assert list(archive.regions) == ["my page"]

    @cases("name", ["two.hocr", "two.xml", "two.tsv"])
    def test_pages_of_tesseract_are_images_of_their_own(self, name):
        archive = opened(case(f"tesseract/{name}"), name)
        assert {image: len(of) for image, of in archive.regions.items()} == N_TEXTS_OF_PAGES
        assert set(archive.sizes.values()) == {(700, 320)}
        assert [of.text for of in archive.regions["two_2"]][:2] == ["Second", "page"]

    @cases("slug", ["hocr", "alto-xml"])
    def test_pages_of_a_file_without_a_name_are_numbered_too(self, slug):
        archive = opened(PAGES[slug]("unknown", 2), "scan.pdf.x", format=slug)
        assert list(archive.regions) == ["scan_1", "scan_2"]
        assert archive.n_regions == 2

    def test_pages_of_hocr_with_names_of_their_own_keep_them(self):
        pages = "".join(
            f"<div class='ocr_page' title='image {name}.png'></div>" for name in ("b", "a", "b")
        )
        assert list(opened(pages, "x.hocr").regions) == ["a", "b_1", "b_2"]

    @cases("slug", ["hocr", "alto-xml"])
    def test_a_page_that_cannot_be_read_does_not_give_its_words_to_another(self, slug):
        """Each page is 200 pixels wide."""
        content = PAGES[slug]("p.png", 2)
        for wide in ("0 0 200 100", '"200"'):
            first, _, second = content.rpartition(wide)
            content = f"{first}{wide.replace('200', 'x')}{second}" if first else content
        archive = opened(content, format=slug)
        assert [problem.code for problem in archive.errors] == ["L2"]
        assert archive.n_regions == 1
