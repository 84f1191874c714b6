"""Both words in formats of JSON and XML, as their tools write them.

The numbers in them are worked out by hand from the words of ``inputs`` on an image of 800 x 400 px.
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


def both(outline, text="text", **more):
    """Return both words as objects of an outline, by its function of corners, and a text."""
    return [
        {**outline(corners), **({text: name} if text else {}), **more}
        for corners, name in ((CORNERS, "CARE"), (STOP_CORNERS, "STOP"))
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


COCO = {
    "images": [{"id": 1, "file_name": "photos/img_1.jpg", "width": 800, "height": 400}],
    "categories": [{"id": 1, "name": "text"}],
    "annotations": [
        {"id": at, "image_id": 1, "category_id": 1, "area": 1, "iscrowd": 0, **of}
        for at, of in enumerate(both(key("bbox", sides)), 1)
    ],
}
VIA_REGIONS = [
    {"shape_attributes": {"name": "rect", **named_sides("x y width height")(corners)},
     "region_attributes": {"text": name}}
    for corners, name in ((CORNERS, "CARE"), (STOP_CORNERS, "STOP"))
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
DOCTR_WORDS = [
    {
        "value": name,
        "confidence": 0.9,
        "geometry": [shares([corners[0]])[0], shares([corners[2]])[0]],
    }
    for corners, name in ((CORNERS, "CARE"), (STOP_CORNERS, "STOP"))
]


def vision(corners, text):
    return {
        "boundingBox": {"vertices": xy(corners)}, "confidence": 0.9,
        "symbols": [*({"text": one} for one in text[:-1]),
                    {"text": text[-1], "property": {"detectedBreak": {"type": "LINE_BREAK"}}}],
    }  # fmt: skip


VISION = {"responses": [{"fullTextAnnotation": {"text": "CARE\nSTOP\n", "pages": [
    {"width": 800, "height": 400, "blocks": [{"paragraphs": [
        {"words": [vision(CORNERS, "CARE"), vision(STOP_CORNERS, "STOP")]}]}]}]}}]}  # fmt: skip


def textract(kind, id_, corners, text, **more):
    (left, top, width, height) = sides(shares(corners))
    return {
        "BlockType": kind, "Id": id_, "Text": text, "Confidence": 99.5,
        "Geometry": {"BoundingBox": {"Left": left, "Top": top, "Width": width, "Height": height},
                     "Polygon": xy(shares(corners), "X", "Y")}, **more,
    }  # fmt: skip


TEXTRACT = {"JobStatus": "SUCCEEDED", "DocumentMetadata": {"Pages": 1}, "Blocks": [
    {"BlockType": "PAGE", "Id": "p"},
    *(block for number, (corners, text) in enumerate(((CORNERS, "CARE"), (STOP_CORNERS, "STOP")))
      for block in (
          textract("LINE", f"l{number}", corners, text, Relationships=[{"Type": "CHILD", "Ids": [f"w{number}"]}]),
          textract("WORD", f"w{number}", corners, text)))]}  # fmt: skip
AZURE = {"status": "succeeded", "analyzeResult": {"apiVersion": "2024-11-30", "content": "CARE STOP", "pages": [
    {"pageNumber": 1, "width": 800, "height": 400, "unit": "pixel",
     "words": both(key("polygon", flat), "content", confidence=0.9),
     "lines": both(key("polygon", flat), "content")}]}}  # fmt: skip
SURYA_LINES = {"img_1": [{"image_bbox": [0, 0, 800, 400], "page": 1, "text_lines": [
    {**of, "bbox": ends(of["polygon"]), "confidence": 0.9, "words": [{**of, "confidence": 0.9}]}
    for of in both(key("polygon"))]}]}  # fmt: skip
FORM = {"form": [
    {"id": number, "box": of["box"], "text": of["text"], "label": "other", "linking": [], "words": [of]}
    for number, of in enumerate(both(key("box", ends)))]}  # fmt: skip

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
    "art-json": File("a.json", {"gt_img_1": both(key("points"), "transcription", illegibility=False)}, sides=("truth",)),
    "ArT, results": File("a.json", {"res_img_1": both(key("points"), "transcription", confidence=0.9)}, sides=("results",)),
    "paddle": File("a.txt", f"images/img_1.jpg\t{json.dumps(both(key('points'), 'transcription'))}\n"),
    "hiertext": File("a.jsonl", json.dumps({"image_id": "img_1", "image_width": 800, "image_height": 400, "paragraphs": [
        {"vertices": [[0, 0], [800, 0], [800, 400], [0, 400]], "legible": True, "lines": [
            {"vertices": of["vertices"], "text": of["text"], "legible": True, "handwritten": False, "vertical": False,
             "words": [{**of, "legible": True, "handwritten": False, "vertical": False}]}
            for of in both(key("vertices"))]}]}), sides=("truth",)),
    "maptext": File("a.json", [{"image": "maps/img_1.png", "groups": [
        [of] for of in both(key("vertices"), illegible=False, truncated=False)]}], sides=("truth",)),
    "labelme": File("img_1.json", {"version": "5.5.0", "flags": {}, "imagePath": "img_1.jpg", "imageHeight": 400, "imageWidth": 800,
        "shapes": both(key("points", lambda of: [of[0], of[2]]), "description", label="text", shape_type="rectangle", flags={})}),
    "labelme-text": File("img_1.json", {"version": "5.5.0", "imagePath": "img_1.jpg", "imageHeight": 400, "imageWidth": 800,
        "shapes": both(key("points"), "label", shape_type="polygon")}, is_named=True, sides=("truth",)),
    "via": File("a.json", {"img_1.jpg9": {"filename": "img_1.jpg", "size": 9, "regions": VIA_REGIONS, "file_attributes": {}}}),
    "label-studio": File("a.json", [{"id": 1, "data": {"image": "/data/upload/1/0a1b2c3d-img_1.jpg"},
        "annotations": [{"id": 1, "was_cancelled": False, "result": LABELS_OF_STUDIO}]}], labels=True),
    "bdd": File("a.json", [{"name": "img_1.jpg", "labels": [
        {"id": str(number), "category": "text", "box2d": named_ends("x1 y1 x2 y2")(corners)}
        for number, corners in enumerate((CORNERS, STOP_CORNERS))]}], NAMELESS, labels=True),
    "funsd": File("img_1.json", FORM, sides=("truth",)),
    "funsd-entities": File("img_1.json", FORM, is_named=True, labels=True, sides=("truth",)),
    "easyocr": File("img_1.json", [[CORNERS, "CARE", 0.97], [STOP_CORNERS, "STOP", 0.9]]),
    "RapidOCR 1.4": File("a.json", {"img_1.jpg": [[CORNERS, "CARE", "0.97"], [STOP_CORNERS, "STOP", "0.9"]]}),
    "RapidOCR 3, to_json": File("a.json", {"img_1": both(key("box"), "txt", score=0.9)}),
    "PaddleOCR 2": File("img_1.json", [[[CORNERS, ["CARE", 0.97]], [STOP_CORNERS, ["STOP", 0.9]]]]),
    "paddle-json": File("img_1_res.json", {"input_path": "photos/img_1.jpg", "page_index": None,
        "doc_preprocessor_res": {"angle": -1}, "dt_polys": [CORNERS, STOP_CORNERS], "rec_texts": ["CARE", "STOP"],
        "rec_scores": [0.97, 0.9], "rec_polys": [CORNERS, STOP_CORNERS], "rec_boxes": [ends(CORNERS), ends(STOP_CORNERS)]}),
    "paddle-json-words": File("img_1_res.json", {"input_path": "photos/img_1.jpg", "page_index": None,
        "rec_texts": ["CARE", "STOP"], "rec_scores": [0.97, 0.9], "rec_polys": [CORNERS, STOP_CORNERS],
        "text_word": [["CARE"], ["STOP"]], "text_word_boxes": [[ends(CORNERS)], [ends(STOP_CORNERS)]]}, is_named=True),
    "rapidocr-words": File("img_1.json", {"word_results": [[["CARE", 0.93, CORNERS]], [["STOP", 0.9, STOP_CORNERS]]]}, is_named=True),
    "google-vision": File("img_1.json", VISION),
    "google-vision-lines": File("img_1.json", VISION, is_named=True),
    "textract": File("a.zip", {"img_1.json": json.dumps(TEXTRACT)}, in_shares=True),
    "textract-lines": File("a.zip", {"img_1.json": json.dumps(TEXTRACT)}, in_shares=True, is_named=True),
    "azure-read": File("img_1.json", AZURE),
    "azure-read-lines": File("img_1.json", AZURE, is_named=True),
    "doctr": File("img_1.json", {"pages": [{"page_idx": 0, "dimensions": [400, 800], "blocks": [
        {"geometry": [[0, 0], [1, 1]], "lines": [{"geometry": of["geometry"], "words": [of]} for of in DOCTR_WORDS]}]}]}),
    "doctr-lines": File("img_1.json", {"pages": [{"page_idx": 0, "dimensions": [400, 800], "blocks": [
        {"geometry": [[0, 0], [1, 1]], "lines": [{"geometry": of["geometry"], "words": [of]} for of in DOCTR_WORDS]}]}]},
        is_named=True),
    "surya": File("a.json", SURYA_LINES),
    "surya-words": File("a.json", SURYA_LINES, is_named=True),
    "mmocr": File("a.json", {"metainfo": {}, "data_list": [{"img_path": "img_1.jpg", "height": 400, "width": 800,
        "instances": both(key("polygon", flat), bbox_label=0, ignore=False)}]}, sides=("truth",)),
    "rects-json": File("img_1.json", {"chars": [], "lines": both(key("points", flat), "transcription", ignore=0)}, sides=("truth",)),
    "kraken-json": File("img_1.json", {"type": "baselines", "imagename": "/scans/img_1.png", "text_direction": "horizontal-lr",
        "script_detection": False, "regions": {},
        "lines": [{**of, "id": str(at), "baseline": [[0, 0], [9, 9]]} for at, of in enumerate(both(key("boundary")))]}),
    "windows-ocr": File("img_1.json", {"text": "CARE STOP", "lines": [
        {"text": of["text"], "words": [of]} for of in both(key("bounding_rect", named_sides("x y width height")))]}),
    "tesseract-js": File("img_1.json", {"text": "CARE STOP", "blocks": [{"paragraphs": [{"lines": [
        {**of, "words": [of]} for of in both(key("bbox", named_ends("x0 y0 x1 y1")), confidence=97.5)]}]}]}),
    "apple-vision": File(
        # y of the lower edge from below: 1 - 60 / 400 and 1 - 140 / 400.
        "a.zip", {"img_1.json": json.dumps([["CARE", 0.97, [0.05, 0.85, 0.1, 0.05]], ["STOP", 0.9, [0.25, 0.65, 0.125, 0.1]]])},
        in_shares=True),
    "bbox-2d": File("img_1.json", both(key("bbox_2d", ends), "text_content"), is_named=True),
    "bbox-2d-1000": File("a.zip", {"img_1.json": json.dumps(
        [{"bbox_2d": [50, 100, 150, 150], "text_content": "CARE"}, {"bbox_2d": [250, 250, 375, 350], "text_content": "STOP"}])},
        in_shares=True, is_named=True),
    "rapidocr": File("img_1.json", {"boxes": [CORNERS, STOP_CORNERS], "txts": ["CARE", "STOP"], "scores": [0.97, 0.9]}),
    "docling-parse": File("a.zip", {"img_1.json": json.dumps({
        # A page of 400 x 200 points, y from below, on a picture of 800 x 400 px.
        "dimension": {"angle": 0, "boundary_type": "crop_box", "rect": {
            "r_x0": 0, "r_y0": 0, "r_x1": 400, "r_y1": 0, "r_x2": 400, "r_y2": 200, "r_x3": 0, "r_y3": 200, "coord_origin": "BOTTOMLEFT"}},
        "char_cells": [], "textline_cells": [],
        "word_cells": [
            {"index": at, "text": text, "orig": text, "confidence": 1.0, "from_ocr": False, "text_direction": "left_to_right",
             "rect": {"r_x0": left, "r_y0": low, "r_x1": right, "r_y1": low, "r_x2": right, "r_y2": high, "r_x3": left, "r_y3": high,
                      "coord_origin": "BOTTOMLEFT"}}
            for at, (text, left, right, low, high) in enumerate(
                (("CARE", 20, 60, 170, 180), ("STOP", 100, 150, 130, 150)))]})},
        in_shares=True),
    "supervisely": File("img_1.jpg.json", {"description": "", "tags": [], "size": {"height": 400, "width": 800}, "objects": [
        {"id": at, "classTitle": "text", "geometryType": "rectangle", "tags": [{"name": "text", "value": text}],
         "points": {"exterior": [corners[0], corners[2]], "interior": []}}
        for at, (corners, text) in enumerate(((CORNERS, "CARE"), (STOP_CORNERS, "STOP")), 1)]}, labels=True, sides=("truth",)),
    "darwin": File("a.json", {"version": "2.0", "item": {"name": "img_1.jpg", "slots": [{"width": 800, "height": 400}]},
        "annotations": [{"id": text, "name": "word", "bounding_box": named_sides("x y w h")(corners), "text": {"text": text}}
                        for corners, text in ((CORNERS, "CARE"), (STOP_CORNERS, "STOP"))]}, labels=True, sides=("truth",)),
}  # fmt: skip


def xml(word, before, after):
    """Return a document of both words, of which ``word`` gives an element by corners and text."""
    inner = "".join(
        word(corners, text) for corners, text in ((CORNERS, "CARE"), (STOP_CORNERS, "STOP"))
    )
    return f"{before}{inner}{after}"


def points(corners):
    return " ".join(f"{x},{y}" for x, y in corners)


OF_XML = {
    "evaltex-xml": File("a.xml", xml(
        lambda of, text: '<object id="{}" x="{}" y="{}" width="{}" height="{}" reject="false" transcription="{}"/>'.format(
            text, *sides(of), text),
        '<evaltex kind="groundtruth"><image name="img_1" width="800" height="400">', "</image></evaltex>"), sides=("truth",)),
    "page-xml": File("img_1.xml", xml(
        lambda of, text: f'<TextLine id="l{text}"><Coords points="{points(of)}"/><Word id="{text}"><Coords points="{points(of)}"/>'
                         f"<TextEquiv conf='0.9'><Unicode>{text}</Unicode></TextEquiv></Word></TextLine>",
        '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page imageFilename="img_1.png" imageWidth="800" '
        'imageHeight="400"><TextRegion id="r"><Coords points="0,0 800,0 800,400 0,400"/>', "</TextRegion></Page></PcGts>")),
    "alto-xml": File("img_1.xml", xml(
        lambda of, text: '<TextLine><String CONTENT="{}" HPOS="{}" VPOS="{}" WIDTH="{}" HEIGHT="{}" WC="0.9"/></TextLine>'.format(
            text, *sides(of)),
        '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description><MeasurementUnit>pixel</MeasurementUnit></Description>'
        '<Layout><Page WIDTH="800" HEIGHT="400"><PrintSpace><TextBlock>', "</TextBlock></PrintSpace></Page></Layout></alto>")),
    "hocr": File("img_1.hocr", xml(
        lambda of, text: "<span class='ocr_line' title='bbox {0} {1} {2} {3}'><span class='ocrx_word' title='bbox {0} {1} {2} {3}; "
                         "x_wconf 93'>{4}</span></span>".format(*ends(of), text),
        "<html><body><div class='ocr_page' title='image \"img_1.png\"; bbox 0 0 800 400; ppageno 0'>", "</div></body></html>")),
    "voc-xml": File("img_1.xml", xml(
        # Pixels from 1, the last one included: 41 to 120 for 40 to 120.
        lambda of, text: f"<object><name>text</name><difficult>0</difficult><bndbox><xmin>{of[0][0] + 1}</xmin><ymin>{of[0][1] + 1}</ymin>"
                         f"<xmax>{of[2][0]}</xmax><ymax>{of[2][1]}</ymax></bndbox></object>",
        "<annotation><filename>img_1.jpg</filename><size><width>800</width><height>400</height><depth>3</depth></size>", "</annotation>"),
        NAMELESS, labels=True),
    "voc-xml-0": File("img_1.xml", xml(
        lambda of, text: f"<object><name>text</name><bndbox><xmin>{of[0][0]}</xmin><ymin>{of[0][1]}</ymin>"
                         f"<xmax>{of[2][0]}</xmax><ymax>{of[2][1]}</ymax></bndbox></object>",
        "<annotation><filename>img_1.jpg</filename><size><width>800</width><height>400</height><depth>3</depth></size>", "</annotation>"),
        NAMELESS, labels=True, is_named=True),
    "cvat-xml": File("a.xml", xml(
        lambda of, text: '<box label="text" occluded="0" xtl="{}" ytl="{}" xbr="{}" ybr="{}"><attribute name="text">{}</attribute></box>'.format(
            *ends(of), text),
        '<annotations><version>1.1</version><image id="0" name="img_1.jpg" width="800" height="400">', "</image></annotations>"), labels=True),
    "manga109": File("a.xml", xml(
        lambda of, text: '<text id="{4}" xmin="{0}" ymin="{1}" xmax="{2}" ymax="{3}">{4}</text>'.format(*ends(of), text),
        '<book title="A"><pages><page index="3" width="800" height="400">', "</page></pages></book>"),
        {"003": BOTH["img_1"]}, sides=("truth",)),
    "abbyy-xml": File("img_1.xml", xml(
        lambda of, text: '<line l="{}" t="{}" r="{}" b="{}"><formatting>'.format(*ends(of)) + "".join(
            # Characters share their word's width: 20 or 25 px each.
            f'<charParams l="{of[0][0] + at * (of[2][0] - of[0][0]) // 4}" t="{of[0][1]}" r="{of[0][0] + (at + 1) * (of[2][0] - of[0][0]) // 4}" '
            f'b="{of[2][1]}" wordStart="{int(at == 0)}">{one}</charParams>'
            for at, one in enumerate(text)) + "</formatting></line>",
        '<document xmlns="http://www.abbyy.com/FineReader_xml/FineReader10-schema-v1.xml" version="1.0"><page width="800" height="400">'
        "<block><text><par>", "</par></text></block></page></document>")),
    "ctdar-xml": File("img_1.xml", xml(
        lambda of, text: f'<table><Coords points="{points(of)}"/></table>', '<document filename="img_1.jpg">', "</document>"),
        NAMELESS, labels=True),
}  # fmt: skip
