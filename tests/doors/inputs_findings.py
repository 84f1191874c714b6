"""Inputs with something to tell: units that are left out, ignored words, and shapes that look wrong.

Units that are left out are counted by hand in the file.
"""

# Files as they are, in few lines.
# ruff: noqa: E501

import json

from .inputs import (
    BOTH,
    CARE,
    CORNERS,
    FIRST,
    HEADER,
    STOP,
    STOP_CORNERS,
    TRUTH,
    Input,
)

NO_LABELS = "no labels, which the ground truth has"
BOXES = ("east.csv", "image,left,top,right,bottom\nimg_1,40,40,120,60\n")
STOPS = ("east.csv", "image,left,top,right,bottom\nimg_1,200,100,300,140\n")
ONE = {"img_1": [(CARE, None, False)]}
SECOND = {"img_1": [(STOP, None, False)]}
# Of two words the second one is not to be read.
IGNORED = {"img_1": [(CARE, "CARE", False), (STOP, "###", True)]}
UNREAD = {"img_1": [(CARE, "CARE", False), (STOP, "STOP", True)]}
NAMELESS = {"img_1": [(CARE, None, False), (STOP, None, True)]}
F10, L6, U1 = frozenset({"F10"}), frozenset({"L6"}), frozenset({"U1"})


def truth(name, content, expected, results=BOXES, found=ONE, figures=(1.0, 1.0), **more):
    return Input((name, content), results, expected, found, figures, **more)


def results(name, content, found, figures=(0.5, 1.0), **more):
    return Input(TRUTH, (name, content), BOTH, found, figures, **more)


def coco(*annotations, categories=()):
    boxes = ([40, 40, 80, 20], [200, 100, 100, 40])
    return {
        "images": [{"id": 1, "file_name": "img_1.jpg", "width": 800, "height": 400}],
        "categories": list(categories),
        "annotations": [
            {"id": at, "image_id": 1, "bbox": box, **of}
            for at, (box, of) in enumerate(zip(boxes, annotations, strict=False), 1)
        ],
    }


def lines(*rows, entry="gt_img_1.txt"):
    return {entry: "".join(f"{row}\n" for row in rows)}


