"""Both words in formats of JSON and XML, as their tools write them.

The numbers in them are worked out by hand from the words of ``inputs`` on an image of 800 x 400 px. Other
words, upright boxes as four corners each with a text, are written in the same way.
"""

# Files as they are, in few lines.
# ruff: noqa: E501

import json

from .files_of_lines import NAMELESS, File
from .inputs import BOTH, CORNERS, STOP_CORNERS


def shares(pairs):
    return [[x / 800, y / 400] for x, y in pairs]


def flat(pairs):
    return [number for pair in pairs for number in pair]


def xy(pairs, x="x", y="y"):
    return [{x: of[0], y: of[1]} for of in pairs]


WORDS = ((CORNERS, "CARE"), (STOP_CORNERS, "STOP"))


def each(words, outline, text="text", **more):
    """Return words as objects of an outline, by its function of corners, and a text."""
    return [
        {**outline(corners), **({text: name} if text else {}), **more} for corners, name in words
    ]


def key(name, change=list):
    return lambda corners: {name: change(corners)}


def sides(corners):
    """Return left, top, width and height."""
    (left, top), (right, bottom) = corners[0], corners[2]
    return [left, top, right - left, bottom - top]


def ends(corners):
    return [*corners[0], *corners[2]]


def named_sides(names):
    return lambda corners: dict(zip(names.split(), sides(corners), strict=True))


def named_ends(names):
    return lambda corners: dict(zip(names.split(), ends(corners), strict=True))


def vision(corners, text):
    return {
        "boundingBox": {"vertices": xy(corners)}, "confidence": 0.9,
        "symbols": [*({"text": one} for one in text[:-1]),
                    {"text": text[-1], "property": {"detectedBreak": {"type": "LINE_BREAK"}}}],
    }  # fmt: skip


def textract(kind, number, corners, text):
    (left, top, width, height) = sides(shares(corners))
    return {
        "BlockType": kind, "Id": f"{kind} {number}", "Text": text, "Confidence": 99.5,
        "Geometry": {"BoundingBox": {"Left": left, "Top": top, "Width": width, "Height": height},
                     "Polygon": xy(shares(corners), "X", "Y")},
        **({"Relationships": [{"Type": "CHILD", "Ids": [f"WORD {number}"]}]} if kind == "LINE" else {}),
    }  # fmt: skip


def each_box(words, scale_x=1, scale_y=1):
    """Yield left, top, right and bottom of words, divided by the scales, and their texts."""
    for corners, text in words:
        (left, top), (right, bottom) = corners[0], corners[2]
        yield (left / scale_x, top / scale_y, right / scale_x, bottom / scale_y), text


