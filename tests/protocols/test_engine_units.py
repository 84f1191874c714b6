"""Units of engines' files: what is read, left out with a count, refused or asked.

Files as the tools write them; coordinates in pixels are computed by hand from the shares.
"""

import io
import json

import pytest

from protocols.formats.recognition.reading import read
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.cases import cases

PAIRS = [[38, 43], [126, 43], [126, 60], [38, 60]]
BOX = (38.0, 43.0, 126.0, 43.0, 126.0, 60.0, 38.0, 60.0)
PHOTOGRAPH = picture_bytes(700, 320)


def opened(data, name="img_1.json", kind="results", **given):
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return read(io.BytesIO(content), kind=kind, name=name, **given)


def account(archive):
    return [(of.code, of.found) for of in archive.warnings if of.code in ("U1", "U2")]


# Documents without an element of their format


def test_an_answer_of_google_that_says_nothing_is_read_beside_others_only():
    full = {"textAnnotations": [{"description": "CARE"}, {"description": "CARE", "boundingPoly": {
        "vertices": [{"x": x, "y": y} for x, y in PAIRS]}}]}  # fmt: skip
    pack = zip_bytes({"a.json": json.dumps(full), "b.json": "{}"})
    archive = opened(pack, "g.zip", format="google-vision")
    assert (archive.problems, {name: len(of) for name, of in archive.regions.items()}) == (
        (),
        {"a": 1, "b": 0},
    )
    assert opened(b"{}", format="google-vision").errors


@cases("content", ["null", "[]", "[[]]", " [ ]\n"])
@cases("packed", [True, False])
def test_an_image_without_regions_alone_is_asked(content, packed):
    data = zip_bytes({"img_1.json": content}) if packed else content.encode()
    archive = opened(data, "r.zip" if packed else "img_1.json")
    [question] = archive.questions
    assert archive.errors == ()
    assert (question.code, question.found) == ("F1", "no region, and nothing that tells the format")
    assert question.expected == "your choice of how to read the file: easyocr or coco-json"


# YOLO

SEGMENT = "0 0.1 0.1 0.3 0.1 0.35 0.2 0.3 0.3 0.1 0.3"
SECOND = "0 0.9 0.117143 0.160938 0.125714 0.053125"


def yolo(*lines, **given):
    entries = {"page.txt": "\n".join(lines), "page.png": PHOTOGRAPH}
    return opened(zip_bytes(entries), "seg.zip", **given)


def test_a_segment_of_many_points_is_recognised():
    points = " ".join(f"{0.1 + at / 1000:.6f} {0.2 + (at % 7) / 100:.6f}" for at in range(400))
    archive = yolo(f"3 {points}", kind="truth")
    assert (archive.format, archive.regions["page"][0].n_points) == ("yolo", 400)


# The points of the photograph of 700 x 320 pixels are shares of its sides.
ON_THE_EDGE = {
    "0.1 0.1 0.3 0.1 0.3 0.3 0.2 1 0.1 1": (0.1, 0.1, 0.3, 0.1, 0.3, 0.3, 0.2, 1, 0.1, 1),
    "0.1 0 0.3 0.1 0.3 0.3 0.1 0.3 0.05 0": (0.1, 0, 0.3, 0.1, 0.3, 0.3, 0.1, 0.3, 0.05, 0),
    "0.1 0.1 0.3 0.1 0.2 1": (0.1, 0.1, 0.3, 0.1, 0.2, 1),
    "0.1 0.4 0.3 0.2 0.3 0": (0.1, 0.4, 0.3, 0.2, 0.3, 0),
    "0 0 1 0 1 1 0 1": (0, 0, 1, 0, 1, 1, 0, 1),
}


@cases("format", [None, "yolo"])
@cases("others", [(), (SEGMENT,)])
@cases("numbers", ON_THE_EDGE)
def test_a_polygon_of_yolo_may_end_on_the_edge(numbers, others, format):
    archive = yolo(*others, f"0 {numbers}", format=format, kind="results")
    region = archive.regions["page"][-1]
    assert (archive.format, archive.problems) == ("yolo", ())
    shares = [value / (700, 320)[at % 2] for at, value in enumerate(region.points)]
    assert shares == pytest.approx(ON_THE_EDGE[numbers])