Q_CARE, Q_STOP = "40,40,120,40,120,60,40,60", "200,100,300,100,300,140,200,140"
CARE_WORD = {"points": CORNERS, "transcription": "CARE"}
STOP_WORD = {"points": STOP_CORNERS, "transcription": "STOP"}
# An ignored word is neither missed nor a false alarm.
OF_IGNORED = {
    "three number signs in lines": truth("gt.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},###"), IGNORED),
    "three number signs in CSV": truth(
        "gt.csv", f"{HEADER}img_1,40,40,120,60,CARE\nimg_1,200,100,300,140,###\n", IGNORED),
    "a column of marks in CSV": truth(
        "gt.csv", "image,left,top,right,bottom,text,ignored\nimg_1,40,40,120,60,CARE,no\nimg_1,200,100,300,140,STOP,yes\n", UNREAD),
    "found where it is ignored": truth(
        "gt.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},###"), IGNORED, results=STOPS, found=SECOND, figures=(0.0, 0.0)),
    "iscrowd of COCO": truth("gt.json", coco({"text": "CARE", "iscrowd": 0}, {"text": "STOP", "iscrowd": 1}), UNREAD),
    "ignore of COCO": truth("gt.json", coco({"text": "CARE", "ignore": 0}, {"text": "STOP", "ignore": 1}), UNREAD),
    "difficult among COCO's attributes": truth(
        "gt.json", coco({"text": "CARE"}, {"text": "STOP", "attributes": {"difficult": True}}), UNREAD),
    "illegible words of COCO-Text": truth(
        "gt.json",
        {"imgs": {"1": {"id": 1, "file_name": "img_1.jpg", "width": 800, "height": 400}}, "imgToAnns": {"1": [1, 2]}, "anns": {
            "1": {"id": 1, "image_id": 1, "bbox": [40, 40, 80, 20], "utf8_string": "CARE", "legibility": "legible"},
            "2": {"id": 2, "image_id": 1, "bbox": [200, 100, 100, 40], "utf8_string": "STOP", "legibility": "illegible"}}}, UNREAD),
    "full stops of TextOCR": truth(
        "gt.json",
        {"imgs": {"a": {"id": "a", "file_name": "train/img_1.jpg", "width": 800, "height": 400}}, "imgToAnns": {"a": ["1", "2"]}, "anns": {
            "1": {"id": "1", "image_id": "a", "bbox": [40, 40, 80, 20], "utf8_string": "CARE"},
            "2": {"id": "2", "image_id": "a", "bbox": [200, 100, 100, 40], "utf8_string": "."}}},
        {"img_1": [(CARE, "CARE", False), (STOP, ".", True)]}),
    "illegibility of ArT": truth(
        "gt.json", {"gt_img_1": [{**CARE_WORD, "illegibility": False}, {**STOP_WORD, "illegibility": True}]}, UNREAD),
    "difficult words of PaddleOCR": truth(
        "gt.txt", "img_1.jpg\t" + json.dumps([CARE_WORD, {**STOP_WORD, "difficult": True}]) + "\n", UNREAD),
    "ignored words of ReCTS": truth(
        "gt.zip", {"img_1.json": json.dumps({"chars": [], "lines": [
            {"points": [40, 40, 120, 40, 120, 60, 40, 60], "transcription": "CARE", "ignore": 0},
            {"points": [200, 100, 300, 100, 300, 140, 200, 140], "transcription": "STOP", "ignore": 1}]})}, UNREAD),
    "ignored instances of MMOCR": truth(
        "gt.json", {"metainfo": {}, "data_list": [{"img_path": "img_1.jpg", "height": 400, "width": 800, "instances": [
            {"polygon": [40, 40, 120, 40, 120, 60, 40, 60], "text": "CARE", "ignore": False},
            {"polygon": [200, 100, 300, 100, 300, 140, 200, 140], "text": "STOP", "ignore": True}]}]}, UNREAD),
    "words of HierText that are not legible": truth(
        "gt.jsonl", json.dumps({"image_id": "img_1", "image_width": 800, "image_height": 400, "paragraphs": [{"lines": [
            {"words": [{"vertices": CORNERS, "text": "CARE", "legible": True}, {"vertices": STOP_CORNERS, "text": "STOP", "legible": False}]}]}]}),
        UNREAD),
    "illegible words of MapText": truth(
        "gt.json", [{"image": "img_1.png", "groups": [
            [{"vertices": CORNERS, "text": "CARE", "illegible": False, "truncated": False}],
            [{"vertices": STOP_CORNERS, "text": "STOP", "illegible": True, "truncated": False}]]}], UNREAD),
    "difficult boxes of MSRA-TD500": truth("gt.zip", {"img_1.gt": "0 0 40 40 80 20 0\n1 1 200 100 100 40 0\n"}, NAMELESS),
    "difficult words of RCTW": truth(
        "gt.zip", lines(f'{Q_CARE},0,"CARE"', f'{Q_STOP},1,"STOP"'), UNREAD, formats={"truth": "quad-difficult"}),
    "difficult objects of Pascal VOC": truth(
        "img_1.xml", "<annotation><filename>img_1.jpg</filename><size><width>800</width><height>400</height></size>"
        "<object><name>text</name><difficult>0</difficult><bndbox><xmin>41</xmin><ymin>41</ymin><xmax>120</xmax><ymax>60</ymax></bndbox></object>"
        "<object><name>text</name><difficult>1</difficult><bndbox><xmin>201</xmin><ymin>101</ymin><xmax>300</xmax><ymax>140</ymax></bndbox></object>"
        "</annotation>", NAMELESS, said=(NO_LABELS,), codes=F10),
    "words that EvaLTex rejects": truth(
        "gt.txt", 'img_1\n400,800\n1,0,"CARE",f,40,40,80,20\n2,0,"STOP",t,200,100,100,40\n', UNREAD),
}  # fmt: skip

ALL_GREEN = {"img_1": [(CARE, None, False), (CARE, None, False)]}
OUT = (760, 100, 900, 140)
OF_SHAPES = {
    "an outline that crosses itself": results(
        # A bow tie on the corners of STOP: half of its area, which is not over 0.5.
        "east.zip", lines(Q_CARE, "200,100,300,100,200,140,300,140", entry="res_img_1.txt"),
        {"img_1": [(CARE, None, False), ((200, 100, 300, 100, 200, 140, 300, 140), None, False)]}, (0.5, 0.5),
        said=("crosses itself",), codes=frozenset({"L5"})),
    "an outline against the clock": results(
        "east.zip", lines("40,40,40,60,120,60,120,40", entry="res_img_1.txt"), ONE, codes=frozenset({"L7"})),
    "quadrilaterals for a truth of boxes": truth(
        "gt.zip", lines("40,40,120,60,CARE", "200,100,300,140,STOP"), BOTH,
        ("east.zip", lines(Q_CARE, Q_STOP, entry="res_img_1.txt")), {"img_1": [(CARE, None, False), (STOP, None, False)]}),
    "boxes for a truth of quadrilaterals": truth(
        "gt.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},STOP"), BOTH,
        ("east.zip", lines("40,40,120,60", entry="res_img_1.txt")), ONE, (0.5, 1.0)),
    "a text that may be a fifth corner, of a truth of quadrilaterals": truth(
        # By themselves, they may be polygons.
        "gt.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},STOP"), BOTH,
        ("east.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},10,000", entry="res_img_1.txt")), FIRST, refused=("numbers where a text may begin",), codes=frozenset({"F1"})),
    "the same box twice": results(
        "east.zip", lines(Q_CARE, Q_CARE, entry="res_img_1.txt"), ALL_GREEN, (0.5, 0.5), codes=frozenset({"L8"})),
    "a box outside of the image that its file gives": truth(
        "gt.json", coco({"text": "CARE"}) | {"annotations": [
            {"id": 1, "image_id": 1, "bbox": [40, 40, 80, 20], "text": "CARE"}, {"id": 2, "image_id": 1, "bbox": [760, 100, 140, 40], "text": "STOP"}]},
        {"img_1": [(CARE, "CARE", False), (OUT, "STOP", False)]}, figures=(0.5, 1.0), said=("100 px outside img_1",), codes=L6),
    "a box without area among results": results(
        # It is found nowhere: one of two.
        "east.zip", lines(Q_CARE, "9,9,9,9,9,9,9,9", entry="res_img_1.txt"),
        {"img_1": [(CARE, None, False), ((9, 9, 9, 9), None, False)]}, (0.5, 0.5), said=("without area",), codes=frozenset({"L4"})),
}  # fmt: skip