def of_engines(words):
    """Return files of OCR engines by format; all words have a line of their own."""
    outlines, texts = [corners for corners, _ in words], [text for _, text in words]
    of_paddle = {"input_path": "photos/img_1.jpg", "page_index": None, "rec_polys": outlines, "rec_texts": texts,
                 "rec_scores": [0.97] * len(words)}  # fmt: skip
    of_vision = {"responses": [{"fullTextAnnotation": {"text": " ".join(texts), "pages": [{"width": 800, "height": 400, "blocks": [
        {"paragraphs": [{"words": [vision(*word) for word in words]}]}]}]}}]}  # fmt: skip
    of_textract = json.dumps({"JobStatus": "SUCCEEDED", "DocumentMetadata": {"Pages": 1}, "Blocks": [
        {"BlockType": "PAGE", "Id": "p"},
        *(textract(kind, number, *word) for number, word in enumerate(words) for kind in ("LINE", "WORD"))]})  # fmt: skip
    of_azure = {"status": "succeeded", "analyzeResult": {"apiVersion": "2024-11-30", "content": " ".join(texts), "pages": [
        {"pageNumber": 1, "width": 800, "height": 400, "unit": "pixel",
         "words": each(words, key("polygon", flat), "content", confidence=0.9),
         "lines": each(words, key("polygon", flat), "content")}]}}  # fmt: skip
    of_surya = {"img_1": [{"image_bbox": [0, 0, 800, 400], "page": 1, "text_lines": [
        {**of, "bbox": ends(of["polygon"]), "confidence": 0.9, "words": [{**of, "confidence": 0.9}]}
        for of in each(words, key("polygon"))]}]}  # fmt: skip
    of_doctr = {"pages": [{"page_idx": 0, "dimensions": [400, 800], "blocks": [{"geometry": [[0, 0], [1, 1]], "lines": [
        {"geometry": place, "words": [{"value": text, "confidence": 0.9, "geometry": place}]}
        for place, text in ((shares(corners)[::2], text) for corners, text in words)]}]}]}  # fmt: skip
    return {
        "easyocr": File("img_1.json", [[corners, text, 0.97] for corners, text in words]),
        "PaddleOCR 2": File("img_1.json", [[[corners, [text, 0.97]] for corners, text in words]]),
        "paddle-json": File("img_1_res.json", {**of_paddle, "doc_preprocessor_res": {"angle": -1}, "dt_polys": outlines,
            "rec_boxes": [ends(corners) for corners in outlines]}),
        "paddle-json-words": File("img_1_res.json", {**of_paddle, "text_word": [[text] for text in texts],
            "text_word_boxes": [[ends(corners)] for corners in outlines]}, is_named=True),
        "rapidocr-words": File("img_1.json", {"word_results": [[[text, 0.93, corners]] for corners, text in words]}, is_named=True),
        "google-vision": File("img_1.json", of_vision),
        "google-vision-lines": File("img_1.json", of_vision, is_named=True),
        "textract": File("a.zip", {"img_1.json": of_textract}, in_shares=True),
        "textract-lines": File("a.zip", {"img_1.json": of_textract}, in_shares=True, is_named=True),
        "azure-read": File("img_1.json", of_azure),
        "azure-read-lines": File("img_1.json", of_azure, is_named=True),
        "doctr": File("img_1.json", of_doctr),
        "doctr-lines": File("img_1.json", of_doctr, is_named=True),
        "surya": File("a.json", of_surya),
        "surya-words": File("a.json", of_surya, is_named=True),
        "mmocr": File("a.json", {"metainfo": {}, "data_list": [{"img_path": "img_1.jpg", "height": 400, "width": 800,
            "instances": each(words, key("polygon", flat), bbox_label=0, ignore=False)}]}, sides=("truth",)),
        "kraken-json": File("img_1.json", {"type": "baselines", "imagename": "/scans/img_1.png", "text_direction": "horizontal-lr",
            "script_detection": False, "regions": {},
            "lines": [{**of, "id": str(at), "baseline": [[0, 0], [9, 9]]} for at, of in enumerate(each(words, key("boundary")))]}),
        "windows-ocr": File("img_1.json", {"text": " ".join(texts), "lines": [
            {"text": of["text"], "words": [of]} for of in each(words, key("bounding_rect", named_sides("x y width height")))]}),
        "tesseract-js": File("img_1.json", {"text": " ".join(texts), "blocks": [{"paragraphs": [{"lines": [
            {**of, "words": [of]} for of in each(words, key("bbox", named_ends("x0 y0 x1 y1")), confidence=97.5)]}]}]}),
        "apple-vision": File(
            # Left, lower edge from below, width and height.
            "a.zip", {"img_1.json": json.dumps([
                [text, 0.97, [left, 1 - bottom, right - left, bottom - top]]
                for (left, top, right, bottom), text in each_box(words, 800, 400)])},
            in_shares=True),
        "bbox-2d": File("img_1.json", each(words, key("bbox_2d", ends), "text_content"), is_named=True),
        "bbox-2d-1000": File(
            "a.zip", {"img_1.json": json.dumps([
                {"bbox_2d": box, "text_content": text} for box, text in each_box(words, 0.8, 0.4)])},
            in_shares=True, is_named=True),
        "rapidocr": File("img_1.json", {"boxes": outlines, "txts": texts, "scores": [0.97] * len(words)}),
        "docling-parse": File("a.zip", {"img_1.json": json.dumps({
            # A page of 400 x 200 points, y from below, on a picture of 800 x 400 px.
            "dimension": {"angle": 0, "boundary_type": "crop_box", "rect": {
                "r_x0": 0, "r_y0": 0, "r_x1": 400, "r_y1": 0, "r_x2": 400, "r_y2": 200, "r_x3": 0, "r_y3": 200, "coord_origin": "BOTTOMLEFT"}},
            "char_cells": [], "textline_cells": [],
            "word_cells": [
                {"index": at, "text": text, "orig": text, "confidence": 1.0, "from_ocr": False, "text_direction": "left_to_right",
                 "rect": {"r_x0": left, "r_y0": 200 - low, "r_x1": right, "r_y1": 200 - low, "r_x2": right, "r_y2": 200 - high,
                          "r_x3": left, "r_y3": 200 - high, "coord_origin": "BOTTOMLEFT"}}
                for at, ((left, high, right, low), text) in enumerate(each_box(words, 2, 2))]})},
            in_shares=True),
    }  # fmt: skip


