"""Every format is read as its description says, with place, repair and what will be done."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.core.regions import Region
from protocols.formats.archives import Limits
from protocols.formats.checking import missing_images, outside_images, unknown_images
from protocols.formats.guessing import guess
from protocols.formats.problems import (
    CODES,
    Nearest,
    Problem,
    Problems,
    excerpt,
    problems_as_csv,
)
from protocols.formats.reading import FORMATS, UnknownFormat, read
from protocols.formats.shapes import turned_round
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.shared import shared_path

BOX = Region.from_box(1, 2, 31, 6)


def opened(content, kind="truth", **more):
    if isinstance(content, dict):
        content = zip_bytes(content)
    elif isinstance(content, str):
        content = content.encode()
    return read(io.BytesIO(content), kind=kind, **{"name": "set.zip", **more})


def coco(data, kind="truth"):
    return opened(json.dumps(data), kind, format="coco-json")


def only(archive):
    [(image, [region])] = archive.regions.items()
    return image, region


def marked(problem: Problem) -> str:
    start, end = problem.span
    return problem.text[start:end]


def told(problem: Problem):
    return problem.severity, problem.code, problem.action


# Where a fault is


@pytest.mark.parametrize(
    ("line", "code", "column", "part"),
    [
        ("0,0,x,9,word", "L2", 5, "x"),
        ("0, 0,  1_0 ,9,word", "L2", 8, "1_0"),
        ("0 0 oops 9 word", "L2", 5, "oops"),
        ("0,0,9,1e999,word", "L3", 7, "1e999"),
        ("0,0,inf,9,word", "L3", 5, "inf"),
        ("9,0,5,9,word", "L4", 1, "9,0,5,9"),
        ("0,0,9", "L1", 1, "0,0,9"),
    ],
)
def test_the_part_of_a_line_that_is_at_fault_is_marked(line, code, column, part):
    [problem] = opened({"gt_a.txt": f"\n{line}\n"}, format="ltrb").errors
    assert (problem.code, problem.line, problem.column) == (code, 2, column)
    assert problem.text == line
    assert marked(problem) == part
    assert problem.action == "nothing is loaded"


def test_a_long_line_is_shortened_around_its_fault():
    line = f"{'1,' * 500}x{',1' * 500}"
    shown, (start, end) = excerpt(line, (1000, 1001))
    assert len(shown) == 162
    assert (shown[0], shown[-1], shown[start:end]) == ("…", "…", "x")


@given(st.text(max_size=400), st.integers(-5, 400), st.integers(-5, 400))
def test_an_excerpt_always_holds_its_span(line, start, end):
    shown, span = excerpt(line, (start, end))
    assert shown.isprintable()
    if span is not None:
        assert 0 <= span[0] <= span[1] <= len(shown)


def test_a_self_crossing_polygon_is_told_with_its_repair():
    """A bow tie of side 10 falls into two triangles that meet in (5, 5)."""
    [problem] = opened({"gt_a.txt": "0,0,10,10,10,0,0,10,w"}).warnings
    assert told(problem)[:2] == ("warning", "L5")
    assert problem.action.startswith("kept; measured as “")
    assert problem.action.count("5,5") == 2


def test_corners_that_run_counter_clockwise_are_put_in_order_from_the_same_corner():
    found = opened({"gt_a.txt": "0,0,0,9,9,9,9,0,w"})
    assert only(found)[1].points == (0, 0, 9, 0, 9, 9, 0, 9)
    [problem] = found.warnings
    assert told(problem) == ("warning", "L7", "reordered")
    assert turned_round(turned_round(BOX)) == BOX


def test_a_line_and_an_entry_are_kept_for_each_region():
    found = opened({"x/gt_a.txt": "0,0,9,9,w\n\n0,0,8,8,w\n"})
    assert (found.entries, found.lines) == ({"a": "x/gt_a.txt"}, {"a": (1, 3)})


# Progress, cancel, limits


class Cancelled(Exception):
    pass


def test_each_entry_is_told_and_what_that_raises_ends_the_reading():
    content = {f"gt_{n}.txt": "0,0,9,9,w" for n in range(5)}
    seen = []
    opened(content, on_entry=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]

    def cancel(done, total):
        seen.append(done)
        if done == 2:
            raise Cancelled

    seen.clear()
    with pytest.raises(Cancelled):
        opened(content, on_entry=cancel)
    assert seen == [1, 2]


@pytest.mark.parametrize("slug", ["coco-json", "csv", "evaltex-text", "evaltex-xml", "ctdar-xml"])
def test_documents_are_told_too_and_bounded(slug):
    seen = []
    opened(b"x", format=slug, on_entry=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 1)]
    [problem] = opened(b"x" * 99, format=slug, limits=Limits(document_bytes=9)).errors
    assert problem.code == "A3"


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(UnknownFormat, match="ltrb, quad, polygon"):
        opened({"gt_a.txt": ""}, format="voc")


@pytest.mark.parametrize("slug", FORMATS)
def test_a_format_says_what_it_is(slug):
    of = FORMATS[slug]
    assert (of.slug, set(of.kinds)) == (slug, {"truth", "results"})
    assert of.name
    assert "as in" in of.description


# Curved text


def test_total_text_is_read_with_broken_lists_and_ignored_words():
    text = (
        "x: [[115 503 494 115]], y: [[322 346 426 404]], ornt: [u'm'], transcriptions: [u'nauGHTY']\n"
        "x: [[ 1  2\n  3]], y: [[4 5\n 7]], ornt: [u'c'], transcriptions: [u\"Joe\\'s\"]\n"
        "x: [[9 9 7]], y: [[1 4 4]], ornt: [u'#'], transcriptions: [u'#']\n"
    )
    found = opened({"poly_gt_img1.txt": text})
    assert not found.errors
    first, second, third = found.regions["img1"]
    assert first == Region((115, 322, 503, 346, 494, 426, 115, 404), "nauGHTY")
    assert (second.text, second.n_points) == ("Joe's", 3)
    assert (third.text, third.ignored) == ("###", True)
    assert found.lines["img1"] == (1, 2, 5)
    assert found.line_format == "polygon"


def test_points_of_ctw_1500_are_relative_to_their_box():
    """The box from (10, 20) to (36, 46): 14 points along two sides, 2 px apart."""
    top = [part for n in range(7) for part in (f"{26 * n // 6}", "0")]
    bottom = [part for n in range(7) for part in (f"{26 - 26 * n // 6}", "26")]
    line = ",".join(["10", "20", "36", "46", *top, *bottom])
    _, region = only(opened({"0001.txt": line}))
    assert region.box == (10, 20, 36, 46)
    assert region.points[:4] == (10, 20, 14, 20)


def test_marks_before_the_transcriptions_of_ctw_1500_are_taken_off():
    found = opened({"1.txt": "0,0,9,0,9,9,####a, b\n0,0,9,0,9,8,#######\n"})
    assert [(of.text, of.ignored) for of in found.regions["1"]] == [("a, b", False), ("###", True)]


@pytest.mark.parametrize("prefix", ["", "gt_"])
def test_sixteen_points_that_are_no_offsets_stay_polygons(prefix):
    line = ",".join(str(10 + n * n % 37 + n) for n in range(32))
    _, region = only(opened({f"{prefix}a.txt": f"{line},w"}, format="polygon"))
    assert region.n_points == 16


# EvaLTex


def test_evaltex_text_of_ground_truth():
    text = 'img_1\n100,200\n1,0,"a ""b"", c",f,1,2,30,4\n2,7,x,t,0,0,9,0,9,9\n\nimg_2\n5,6\n'
    found = opened(text, format="evaltex-text")
    assert found.regions == {
        "img_1": (
            Region(BOX.points, 'a "b", c', id="1"),
            Region((0, 0, 9, 0, 9, 9), "x", ignored=True, id="2", parent="7"),
        ),
        "img_2": (),
    }
    assert found.sizes == {"img_1": (200, 100), "img_2": (6, 5)}
    assert found.lines["img_1"] == (3, 4)


def test_evaltex_text_of_detections():
    found = opened("img_1\n100,200\n1,1,2,30,4\n", "results", format="evaltex-text")
    assert only(found) == ("img_1", Region(BOX.points, id="1"))


def test_evaltex_xml():
    text = (
        '<evaltex kind="groundtruth"><image name="img_1" width="64" height="48"><region id="5">'
        '<object id="1" x="1" y="2" width="30" height="4" reject="false" transcription="a"/></region>'
        '<object id="2" points="0,0 9,0 9,9" reject="true"/></image></evaltex>'
    )
    found = opened(text, format="evaltex-xml")
    assert found.regions["img_1"] == (
        Region(BOX.points, "a", id="1", parent="5"),
        Region((0, 0, 9, 0, 9, 9), ignored=True, id="2"),
    )
    assert found.sizes == {"img_1": (64, 48)}


# cTDaR


def test_tables_are_read_with_their_cells():
    text = (
        '<document><table><Coords points="0,0 0,9 9,9 9,0"/><cell start-row="0" start-col="1">'
        '<Coords points="0,0 0,5 5,5"/></cell></table></document>'
    )
    found = opened({"page.xml": text})
    table, cell = found.regions["page"]
    assert (table.label, table.id) == ("table", "0")
    assert (cell.cell, cell.parent) == ((0, 1, 0, 1), "0")
    assert not found.errors


@pytest.mark.parametrize(
    ("track", "part"), [("trackA", "gt"), ("trackB", "gt"), ("trackB", "results/struct")]
)
def test_real_tables_are_read_without_an_error(track, part):
    folder = shared_path("data", "ctdar2019", track, *part.split("/"))
    files = {path.name: path.read_bytes() for path in folder.glob("*.xml")}
    found = opened(files)
    assert not found.errors
    assert len(found.regions) == len(files)


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
    found = coco({"images": IMAGES, "categories": categories, "annotations": annotations})
    assert found.regions == {
        "a": (
            Region(BOX.points, "w", label="word"),
            Region((0, 0, 9, 0, 9, 9), ignored=True),
            Region.from_box(5, 5, 10, 10, text="###", ignored=True),
        ),
        "b": (),
    }
    assert found.sizes == {"a": (64, 48)}


def test_a_list_of_coco_results_names_images_by_their_ids():
    found = coco([{"image_id": 7, "bbox": [1, 2, 30, 4], "score": 0.5}], "results")
    assert only(found) == ("7", Region(BOX.points, confidence=0.5))


def test_coco_text_is_read():
    images = {"7": {"id": 7, "file_name": "COCO_7.jpg", "width": 64, "height": 48}}
    annotation = {"image_id": 7, "mask": [0, 0, 9, 0, 9, 9], "legibility": "illegible"}
    found = coco({"imgs": images, "anns": {"1": annotation}})
    assert only(found) == ("COCO_7", Region((0, 0, 9, 0, 9, 9), ignored=True))


def test_methods_of_one_file_become_result_sets_that_share_its_images():
    annotations = [
        {"image_id": 3, "bbox": [1, 2, 30, 4], "method": "m"},
        {"image_id": 4, "bbox": [1, 2, 30, 4], "method": "n"},
    ]
    data = {"images": IMAGES, "annotations": annotations}
    found = coco(data, "results")
    assert found.regions == {}
    assert found.by_method == {"m": {"a": (BOX,), "b": ()}, "n": {"a": (), "b": (BOX,)}}
    assert found.n_regions == 2
    del annotations[1]["method"]
    [problem] = coco(data, "results").errors
    assert problem.code == "S3"


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    found = opened(text, format="csv")
    assert not found.problems
    assert only(found) == ("a", Region(BOX.points, 'x, "y"', 0.5))
    assert found.lines == {"a": (2,)}


def test_csv_of_several_methods_and_images_without_a_region():
    text = "method;image;x;y;width;height\r\nm;a;1;2;30;4\r\nm;b;;;;\r\nn;a;1;2;30;4\r\n"
    found = opened(text, "results", format="csv")
    assert found.by_method == {"m": {"a": (BOX,), "b": ()}, "n": {"a": (BOX,)}}


# Against what is known


def test_an_unknown_image_is_told_with_the_nearest_name():
    found = opened({"res_img_12.txt": "0,0,9,9", "res_xyz.txt": ""}, "results")
    first, second = unknown_images(found, ["img_0012", "img_3"])
    assert (first.code, first.entry) == ("N2", "res_img_12.txt")
    assert first.expected == "an image of the dataset (perhaps img_0012)"
    assert second.expected == "an image of the dataset"


def test_a_missing_file_is_asked_until_a_person_has_said_what_it_means():
    found = opened({"res_a.txt": ""}, "results")
    [problem] = missing_images(found, ["a", "b", "c"])
    assert told(problem) == ("question", "N4", "nothing is loaded until this is answered")
    assert "2 images (b, c)" in problem.found
    [problem] = missing_images(found, ["a", "b"], "empty")
    assert told(problem) == ("warning", "N4", "read as “no boxes”")
    assert missing_images(found, ["a"]) == []


def test_how_far_a_region_reaches_outside_is_told_with_its_line():
    found = opened({"gt_a.txt": "\n0,0,9,9,w\n5,-3,109,50,w"})
    [problem] = outside_images(found, {"a": (100, 50)})
    assert (problem.code, problem.line, problem.entry) == ("L6", 3, "gt_a.txt")
    assert "9 px outside a" in problem.found


def test_the_nearest_name_is_offered_a_hundred_times_at_most():
    nearest = Nearest(["street"])
    assert nearest.to("STREET") == "street"
    assert [nearest.to("strett") for _ in range(101)][-2:] == ["street", None]


# Problems as a table


def test_problems_as_csv_has_a_line_each_and_no_formula():
    problems = Problems("=cmd()")
    problems.error("L1", '"quoted", 5 fields', "4", "a,b.txt", 3, text="-1,2", span=(0, 2))
    [row] = csv.DictReader(io.StringIO(problems_as_csv(problems.found)))
    assert row["archive"] == "'=cmd()"
    assert (row["code"], row["name"]) == ("L1", "Wrong number of fields")
    assert (row["line"], row["column"], row["text"]) == ("3", "1", "'-1,2")
    assert row["found"] == '"quoted", 5 fields'
    assert row["action"] == "nothing is loaded"


def test_the_codes_are_those_of_the_specification():
    assert list(CODES) == [
        *("A1", "A2", "A3", "N1", "N2", "N3", "N4"),
        *(f"L{n}" for n in range(1, 10)),
        *("S1", "S2", "S3", "P1"),
    ]


# Guessing


@pytest.mark.parametrize(
    ("name", "content", "kind", "format", "method"),
    [
        ("gt.zip", {"gt_a.txt": "0,0,9,9,w"}, "truth", "ltrb", None),
        ("res_east.zip", {"res_a.txt": "0,0,9,0,9,9,0,9"}, "results", "quad", "east"),
        ("craft results.zip", {"a.txt": "0,0,9,9,0.5"}, "results", "ltrb", "craft"),
        ("words.zip", {"a.txt": "0,0,9,9,word"}, "truth", "ltrb", None),
        ("p.zip", {"poly_gt_a.txt": "x: [[1 2 3]], y: [[1 2 9]]"}, "truth", "polygon", None),
        ("photos.zip", {"a.jpg": b"", "b.png": b"", "readme.txt": "x"}, "images", None, None),
        ("a.png", picture_bytes(), "images", None, None),
        ("e.txt", "img_1\n10,20\n1,0,\"w\",f,1,2,3,4\n", "truth", "evaltex-text", None),
        ("e.txt", "img_1\n10,20\n1,1,2,3,4\n", "results", "evaltex-text", "e"),
        ("e.xml", '<evaltex kind="detections"/>', "results", "evaltex-xml", "e"),
        ("gt.zip", {"a.xml": "<document/>"}, "truth", "ctdar-xml", None),
        ("tight.zip", {"a.xml": "<document/>"}, "results", "ctdar-xml", "tight"),
        ("m.json", '[{"image_id": 1, "bbox": []}]', "results", "coco-json", "m"),
        ("c.json", '{"images": [], "annotations": []}', "truth", "coco-json", None),
        ("s.json", '{"m": {"a": {"recall": 1}}}', "scores", "json", None),
        ("s.csv", "image,method,recall,precision\n", "scores", "csv", None),
        ("t.csv", "image;points;text\n", "truth", "csv", None),
        ("d.csv", "image,points,confidence\n", "results", "csv", "d"),
        ("a.pdf", "%PDF-1.4", None, None, None),
        ("gt_a.txt", "0,0,9,9,w", None, None, None),
        ("empty", "", None, None, None),
        ("nested.zip", {"inner.zip": ""}, None, None, None),
    ],
)  # fmt: skip
def test_kind_format_and_method_are_guessed_with_a_reason(name, content, kind, format, method):
    content = zip_bytes(content) if isinstance(content, dict) else content
    content = content.encode() if isinstance(content, str) else content
    found = guess(io.BytesIO(content), name)
    assert (found.kind, found.format, found.method) == (kind, format, method)
    assert found.reason.endswith(".")


def test_a_file_that_is_not_there_is_guessed_to_be_nothing(tmp_path):
    assert guess(tmp_path / "no.zip").kind is None
    assert {p.code for p in read(tmp_path / "no.zip", kind="truth").errors} == {"A1"}


# Anything at all


@given(
    st.binary(max_size=400),
    st.sampled_from([None, *FORMATS]),
    st.sampled_from(["truth", "results"]),
)
def test_no_bytes_make_a_reader_raise(content, slug, kind):
    found = read(io.BytesIO(content), kind=kind, format=slug, name="x")
    assert found.errors or slug in ("csv", "coco-json", "evaltex-text", None)
    assert guess(io.BytesIO(content), "x").reason


VALID = {
    "ltrb": zip_bytes({"gt_a.txt": '0,0,9,9,"word"\n1,1,5,5,###\n'}),
    "quad": zip_bytes({"gt_a.txt": "0,0,9,0,9,9,0,9,word\n"}),
    "polygon": zip_bytes({"a.txt": "x: [[1 2 9]], y: [[1 9 2]], ornt: [u'c'], transcriptions: [u'w']\n"}),
    "evaltex-text": b'img_1\n100,200\n1,0,"a ""b""",f,1,2,30,4\n2,7,x,t,0,0,9,0,9,9\n',
    "evaltex-xml": b'<evaltex><image name="a" width="9" height="9">'
    b'<object points="0,0 9,0 9,9"/></image></evaltex>',
    "ctdar-xml": b'<document><table><cell start-row="0" start-col="1"><Coords points="0,0 0,5 5,5"/></cell>'
    b'<Coords points="0,0 0,9 9,9"/></table></document>',
    "coco-json": b'{"images":[{"id":1,"file_name":"a","width":9,"height":9}],"annotations":[{"image_id":1,'
    b'"bbox":[0,0,5,5],"segmentation":{"size":[3,4],"counts":[4,2,1,2,3]},"score":0.5,"cell":[0,0,1,1]}]}',
    "csv": b'image,method,points,text,ignored,confidence\na,m,"0 0 9 0 9 9",w,1,0.5\n',
}  # fmt: skip