@cases("line", ["0 0.1 0.1 0.3 0.1 0.3 0.3 0.2 0.9 0.1 2", "0 0.1 0.1 0.3 0.1 0.3 0.3 0.9 7"])
def test_the_number_of_a_track_after_points_is_one_that_no_coordinate_can_be(line):
    [problem] = yolo(line).errors
    assert problem.found.startswith("the number of a track in")


def test_boxes_that_may_all_be_of_the_track_1_are_said():
    [problem] = yolo("0 0.5 0.5 0.2 0.2 0.9 1", "0 0.4 0.5 0.2 0.2 0.8 1").problems
    assert (problem.severity, problem.action) == ("warning", "read as points")
    assert problem.found.startswith("lines that end in 0 or 1")
    assert yolo("0 0.5 0.5 0.2 0.2 0.9 1", "0 0.1 0.1 0.3 0.1 0.2 1").problems == ()


def test_a_confidence_before_the_box_is_found_by_the_whole_file():
    """The second box, read with the confidence last, reaches from 0.7 to 1.2."""
    archive = yolo(SECOND, "0 0.95 0.5 0.5 0.4 0.05")
    region, _ = archive.regions["page"]
    assert region.points == pytest.approx(BOX, abs=0.01)
    assert region.confidence == 0.9
    assert [(of.severity, of.code, of.action) for of in archive.problems] == [
        ("warning", "F1", "read as yolo-confidence-second")
    ]


def test_one_box_whose_confidence_may_be_first_or_last_is_asked():
    [question] = yolo(SECOND).questions
    assert (question.code, question.expected.rpartition(": ")[2]) == (
        "F1",
        "yolo-confidence-last or yolo-confidence-second",
    )
    answered = yolo(SECOND, format="yolo-confidence-second")
    assert answered.problems == ()
    assert answered.regions["page"][0].points == pytest.approx(BOX, abs=0.01)


def test_a_confidence_after_the_box_is_read_without_a_word():
    archive = yolo("0 0.117143 0.160938 0.125714 0.053125 0.9")
    assert archive.problems == ()
    assert archive.regions["page"][0].points == pytest.approx(BOX, abs=0.01)


# Numbers from 0 to 1 in formats of pixels

SHARES = {
    "polygon": zip_bytes({"1.txt": f"{SEGMENT}\n"}),
    "quad": zip_bytes({"1.txt": "0.1,0.1,0.3,0.1,0.3,0.3,0.1,0.3\n"}),
    "ltrb": zip_bytes({"1.txt": "0.1,0.1,0.3,0.3\n0.5,0.5,1,1\n"}),
    "csv": b"image,left,top,right,bottom\n1,0.1,0.1,0.3,0.3\n",
    "coco-json": b'[{"image_id": 1, "bbox": [0.1, 0.1, 0.2, 0.2], "score": 1}]',
    "easyocr": b'[[[[0.1, 0.1], [0.3, 0.1], [0.3, 0.3], [0.1, 0.3]], "CARE", 0.9]]',
}


@cases("slug", SHARES)
def test_numbers_from_0_to_1_are_never_pixels(slug):
    problems = [
        of
        for of in opened(SHARES[slug], "set", format=slug).problems
        if of.code not in ("L7", "L9")
    ]
    assert [(of.severity, of.code) for of in problems] == [("error", "F9")]
    assert "yolo" in problems[0].expected


def test_a_pixel_wide_box_and_one_spurious_detection_are_pixels():
    for text in ("0,0,1,1\n", "0.1,0.1,0.3,0.3\n10,10,30,30\n"):
        assert opened(zip_bytes({"1.txt": text}), "set", format="ltrb").errors == ()


# Jobs of services that have not succeeded

FAILED = {"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE", "Blocks": []}