COCO = {
    "images": [{"id": 1, "file_name": "photos/img_1.jpg", "width": 800, "height": 400}],
    "categories": [{"id": 1, "name": "text"}],
    "annotations": [
        {"id": at, "image_id": 1, "category_id": 1, "area": 1, "iscrowd": 0, **of}
        for at, of in enumerate(each(WORDS, key("bbox", sides)), 1)
    ],
}
VIA_REGIONS = [
    {"shape_attributes": {"name": "rect", **named_sides("x y width height")(corners)},
     "region_attributes": {"text": name}}
    for corners, name in WORDS
]  # fmt: skip
LABELS_OF_STUDIO = [
    {"id": name, "from_name": from_name, "to_name": "image", "type": kind,
     "original_width": 800, "original_height": 400, "image_rotation": 0,
     "value": {"x": left, "y": top, "width": width, "height": height, "rotation": 0, **value}}
    # Per cent of 800 and 400.
    for name, (left, top, width, height) in (("CARE", (5, 10, 10, 5)), ("STOP", (25, 25, 12.5, 10)))
    for from_name, kind, value in (
        ("label", "rectanglelabels", {"rectanglelabels": ["text"]}),
        ("transcription", "textarea", {"text": [name]}),
    )
]  # fmt: skip
FORM = {"form": [
    {"id": number, "box": of["box"], "text": of["text"], "label": "other", "linking": [], "words": [of]}
    for number, of in enumerate(each(WORDS, key("box", ends)))]}  # fmt: skip