@pytest.mark.parametrize("slug", FORMATS)
def test_every_format_has_a_valid_file_to_damage(slug):
    assert slug in VALID, f"VALID in {__name__} has no small valid file of the format {slug}"


@pytest.mark.parametrize("slug", VALID)
@given(data=st.data())
def test_no_change_of_a_valid_file_makes_its_reader_raise(slug, data):
    content = bytearray(VALID[slug])
    assert not read(io.BytesIO(bytes(content)), kind="truth", format=slug, name="a").errors
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        how = data.draw(st.sampled_from(["change", "cut", "double", "insert"]))
        if how == "change":
            content[at] = data.draw(st.integers(0, 255))
        elif how == "cut":
            del content[at : at + data.draw(st.integers(1, 20))]
            content = content or bytearray(b"x")
        elif how == "double":
            content[at:at] = content[at : at + 30]
        else:
            content[at:at] = data.draw(
                st.sampled_from([b"1e999", b"9" * 400, b"\0", b"\xff", b",,", b'"'])
            )
    for kind in ("truth", "results"):
        for format in (slug, None):
            found = read(io.BytesIO(bytes(content)), kind=kind, format=format, name="a")
            for images in found.by_method.values():
                for regions in images.values():
                    assert all(abs(value) <= 1e9 for of in regions for value in of.points)