@cases(
    ("data", "found"),
    [
        (FAILED, "a job with the status “FAILED”: “INVALID_IMAGE_TYPE”"),
        ({"JobStatus": "IN_PROGRESS"}, "a job with the status “IN_PROGRESS”"),
        ([{"JobStatus": "SUCCEEDED", "Blocks": []}, FAILED],
         "a job with the status “FAILED”: “INVALID_IMAGE_TYPE”"),
        ({"status": "failed", "error": {"code": "InvalidImage"}, "analyzeResult": {"readResults": []}},
         "an operation with the status “failed”: “InvalidImage”"),
        ({"status": "running", "analyzeResult": {"readResults": []}},
         "an operation with the status “running”"),
        ({"status": "notStarted", "analyzeResult": {}}, "an operation with the status “notStarted”"),
        ({"error": {"code": "404", "message": "Resource not found"}, "analyzeResult": {"pages": []}},
         "the fault “Resource not found”"),
        ({"responses": [{"error": {"code": 3, "message": "Bad image data."}}]},
         "the fault “Bad image data.”"),
        ({"responses": [{"error": {"code": 7}}]}, "the fault “7”"),
    ],
)  # fmt: skip
def test_a_job_that_failed_is_an_error_with_the_words_of_the_service(data, found):
    slug = "textract" if "JobStatus" in str(data) else "azure-read"
    slug = "google-vision" if "responses" in data else slug
    [problem] = opened(data, format=slug).errors
    assert problem.found == found


def test_a_job_that_was_done_in_part_is_read_with_a_warning():
    data = {"JobStatus": "PARTIAL_SUCCESS", "Blocks": [{"BlockType": "PAGE"}]}
    archive = opened(data, format="textract")
    assert [(of.severity, of.found) for of in archive.problems] == [
        ("warning", "a job with the status “PARTIAL_SUCCESS”")
    ]


# Other levels, other fields

CELL = {"geometry": [[0.1, 0.45], [0.4, 0.65]], "value": "apple", "confidence": 0.7}


def test_blocks_of_surya_0_22_have_their_texts_out_of_html():
    block = {"polygon": PAIRS, "confidence": 0.97, "label": "Text", "raw_label": "Text",
             "reading_order": 0, "html": "<p>CARE &amp; <b>X</b><br/>Y</p>", "skipped": False,
             "error": False, "bbox": [38, 43, 126, 60]}  # fmt: skip
    picture = block | {"label": "Picture", "html": "", "skipped": True}
    data = {"img_1": [{"blocks": [block, picture], "image_bbox": [0, 0, 640, 480]}]}
    archive = opened(data)
    [region] = archive.regions["img_1"]
    assert (archive.format, region.points, region.text) == ("surya", BOX, "CARE & X Y")
    assert (region.label, region.confidence, archive.sizes) == ("Text", 0.97, {"img_1": (640, 480)})
    assert account(archive) == [
        ("U1", "1 picture of a layout (first in img_1)"),
        ("U2", "1 block of a layout (first in img_1)"),
    ]


def test_lines_that_surya_detected_are_lines():
    bare = {"img_1": [{"bboxes": [{"polygon": PAIRS, "bbox": [38, 43, 126, 60]}]}]}
    assert account(opened(bare)) == []


def test_a_table_of_tesserocr_has_no_header():
    """As GetTSVText of tesserocr 2.13.0 writes it."""
    rows = [
        "1 1 0 0 0 0 0 0 400 200 -1",
        "4 1 1 1 1 0 43 49 193 23 -1",
        "5 1 1 1 1 1 43 49 63 23 91.5",
    ]
    texts = ("", "", "EXIT")
    table = "".join(
        "\t".join((*row.split(), text)) + "\n" for row, text in zip(rows, texts, strict=True)
    )
    archive = read(io.BytesIO(table.encode()), kind="results", name="page.tsv")
    [region] = archive.regions["page"]
    assert (archive.format, archive.problems, archive.sizes) == (
        "tesseract-tsv",
        (),
        {"page": (400, 200)},
    )
    assert (region.box, region.text, region.confidence) == ((43, 49, 106, 72), "EXIT", 0.915)


def test_boxes_of_words_inside_lines_of_paddleocr_are_counted():
    data = {"rec_polys": [PAIRS], "rec_texts": ["CARE of"], "rec_scores": [0.9],
            "dt_polys": [PAIRS, PAIRS], "text_word": [["CARE", "of"]],
            "text_word_boxes": [[[38, 43, 90, 60], [95, 43, 126, 60]]]}  # fmt: skip
    assert account(opened(data, "img_1_res.json")) == [
        ("U2", "2 boxes of words inside lines (first in img_1)"),
        ("U1", "1 outline that was not recognised (first in img_1)"),
    ]