OF_JSON = {
    "coco-json": File("a.json", COCO, labels=True),
    "COCO, ids from 0": File(
        # As Label Studio writes it (label-studio-sdk 2.1.2): images, categories and annotations from 0.
        "a.json",
        {"images": [{"id": 0, "file_name": "images/img_1.jpg", "width": 800, "height": 400}],
         "categories": [{"id": 0, "name": "text"}],
         "annotations": [
             {"id": at, "image_id": 0, "category_id": 0, "ignore": 0, "iscrowd": 0, "area": 1, "segmentation": [],
              "bbox": sides(corners)}
             for at, corners in enumerate((CORNERS, STOP_CORNERS))],
         "info": {"version": "1.0", "contributor": "Label Studio"}},
        NAMELESS, labels=True,
    ),
    "art-json": File("a.json", {"gt_img_1": each(WORDS, key("points"), "transcription", illegibility=False)}, sides=("truth",)),
    "ArT, results": File("a.json", {"res_img_1": each(WORDS, key("points"), "transcription", confidence=0.9)}, sides=("results",)),
    "paddle": File("a.txt", f"images/img_1.jpg\t{json.dumps(each(WORDS, key('points'), 'transcription'))}\n"),
    "hiertext": File("a.jsonl", json.dumps({"image_id": "img_1", "image_width": 800, "image_height": 400, "paragraphs": [
        {"vertices": [[0, 0], [800, 0], [800, 400], [0, 400]], "legible": True, "lines": [
            {"vertices": of["vertices"], "text": of["text"], "legible": True, "handwritten": False, "vertical": False,
             "words": [{**of, "legible": True, "handwritten": False, "vertical": False}]}
            for of in each(WORDS, key("vertices"))]}]}), sides=("truth",)),
    "maptext": File("a.json", [{"image": "maps/img_1.png", "groups": [
        [of] for of in each(WORDS, key("vertices"), illegible=False, truncated=False)]}], sides=("truth",)),
    "labelme": File("img_1.json", {"version": "5.5.0", "flags": {}, "imagePath": "img_1.jpg", "imageHeight": 400, "imageWidth": 800,
        "shapes": each(WORDS, key("points", lambda of: [of[0], of[2]]), "description", label="text", shape_type="rectangle", flags={})}),
    "labelme-text": File("img_1.json", {"version": "5.5.0", "imagePath": "img_1.jpg", "imageHeight": 400, "imageWidth": 800,
        "shapes": each(WORDS, key("points"), "label", shape_type="polygon")}, is_named=True, sides=("truth",)),
    "via": File("a.json", {"img_1.jpg9": {"filename": "img_1.jpg", "size": 9, "regions": VIA_REGIONS, "file_attributes": {}}}),
    "label-studio": File("a.json", [{"id": 1, "data": {"image": "/data/upload/1/0a1b2c3d-img_1.jpg"},
        "annotations": [{"id": 1, "was_cancelled": False, "result": LABELS_OF_STUDIO}]}], labels=True),
    "bdd": File("a.json", [{"name": "img_1.jpg", "labels": [
        {"id": str(number), "category": "text", "box2d": named_ends("x1 y1 x2 y2")(corners)}
        for number, corners in enumerate((CORNERS, STOP_CORNERS))]}], NAMELESS, labels=True),
    "funsd": File("img_1.json", FORM, sides=("truth",)),
    "funsd-entities": File("img_1.json", FORM, is_named=True, labels=True, sides=("truth",)),
    "RapidOCR 1.4": File("a.json", {"img_1.jpg": [[CORNERS, "CARE", "0.97"], [STOP_CORNERS, "STOP", "0.9"]]}),
    "RapidOCR 3, to_json": File("a.json", {"img_1": each(WORDS, key("box"), "txt", score=0.9)}),
    "rects-json": File("img_1.json", {"chars": [], "lines": each(WORDS, key("points", flat), "transcription", ignore=0)}, sides=("truth",)),
    "supervisely": File("img_1.jpg.json", {"description": "", "tags": [], "size": {"height": 400, "width": 800}, "objects": [
        {"id": at, "classTitle": "text", "geometryType": "rectangle", "tags": [{"name": "text", "value": text}],
         "points": {"exterior": [corners[0], corners[2]], "interior": []}}
        for at, (corners, text) in enumerate(WORDS, 1)]}, labels=True, sides=("truth",)),
    "darwin": File("a.json", {"version": "2.0", "item": {"name": "img_1.jpg", "slots": [{"width": 800, "height": 400}]},
        "annotations": [{"id": text, "name": "word", "bounding_box": named_sides("x y w h")(corners), "text": {"text": text}}
                        for corners, text in WORDS]}, labels=True, sides=("truth",)),
    **of_engines(WORDS),
}  # fmt: skip


def xml(words, word, before, after):
    """Return a document of words, of which ``word`` gives an element by corners and text."""
    return f"{before}{''.join(word(*of) for of in words)}{after}"


def points(corners):
    return " ".join(f"{x},{y}" for x, y in corners)


def of_pages(words):
    """Return XML of the words of a page by format; all words have a line of their own."""
    return {
        "page-xml": File("img_1.xml", xml(
            words, lambda of, text: f'<TextLine id="l{text}"><Coords points="{points(of)}"/><Word id="{text}"><Coords points="{points(of)}"/>'
                             f"<TextEquiv conf='0.9'><Unicode>{text}</Unicode></TextEquiv></Word></TextLine>",
            '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page imageFilename="img_1.png" imageWidth="800" '
            'imageHeight="400"><TextRegion id="r"><Coords points="0,0 800,0 800,400 0,400"/>', "</TextRegion></Page></PcGts>")),
        "alto-xml": File("img_1.xml", xml(
            words, lambda of, text: '<TextLine><String CONTENT="{}" HPOS="{}" VPOS="{}" WIDTH="{}" HEIGHT="{}" WC="0.9"/></TextLine>'.format(
                text, *sides(of)),
            '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description><MeasurementUnit>pixel</MeasurementUnit></Description>'
            '<Layout><Page WIDTH="800" HEIGHT="400"><PrintSpace><TextBlock>', "</TextBlock></PrintSpace></Page></Layout></alto>")),
        "hocr": File("img_1.hocr", xml(
            words, lambda of, text: "<span class='ocr_line' title='bbox {0} {1} {2} {3}'><span class='ocrx_word' title='bbox {0} {1} {2} {3}; "
                             "x_wconf 93'>{4}</span></span>".format(*ends(of), text),
            "<html><body><div class='ocr_page' title='image \"img_1.png\"; bbox 0 0 800 400; ppageno 0'>", "</div></body></html>")),
    }  # fmt: skip