SHAPE = '<polyline label="text" points="1,1;9,9"/><points label="text" points="1,1"/>'
CVAT = '<annotations><version>1.1</version><image id="0" name="img_1.jpg" width="800" height="400">{}</image></annotations>'
BOX_OF_CVAT = '<box label="text" xtl="40" ytl="40" xbr="120" ybr="60"/>'
OF_ACCOUNTS = {
    "shapes of CVAT that are no outlines": truth(
        "gt.xml", CVAT.format(BOX_OF_CVAT + SHAPE), ONE, said=("2 shapes of other types", NO_LABELS), codes=U1 | F10),
    "annotations of Label Studio that were skipped": truth(
        "gt.json", [{"data": {"image": "/data/upload/1/0a1b2c3d-img_1.png"}, "drafts": [{"result": []}], "annotations": [
            {"result": [], "was_cancelled": True},
            {"was_cancelled": False, "result": [
                {"id": "a", "type": "rectanglelabels", "original_width": 800, "original_height": 400,
                 "value": {"x": 5, "y": 10, "width": 10, "height": 5, "rotation": 0, "rectanglelabels": ["text"]}}]}]}],
        ONE, said=("2 annotations that were skipped, or are drafts", NO_LABELS), codes=U1 | F10),
    "fields of COCO that are not read": truth(
        "gt.json", coco({"attributes": {"word": "CARE"}, "difficult": True}), ONE, said=("attributes.word, difficult of 1 region",), codes=U1),
}  # fmt: skip

OF_STOPS = {
    "shares in a format of pixels": Input(
        TRUTH, ("east.csv", f"{HEADER}img_1,0.05,0.1,0.15,0.15,CARE\n"), refused=("0 to 1",), codes=frozenset({"F9"})),
    "shares without their photograph": Input(
        TRUTH, ("east.zip", {"img_1.txt": "0 0.1 0.125 0.1 0.05\n"}), refused=("whose size is not known (img_1)",), codes=frozenset({"S3"})),
    "a truth of which every region is flat": Input(
        ("gt.zip", lines(*(f"{at},40,{at + 80},40,{at + 80},40,{at},40,A" for at in range(0, 500, 100)))), BOXES,
        refused=("gt.zip",), codes=frozenset({"L4"})),
    "a truth of which every text begins with numbers": Input(
        # Quadrilaterals as boxes, which are flat too.
        ("gt.zip", lines(*(f"{at},40,{at + 80},40,{at + 80},60,{at},60,A" for at in range(0, 500, 100)))), BOXES,
        formats={"truth": "ltrb"}, refused=("5 texts that all begin with numbers, such as “80,60,0,60,A”",),
        codes=frozenset({"L1", "L4"})),
    "results of an image that the truth does not have": Input(
        TRUTH, ("east.csv", f"{HEADER}shop,40,40,120,60,CARE\n"), refused=("regions for shop", "img_1"), codes=frozenset({"N2"})),
    "an annotation of an image that COCO does not list": Input(
        ("gt.json", coco({}) | {"annotations": [{"id": 1, "image_id": 9, "bbox": [1, 1, 9, 9]}]}), BOXES,
        refused=("the image_id “9”",), codes=frozenset({"N2"})),
    "a letter as a coordinate": Input(
        TRUTH, ("east.csv", f"{HEADER}img_1,40,4o,120,60,CARE\n"), refused=("“4o”",), codes=frozenset({"L2"})),
    "a zip in a zip": Input(
        TRUTH, ("east.zip", {"inner.zip": b"PK\x05\x06" + b"\0" * 18}), refused=("an archive inside the archive",), codes=frozenset({"A2"})),
    "texts alone": Input(
        TRUTH, ("east.zip", {"img_1.md": "# CARE\n"}), refused=("img_1.md",), codes=frozenset({"N1"})),
    "a text that may be a fifth corner": Input(
        ("gt.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},10,000")), BOXES, refused=("numbers where a text may begin",), codes=frozenset({"F1"})),
}  # fmt: skip
INPUTS = {**OF_IGNORED, **OF_SHAPES, **OF_ACCOUNTS, **OF_STOPS}