def test_words_of_paddleocr_are_read_where_they_are_asked_for():
    """Blanks are words of their own; a line without boxes of words is left out and counted."""
    data = {"rec_polys": [PAIRS, PAIRS], "rec_texts": ["CARE of", "me"], "rec_scores": [0.9, 0.8],
            "text_word": [["CARE", " ", "of"], []],
            "text_word_boxes": [[[38, 43, 90, 60], [90, 43, 95, 60], [95, 43, 126, 60]], []]}  # fmt: skip
    archive = opened(data, "img_1_res.json", format="paddle-json-words")
    found = [(of.box, of.text) for of in archive.regions["img_1"]]
    assert found == [((38, 43, 90, 60), "CARE"), ((95, 43, 126, 60), "of")]
    assert account(archive) == [
        ("U1", "1 line without words among others"),
        ("U1", "1 word or line without text (first in img_1)"),
    ]
    del data["text_word_boxes"]
    archive = opened(data, "img_1_res.json", format="paddle-json-words")
    assert account(archive) == [("U2", "2 lines without words")]
    for boxes, found in (([[1, 2, 3, 4]], "2 text_word for 1 boxes"), ([[1, 2]] * 2, "a list in")):
        wrong = data | {"text_word": [["a", "b"]], "text_word_boxes": [boxes]}
        [problem] = opened(wrong, "img_1_res.json", format="paddle-json-words").errors
        assert problem.found.startswith(found)


def test_lines_are_read_and_counted_where_a_page_has_no_words():
    line = {"content": "CARE", "polygon": [value for pair in PAIRS for value in pair]}
    azure = {"analyzeResult": {"pages": [{"width": 200, "height": 100, "lines": [line]}]}}
    block = {"BlockType": "LINE", "Text": "CARE", "Geometry": {"BoundingBox": {
        "Left": 0.1, "Top": 0.1, "Width": 0.5, "Height": 0.2}}}  # fmt: skip
    sizes = {"img_1": (200, 100)}
    for data in (azure, {"Blocks": [block]}):
        archive = opened(data, sizes=lambda: sizes)
        assert [of.text for of in archive.regions["img_1"]] == ["CARE"]
        assert account(archive) == [("U2", "1 line without words")]


# Pages whose units are all of another level: 200 x 100 pixels, the box from (20, 10) to (120, 30).

OF_BLOCKS = "1 page without words and lines, of which the blocks are read"
OF_LINES = "1 line without words"
SHARES_OF_BOX = [[0.1, 0.1], [0.6, 0.3]]
SIDES = {"width": 200, "height": 100}
CORNERS = [(20, 10), (120, 10), (120, 30), (20, 30)]
FLAT = [value for pair in CORNERS for value in pair]
VERTICES = [{"x": x, "y": y} for x, y in CORNERS]
PARAGRAPH = {"content": "CARE", "boundingRegions": [{"pageNumber": 1, "polygon": FLAT}]}


def doctr(*blocks, **fields):
    return {"pages": [{"page_idx": 0, "dimensions": [100, 200], "blocks": list(blocks)} | fields]}


def google(*blocks):
    return {"fullTextAnnotation": {"pages": [{**SIDES, "blocks": list(blocks)}], "text": "CARE"}}


def textract(*types):
    box = {"Left": 0.1, "Top": 0.1, "Width": 0.5, "Height": 0.2}
    blocks = [{"BlockType": of, "Geometry": {"BoundingBox": box}} for of in types]
    return {"Blocks": [{"BlockType": "PAGE"}, *blocks]}


def hocr(inside):
    page = f"<div class='ocr_page' title='image img_1.png; bbox 0 0 200 100'>{inside}</div>"
    return f"<html><body>{page}</body></html>".encode()