OF_XML = {
    "evaltex-xml": File("a.xml", xml(
        WORDS, lambda of, text: '<object id="{}" x="{}" y="{}" width="{}" height="{}" reject="false" transcription="{}"/>'.format(
            text, *sides(of), text),
        '<evaltex kind="groundtruth"><image name="img_1" width="800" height="400">', "</image></evaltex>"), sides=("truth",)),
    "voc-xml": File("img_1.xml", xml(
        # Pixels from 1, the last one included: 41 to 120 for 40 to 120.
        WORDS, lambda of, text: f"<object><name>text</name><difficult>0</difficult><bndbox><xmin>{of[0][0] + 1}</xmin><ymin>{of[0][1] + 1}</ymin>"
                         f"<xmax>{of[2][0]}</xmax><ymax>{of[2][1]}</ymax></bndbox></object>",
        "<annotation><filename>img_1.jpg</filename><size><width>800</width><height>400</height><depth>3</depth></size>", "</annotation>"),
        NAMELESS, labels=True),
    "voc-xml-0": File("img_1.xml", xml(
        WORDS, lambda of, text: f"<object><name>text</name><bndbox><xmin>{of[0][0]}</xmin><ymin>{of[0][1]}</ymin>"
                         f"<xmax>{of[2][0]}</xmax><ymax>{of[2][1]}</ymax></bndbox></object>",
        "<annotation><filename>img_1.jpg</filename><size><width>800</width><height>400</height><depth>3</depth></size>", "</annotation>"),
        NAMELESS, labels=True, is_named=True),
    "cvat-xml": File("a.xml", xml(
        WORDS, lambda of, text: '<box label="text" occluded="0" xtl="{}" ytl="{}" xbr="{}" ybr="{}"><attribute name="text">{}</attribute></box>'.format(
            *ends(of), text),
        '<annotations><version>1.1</version><image id="0" name="img_1.jpg" width="800" height="400">', "</image></annotations>"), labels=True),
    "manga109": File("a.xml", xml(
        WORDS, lambda of, text: '<text id="{4}" xmin="{0}" ymin="{1}" xmax="{2}" ymax="{3}">{4}</text>'.format(*ends(of), text),
        '<book title="A"><pages><page index="3" width="800" height="400">', "</page></pages></book>"),
        {"003": BOTH["img_1"]}, sides=("truth",)),
    "abbyy-xml": File("img_1.xml", xml(
        WORDS, lambda of, text: '<line l="{}" t="{}" r="{}" b="{}"><formatting>'.format(*ends(of)) + "".join(
            # Characters share their word's width: 20 or 25 px each.
            f'<charParams l="{of[0][0] + at * (of[2][0] - of[0][0]) // 4}" t="{of[0][1]}" r="{of[0][0] + (at + 1) * (of[2][0] - of[0][0]) // 4}" '
            f'b="{of[2][1]}" wordStart="{int(at == 0)}">{one}</charParams>'
            for at, one in enumerate(text)) + "</formatting></line>",
        '<document xmlns="http://www.abbyy.com/FineReader_xml/FineReader10-schema-v1.xml" version="1.0"><page width="800" height="400">'
        "<block><text><par>", "</par></text></block></page></document>")),
    "ctdar-xml": File("img_1.xml", xml(
        WORDS, lambda of, text: f'<table><Coords points="{points(of)}"/></table>', '<document filename="img_1.jpg">', "</document>"),
        NAMELESS, labels=True),
    **of_pages(WORDS),
}  # fmt: skip
