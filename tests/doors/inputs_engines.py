"""Files of engines and annotation tools that were read wrong, in silence, or under a wrong name.

The numbers of the headings are those of ``cases/turn4/engines.md`` of the shared documents; each right
value is the one it gives, or is worked out from the file by hand.
"""

# Files as they are, in few lines.
# ruff: noqa: E501

import json

from tests.support.archives import picture_bytes

from .inputs import HEADER, Input

HE = (40, 40, 80, 70)
SAID = (100, 40, 180, 70)
CARE = (38, 43, 126, 60)
PAIRS = [[38, 43], [126, 43], [126, 60], [38, 60]]
PAGE = (700, 320)
SMALL = (200, 100)


def csv_of(*words, image="p"):
    rows = "".join(
        f"{image},{','.join(map(str, outline))},{text or ''}\n" for outline, text in words
    )
    return f"{HEADER}{rows}"


def found(
    file,
    *words,
    truth=((HE, "He"),),
    image="p",
    method="east",
    figures=(1.0, 1.0),
    empty=(),
    **more,
):
    """Return a file of an engine as results, with the words that it holds, and images without any."""
    none = {name: [] for name in empty}
    return Input(
        truth=("gt.csv", csv_of(*truth, image=image) + "".join(f"{name},,,,,\n" for name in empty)),
        results=file,
        expected_truth={image: [(outline, text, False) for outline, text in truth], **none},
        expected_results={image: [(outline, text, False) for outline, text in words], **none},
        figures=figures,
        method=method,
        **more,
    )


def annotated(file, *words, image="img_1", results=((CARE, None),), figures=(1.0, 1.0), **more):
    """Return a file of an annotation tool as ground truth; a word may be ignored by a third value."""
    rows = "".join(f"{image},{','.join(map(str, outline))}\n" for outline, _ in results)
    return Input(
        truth=file,
        results=("east.csv", f"image,left,top,right,bottom\n{rows}"),
        expected_truth={image: [(*of, False) if len(of) == 2 else of for of in words]},
        expected_results={image: [(outline, text, False) for outline, text in results]},
        figures=figures,
        **more,
    )


def refused(file, *parts, code="A1", image="img_1", **more):
    return Input(
        truth=("gt.csv", csv_of((CARE, "CARE"), image=image)),
        results=file,
        refused=parts,
        expected_truth={image: [(CARE, "CARE", False)]},
        codes=frozenset({code}),
        **more,
    )


def photographs(size, *names):
    return ("photographs.zip", {f"{name}.png": picture_bytes(*size) for name in names})


BLANK = ("1 word or line without text",)
U1, U2 = frozenset({"U1"}), frozenset({"U2"})


def alto(inside, page='WIDTH="200" HEIGHT="100"'):
    return f"<alto><Layout><Page {page}>{inside}</Page></Layout></alto>"


STRING = '<String CONTENT="{}" HPOS="{}" VPOS="40" WIDTH="{}" HEIGHT="30"/>'


def hocr(inside, title="image p.png; bbox 0 0 200 100"):
    return f'<html><body><div class="ocr_page" title="{title}">{inside}</div></body></html>'


def word(box, text, more=""):
    return f'<span class="ocrx_word" title="bbox {" ".join(map(str, box))}{more}">{text}</span>'


def line(inside, box="40 40 180 70"):
    return f'<span class="ocr_line" title="bbox {box}">{inside}</span>'


def pcgts(inside):
    return (
        '<PcGts><Page imageFilename="p.png" imageWidth="200" imageHeight="100"><TextRegion id="r">'
        f'<Coords points="0,0 200,0 200,100 0,100"/>{inside}</TextRegion></Page></PcGts>'
    )


def coords(left, top, right, bottom):
    return f'<Coords points="{left},{top} {right},{top} {right},{bottom} {left},{bottom}"/>'


def equiv(text, more=""):
    return f"<TextEquiv{more}><Unicode>{text}</Unicode></TextEquiv>"