DOCTR_LINE = {"geometry": SHARES_OF_BOX}
# As docTR 1.1 writes a table with one row.
DOCTR_TABLE = """\
<div class="ocr_carea" id="table_1" title="bbox 10 10 190 40">
<p class="ocr_par" id="table_par_1" title="bbox 10 10 190 40">
<span class="ocr_line" id="table_1_row_1" title="bbox 10 10 190 40; baseline 0 0; x_size 0">
<span class="ocrx_word" id="table_1_cell_1_1" title="bbox 10 10 90 40; x_wconf 70">EXIT ONLY</span>
<span class="ocrx_word" id="table_1_cell_1_2" title="bbox 90 10 190 40; x_wconf 70"></span>
</span></p></div>"""
ENTITY = {"id": 1, "box": [20, 10, 120, 30], "text": "CARE"}
OTHER_LEVELS = {
    # The format, a file, the text of its region and the finding.
    "docTR, no words": (
        "doctr", doctr({"lines": [DOCTR_LINE | {"words": []}]}), None, ("U2", OF_LINES)),
    "docTR, no list": ("doctr", doctr({"lines": [DOCTR_LINE]}), None, ("U2", OF_LINES)),
    "docTR, blocks": ("doctr", doctr(DOCTR_LINE | {"lines": []}), None, ("U2", OF_BLOCKS)),
    "docTR, lines of blocks": (
        "doctr-lines", doctr(DOCTR_LINE | {"lines": []}), None, ("U2", OF_BLOCKS)),
    "Google, paragraphs": (
        "google-vision", google({"paragraphs": [{"boundingBox": {"vertices": VERTICES}, "words": []}]}),
        None, ("U2", OF_BLOCKS)),
    "Google, blocks": (
        "google-vision", google({"blockType": "TEXT", "boundingBox": {"vertices": VERTICES}}), None,
        ("U2", OF_BLOCKS)),
    "Google, the whole text": (
        "google-vision",
        {"textAnnotations": [{"description": "CARE", "boundingPoly": {"vertices": VERTICES}}]},
        "CARE", ("U2", OF_BLOCKS)),
    "Google, words": (
        "google-vision-lines",
        {"textAnnotations": [{}, {"description": "CARE", "boundingPoly": {"vertices": VERTICES}}]},
        "CARE", ("U2", "1 page without lines, of which the words are read")),
    "Textract, layout": ("textract", textract("LAYOUT_TEXT"), None, ("U2", OF_BLOCKS)),
    "hOCR, ocr_par": (
        "hocr", hocr("<p class='ocr_par' title='bbox 20 10 120 30'>CARE</p>"), "CARE",
        ("U2", OF_BLOCKS)),
    "hOCR, ocr_par in ocr_carea": (
        "hocr", hocr("<div class='ocr_carea' title='bbox 0 0 200 90'><p class='ocr_par' "
                     "title='bbox 20 10 120 30'>CARE</p></div>"), "CARE", ("U2", OF_BLOCKS)),
    "hOCR, ocr_par without a box": (
        "hocr", hocr("<div class='ocr_carea' title='bbox 20 10 120 30'><p class='ocr_par'>CARE</p></div>"),
        "CARE", ("U2", OF_BLOCKS)),
    "Azure": ("azure-read", {"analyzeResult": {
        "pages": [{"pageNumber": 1, **SIDES}], "paragraphs": [PARAGRAPH]}}, "CARE", ("U2", OF_BLOCKS)),
    "FUNSD": ("funsd", {"form": [ENTITY | {"words": []}]}, "CARE", ("U2", OF_LINES)),
}  # fmt: skip


@cases("case", OTHER_LEVELS)
def test_units_of_another_level_are_read_and_told(case):
    slug, data, text, told = OTHER_LEVELS[case]
    archive = opened(data, format=slug, sizes=lambda: {"img_1": (200, 100)})
    assert archive.errors == ()
    [region] = archive.regions["img_1"]
    assert region.box == pytest.approx((20, 10, 120, 30))
    assert (region.text, account(archive)) == (text, [told])


def test_two_paragraphs_of_hocr_that_are_not_closed_are_two():
    pars = "".join(f"<p class='ocr_par' title='bbox 20 {y} 120 30'>CARE" for y in (10, 20))
    archive = opened(hocr(pars), format="hocr")
    assert [of.box[1] for of in archive.regions["img_1"]] == [10, 20]
    assert account(archive) == [("U2", OF_BLOCKS)]


