"""Formats that a table declares: files of each, what they leave out, and questions that they ask."""

import io
import json
from pathlib import Path

from protocols.core.regions import Region
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.doors.files_of_documents import OF_JSON, WORDS, flat
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.cases import cases

# Files that globox 2.9.0 wrote, with the boxes text at 38, 43, 126, 60 and logo at 10.5, 20, 30, 31.25.
WRITTEN = Path(__file__).parent / "written"
BOX = (38, 43, 126, 43, 126, 60, 38, 60)
LOW = (38, 63, 126, 63, 126, 80, 38, 80)
SLANTED = (40, 20, 90, 30, 86, 50, 36, 40)
BOTH = [(tuple(flat(corners)), text) for corners, text in WORDS]
PAIRS = [[40, 20], [90, 30], [86, 50], [36, 40]]


def opened(data, name="img_1.json", kind="results", format=None):
    if isinstance(data, dict | list):
        data = json.dumps(data)
    content = data if isinstance(data, bytes) else data.encode()
    return read(io.BytesIO(content), kind=kind, name=name, format=format)


def what(archive, image="img_1"):
    return [
        (tuple(round(value, 6) for value in of.points), of.text, of.confidence)
        for of in archive.regions[image]
    ]


def account(archive):
    return [(of.code, of.found) for of in archive.problems]


def with_photograph(data):
    files = {"img_1.json": json.dumps(data), "img_1.png": picture_bytes(200, 100)}
    return opened(zip_bytes(files), "set.zip")


def corners(*points):
    return {f"{axis}{n}": of[at] for n, of in enumerate(points, 1) for at, axis in enumerate("xy")}


ONEOCR = {
    "text": "CARE of",
    "text_angle": 0.1,
    "lines": [
        {
            "text": "CARE of",
            "bounding_rect": corners((38, 43), (126, 43), (126, 60), (38, 60)),
            "words": [
                {"text": "CARE", "bounding_rect": corners(*PAIRS), "confidence": 0.97},
                {"text": "of", "bounding_rect": corners((38, 63), (126, 63), (126, 80), (38, 80))},
            ],
        }
    ],
}
KRAKEN = OF_JSON["kraken-json"].content


@cases(
    ("data", "slug", "expected"),
    [
        (ONEOCR, "windows-ocr", [(SLANTED, "CARE", 0.97), (LOW, "of", None)]),
        ({"jobId": "1", "data": OF_JSON["tesseract-js"].content}, "tesseract-js",
         [(of, text, 0.975) for of, text in BOTH]),
        ({**KRAKEN, "lines": [{"boundary": PAIRS, "text": "CARE"}]}, "kraken-json",
         [(SLANTED, "CARE", None)]),
        ({**KRAKEN, "type": "bbox", "lines": [{"bbox": [38, 43, 126, 60], "text": "CARE"}]},
         "kraken-json", [(BOX, "CARE", None)]),
    ],
)  # fmt: skip
def test_results_of_engines_are_recognised_and_read(data, slug, expected):
    guessed = guess(io.BytesIO(json.dumps(data).encode()), "img_1.json")
    assert (guessed.kind, guessed.format) == ("results", slug)
    archive = opened(data)
    assert (what(archive), account(archive)) == (expected, [])


def test_lines_without_words_are_counted_or_read_instead():
    line = {"text": "of", "bounding_rect": corners(*PAIRS)}
    archive = opened({"lines": [*ONEOCR["lines"], line]})
    assert [text for _, text, _ in what(archive)] == ["CARE", "of"]
    assert account(archive) == [("U1", "1 line without words among others")]
    alone = opened({"lines": [{**line, "words": []}]})
    assert what(alone) == [(SLANTED, "of", None)]
    assert account(alone) == [("U2", "1 line without words")]


def test_shares_of_apple_vision_run_upwards():
    """A box from 0.4 to 0.57 of 100 rows, counted from below, is 43 to 60 from above."""
    archive = with_photograph([["CARE", 0.5, [0.19, 0.4, 0.44, 0.17]]])
    assert (archive.format, what(archive)) == ("apple-vision", [(BOX, "CARE", 0.5)])
    by_image = opened({"img_1.png": [["CARE", 0.5, [0.19, 0.4, 0.44, 0.17]]]})
    assert by_image.format == "apple-vision"
    assert [of.found for of in by_image.errors] == [
        "shares of 1 image whose size is not known (img_1.png)"
    ]


