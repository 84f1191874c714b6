"""Files written here read back equal; data that a format cannot hold are refused by name."""

import csv
import io
import json
import zipfile

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocols.core.regions import Region
from protocols.formats.readers import scores
from protocols.formats.readers.scores import ScoreRow, read_scores, write_scores
from protocols.formats.recognition.reading import read
from protocols.formats.writing.regions import NotWritable, write_coco, write_rrc_zip
from tests.support.cases import cases
from tests.support.shared import shared_path

NAMES = st.text(
    st.characters(exclude_categories=("C", "Z"), exclude_characters='/\\:"<>|?*'),
    min_size=1,
    max_size=8,
)
NUMBERS = st.one_of(
    st.integers(-5000, 5000).map(float),
    st.floats(-1e9, 1e9, allow_nan=False, allow_infinity=False),
)
# Any Unicode that a database can hold.
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
LINES = TEXTS.filter(lambda text: not set(text) & set("\r\n") and text != "###")


@st.composite
def quadrilaterals(draw):
    """Corners clockwise from the top left one, with an area."""
    x, y = draw(NUMBERS), draw(NUMBERS)
    width, height = (draw(st.floats(1, 1e6)) for _ in range(2))
    lean = draw(st.floats(0, 0.4)) * height
    points = (x, y, x + width, y + lean, x + width, y + height, x, y + height - lean)
    assume(max(map(abs, points)) <= 1e9)
    return points