@cases(
    ("slug", "data", "told"),
    [
        ("textract", textract("TABLE", "CELL", "CELL", "FUTURE"), [
            "1 block of the type TABLE on a page without words",
            "2 blocks of the type CELL on pages without words",
            "1 block of the type FUTURE on a page without words"]),
        ("google-vision", google({"blockType": "PICTURE"}),
         ["1 picture, table or rule on a page without words"]),
        ("hiertext", {"image_id": "img_1", "paragraphs": [{"vertices": PAIRS}, {"lines": []}]},
         ["2 paragraphs without lines (first in img_1)"]),
        ("hocr", hocr("<p>CARE</p>\n<p>of</p>"), ["2 texts without boxes"]),
        ("doctr", doctr(layout=[DOCTR_LINE]), ["1 block of a layout"]),
        ("hocr", hocr(DOCTR_TABLE), ["2 cells of tables, whose words have no boxes"]),
        ("azure-read", {"analyzeResult": {"pages": [{"pageNumber": 1, **SIDES}], "tables": [{}, {}]}},
         ["2 pictures, tables or rules on pages without words"]),
    ],
)  # fmt: skip
def test_units_that_are_no_words_are_counted(slug, data, told):
    archive = opened(data, format=slug)
    assert archive.errors == ()
    assert (archive.n_regions, account(archive)) == (0, [("U1", of) for of in told])


def test_units_without_words_among_others_are_counted():
    words = [{"geometry": SHARES_OF_BOX, "value": "CARE"}]
    lines = [DOCTR_LINE | {"words": words}, DOCTR_LINE | {"words": []}]
    form = {"form": [ENTITY | {"words": [ENTITY]}, ENTITY | {"words": []}]}
    word = {"polygon": PAIRS, "text": "CARE"}
    surya = {"img_1": [{"text_lines": [word | {"words": [word]}, word]}]}
    for slug, data in (("doctr", doctr({"lines": lines})), ("funsd", form), ("surya-words", surya)):
        archive = opened(data, format=slug)
        assert [of.text for of in archive.regions["img_1"]] == ["CARE"]
        assert account(archive) == [("U1", "1 line without words among others")]


LABELME = {
    "version": "5.0.1",
    "imagePath": "img_1.jpg",
    "shapes": [{"label": "a", "points": PAIRS}],
}


@cases(
    ("slug", "data"),
    [
        ("funsd", {"form": [{}]}),
        ("azure-read", {"pages": [{}]}),
        ("doctr", {"pages": [{"dimensions": [100, 200]}]}),
        ("textract", {"Blocks": [{}]}),
        ("hiertext", {"image_id": "img_1"}),
        ("google-vision", {"fullTextAnnotation": {"text": "CARE"}}),
        ("label-studio", LABELME),
        ("label-studio", LABELME | {"shapes": []}),
        ("label-studio", [{"name": "img_1.jpg"}]),
        ("label-studio", [{"name": "img_1.jpg", "labels": [{"box2d": {"x1": 1}}]}]),
    ],
)
def test_a_page_without_anything_of_its_format_is_refused(slug, data):
    archive = opened(data, format=slug)
    assert (len(archive.errors), archive.n_regions) == (1, 0)


@cases(
    ("slug", "data", "images"),
    [
        ("coco-json", [], set()),
        ("coco-json", {"images": [{"id": 1, "file_name": "img_1"}], "annotations": []}, {"img_1"}),
        ("csv", b"image,left,top,right,bottom\n", set()),
        ("quad", zip_bytes({"img_1.txt": ""}), {"img_1"}),
        ("easyocr", None, {"img_1"}),
        ("easyocr", [[]], {"img_1"}),
        ("labelme", {"shapes": [], "imagePath": "img_1.jpg"}, {"img_1"}),
        ("doctr", doctr(), {"img_1"}),
        ("azure-read", {"analyzeResult": {"pages": [{"pageNumber": 1, **SIDES}]}}, {"img_1"}),
        ("hiertext", {"image_id": "img_1", "paragraphs": []}, {"img_1"}),
        ("textract", textract(), {"img_1"}),
        ("hocr", hocr("\n"), {"img_1"}),
        ("google-vision", {"responses": [{}]}, {"img_1"}),
        ("google-vision", {"fullTextAnnotation": {"pages": [], "text": ""}}, {"img_1"}),
        ("funsd", {"form": []}, {"img_1"}),
        ("label-studio", [{"image": "img_1.jpg", "annotator": 1, "annotation_id": 1}], {"img_1"}),
        ("label-studio", [{"data": {"image": "img_1.jpg"}}], {"img_1"}),
    ],
)
def test_an_empty_result_of_a_known_shape_is_no_boxes(slug, data, images):
    archive = opened(data, format=slug)
    assert (archive.problems, set(archive.regions), archive.n_regions) == ((), images, 0)