def test_cells_of_docling_are_words_in_points_of_a_page_with_y_upwards():
    """The page is 100 x 50 points, its picture 200 x 100 px: 20 to 28.5 points are 60 to 43 px."""
    content = (WRITTEN / "docling-core-2.104.0-page.json").read_text()
    photograph = picture_bytes(200, 100)
    archive = opened(zip_bytes({"img_1.json": content, "img_1.png": photograph}), "set.zip")
    assert (archive.format, account(archive)) == ("docling-parse", [])
    assert what(archive) == [(BOX, "CARE", 1.0), (LOW, "of", 1.0)]
    lines = json.dumps({**json.loads(content), "word_cells": []})
    archive = opened(zip_bytes({"img_1.json": lines, "img_1.png": photograph}), "set.zip")
    assert what(archive) == [((38, 43, 126, 43, 126, 80, 38, 80), "CARE of", 1.0)]
    assert account(archive) == [("U2", "1 line without words")]
    [problem] = opened(content).errors
    assert problem.found.startswith("shares of 1 image whose size is not known")


BOX_PAIRS = [[38, 43], [126, 43], [126, 60], [38, 60]]
RAPIDOCR = {"boxes": [PAIRS, BOX_PAIRS], "txts": ["a", "CARE"]}


def test_lists_of_rapidocr_are_regions_if_they_are_equally_long():
    archive = opened({**RAPIDOCR, "scores": [0.5, 0.97]})
    assert (archive.format, account(archive)) == ("rapidocr", [])
    assert what(archive) == [(SLANTED, "a", 0.5), (BOX, "CARE", 0.97)]
    assert what(opened(RAPIDOCR)) == [(SLANTED, "a", None), (BOX, "CARE", None)]
    assert account(opened({**RAPIDOCR, "scores": [0.5]})) == [("L1", "1 scores for boxes")]
    assert opened({"boxes": [], "txts": []}).regions == {"img_1": ()}


def test_words_of_rapidocr_are_read_alone_or_where_they_are_asked_for():
    """They are the ``word_results`` of a result, as JSON, or a member of it with its lines."""
    lines = [
        [["CARE", 0.97, BOX_PAIRS], ["a", 0.5, PAIRS]],
        [["CARE", 0.9, [[0, 0], [9, 0], [9, 9]]]],
    ]
    expected = [(BOX, "CARE", 0.97), (SLANTED, "a", 0.5), ((0, 0, 9, 0, 9, 9), "CARE", 0.9)]
    alone = opened(lines)
    assert (alone.format, what(alone), account(alone)) == ("rapidocr-words", expected, [])
    both = {**RAPIDOCR, "word_results": lines}
    assert what(opened(both, format="rapidocr-words")) == expected
    archive = opened(both)
    assert (archive.format, len(archive.regions["img_1"])) == ("rapidocr", 2)
    assert account(archive) == [("U2", "3 words inside lines (first in img_1)")]


def test_an_entity_of_a_form_without_words_has_no_parent():
    entity = {"id": 7, "box": [38, 43, 126, 60], "text": "CARE", "label": "header"}
    document = {"id": "fr_0", "img": {"fname": "img_1.jpg"}, "document": [entity]}
    [region] = opened({"documents": [document]}).regions["img_1"]
    assert region == Region(BOX, "CARE", label="header", id="7")


BOX_2D = [{"bbox_2d": [38, 43, 126, 60], "label": "word", "text_content": "CARE"}]


def test_boxes_of_language_models_are_pixels_or_thousandths():
    large = opened([{**BOX_2D[0], "bbox_2d": [38, 43, 1260, 60]}])
    assert large.format == "bbox-2d"
    assert large.regions["img_1"][0].label == "word"
    assert account(large) == []
    [question] = opened(BOX_2D).questions
    assert (question.code, opened(BOX_2D).formats) == ("F1", ("bbox-2d", "bbox-2d-1000"))
    assert what(opened(BOX_2D, format="bbox-2d")) == [(BOX, "CARE", None)]
    shares = zip_bytes(
        {
            "img_1.json": json.dumps([{"bbox_2d": [190, 430, 630, 600], "text_content": "CARE"}]),
            "img_1.png": picture_bytes(200, 100),
        }
    )
    assert what(opened(shares, "a.zip", format="bbox-2d-1000")) == [(BOX, "CARE", None)]