GLYPH = f'<Glyph id="g">{coords(40, 40, 60, 70)}{equiv("H", " conf=" + chr(34) + "0.5" + chr(34))}</Glyph>'
LINE = coords(40, 40, 180, 70)
OF_PAGES = {
    "F1, ALTO with outlines of glyphs": found(
        ("east.xml", alto(
            '<TextLine ID="l"><String CONTENT="He" HPOS="40" VPOS="40" WIDTH="40" HEIGHT="30"><Shape><Polygon '
            'POINTS="40 40 80 40 80 70 40 70"/></Shape><Glyph CONTENT="e"><Shape><Polygon POINTS="60 40 80 40 80 70 60 70"/>'
            "</Shape></Glyph></String></TextLine>")),
        (HE, "He"), image="east"),
    "F1, glyphs of a string with sides alone": found(
        ("east.xml", alto(
            '<TextLine ID="l"><String CONTENT="He" HPOS="40" VPOS="40" WIDTH="40" HEIGHT="30"><Glyph CONTENT="e"><Shape>'
            '<Polygon POINTS="60 40 80 40 80 70 60 70"/></Shape></Glyph></String></TextLine>')),
        (HE, "He"), image="east"),
    "F2, PAGE with glyphs before the text of the word": found(
        ("east.xml", pcgts(f'<TextLine id="l">{LINE}<Word id="w">{coords(*HE)}{GLYPH}{equiv("He")}</Word></TextLine>')),
        (HE, "He")),
    "F2, the lowest index among several texts": found(
        ("east.xml", pcgts(
            f"<TextLine id='l'>{LINE}<Word id='w'>{coords(*HE)}{equiv('other', ' index=' + repr('1'))}"
            f"{equiv('He', ' index=' + repr('0'))}</Word></TextLine>")),
        (HE, "He")),
    "F3, hOCR with boxes of characters": found(
        ("east.hocr", hocr(line(word(HE, '\n <span class="ocrx_cinfo" title="x_bboxes 40 40 60 70">H</span>\n '
                                         '<span class="ocrx_cinfo" title="x_bboxes 60 40 80 70">e</span>\n', "; x_wconf 96")))),
        (HE, "He")),
    "F4, XML of another kind": refused(("east.xml", "<document><anything/></document>"), "east.xml", "found", image="east"),
    "F4, blocks of ABBYY without text": found(
        ("east.xml", '<document xmlns="x"><page width="200" height="100"><block l="40" t="40" r="80" b="70"/></page></document>'),
        image="east", figures=(0.0, 0.0), said=("1 block without lines",), codes=U1),
    "F7, blanks of kraken in hOCR": found(
        ("east.hocr", hocr(line(word(HE, "He") + word((80, 40, 100, 70), " ") + word(SAID, "said")))),
        (HE, "He"), (SAID, "said"), truth=((HE, "He"), (SAID, "said")), said=BLANK, codes=U1),
    "F7, blanks of kraken in PAGE": found(
        ("east.xml", pcgts(f'<TextLine id="l">{LINE}<Word id="v">{coords(*HE)}{equiv("He")}</Word>'
                           f'<Word id="w">{coords(80, 40, 100, 70)}{equiv(" ")}</Word></TextLine>')),
        (HE, "He"), said=BLANK, codes=U1),
    "F7, blanks in ALTO": found(
        ("east.xml", alto(f'<TextLine>{STRING.format("He", 40, 40)}{STRING.format(" ", 80, 20)}</TextLine>')),
        (HE, "He"), image="east", said=BLANK, codes=U1),
    "F9, lines of hOCR without words": found(
        ("east.hocr", hocr(line("He said"))), ((40, 40, 180, 70), "He said"), truth=(((40, 40, 180, 70), "He said"),),
        said=("1 page without words, of which the lines are read",), codes=U2),
    "F9, a line of PAGE without words among others": found(
        ("east.xml", pcgts(f'<TextLine id="a">{LINE}<Word id="w">{coords(*HE)}{equiv("He")}</Word></TextLine>'
                           f'<TextLine id="b">{coords(40, 80, 180, 95)}{equiv("CARE")}</TextLine>')),
        (HE, "He"), said=("1 line without words among others",), codes=U1),
    "F12, a name that pytesseract made up": found(
        ("p.hocr", hocr(line(word(HE, "He")), "image &quot;/tmp/tess_ab12cd34_input.PNG&quot;; bbox 0 0 200 100")),
        (HE, "He"), method="p"),
    "F12, the name “unknown” of tesserocr": found(
        ("east.zip", {"p.hocr": hocr(line(word(HE, "He")), "image &quot;unknown&quot;; bbox 0 0 200 100")}), (HE, "He")),
    "F12, a name of standard input in ALTO": found(
        ("east.zip", {"p.xml": alto(f'<TextLine>{STRING.format("He", 40, 40)}</TextLine>').replace(
            "<Layout>", "<Description><sourceImageInformation><fileName>-</fileName></sourceImageInformation></Description><Layout>")}),
        (HE, "He")),
    "F14, a string of ALTO without sides": found(
        ("east.xml", alto('<TextLine HPOS="40" VPOS="40" WIDTH="140" HEIGHT="30"><Shape><Polygon POINTS="40 40 180 40 180 70 40 70"/>'
                          '</Shape><String CONTENT="He said"/></TextLine>')),
        ((40, 40, 180, 70), "He said"), image="east", truth=(((40, 40, 180, 70), "He said"),),
        said=("1 page without words, of which the lines are read",), codes=U2),
}  # fmt: skip