STRIP = [10, 10, 210, 150, 210, 170, 10, 30]
# An arch, whose curves stay below its upper control points.
CURVED = [10, 100, 40, 20, 80, 20, 110, 100, 90, 100, 70, 50, 50, 50, 30, 100]
ANNOTATION = {"image_id": 1, "bbox": [10, 10, 200, 160], "iscrowd": 0}


@cases(
    ("fields", "told"),
    [
        ({"bezier_pts": STRIP * 2, "rec": [35, 33, 96]},
         [("U1", "rec of 2 regions")]),
        ({"polys": STRIP, "rec": "CARE"}, []),
        ({"poly": STRIP, "rbox": [110, 90, 243, 16, 0.6]}, []),
        ({"polys": CURVED},
         [("U2", "2 regions whose 16 numbers as polys, read as corners, would be other outlines as "
                 "control points")]),
        ({"quad": STRIP}, [("U2", "2 regions with their outlines in quad, of which the bboxes are read")]),
        ({"difficult": True, "attributes": {"occluded": False, "word": "CARE"}},
         [("U1", "attributes.word, difficult of 2 regions")]),
        # The outline is read, and these are nothing of a text.
        ({"segmentation": [STRIP], "polys": STRIP}, []),
        ({"attributes": {"occluded": False}, "area": 4000}, []),
    ],
)  # fmt: skip
def test_fields_of_coco_that_are_not_read_are_named(fields, told):
    images = [{"id": 1, "file_name": "1.jpg"}]
    other = {**ANNOTATION, "bbox": [0, 0, 50, 50]}
    archive = opened({"images": images, "annotations": [ANNOTATION | fields, other | fields]})
    assert account(archive) == [(code, f"{found} (first in 1)") for code, found in told]


def test_control_points_of_spotters_are_sampled_along_their_curves():
    """The middle of a cubic curve is (first + 3 second + 3 third + last) / 8."""
    annotation = {"image_id": 1, "bezier_pts": CURVED}
    [region] = opened([annotation]).regions["1"]
    points = list(zip(region.points[::2], region.points[1::2], strict=True))
    assert [points[at] for at in (0, 19, 20, 39)] == [(10, 100), (110, 100), (90, 100), (30, 100)]
    middle = [(a + b) / 2 for a, b in zip(points[9], points[10], strict=True)]
    assert middle == pytest.approx([60, (100 + 3 * 20 + 3 * 20 + 100) / 8], abs=0.3)
    [refused] = opened([annotation | {"bezier_pts": CURVED[:12]}]).errors
    assert refused.found.startswith("12 numbers as bezier_pts")


def test_lines_of_hiertext_without_words_are_counted():
    word = {"vertices": PAIRS, "text": "CARE"}
    lines = [{"words": [word]}, {"words": [], "vertices": PAIRS}, {"words": []}]
    data = {"annotations": [{"image_id": "img_1", "paragraphs": [{"lines": lines}]}]}
    archive = opened(data, kind="truth", format="hiertext")
    assert account(archive) == [("U1", "2 lines without words (first in img_1)")]


# Fields, annotations and lines that are not read


FLAGGED = {"difficult": True, "attributes": {"word": "CARE"}}
UNREAD = "attributes.word, difficult of 1 region (first in img_1)"


@cases(
    ("slug", "data"),
    [
        ("art-json", {"gt_img_1": [{"points": PAIRS, **FLAGGED}]}),
        ("mmocr", {"data_list": [{"img_path": "img_1.jpg", "instances": [{"polygon": BOX, **FLAGGED}]}]}),
        ("rects-json", {"chars": [], "lines": [{"points": BOX, **FLAGGED}]}),
        ("easyocr", {"img_1": [{"box": PAIRS, **FLAGGED}]}),
        (
            "hiertext",
            {"image_id": "img_1", "paragraphs": [{"lines": [{"words": [{"vertices": PAIRS, **FLAGGED}]}]}]},
        ),
    ],
)  # fmt: skip
def test_fields_that_look_like_data_and_are_not_read_are_named(slug, data):
    archive = opened(data, kind="truth", format=slug)
    [region] = archive.regions["img_1"]
    assert (region.text, region.ignored) == (None, False)
    assert account(archive) == [("U1", UNREAD)]


