"""Each format by itself: curved text, EvaLTex, cTDaR, COCO, CSV."""

import json

from protocols.core.regions import Region
from protocols.formats.containers import elements
from protocols.formats.containers.documents import Document
from protocols.formats.problems import Problems
from tests.support.cases import cases
from tests.support.opened import BOX, coco, only, opened
from tests.support.shared import shared_path

# Curved text


def test_total_text_is_read_with_broken_lists_and_ignored_words():
    text = (
        "x: [[115 503 494 115]], y: [[322 346 426 404]], ornt: [u'm'], transcriptions: [u'nauGHTY']\n"
        "x: [[ 1  2\n  3]], y: [[4 5\n 7]], ornt: [u'c'], transcriptions: [u\"Joe\\'s\"]\n"
        "x: [[9 9 7]], y: [[1 4 4]], ornt: [u'#'], transcriptions: [u'#']\n"
    )
    archive = opened({"poly_gt_img1.txt": text})
    assert not archive.errors
    first, second, third = archive.regions["img1"]
    assert first == Region((115, 322, 503, 346, 494, 426, 115, 404), "nauGHTY")
    assert (second.text, second.n_points) == ("Joe's", 3)
    assert (third.text, third.ignored) == ("###", True)
    assert archive.lines["img1"] == (1, 2, 5)
    assert archive.line_format == "polygon"


def test_points_of_ctw_1500_are_relative_to_their_box():
    """The box from (10, 20) to (36, 46): 14 points along two sides, 2 px apart."""
    top = [part for n in range(7) for part in (f"{26 * n // 6}", "0")]
    bottom = [part for n in range(7) for part in (f"{26 - 26 * n // 6}", "26")]
    line = ",".join(["10", "20", "36", "46", *top, *bottom])
    _, region = only(opened({"0001.txt": line}))
    assert region.box == (10, 20, 36, 46)
    assert region.points[:4] == (10, 20, 14, 20)


def test_marks_before_the_transcriptions_of_ctw_1500_are_taken_off():
    archive = opened({"1.txt": "0,0,9,0,9,9,####a, b\n0,0,9,0,9,8,#######\n"})
    assert [(of.text, of.ignored) for of in archive.regions["1"]] == [
        ("a, b", False),
        ("###", True),
    ]


@cases("prefix", ["", "gt_"])
def test_sixteen_points_that_are_no_offsets_stay_polygons(prefix):
    line = ",".join(str(10 + n * n % 37 + n) for n in range(32))
    _, region = only(opened({f"{prefix}a.txt": f"{line},w"}, format="polygon"))
    assert region.n_points == 16


# EvaLTex


def test_evaltex_text_of_ground_truth():
    text = 'img_1\n100,200\n1,0,"a ""b"", c",f,1,2,30,4\n2,7,x,t,0,0,9,0,9,9\n\nimg_2\n5,6\n'
    archive = opened(text, format="evaltex-text")
    assert archive.regions == {
        "img_1": (
            Region(BOX.points, 'a "b", c', id="1"),
            Region((0, 0, 9, 0, 9, 9), "x", ignored=True, id="2", parent="7"),
        ),
        "img_2": (),
    }
    assert archive.sizes == {"img_1": (200, 100), "img_2": (6, 5)}
    assert archive.lines["img_1"] == (3, 4)


def test_evaltex_xml():
    text = (
        '<evaltex kind="groundtruth"><image name="img_1" width="64" height="48"><region id="5">'
        '<object id="1" x="1" y="2" width="30" height="4" reject="false" transcription="a"/></region>'
        '<object id="2" points="0,0 9,0 9,9" reject="true"/></image></evaltex>'
    )
    archive = opened(text, format="evaltex-xml")
    assert archive.regions["img_1"] == (
        Region(BOX.points, "a", id="1", parent="5"),
        Region((0, 0, 9, 0, 9, 9), ignored=True, id="2"),
    )
    assert archive.sizes == {"img_1": (64, 48)}


def test_evaltex_xml_keeps_objects_inside_elements_that_it_does_not_know():
    text = (
        '<evaltex><image name="img_1"><words><object x="1" y="2" width="30" height="4"/></words>'
        '<region id="5"><words><object x="1" y="9" width="30" height="4"/></words></region>'
        "</image></evaltex>"
    )
    assert [of.parent for of in opened(text, format="evaltex-xml").regions["img_1"]] == [None, "5"]


# The elements of XML


def test_the_text_of_an_element_is_whole_and_its_own():
    content = b"<a>x<b>y</b> <!-- --><b/>&lt;z<b><c>v</c>w</b></a>"
    outer = elements.element_of(Document(None, "a", content, Problems("a")), "a")
    assert [of.text for of in (outer, *outer.all())] == ["x <z", "y", "", "w", "v"]


def test_a_document_of_too_many_elements_is_refused_with_its_line(monkeypatch):
    monkeypatch.setattr(elements, "_MAX_ELEMENTS", 3)
    assert not opened('<evaltex><image name="a"/><a/></evaltex>', format="evaltex-xml").errors
    text = '<evaltex>\n<image name="a"/><a/>\n<a/></evaltex>'
    [problem] = opened(text, format="evaltex-xml").errors
    assert (problem.code, problem.line, problem.found) == ("A3", 3, "more than 3 elements")


# cTDaR


def test_tables_are_read_with_their_cells():
    text = (
        '<document><table><Coords points="0,0 0,9 9,9 9,0"/><cell start-row="0" start-col="1">'
        '<Coords points="0,0 0,5 5,5"/></cell></table></document>'
    )
    archive = opened({"page.xml": text})
    table, cell = archive.regions["page"]
    assert (table.label, table.id) == ("table", "0")
    assert (cell.cell, cell.parent) == ((0, 1, 0, 1), "0")
    assert not archive.errors