def two_pages(name, content, **more):
    """Return pages of one file, with a word each."""
    images = [f"scan_{at}" for at in (1, 2)]
    rows = "".join(f"{image},40,40,80,70,He\n" for image in images)
    words = {image: [(HE, "He", False)] for image in images}
    return Input(
        truth=("gt.csv", f"{HEADER}{rows}"), results=(name, content), method="scan",
        expected_truth=words, expected_results=words, figures=(1.0, 1.0), **more,
    )  # fmt: skip


OF_MANY_PAGES = {
    "F13, pages of hOCR": two_pages(
        "scan.hocr",
        "<html><body>" + "".join(
            f"<div class='ocr_page' title='image \"scan.tif\"; bbox 0 0 200 100; ppageno {at}'>{line(word(HE, 'He'))}</div>"
            for at in (0, 1)) + "</body></html>"),
    "F13, pages of ALTO": two_pages(
        "scan.xml",
        "<alto><Layout>" + f'<Page WIDTH="200" HEIGHT="100"><TextLine>{STRING.format("He", 40, 40)}</TextLine></Page>' * 2
        + "</Layout></alto>"),
}  # fmt: skip

SEGMENT = (70, 32, 210, 32, 245, 64, 210, 96, 70, 96)
LABELS = ("labels that the ground truth does not have",)
F10 = frozenset({"F10"})
BOXES_OF_TESSERACT = {
    # 320 - 60 = 260 and 320 - 43 = 277: the height of the page less y from above.
    "wordstrbox": "WordStr 38 260 126 277 0 #CARE \n\t 126 260 127 277 0\nWordStr 30 38 671 41 0 #  \n\t 671 38 672 41 0\n",
    "lstmbox": "C 38 260 126 277 0\n  38 260 126 277 0\nA 38 260 126 277 0\n\t 126 260 127 277 0\n",
}
WORDS = {"image": "img_1", "truth": ((CARE, "CARE"),)}
SECOND = "0 0.9 0.117143 0.160938 0.125714 0.053125\n0 0.95 0.5 0.5 0.4 0.05\n"
OF_ENGINES = {
    "F5, segments of YOLO": annotated(
        ("gt.zip", {"img_1.txt": "0 0.1 0.1 0.3 0.1 0.35 0.2 0.3 0.3 0.1 0.3\n"}), (SEGMENT, None),
        results=(((70, 32, 245, 96), None),), photographs=photographs(PAGE, "img_1"),
        said=("no labels, which the ground truth has",), codes=F10),
    "F5, segments with confidences": found(
        ("east.zip", {"img_1.txt": "0 0.1 0.1 0.3 0.1 0.35 0.2 0.3 0.3 0.1 0.3 0.88\n"}), (SEGMENT, None),
        truth=(((70, 32, 245, 96), "CARE"),), image="img_1", photographs=photographs(PAGE, "img_1"), said=LABELS, codes=F10),
    "F5, a track of YOLO": refused(
        ("east.zip", {"img_1.txt": "0 0.2 0.3 0.1 0.05 0.77 12\n"}), "the number of a track",
        code="L1", photographs=photographs(PAGE, "img_1")),
    "F6, tables of docTR": found(
        ("img_1.json", {"pages": [{"page_idx": 0, "dimensions": [320, 700], "blocks": [], "layout": [], "tables": [
            {"geometry": [[0.1, 0.45], [0.7, 0.65]], "num_rows": 1, "num_cols": 1, "confidence": 0.9, "cells": [
                {"geometry": [[0.1, 0.45], [0.4, 0.65]], "value": "apple", "confidence": 0.7,
                 "row_start": 0, "row_end": 0, "col_start": 0, "col_end": 0}]}]}]}),
        method="img_1", figures=(0.0, 0.0), said=("1 cell of",), codes=U1, **WORDS),
    **{f"F8 and F16, {name}": found(
        ("east.zip", {"img_1.box": content}), (CARE, {"wordstrbox": "CARE", "lstmbox": "C A"}[name]),
        photographs=photographs(PAGE, "img_1"), said=BLANK * (name == "wordstrbox"),
        codes=U1 if name == "wordstrbox" else frozenset(), **WORDS)
       for name, content in BOXES_OF_TESSERACT.items()},
    "F11a, YOLO with the confidence second": found(
        # Read with the confidence last, the second box would reach from 0.7 to 1.2.
        ("east.zip", {"img_1.txt": SECOND}), (None, None), (None, None),
        truth=((CARE, "CARE"), ((210, 152, 490, 168), "of")), image="img_1", photographs=photographs(PAGE, "img_1"),
        said=("only if the confidence is the second field",), codes=frozenset({"F1", "F10"})),
    "F11c, a failed job of Textract": refused(
        ("img_1.json", {"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE", "Blocks": []}),
        "a job with the status “FAILED”: “INVALID_IMAGE_TYPE”"),
    "F11c, a job of Textract in progress": refused(
        ("img_1.json", {"JobStatus": "IN_PROGRESS", "Blocks": []}), "a job with the status “IN_PROGRESS”"),
    "F11c, a failed job of Azure": refused(
        ("img_1.json", {"status": "failed", "error": {"code": "InvalidImage"}, "analyzeResult": {"readResults": []}}),
        "an operation with the status “failed”", "InvalidImage"),
    "F11c, an error of Google": refused(
        ("img_1.json", {"responses": [{"error": {"code": 3, "message": "Bad image data."}}]}), "Bad image data."),
    # 0.117143 +- 0.062857 of 700, and 0.160938 +- 0.0265625 of 320; the second class is the box's.
    "a folder of Darknet, as CVAT and datumaro write it": annotated(
        ("gt.zip", {"obj.data": "classes = 2\ntrain = data/train.txt\nnames = data/obj.names\n", "obj.names": "street sign\ntext\n",
                    "train.txt": "data/obj_train_data/img_1.jpg\n",
                    "obj_train_data/img_1.txt": "1 0.117142857 0.1609375 0.125714286 0.053125\n"}),
        (CARE, None), photographs=photographs(PAGE, "img_1"), said=("names of classes in classes.txt or obj.names", "no labels"),
        codes=frozenset({"N1", "F10"})),
    "a folder of Pascal VOC, with its lists": annotated(
        ("gt.zip", {"labelmap.txt": "# label:color_rgb:parts:actions\ntext:::\n", "ImageSets/Main/train.txt": "img_1\n",
                    "Annotations/img_1.xml": "<annotation><filename>img_1.jpg</filename><object><name>text</name><bndbox><xmin>39</xmin>"
                    "<ymin>44</ymin><xmax>126</xmax><ymax>60</ymax></bndbox></object></annotation>"}),
        (CARE, None), said=("no labels",), codes=frozenset({"N1", "F10"})),
    "F20, boxes and polygons of CVAT's ICDAR folder": annotated(
        ("gt.zip", {"gt_img_1.txt": "38 43 126 60 CARE\n200,100,300,100,300,140,200,140,STOP\n"}),
        (CARE, "CARE"), ((200, 100, 300, 140), "STOP"), results=((CARE, None), ((200, 100, 300, 140), None)),
        codes=frozenset({"L9"})),
    "F21, spotting of PaddleOCR-VL": found(
        ("img_1.json", {"input_path": "img_1.jpg", "width": 700, "height": 320, "parsing_res_list": [],
                        "spotting_res": {"rec_polys": [PAIRS], "rec_texts": ["CARE"]}}),
        (CARE, "CARE"), method="img_1", **WORDS),
    **{f"F22, {content} alone": refused(
        ("img_1.json", content), "no region, and nothing that tells the format", code="F1")
       for content in ("null", "[]", "[[]]")},
    "F22, null among others": found(
        ("east.zip", {"img_1.json": json.dumps([[PAIRS, "CARE", 0.9]]), "img_2.json": "null"}), (CARE, "CARE"), empty=("img_2",),
        **WORDS),
    **{f"F22, an empty file {name}": refused((name, ""), "empty") for name in ("img_1.xml", "img_1.box", "img_1.json")},
}  # fmt: skip