@cases(
    ("attributes", "found"),
    [
        ({"difficult": "yes", "language": "fr"}, "region_attributes.difficult"),
        ({"confidence": "0.9"}, "region_attributes.confidence"),
        ({"difficult": "false", "text": "CARE", "transcription": "CARE", "ignored": True}, ""),
    ],
)
def test_attributes_of_via_that_are_not_read_are_named(attributes, found):
    shape = {"name": "rect", "x": 38, "y": 43, "width": 88, "height": 17}
    region = {"shape_attributes": shape, "region_attributes": attributes}
    as_json = {"img_1.jpg9": {"filename": "img_1.jpg", "size": 9, "regions": [region]}}
    head = "filename,file_size,file_attributes,region_count,region_id"
    parts = (json.dumps(of).replace('"', '""') for of in (shape, attributes))
    table = f"{head},region_shape_attributes,region_attributes\nimg_1.jpg,9,{{}},1,0,"
    table += ",".join(f'"{part}"' for part in parts) + "\n"
    for archive in (
        opened(as_json, kind="truth"),
        opened(table.encode(), kind="truth", name="via.csv", format="via"),
    ):
        assert account(archive) == (
            [("U1", f"{found} of 1 region (first in img_1)")] if found else []
        )


def test_what_is_read_under_another_name_is_not_named():
    # A reader stops at the first sign that a region is ignored.
    shape = {"label": "text", "points": PAIRS, "flags": {"ignored": True}, "difficult": True}
    archive = opened({"shapes": [shape], "imagePath": "img_1.jpg"}, kind="truth", format="labelme")
    assert archive.regions["img_1"][0].ignored
    assert account(archive) == []


@cases("turn", [{"rotation": 30.0}, {"attributes": {"rotation": 30.0}}])
def test_a_turn_of_a_box_that_is_not_read_is_named(turn):
    # CVAT's COCO has the box as it was before it was turned.
    box = {"image_id": "img_1", "bbox": [38, 43, 88, 17]}
    archive = opened([box | turn], format="coco-json")
    assert archive.regions["img_1"][0].points == BOX
    [(code, found)] = account(archive)
    assert code == "U2"
    assert "rotation, of which the bbox is read" in found
    upright = opened(
        [box | {"attributes": {"rotation": 0.0, "occluded": False}}], format="coco-json"
    )
    assert account(upright) == []


def test_a_confidence_that_google_does_not_give_is_none():
    # AnnotateImageResponse.to_json of google-cloud-vision 3.16.0 writes 0 for it.
    corners = [{"x": x, "y": y} for x, y in PAIRS]
    word = {
        "description": "CARE",
        "confidence": 0.0,
        "score": 0.0,
        "boundingPoly": {"vertices": corners},
    }
    archive = opened({"textAnnotations": [word, word]})
    [region] = archive.regions["img_1"]
    assert (region.text, region.confidence) == ("CARE", None)
    assert account(archive) == []


DOTA = "72 50 141 46 142 64 72 67 text {}\n"


def test_a_class_and_difficult_behind_the_coordinates_are_asked(tmp_path):
    # As datumaro 1.13.12 writes DOTA's labels; "text 0" may be a transcription, too.
    content = zip_bytes({"img_1.txt": DOTA.format(0) + DOTA.format(1)})
    archive = opened(content, kind="truth", name="gt.zip")
    [question] = archive.questions
    assert question.code == "F1"
    assert question.expected.endswith("quad or quad-class-difficult")
    read_as = opened(content, kind="truth", name="gt.zip", format="quad-class-difficult")
    regions = read_as.regions["img_1"]
    assert [(of.label, of.text, of.ignored) for of in regions] == [
        ("text", None, False),
        ("text", None, True),
    ]
    mixed = zip_bytes({"img_1.txt": DOTA.format(0) + "72 50 141 46 142 64 72 67 CARE\n"})
    assert not opened(mixed, kind="truth", name="gt.zip").questions
    wrong = opened(mixed, kind="truth", name="gt.zip", format="quad-class-difficult")
    assert wrong.errors