SUPERVISELY, DARWIN = OF_JSON["supervisely"].content, OF_JSON["darwin"].content
POLYGON = {"classTitle": "text", "tags": [], "points": {"exterior": PAIRS, "interior": []}}
SIDES = {"width": 800, "height": 400}
XY = [{"x": x, "y": y} for x, y in PAIRS]


@cases(
    ("data", "slug", "name"),
    [
        ({**SUPERVISELY, "objects": [*SUPERVISELY["objects"], POLYGON]}, "supervisely", "img_1.jpg.json"),
        *(({**DARWIN, "annotations": [*DARWIN["annotations"], {"name": "text", "polygon": polygon}], **more},
           "darwin", "export.json")
          for polygon, more in (
              ({"paths": [XY]}, {}),
              ({"path": XY}, {"item": None, "image": {"filename": "img_1.jpg", **SIDES}}))),
    ],
)  # fmt: skip
def test_annotation_tools_are_read_as_ground_truth(data, slug, name):
    archive = opened(data, name, "truth")
    assert guess(io.BytesIO(json.dumps(data).encode()), name).kind == "truth"
    assert (archive.format, account(archive)) == (slug, [])
    assert what(archive) == [*((of, text, None) for of, text in BOTH), (SLANTED, None, None)]
    assert archive.regions["img_1"][-1].label == "text"
    assert archive.sizes == {"img_1": (800, 400)}


def test_holes_of_supervisely_are_counted():
    hole = [[44, 24], [60, 28], [56, 34]]
    shape = {"geometryType": "polygon", "points": {"exterior": PAIRS, "interior": [hole]}}
    archive = opened(SUPERVISELY | {"objects": [shape]}, "img_1.jpg.json", "truth")
    assert what(archive) == [(SLANTED, None, None)]
    assert account(archive) == [("U1", "1 shape of another type (first in img_1)")]


def test_an_object_of_several_outlines_is_refused():
    several = {**DARWIN, "annotations": [{"name": "word", "polygon": {"paths": [XY, XY]}}]}
    [problem] = opened(several, kind="truth").errors
    assert problem.found == "2 outlines of a region (region 1 of img_1)"


def voc(objects, size="<size><width>200</width><height>100</height></size>"):
    return (
        f"<annotation><folder>a</folder><filename>img_1.jpg</filename>{size}{objects}</annotation>"
    )


def voc_object(xmin=39, more=""):
    return (
        f"<object><name>word</name>{more}<bndbox><xmin>{xmin}</xmin><ymin>44</ymin><xmax>126</xmax>"
        "<ymax>60</ymax></bndbox></object>"
    )


def test_pixels_of_pascal_voc_are_counted_from_1():
    text = "<attributes><attribute><name>text</name><value>CARE</value></attribute></attributes>"
    archive = opened(
        voc(
            voc_object(more=f"<difficult>0</difficult>{text}")
            + voc_object(1, "<difficult>1</difficult>")
        ),
        "img_1.xml",
        "truth",
    )
    assert (archive.format, account(archive)) == ("voc-xml", [])
    assert archive.regions["img_1"] == (
        Region(BOX, "CARE", label="word"),
        Region.from_box(0, 43, 126, 60, ignored=True, label="word"),
    )
    empty = opened(voc(""), "img_1.xml", "truth")
    assert (dict(empty.regions), account(empty)) == ({"img_1": ()}, [])