@st.composite
def polygons(draw):
    points = draw(st.lists(NUMBERS, min_size=6, max_size=16))
    points = points[: len(points) // 2 * 2]
    xs, ys = points[::2], points[1::2]
    assume(len(set(xs)) > 2 and len(set(ys)) > 2)
    return tuple(points)


def datasets(region):
    return st.dictionaries(NAMES, st.lists(region, max_size=4).map(tuple), min_size=1, max_size=4)


def read_back(write, regions, kind, format, **more):
    stream = io.BytesIO()
    write(stream, regions, kind=kind, **more)
    stream.seek(0)
    return read(stream, kind=kind, format=format, name="back")


words = st.builds(Region, quadrilaterals(), st.none() | LINES) | st.builds(
    lambda points: Region(points, "###", None, True), quadrilaterals()
)
sure = st.builds(Region, quadrilaterals(), confidence=st.floats(0, 1))


@given(datasets(words))
def test_ground_truth_in_lines_reads_back_equal(regions):
    archive = read_back(write_rrc_zip, regions, "truth", "quad", line_format="quad")
    assert not archive.errors
    assert dict(archive.regions) == regions


@given(datasets(sure))
def test_results_with_confidences_in_lines_read_back_equal(regions):
    archive = read_back(write_rrc_zip, regions, "results", "quad", line_format="quad")
    assert not archive.errors
    assert dict(archive.regions) == regions


boxes = st.builds(
    lambda left, top, width, height, text: Region.from_box(
        left, top, left + width, top + height, text=text
    ),
    *[st.integers(0, 5000).map(float)] * 4,
    LINES,
)


@given(datasets(boxes))
def test_boxes_in_lines_read_back_equal_and_equal_regions_give_equal_bytes(regions):
    archive = read_back(write_rrc_zip, regions, "truth", "ltrb", line_format="ltrb")
    assert not archive.errors
    assert dict(archive.regions) == regions
    streams = io.BytesIO(), io.BytesIO()
    for stream in streams:
        write_rrc_zip(stream, regions, kind="truth", line_format="ltrb")
    assert streams[0].getvalue() == streams[1].getvalue()


anything = st.builds(
    Region,
    polygons(),
    text=st.none() | TEXTS,
    confidence=st.none() | st.floats(-1e9, 1e9),
    ignored=st.booleans(),
    label=st.none() | TEXTS,
    id=st.none() | TEXTS,
    parent=st.none() | TEXTS,
    cell=st.none() | st.tuples(*[st.integers(0, 99)] * 4),
) | st.builds(
    lambda rows, left: Region.from_mask(left, 3, [*rows, "01"]),
    st.lists(st.text("01", max_size=8), max_size=4),
    st.integers(0, 9),
)


@given(datasets(anything), st.sampled_from(["truth", "results"]), st.none() | NAMES)
def test_everything_in_coco_reads_back_equal(regions, kind, method):
    sizes = dict.fromkeys(list(regions)[:1], (640, 480))
    archive = read_back(write_coco, regions, kind, "coco-json", sizes=sizes, method=method)
    # Polygons of no area, which only chance draws, are written all the same and reported on
    # reading.
    assert {problem.code for problem in archive.errors} <= {"L4"}
    assert {method: regions} == {key: dict(of) for key, of in archive.by_method.items()}
    assert archive.sizes == sizes


@given(
    datasets(anything), st.sampled_from(["truth", "results"]), st.sampled_from(["quad", "polygon"])
)
def test_lines_are_refused_or_read_back_equal_whatever_the_regions(regions, kind, line_format):
    """Corners that run counter-clockwise come back in order, and are reported."""
    try:
        archive = read_back(write_rrc_zip, regions, kind, line_format, line_format=line_format)
    except NotWritable:
        return
    told = {problem.code for problem in archive.problems}
    assert dict(archive.regions) == regions or "L7" in told


def refusal(regions, **more):
    more = {"kind": "truth", "line_format": "quad"} | more
    with pytest.raises(NotWritable) as refused:
        write_rrc_zip(io.BytesIO(), regions, **more)
    return str(refused.value)


BOX = Region.from_box(0, 0, 9, 9)


@cases(
    ("region", "more", "said"),
    [
        (Region(BOX.points, "a\nb"), {}, "region 0 of a has a text that one line"),
        (Region(BOX.points, "a\0b"), {}, "has a text that one line of UTF-8 cannot hold"),
        (Region(BOX.points, "\ud800"), {}, "has a text that one line of UTF-8 cannot hold"),
        (Region(BOX.points, "###"), {}, "cannot hold its ignored"),
        (Region(BOX.points, "word", ignored=True), {}, "cannot hold its text"),
        (Region(BOX.points, id="7", label="x"), {}, "cannot hold its label, id"),
        (Region(BOX.points, confidence=0.5), {}, "cannot hold its confidence"),
        (Region(BOX.points, "w", 0.5), {"kind": "results"}, "cannot hold its text"),
        (Region(BOX.points, "0.5"), {"kind": "results"}, "looks like a confidence"),
        (Region(BOX.points, confidence=5.0), {"kind": "results"}, "cannot hold its text, confid"),
        (Region((0, 0, 9, 1, 9, 9)), {}, "3 corners"),
        (Region((0, 0, 9, 1, 9, 9, 0, 9)), {"line_format": "ltrb"}, "not an upright rectangle"),
        (
            Region((9, 0, 9, 9, 0, 9, 0, 0)),
            {"line_format": "ltrb"},
            "its corners in this order; write quadrilaterals",
        ),
        (Region((0, 0, 1e12, 0, 9, 9, 0, 9)), {}, "would not read back"),
    ],
)
def test_what_lines_cannot_hold_is_refused_with_what_to_do(region, more, said):
    assert said in refusal({"a": [region]}, **more)


def test_confidences_are_for_all_or_none():
    mixed = {"a": [Region(BOX.points, confidence=0.5), BOX]}
    assert "1 of 2 regions have no confidence" in refusal(mixed, kind="results")
    stream = io.BytesIO()
    write_rrc_zip(stream, mixed, kind="results", line_format="quad", without=["confidence"])
    with zipfile.ZipFile(stream) as archive:
        assert archive.read("res_a.txt") == b"0,0,9,0,9,9,0,9\r\n" * 2


def test_what_the_caller_gives_up_is_left_out():
    region = Region(BOX.points, "word", ignored=True, id="7", label="x", parent="1")
    stream = io.BytesIO()
    without = ["text", "id", "label", "parent"]
    write_rrc_zip(stream, {"a": [region]}, kind="truth", line_format="ltrb", without=without)
    with zipfile.ZipFile(stream) as archive:
        assert archive.read("gt_a.txt") == b"0,0,9,9,###\r\n"
    assert "cannot be left out" in refusal({"a": [region]}, without=["points"])


@cases("name", ["", " ", "a/b", "a\\b", "C:", "a\nb", "\u202ea", "x" * 201])
def test_a_name_that_would_make_a_path_is_refused(name):
    assert "name of an image" in refusal({name: []})


@cases("region", [Region(BOX.points, "\ud800"), Region(BOX.points, label="\0")])
def test_coco_refuses_texts_that_no_database_holds(region):
    with pytest.raises(NotWritable, match="annotation 1 has a text"):
        write_coco(io.BytesIO(), {"a": [region]}, kind="truth")


def test_coco_has_the_fields_that_its_tools_expect():
    stream = io.BytesIO()
    region = Region((0, 0, 9, 0, 9, 5), "w", 0.5, label="word")
    write_coco(stream, {"a": [region]}, kind="results", sizes={"a": (64, 48)}, method="m")
    data = json.loads(stream.getvalue())
    assert data["info"] == {"kind": "results", "method": "m"}
    assert data["images"] == [{"id": 1, "file_name": "a", "name": "a", "width": 64, "height": 48}]
    assert data["categories"] == [{"id": 1, "name": "text"}, {"id": 2, "name": "word"}]
    [annotation] = data["annotations"]
    assert annotation.items() >= {
        "id": 1, "image_id": 1, "category_id": 2, "bbox": [0, 0, 9, 5], "area": 45,
        "segmentation": [[0, 0, 9, 0, 9, 5]], "iscrowd": 0, "score": 0.5, "text": "w",
        "ignored": False,
    }.items()  # fmt: skip


# Numbers of files and of regions, as the README of the data has them.
REAL = {
    "icdar2013": {
        "gt": (233, 1095),
        "east-argman": (220, 977),
        "ccswt-jan10": (233, 10650),
        "fcn-blocks": (233, 1039),
    },
    "icdar2015": {"gt": (500, 5230), "fcn-blocks": (500, 1989)},
    "ctw1500": {"gt": (500, 3068), "ctd": (500, 3340)},
    "clova-doc": {"gt": (100, None), "example": (100, None)},
}
WHOLE_SETS = [pytest.param(of, marks=pytest.mark.release) for of in list(REAL)[1:]]


@pytest.mark.parametrize("data", ["icdar2013", *WHOLE_SETS])
def test_real_files_have_the_counts_of_their_readme_and_survive_both_ways_of_writing(data):
    for name, (n_files, n_regions) in REAL[data].items():
        kind = "truth" if name == "gt" else "results"
        first = read(shared_path("data", data, f"{name}.zip"), kind=kind)
        assert not first.errors
        assert (len(first.regions), n_regions or first.n_regions) == (n_files, first.n_regions)
        if name == "fcn-blocks":
            found = [region for of in first.regions.values() for region in of]
            assert all(region.confidence is not None for region in found)
        as_lines = {"line_format": first.line_format}
        lines = read_back(write_rrc_zip, first.regions, kind, first.format, **as_lines)
        assert lines.regions == first.regions
        assert read_back(write_coco, first.regions, kind, "coco-json").regions == first.regions


# Scores

rows = st.builds(
    ScoreRow,
    NAMES,
    NAMES,
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
    st.just(0),
)


@given(st.lists(rows, max_size=6, unique_by=lambda row: (row.image, row.method)))
def test_scores_read_back_equal(given_rows):
    stream = io.BytesIO()
    write_scores(stream, given_rows)
    stream.seek(0)
    table = read_scores(stream, name="s.json")
    assert not table.problems
    bare = [(r.image, r.method, r.recall, r.precision) for r in table.rows]
    assert bare == [(r.image, r.method, r.recall, r.precision) for r in given_rows]


@cases(
    "row", [ScoreRow("", "m", 1, 1, 0), ScoreRow("a", "m\0", 1, 1, 0), ScoreRow("a", "m", 2, 1, 0)]
)
def test_scores_that_would_not_read_back_are_refused(row):
    with pytest.raises(scores.NotWritable, match="row 0"):
        write_scores(io.BytesIO(), [row])


def table_of(data, **more):
    text = data if isinstance(data, str) else json.dumps(data)
    return read_scores(io.BytesIO(text.encode()), name="s", **more)


@cases(
    ("data", "more"),
    [
        ([{"image": "a", "method": "m", "recall": 0.5, "precision": None}], {}),
        ({"m": {"a": {"recall": 0.5, "precision": None}}}, {}),
        ({"a": {"recall": 0.5, "precision": None}}, {"method": "m"}),
        ("image,recall,precision\na,0.5,\n", {"method": "m"}),
        ("method\timage\trecall\tprecision\nm\ta\t0.5\t-\n", {}),
        ("image,method,recall,precision\na,m,50,\n", {"unit": "per cent"}),
    ],
)
def test_scores_are_read_from_every_layout(data, more):
    table = table_of(data, **more)
    assert not table.problems
    [row] = table.rows
    assert (row.image, row.method, row.recall, row.precision) == ("a", "m", 0.5, None)


@cases(
    ("data", "code"),
    [
        ([{"image": "a", "recall": 1, "precision": 1}], "S3"),
        ([{"method": "m", "recall": 1, "precision": 1}], "S3"),
        ([{"image": 5, "method": "m"}], "L2"),
        ([5], "L1"),
        (5, "L1"),
        ({"m": 5}, "L1"),
        ({"m": {"a": {"recall": 1}, "b": 5}}, "L1"),
        ({"m": {"a": {"recall": 10**400}}}, "L3"),
        ({"m": {"a": {"recall": float("nan")}}}, "L3"),
        ({"m": {"a": {"recall": True}}}, "L2"),
        ({"m": {"a": {"recall": [1]}}}, "L2"),
        ({"m": {"a": {"recall": 1.5}}}, "S2"),
        ('{"m": {"a": {"recall": 1}}, "m": {"b": {"recall": 1}}}', "N3"),
        ('[{"image": "a", "method": "m"}, {"image": "a", "method": "m"}]', "N3"),
        ("[" * 100_000, "A3"),
        ("[1", "A1"),
    ],
)
def test_scores_that_cannot_be_are_told_by_their_code(data, code):
    assert code in {problem.code for problem in table_of(data).problems}


def test_per_cent_is_asked_and_never_guessed():
    text = "image,method,recall,precision\na,m,50,1\nb,m,0.5,1\nc,m,1,250\n"
    table = table_of(text, unit=None)
    question, error = sorted(table.problems, key=lambda of: of.severity, reverse=True)
    assert (question.severity, question.code) == ("question", "S2")
    assert "1 score above 1, as “50”" in question.found
    assert str(question).endswith("are they?")
    assert (error.severity, error.code, error.line) == ("error", "S2", 4)
    assert [row.image for row in table.rows] == ["b"]


def test_a_score_that_is_no_number_is_marked_in_its_line():
    [problem] = table_of("image,method,recall,precision\na,m,high,1\n").problems
    start, end = problem.span
    assert (problem.code, problem.column, problem.text[start:end]) == ("L2", 5, "high")


@given(
    st.binary(max_size=300)
    | st.text(max_size=200).map(lambda text: f"image,method,recall,precision\n{text}".encode())
)
def test_no_bytes_make_the_reader_of_scores_raise(content):
    table = read_scores(io.BytesIO(content), name="s", unit=None)
    for row in table.rows:
        assert all(of is None or 0 <= of <= 1 for of in (row.recall, row.precision))


@given(st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(
        ["image", "method", "recall", "precision", "images", "annotations", "image_id", "bbox", "id",
         "segmentation", "counts", "size", "file_name", "categories", "info", "score", "pixels", "cell"]
    ), inner, max_size=5),
    max_leaves=12,
))  # fmt: skip
def test_no_json_makes_a_reader_raise(data):
    content = json.dumps(data).encode()
    read_scores(io.BytesIO(content), name="s", unit=None)
    read(io.BytesIO(content), kind="truth", format="coco-json", name="s")


def test_a_spreadsheet_reads_what_the_csv_of_scores_needs():
    stream = io.StringIO("image,method,recall,precision\n" + '"a,b","m ""x""",1,0\n')
    [expected] = list(csv.DictReader(stream))
    [row] = table_of(stream.getvalue()).rows
    assert (row.image, row.method) == (expected["image"], expected["method"])
