"""Rules of every reader: faults in their places, progress, limits, names, guesses."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.core.regions import Region
from protocols.formats.containers.archives import Limits
from protocols.formats.containers.checking import (
    missing_images,
    outside_images,
    unknown_images,
    with_known_names,
)
from protocols.formats.containers.contents import Archive, LineFormat
from protocols.formats.containers.shapes import turned_round
from protocols.formats.problems import CODES, Nearest, Problems, excerpt, problems_as_csv
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import FORMATS, UnknownFormat, read
from protocols.formats.summaries import summaries
from protocols.loading.looking import look_alone
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.cases import cases
from tests.support.opened import BOX, marked, only, opened, told

# Where a fault is


@cases(
    ("line", "code", "column", "part"),
    [
        ("0,0,x,9,word", "L2", 5, "x"),
        ("0, 0,  1_0 ,9,word", "L2", 8, "1_0"),
        ("0 0 oops 9 word", "L2", 5, "oops"),
        ("0,0,9,1e999,word", "L3", 7, "1e999"),
        ("0,0,inf,9,word", "L3", 5, "inf"),
        ("9,0,5,9,word", "L4", 1, "9,0,5,9"),
        ("0,9,9,5,word", "L4", 1, "0,9,9,5"),
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
    archive = opened({"gt_a.txt": "0,0,0,9,9,9,9,0,w"})
    assert only(archive)[1].points == (0, 0, 9, 0, 9, 9, 0, 9)
    [problem] = archive.warnings
    assert told(problem) == ("warning", "L7", "reordered")
    assert turned_round(turned_round(BOX)) == BOX


def test_a_line_of_text_that_runs_counter_clockwise_keeps_which_points_are_opposite():
    """The lower side from left to right and the upper one back is read as the upper side first."""
    archive = opened({"gt_a.txt": "0,9,5,8,9,9,9,0,5,1,0,0,w"})
    region = only(archive)[1]
    assert region.points == (0, 0, 5, 1, 9, 0, 9, 9, 5, 8, 0, 9)
    assert turned_round(turned_round(region)) == region


def test_a_line_and_an_entry_are_kept_for_each_region():
    archive = opened({"x/gt_a.txt": "0,0,9,9,w\n\n0,0,8,8,w\n"})
    assert (archive.entries, archive.lines) == ({"a": "x/gt_a.txt"}, {"a": (1, 3)})


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


@cases("slug", ["coco-json", "csv", "evaltex-text", "evaltex-xml", "ctdar-xml"])
def test_documents_are_told_too_and_bounded(slug):
    seen = []
    opened(b"x", format=slug, on_entry=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 1)]
    [problem] = opened(b"x" * 99, format=slug, limits=Limits(document_bytes=9)).errors
    assert problem.code == "A3"


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(UnknownFormat, match="ltrb, ltwh, quad, quad-columns, polygon"):
        opened({"gt_a.txt": ""}, format="voc")
    with pytest.raises(UnknownFormat, match=r"as 'quat' \(did you mean 'quad'\?\); formats: "):
        opened({"gt_a.txt": ""}, format="Quat")
    assert not opened({"gt_a.txt": "0,0,9,0,9,9,0,9,a"}, format="QUAD").errors


@cases("slug", FORMATS)
def test_a_format_says_what_it_is(slug):
    of = FORMATS[slug]
    assert (of.slug, set(of.kinds)) == (slug, {"truth", "results"})
    assert of.name
    assert "as in" in of.description


# Against what is known


def test_an_unknown_image_is_told_with_the_nearest_name():
    archive = opened({"res_img_12.txt": "0,0,9,9", "res_xyz.txt": ""}, "results")
    first, second = unknown_images(archive, ["img_0012", "img_3"]).found
    assert (first.code, first.entry) == ("N2", "res_img_12.txt")
    assert first.expected == "an image of the dataset, which has img_0012, img_3 (perhaps img_0012)"
    assert second.expected == "an image of the dataset, which has img_0012, img_3"


def test_a_missing_file_is_asked_until_a_person_has_said_what_it_means():
    archive = opened({"res_a.txt": ""}, "results")
    [problem] = missing_images(archive, ["a", "b", "c"])
    assert told(problem) == ("question", "N4", "nothing is loaded until this is answered")
    assert "2 images (b, c)" in problem.found
    [problem] = missing_images(archive, ["a", "b"], "empty")
    assert told(problem) == ("warning", "N4", "read as “no boxes”")
    assert missing_images(archive, ["a"]) == []


def test_how_far_a_region_reaches_outside_is_told_with_its_line():
    archive = opened({"gt_a.txt": "\n0,0,9,9,w\n5,-3,109,50,w"})
    [problem] = outside_images(archive, {"a": (100, 50)}).found
    assert (problem.code, problem.line, problem.entry) == ("L6", 3, "gt_a.txt")
    assert "9 px outside a" in problem.found


def test_a_region_outside_its_image_is_told_once_although_two_sizes_are_known():
    """COCO gives a size; the photograph may have the same one or another."""
    data = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 50}],
        "annotations": [{"image_id": 1, "bbox": [80, 0, 30, 9]}],
    }
    archive = read(io.BytesIO(json.dumps(data).encode()), kind="truth", name="a.json")
    for photographs, distances in (
        ({}, [10]),
        ({"a": (100, 50)}, [10]),
        ({"a": (90, 50)}, [10, 20]),
    ):
        found = [problem.found for problem in look_alone(archive, photographs).archive.problems]
        assert found == [f"region 1 reaches {px} px outside a" for px in distances]


def test_a_share_outside_its_photograph_is_told():
    files = {"a.txt": "0 0.95 0.5 0.2 0.1", "a.png": picture_bytes(200, 100)}
    archive = read(io.BytesIO(zip_bytes(files)), kind="truth", name="a.zip", format="yolo")
    [problem] = look_alone(archive, {"a": (200, 100)}).archive.problems
    assert (problem.code, problem.found) == ("L6", "region 1 reaches 10 px outside a")


def test_a_summary_counts_all_regions_outside_and_says_only_what_holds_for_all():
    """It said "1000 times" of 2,506 regions, and the first image's size for all images."""
    boxes = [(Region.from_box(0, 0, 10 + at, 9),) * n for at, n in ((1, 1), (1, 5), (2, 2500))]
    images = dict(zip("abc", boxes, strict=True))
    archive = Archive("r.zip", LineFormat.LTRB, {}, (), {}, methods={"east": images})
    problems = Problems("r.zip")
    problems.merge(outside_images(archive, {"a": (10, 9), "b": (10, 9), "c": (9, 9)}))
    [summary] = summaries(problems.found, problems.counts)
    assert (summary.n, len(problems.found)) == (2506, 1000)
    assert summary.text == "r.zip: Outside the image, 2506 times."
    few = outside_images(archive, {"a": (10, 9), "b": (10, 9)})
    [summary] = summaries(few.found, few.counts)
    assert summary.text.endswith("6 times; expected coordinates within 10 x 9.")


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
        *("A1", "A2", "A3", "N1", "N2", "N3", "N4", "N5"),
        *(f"L{n}" for n in range(1, 10)),
        *("U1", "U2"),
        *(f"F{n}" for n in range(1, 12)),
        # Ours: words against lines, and outlines of another level than the texts.
        *("F12", "F13"),
        *("S1", "S2", "S3", "P1", "P2"),
    ]


