"""Documents of tables and folders of them: what is read, and what is refused."""

import json

import pytest

import text_rankings as tr
from protocols.command_line.main import main
from protocols.command_line.table_folders import evaluate_folders
from protocols.formats.readers.ctdar import DocumentError, read_document
from tests.support.archives import zip_file
from tests.support.cases import cases
from tests.support.tables import SQUARE, cell, document


def test_a_document_is_read_in_file_order_with_its_cells_after_each_table():
    spanning = cell('start-row="0" start-col="1" end-row="2" end-col="3"')
    content = document(spanning + SQUARE + cell(), SQUARE + "<content>x</content>")
    regions = read_document(content, "a.xml")
    assert [(region.id, region.parent, region.cell) for region in regions] == [
        ("0", None, None),
        (None, "0", (0, 1, 2, 3)),
        (None, "0", (0, 0, 0, 0)),
        ("1", None, None),
    ]
    assert {region.label for region in regions} == {"table", None}
    assert read_document(document(), "a.xml") == ()


@cases("points", ["0,0 0,9 9,9", "0,0,0,9,9,9", "0,0, 0,9 ,9 9", " 0 0\n0 9\t9,9 ", "+0,0 0,9 9,9"])
def test_blanks_and_commas_separate_coordinates_in_any_mixture(points):
    [table] = read_document(document(f'<Coords points="{points}"/>'), "a.xml")
    assert table.points == (0, 0, 0, 9, 9, 9)


def test_negative_coordinates_are_read():
    [table] = read_document(document('<Coords points="-5,-6 0,9 9,9"/>'), "a.xml")
    assert table.box == (-5, -6, 9, 9)


def coords(points):
    return f'<Coords points="{points}"/>'


@cases(
    ("content", "message"),
    [
        (document(SQUARE, coords("0,0 0,9 9")), ", table 1: 5 coordinates"),
        (document(coords("0,0 0,9")), "table 0: 2 points; a polygon needs 3"),
        (document(coords("")), "table 0: 0 points"),
        (document(coords("0,0 0,x 9,9")), "table 0: expected coordinates .* got “x”"),
        (document(coords("0,0 0,nan 9,9")), "got “nan”"),
        (document(coords("0,0 0,1e9 9,9")), "got “1e9”"),
        (document(coords("0,0 0,99999999 9,9")), "a coordinate of 99999999; at most 10000000"),
        (document("<Coords/>"), "table 0: Coords without points"),
        (document(cell()), "table 0: no Coords"),
        (document(SQUARE + SQUARE), "table 0: a second Coords"),
        (document(SQUARE + cell() + cell(inside="")), "table 0, cell 1: no Coords"),
        (document(SQUARE + cell(inside=SQUARE * 2)), "table 0, cell 0: a second Coords"),
        (document(SQUARE + cell(inside=coords("1,1"))), "table 0, cell 0: 1 points"),
        (document(SQUARE + cell("start-col='0'")), "cell 0: no start-row"),
        (document(SQUARE + cell("start-row='0'")), "cell 0: no start-col"),
        (
            document(SQUARE + cell("start-row='2' end-row='1' start-col='0'")),
            "cell 0: end-row 1 before start-row 2",
        ),
        (
            document(SQUARE + cell("start-row='-1' start-col='0'")),
            "cell 0: start-row must be from 0 to 99999, got -1",
        ),
        (document(SQUARE + cell("start-row='1.5' start-col='0'")), "whole number as start-row"),
        (document(SQUARE + cell("start-row='٣' start-col='0'")), "whole number as start-row"),
        (
            document(SQUARE + cell("start-row='0' end-row='99999' start-col='0' end-col='9'")),
            "table 0: cells on more than 250000 positions",
        ),
        (document(SQUARE + cell() * 2000), "too many cells that share positions"),
        (document(SQUARE).replace(b"<table>", b"<table><table/>", 1), "a table inside it"),
        (document(SQUARE + cell(inside=SQUARE + cell())), "that is not directly in a table"),
        (document(*[SQUARE] * 1001), "more than 1000 tables"),
        (b"<document/>", 'no table, and no attribute "filename"'),
        (b"<page/>", "a document “page”; expected <document>"),
        (b"\xff\xfe\x00", "no XML: "),
        (b"<document>" + b" " * (16 * 1024 * 1024) + b"</document>", "more than 16777216 bytes"),
    ],
)
def test_a_faulty_document_is_refused_with_its_place(content, message):
    with pytest.raises(DocumentError, match=f"^a.xml.*{message}"):
        read_document(content, "a.xml")


def test_faults_in_cells_do_not_matter_where_cells_are_not_read():
    content = document(SQUARE + cell("start-row='x'", coords("1")))
    assert len(read_document(content, "a.xml", with_cells=False)) == 1


@pytest.fixture
def folders(tmp_path):
    for name in ("truth", "results"):
        (tmp_path / name).mkdir()
    for image in ("a", "b", "c"):
        (tmp_path / "truth" / f"{image}.xml").write_bytes(document(SQUARE))
    (tmp_path / "results" / "a.xml").write_bytes(document(SQUARE))
    (tmp_path / "results" / "notes.txt").write_text("not a document")
    return tmp_path / "truth", tmp_path / "results"


def test_images_without_a_result_are_listed_and_count_as_without_detections(folders):
    answer = evaluate_folders("A", *folders)
    assert json.loads(json.dumps(answer)) == answer
    assert answer["missing"] == ["b", "c"]
    assert (answer["overall"]["n_truth"], answer["overall"]["recall"]) == (3, pytest.approx(1 / 3))


def test_a_result_that_does_not_parse_counts_as_empty_and_is_listed(folders):
    (folders[1] / "b.xml").write_bytes(b"<document>")
    answer = evaluate_folders("A", *folders, "tool")
    [unreadable] = answer["unreadable"]
    assert unreadable["name"] == "b"
    assert unreadable["message"].startswith("b.xml: no XML: ")
    assert answer["missing"] == ["c"]
    assert answer["images"][1]["n_detections"] == 0


def test_what_cannot_be_evaluated_is_refused_by_name(folders, tmp_path):
    truth, results = folders
    with pytest.raises(DocumentError, match="nowhere: expected a folder"):
        evaluate_folders("A", truth, tmp_path / "nowhere")
    with pytest.raises(DocumentError, match="no XML file of ground truth"):
        evaluate_folders("A", tmp_path, results)
    (results / "z.xml").write_bytes(document(SQUARE))
    with pytest.raises(DocumentError, match=r"z\.xml: a result without ground truth"):
        evaluate_folders("B", truth, results)
    (results / "z.xml").unlink()
    (truth / "b.xml").write_bytes(document(coords("1,2")))
    with pytest.raises(DocumentError, match=r"b\.xml, table 0"):
        evaluate_folders("B", truth, results)


def test_a_ground_truth_without_any_table_is_reported(tmp_path, capsys):
    empty = str(zip_file(tmp_path / "gt.zip", {"a.xml": document(), "b.xml": document()}))
    out = ["--out", str(tmp_path / "scores.csv")]
    given = ["score", "--protocol", "iou", "--truth", empty, "--results", empty, *out]
    assert main(given) == 0
    assert "no region in the ground truth of 2 images" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="no region in the ground truth of 2 images"):
        tr.score(empty, empty)
    one = str(zip_file(tmp_path / "one.zip", {"a.xml": document(SQUARE), "b.xml": document()}))
    assert main([*given[:4], one, *given[5:]]) == 0
    assert "no region in the ground truth" not in capsys.readouterr().err