@cases(("track", "part"), [("trackA", "gt"), ("trackB", "gt"), ("trackB", "results/struct")])
def test_real_tables_are_read_without_an_error(track, part):
    folder = shared_path("data", "ctdar2019", track, *part.split("/"))
    files = {path.name: path.read_bytes() for path in folder.glob("*.xml")}
    archive = opened(files)
    assert not archive.errors
    assert len(archive.regions) == len(files)


# COCO

IMAGES = [
    {"id": 3, "file_name": "data/a.jpg", "width": 64, "height": 48},
    {"id": 4, "file_name": "b"},
]


def test_coco_is_read_with_its_sizes_texts_and_empty_images():
    annotations = [
        {"image_id": 3, "category_id": 1, "bbox": [1, 2, 30, 4], "text": "w"},
        {"image_id": 3, "segmentation": [[0, 0, 9, 0, 9, 9]], "iscrowd": 1},
        {"image_id": 3, "segmentation": [], "bbox": [5, 5, 5, 5], "utf8_string": "###"},
    ]
    categories = [{"id": 1, "name": "word"}]
    archive = coco({"images": IMAGES, "categories": categories, "annotations": annotations})
    assert archive.regions == {
        "a": (
            Region(BOX.points, "w", label="word"),
            Region((0, 0, 9, 0, 9, 9), ignored=True),
            Region.from_box(5, 5, 10, 10, text="###", ignored=True),
        ),
        "b": (),
    }
    assert archive.sizes == {"a": (64, 48)}


def test_a_list_of_coco_results_names_images_by_their_ids():
    # Ultralytics' turned boxes have no bbox.
    for outline in ({"bbox": [1, 2, 30, 4]}, {"rbox": [16, 4, 30, 4, 0.0], "poly": BOX.points}):
        archive = coco([{"image_id": 7, "score": 0.5, **outline}], "results")
        assert only(archive) == ("7", Region(BOX.points, confidence=0.5))


def test_coco_text_is_read():
    images = {"7": {"id": 7, "file_name": "COCO_7.jpg", "width": 64, "height": 48}}
    annotation = {"image_id": 7, "mask": [0, 0, 9, 0, 9, 9], "legibility": "illegible"}
    archive = coco({"imgs": images, "anns": {"1": annotation}})
    assert only(archive) == ("COCO_7", Region((0, 0, 9, 0, 9, 9), ignored=True))


def test_a_full_stop_of_textocr_is_ignored_and_one_of_coco_text_is_a_text():
    images = {"a": {"id": "a", "file_name": "train/a.jpg", "width": 64, "height": 48}}
    word = {"image_id": "a", "points": [0, 0, 9, 0, 9, 9, 0, 9], "utf8_string": "."}
    [textocr] = coco({"imgs": images, "anns": {"1": word}}).regions["a"]
    [coco_text] = coco({"imgs": images, "anns": {"1": {**word, "legibility": "legible"}}}).regions[
        "a"
    ]
    assert (textocr.ignored, coco_text.ignored) == (True, False)


def test_methods_of_one_file_become_result_sets_that_share_its_images():
    annotations = [
        {"image_id": 3, "bbox": [1, 2, 30, 4], "method": "m"},
        {"image_id": 4, "bbox": [1, 2, 30, 4], "method": "n"},
    ]
    data = {"images": IMAGES, "annotations": annotations}
    archive = coco(data, "results")
    assert archive.regions == {}
    assert archive.by_method == {"m": {"a": (BOX,), "b": ()}, "n": {"a": (), "b": (BOX,)}}
    assert archive.n_regions == 2
    del annotations[1]["method"]
    [problem] = coco(data, "results").errors
    assert problem.code == "S3"


@cases(
    "counts",
    [
        # 3 rows and 4 columns, down the columns: 4 unset, 2 set, 1 unset, 2 set, 3 unset.
        [4, 2, 1, 2, 3],
        # The same in COCO's compression: the fourth and the fifth less the second and the third.
        "".join(chr(48 + n) for n in (4, 2, 1, 0, 2)),
    ],
)
def test_run_lengths_become_rows_of_pixels(counts):
    data = [{"image_id": "a", "segmentation": {"size": [3, 4], "counts": counts}}]
    _, region = only(opened(json.dumps(data), "results", format="coco-json"))
    assert region.pixels == ((1, 1, 3), (2, 1, 3))
    assert region.box == (1, 1, 3, 3)


# CSV


@cases(
    ("header", "cells"),
    [
        ("left,top,right,bottom", "1,2,31,6"),
        ("x,y,width,height", "1,2,30,4"),
        ("points", "1 2 31 2 31 6 1 6"),
        ("points", '"1,2,31,2,31,6,1,6"'),
        ("x1,y1,x2,y2,x3,y3,x4,y4,x5,y5", "1,2,31,2,31,6,1,6,,"),
    ],
)
def test_csv_is_read_by_the_names_of_its_columns(header, cells):
    text = f'image,{header},text,ignored,confidence\n"a.jpg",{cells},"x, ""y""",no,0.5\n'
    archive = opened(text, format="csv")
    assert not archive.problems
    assert only(archive) == ("a", Region(BOX.points, 'x, "y"', 0.5))
    assert archive.lines == {"a": (2,)}


def test_csv_of_several_methods_and_images_without_a_region():
    text = "method;image;x;y;width;height\r\nm;a;1;2;30;4\r\nm;b;;;;\r\nn;a;1;2;30;4\r\n"
    archive = opened(text, "results", format="csv")
    assert archive.by_method == {"m": {"a": (BOX,), "b": ()}, "n": {"a": (BOX,)}}