# Guessing


@cases(
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
    guessed = guess(io.BytesIO(content), name)
    assert (guessed.kind, guessed.format, guessed.method) == (kind, format, method)
    assert guessed.reason.endswith(".")


def test_a_file_that_is_not_there_is_guessed_to_be_nothing(tmp_path):
    assert guess(tmp_path / "no.zip").kind is None
    assert {p.code for p in read(tmp_path / "no.zip", kind="truth").errors} == {"A1"}


@cases(
    ("names", "images"),
    [
        (["1", "2"], ["img_1", "img_2"]),
        (["IMG_2", "img_1"], ["img_2", "img_1"]),
        (["img_0001"], ["img_1"]),
    ],
)
def test_names_are_matched_if_every_one_fits_an_image(names, images):
    text = zip_bytes({f"res_{name}.txt": f"0,0,9,{at + 9}" for at, name in enumerate(names)})
    archive = read(io.BytesIO(text), kind="results", name="east.zip")
    found, [stated] = with_known_names(archive, ["img_1", "img_2", "img_3"])
    heights = {name: regions[0].box[3] for name, regions in found.regions.items()}
    assert heights == {
        image: names.index(name) + 9 for name, image in zip(names, images, strict=True)
    }
    assert found.entries == {
        image: f"res_{name}.txt" for name, image in zip(names, images, strict=True)
    }
    assert (stated.severity, stated.code) == ("warning", "N2")