SHAPE = {"label": "text", "points": PAIRS, "description": "CARE", "flags": {}}
LABELME = {"version": "6.3.1", "imagePath": "img_1.jpg", "imageWidth": 700, "imageHeight": 320}
OF_TOOLS = {
    "F10, texts among the attributes of COCO": annotated(
        # Of a word and one that is not to be read, the word is found: one of one.
        ("gt.json", {
            "images": [{"id": 1, "file_name": "img_1.jpg", "width": 700, "height": 320}], "categories": [{"id": 1, "name": "text"}],
            "annotations": [
                {"id": 1, "image_id": 1, "category_id": 1, "bbox": [38, 43, 88, 17], "attributes": {"occluded": False, "text": "CARE"}},
                {"id": 2, "image_id": 1, "category_id": 1, "bbox": [200, 100, 90, 40], "attributes": {"occluded": False, "text": "###"}}]}),
        (CARE, "CARE"), ((200, 100, 290, 140), "###", True), said=("no labels, which the ground truth has",), codes=F10),
    "F11, difficult words of X-AnyLabeling": annotated(
        ("img_1.json", {**LABELME, "version": "4.2.1", "shapes": [
            {**SHAPE, "difficult": True, "shape_type": "rectangle"},
            {**SHAPE, "points": [[200, 100], [290, 140]], "difficult": False, "shape_type": "rectangle"}]}),
        (CARE, "CARE", True), ((200, 100, 290, 140), "CARE"), results=(((200, 100, 290, 140), None),)),
    **{f"F19, {kind}": annotated(
        ("img_1.json", {**LABELME, "shapes": [{**SHAPE, "shape_type": kind}]}), (CARE, "CARE"))
       for kind in ("oriented_rectangle", "quadrilateral", "rotation")},
    "turned boxes of Label Studio": annotated(
        # 100 x 20 px turned by 30 degrees about the corner (200, 100): 100 cos 30 = 86.6, 20 sin 30 = 10. Its
        # 2,000 px are less than a third of the 97 x 68 px around it.
        ("gt.json", [{"image": "img_1.png", "label": [
            {"x": 25, "y": 25, "width": 12.5, "height": 5, "rotation": 30, "original_width": 800, "original_height": 400,
             "rectanglelabels": ["text"]}], "transcription": ["CARE"]}]),
        ((200, 100, 286.6, 150, 276.6, 167.32, 190, 117.32), "CARE"), results=(((190, 100, 287, 168), None),), figures=(0.0, 0.0),
        said=("no labels, which the ground truth has",), codes=F10),
}  # fmt: skip
BLOCK = {
    "polygon": PAIRS, "confidence": 0.97, "label": "Text", "raw_label": "Text", "reading_order": 0,
    "html": "<p>CARE &amp; <b>X</b></p>", "skipped": False, "error": False, "bbox": [38, 43, 126, 60],
}  # fmt: skip
PADDLE = {
    "input_path": "img_1.jpg", "page_index": None, "doc_preprocessor_res": {"angle": -1}, "dt_polys": [PAIRS],
    "rec_polys": [PAIRS], "rec_texts": ["CA RE"], "rec_scores": [0.9],
    "text_word": [["CA", "RE"]], "text_word_boxes": [[[38, 43, 80, 60], [84, 43, 126, 60]]],
}  # fmt: skip
OF_WORDS = {"image": "img_1", "truth": (((38, 43, 80, 60), "CA"), ((84, 43, 126, 60), "RE"))}
BLOCKS_SAID = ("1 block of a layout", *LABELS)
OF_LEVELS = {
    "F15, blocks of Surya 0.22": found(
        ("east.json", {"img_1": [{"blocks": [BLOCK], "image_bbox": [0, 0, 640, 480], "page": 1}]}), (CARE, "CARE & X"),
        said=BLOCKS_SAID, codes=U2 | F10, **WORDS),
    "F15, pictures of Surya's layout": found(
        ("east.json", {"img_1": [{"bboxes": [
            {"polygon": PAIRS, "confidence": 0.9, "label": "Text", "position": 0, "bbox": [38, 43, 126, 60]},
            {"polygon": [[1, 1], [9, 1], [9, 9], [1, 9]], "confidence": 0.9, "label": "Picture", "position": 1, "bbox": [1, 1, 9, 9]}],
            "image_bbox": [0, 0, 640, 480], "page": 1}]}), (CARE, None),
        said=(*BLOCKS_SAID, "1 picture of a layout"), codes=U1 | U2 | F10, **WORDS),
    "F21, lines of PaddleOCR 3 with words": found(
        ("img_1_res.json", PADDLE), (CARE, "CA RE"), method="img_1", said=("2 boxes of words inside lines", "paddle-json-words"), codes=U2, **WORDS),
    "F21, words of PaddleOCR 3": found(
        ("img_1_res.json", PADDLE), ((38, 43, 80, 60), "CA"), ((84, 43, 126, 60), "RE"), method="img_1",
        formats={"results": "paddle-json-words"}, **OF_WORDS),
}  # fmt: skip
# Formats that are not read; the names are those of the tools.
OF_OTHERS = {
    f"JSON or XML of {tool}": refused((name, content), name, code=code)
    for tool, name, content, code in (
        ("datumaro", "img_1.json", {"info": {}, "categories": {"label": {"labels": []}}, "items": [{"id": "img_1", "annotations": []}]}, "A1"),
        ("LabelMe's first site", "img_1.xml", "<annotation><filename>img_1.jpg</filename><folder/><object><name>a</name><polygon><pt><x>1</x><y>1</y></pt></polygon></object></annotation>", "L1"),
        ("Ultralytics", "img_1.json", [{"name": "text", "class": 0, "confidence": 0.9, "box": {"x1": 38, "y1": 43, "x2": 126, "y2": 60}}], "A1"),
        ("CreateML", "img_1.json", [{"image": "img_1.jpg", "annotations": [{"label": "a", "coordinates": {"x": 82, "y": 51, "width": 88, "height": 17}}]}], "S3"),
    )
}  # fmt: skip
INPUTS = {**OF_LEVELS, **OF_OTHERS, **OF_PAGES, **OF_MANY_PAGES, **OF_ENGINES, **OF_TOOLS}