def test_boxes_of_globox_come_back_and_pixels_from_0_are_asked_about():
    content = (WRITTEN / "globox-2.9.0-voc.xml").read_bytes()
    [question] = opened(content, "a.xml", "truth").questions
    assert (question.code, question.found) == ("F1", "pixels that are not counted from 1")
    expected = [(BOX, "text"), ((10.5, 20, 30, 20, 30, 31.25, 10.5, 31.25), "logo")]
    as_voc = opened(content, "a.xml", "truth", "voc-xml-0")
    assert [(of.points, of.label) for of in as_voc.regions["img_1"]] == expected
    as_cvat = opened((WRITTEN / "globox-2.9.0-cvat.xml").read_bytes(), "a.xml", "truth")
    assert (as_cvat.format, account(as_cvat)) == ("cvat-xml", [])
    assert [(of.points, of.label) for of in as_cvat.regions["img_1"]] == expected
    assert as_cvat.regions["img_2"] == ()


CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><task><name>a</name></task></meta>
<image id="0" name="set/img_1.jpg" width="200" height="100">
<box label="word" xtl="38" ytl="43" xbr="126" ybr="60"><attribute name="text">CARE</attribute></box>
<polygon label="word" points="40.0,20.0;90,30;86,50;36,40">
<attribute name="ignored">true</attribute></polygon>
<box label="word" xtl="100" ytl="35" xbr="120" ybr="45" rotation="90.0"></box>
<polyline label="word" points="1,1;2,2"></polyline><mask label="word" rle="1"/>
</image></annotations>"""


def test_cvat_has_boxes_turned_boxes_and_polygons_and_counts_other_shapes():
    archive = opened(CVAT, "annotations.xml", "truth")
    assert archive.format == "cvat-xml"
    # Boxes come before polygons; (110, 40) is the centre of the turned box.
    assert what(archive) == [
        (BOX, "CARE", None),
        ((115, 30, 115, 50, 105, 50, 105, 30), None, None),
        (SLANTED, None, None),
    ]
    assert [of.ignored for of in archive.regions["img_1"]] == [False, False, True]
    assert account(archive) == [("U1", "2 shapes of other types (first in img_1)")]


def test_texts_of_manga109_are_read_by_page():
    book = (
        '<book title="A"><characters/><pages><page index="0" width="200" height="100"/>'
        '<page index="3" width="200" height="100"><face xmin="1" ymin="1" xmax="9" ymax="9" id="0"/>'
        '<text id="0a" xmin="38" ymin="43" xmax="126" ymax="60">CARE</text></page></pages></book>'
    )
    archive = opened(book, "A.xml", "truth")
    assert archive.format == "manga109"
    assert archive.regions == {"000": (), "003": (Region(BOX, "CARE", id="0a"),)}
    assert account(archive) == [("U1", "1 shape of another type (first in 003)")]


def characters(text, left=38):
    """Return characters of 10 px each, the first of which starts a word."""
    return "".join(
        f'<charParams l="{left + 10 * at}" t="43" r="{left + 10 * at + 10}" b="60"'
        f' wordStart="{"true" if at == 0 else "false"}">{sign}</charParams>'
        for at, sign in enumerate(text)
    )


def abbyy(line, page='width="200" height="100"'):
    return (
        '<document xmlns="http://www.abbyy.com/FineReader_xml/FineReader10-schema-v1.xml"'
        f' version="1.0"><page {page}><block blockType="Text"><text><par><line baseline="60" l="38"'
        f' t="43" r="126" b="60"><formatting lang="en">{line}</formatting></line></par></text></block>'
        '<block blockType="Picture" l="1" t="1" r="9" b="9"/></page></document>'
    )


@cases(
    ("line", "expected"),
    [
        (
            characters("CARE") + characters(" ", 78) + characters("of", 88),
            [("CARE", 38, 78), ("of", 88, 108)],
        ),
        # A word that begins without a blank before it.
        (characters("CARE") + characters("of", 88), [("CARE", 38, 78), ("of", 88, 108)]),
        ("CARE of", [("CARE of", 38, 126)]),
    ],
)
def test_words_of_abbyy_are_put_together_from_characters(line, expected):
    archive = opened(abbyy(line), "img_1.xml")
    assert archive.format == "abbyy-xml"
    found = [(of.text, of.box[0], of.box[2]) for of in archive.regions["img_1"]]
    assert (found, archive.sizes) == (expected, {"img_1": (200, 100)})
    assert account(archive) == ([("U2", "1 line without words")] if len(expected) == 1 else [])
