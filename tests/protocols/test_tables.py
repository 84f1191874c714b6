"""Tables: equal to the released program and to the definition, and the rules behind the counts."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.command_line.table_folders import evaluate_folders
from protocols.core.base import Scene, f_score
from protocols.core.errors import ParameterError, RegionError
from protocols.core.regions import Region
from protocols.formats.ctdar import DocumentError, read_document
from protocols.table_detection import TableDetection
from protocols.table_structure import TableStructure
from tests.support.shared import shared_path

BOUND = 1e-9
THRESHOLDS = (0.6, 0.7, 0.8, 0.9)
VARIANTS = ("page", "tool")
RUNS = tuple(f"trackA/{name}" for name in ("tight", "loose", "rotated")) + tuple(
    f"trackB/{name}" for name in ("tight", "loose", "struct")
)
TABLE = Region.from_box(0, 0, 100, 100, id="0")
SQUARE = '<Coords points="0,0 0,9 9,9 9,0"/>'


def reference():
    return json.loads(shared_path("reference", "ctdar.json").read_text())


def counts(score, thresholds=THRESHOLDS):
    figures = score.indicators
    return [
        [figures[f"n_correct_at_{at}"], figures["n_truth"], figures["n_detections"]]
        for at in thresholds
    ]


def scored(protocol, truth, detections):
    [score] = protocol.score([Scene(tuple(truth), detections and tuple(detections))])
    return score


def upright(height, width=100.0):
    """A box at the origin: two of them have the IoU of their smaller to their larger height."""
    return Region.from_box(0, 0, width, height)


def document(*tables):
    inside = "".join(f"<table>{table}</table>" for table in tables)
    return f'<document filename="a.jpg">{inside}</document>'.encode()


def cell(attributes='start-row="0" start-col="0"', inside=SQUARE):
    return f"<cell {attributes}>{inside}</cell>"


def table_of(*grids, id="0", left=0.0):
    """A table with its cells, each 10 pixels wide and high at its place on the grid."""
    cells = [
        Region.from_box(
            left + 10 * first_column,
            10 * first_row,
            left + 10 * last_column + 10,
            10 * last_row + 10,
            cell=(first_row, first_column, last_row, last_column),
            parent=id,
        )
        for first_row, first_column, last_row, last_column in grids
    ]
    return [Region.from_box(left, 0, left + 100, 100, id=id), *cells]


def n_relations(*grids):
    table = table_of(*grids)
    return scored(TableStructure(), table, table).indicators["n_truth"]


GRID = [(row, column, row, column) for row in range(3) for column in range(3)]


def test_every_small_case_counts_as_the_reference_does():
    cases = reference()["small_cases"]
    assert len(cases) == 37
    for case in cases:
        protocol = TableDetection if case["track"] == "A" else TableStructure
        scene = Scene(
            read_document(case["gt"].encode(), "truth"),
            read_document(case["result"].encode(), "result"),
        )
        for variant in VARIANTS:
            [score] = protocol(variant=variant).score([scene])
            assert counts(score) == case[variant], (case["name"], variant)
            assert score.f_score == pytest.approx(case["wavg_f1"][variant], abs=BOUND)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("run", RUNS)
def test_every_file_of_every_run_counts_as_the_reference_does(run, variant):
    track, name = run.split("/")
    folder = shared_path("data", "ctdar2019", track)
    expected = reference()["runs"][run][variant]
    answer = evaluate_folders(track[-1], folder / "gt", folder / "results" / name, variant)
    found = {
        image["name"]: [
            [at["n_correct"], image["n_truth"], image["n_detections"]]
            for at in image["at_thresholds"]
        ]
        for image in answer["images"]
    }
    assert found == expected["per_file"]
    overall = answer["overall"]
    assert overall["weighted_average_f1"] == pytest.approx(expected["wavg_f1"], abs=BOUND)
    assert (answer["missing"], answer["unreadable"]) == ([], [])
    for at in overall["at_thresholds"]:
        total = expected["total"][str(at["threshold"])]
        assert at["n_correct"] == total["correct"]
        assert at["recall"] == pytest.approx(total["recall"], abs=BOUND)
        assert at["precision"] == pytest.approx(total["precision"], abs=BOUND)
        assert at["f_score"] == pytest.approx(total["f1"], abs=BOUND)


def test_the_published_rows_follow_the_formula_of_the_average_but_one():
    exceptions = []
    for row in reference()["published"]:
        values = row["values"]
        average = TableDetection()._average(values[2:12:3])
        assert average == pytest.approx(row["wavg_recomputed"], abs=1e-5)
        if abs(average - values[-1]) > 1e-4:
            exceptions.append((row["team"], values[-1]))
    assert exceptions == [("Lenovo Ocean", 0.8773)]


@pytest.mark.parametrize("protocol", [TableDetection, TableStructure])
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_given_for_empty_sides(protocol, variant):
    full = table_of(*GRID)
    for truth, detections, expected in (
        ([], [], 1.0),
        ([], None, 1.0),
        (full, [], 0.0),
        (full, None, 0.0),
        ([], full, 0.0),
        (full, full, 1.0),
    ):
        score = scored(protocol(variant=variant), truth, detections)
        assert (score.recall, score.precision, score.f_score) == (expected,) * 3
    assert protocol(variant=variant).score([]) == []
    assert protocol(variant=variant).overall([]).f_score == 0.0


def test_the_averages_weigh_each_threshold_by_itself():
    # IoU 0.75: found at 0.6 and 0.7 only. (0.6 + 0.7) / 3.0; two detections halve precision.
    score = scored(TableDetection(), [upright(100)], [upright(75), upright(10)])
    assert score.recall == pytest.approx(1.3 / 3)
    assert score.precision == pytest.approx(1.3 / 3 / 2)
    assert score.f_score == pytest.approx(1.3 / 3 * 2 / 3)
    assert score.matches[0].recall_credit == pytest.approx(1.3 / 3)
    assert [unmatched.reason for unmatched in score.unmatched] == [
        "its best IoU, 0.100, is below 0.6"
    ]


def test_other_thresholds_are_their_own_weights():
    protocol = TableDetection(threshold_1=0.5, threshold_2=0.5, threshold_3=1.0, threshold_4=1.0)
    score = scored(protocol, [upright(100)], [upright(50)])
    assert score.f_score == pytest.approx(1.0 / 3.0)
    assert counts(score, protocol.thresholds) == [[1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 1, 1]]


def test_counts_are_added_over_images_before_they_are_divided():
    protocol = TableDetection()
    scores = protocol.score(
        [
            Scene((TABLE,), (TABLE,)),
            Scene((TABLE, upright(30)), ()),
            Scene((), ()),
        ]
    )
    overall = protocol.overall(scores)
    # One of three truths, one of one detection: 2 * 1/3 / (4/3). The images have 1, 0 and 1.
    assert overall.recall == pytest.approx(1 / 3)
    assert overall.precision == pytest.approx(1.0)
    assert overall.f_score == pytest.approx(0.5)
    assert overall.mean_f_score == pytest.approx(2 / 3)
    assert counts(overall) == [[1, 3, 1]] * 4


def test_page_pairs_more_than_the_first_free_of_tool():
    # Heights: 100 reaches 0.7 with 80 and 90; 60 only with 80. In file order 100 takes 80.
    truth, found = [upright(100), upright(60)], [upright(80), upright(90)]
    assert counts(scored(TableDetection(variant="page"), truth, found))[1] == [2, 2, 2]
    assert counts(scored(TableDetection(variant="tool"), truth, found))[1] == [1, 2, 2]


boxes = st.builds(
    lambda top, height: Region.from_box(0, top, 10, top + height),
    st.integers(0, 6),
    st.integers(0, 20),
)


def iou(a, b):
    top, bottom = max(a.box[1], b.box[1]), min(a.box[3], b.box[3])
    shared = 10.0 * max(bottom - top, 0.0)
    union = sum(10.0 * (region.box[3] - region.box[1]) for region in (a, b)) - shared
    return shared / union if union else 0.0


@given(truth=st.lists(boxes, max_size=3), found=st.lists(boxes, max_size=5))
def test_as_many_pairs_are_taken_as_the_best_of_all_orders_finds(truth, found):
    """Slow second way: every way to put the detections beside the truths."""
    nothing = Region.from_box(900, 900, 901, 901)
    orders = list(itertools.permutations([*found, *[nothing] * len(truth)], len(truth)))
    score = scored(TableDetection(), truth, found)
    for at, (n_correct, _, _) in zip(THRESHOLDS, counts(score), strict=True):
        assert n_correct == max(
            sum(iou(a, b) >= at for a, b in zip(truth, order, strict=True)) for order in orders
        )
    for credit in ("recall_credit", "precision_credit"):
        earned = sum(getattr(match, credit) for match in score.matches)
        assert earned == pytest.approx(score.tally.recalled)
    assert score.f_score == pytest.approx(f_score(score.recall, score.precision))
    assert len(score.matches) * 2 + len(score.unmatched) == len(truth) + len(found)


def test_the_best_pair_gives_way_where_that_gains_a_pair():
    # At 0.6: 100 and 95 are the best pair (0.95), but 65 has only 95 (0.68); 100 takes 120 (0.83).
    score = scored(TableDetection(), [upright(100), upright(65)], [upright(95), upright(120)])
    assert {(match.truth, match.detections) for match in score.matches} == {
        ((0,), (1,)),
        ((1,), (0,)),
    }
    assert [n_correct for n_correct, _, _ in counts(score)] == [2, 1, 1, 1]


def test_ignored_truth_and_what_lies_in_it_leave_the_counts():
    ignored = Region.from_box(200, 0, 300, 100, ignored=True)
    inside, half = Region.from_box(200, 0, 260, 100), Region.from_box(150, 0, 250, 100)
    score = scored(TableDetection(), [TABLE, ignored], [TABLE, inside, half])
    assert counts(score)[0] == [1, 1, 2]
    reasons = [(left.side, left.index, left.reason) for left in score.unmatched]
    assert reasons[:2] == [
        ("truth", 1, "an ignored region"),
        ("detection", 1, "it lies in an ignored region"),
    ]


def test_an_ignored_table_takes_its_cells_out_of_the_counts():
    table, *cells = table_of(*GRID)
    ignored = [Region.from_box(*table.box, id="0", ignored=True), *cells]
    score = scored(TableStructure(), ignored, table_of(*GRID))
    assert counts(score) == [[0, 0, 0]] * 4
    assert len(score.unmatched) == 20


def test_a_header_over_three_columns_has_three_relations_down_and_none_across():
    below = [(1, column, 1, column) for column in range(3)]
    assert n_relations((0, 0, 0, 2), *below) == 3 + 2


def test_blank_positions_are_skipped_however_many():
    assert n_relations((0, 0, 0, 0), (0, 4, 0, 4), (3, 0, 3, 0)) == 2


def test_doubled_cells_are_related_to_every_neighbour_but_not_to_each_other():
    assert n_relations((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 0, 1), (0, 2, 0, 2)) == 4
    assert n_relations((0, 0, 0, 1), (0, 0, 0, 1)) == 0


def test_cells_that_overlap_in_part_are_related():
    # Wide on columns 0 and 1, narrow on 0: narrow before wide. Nothing else.
    assert n_relations((0, 0, 0, 1), (0, 0, 0, 0)) == 1


grids = st.lists(
    st.builds(
        lambda row, column, down, right: (row, column, row + down, column + right),
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 2),
        st.integers(0, 2),
    ),
    max_size=7,
)


def slow_relations(cells):
    """Plain loops with the rules as written, among them those for doubled cells."""
    standing = {}
    for number, (first_row, first_column, last_row, last_column) in enumerate(cells):
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                standing.setdefault((row, column), []).append(number)
    related = set()
    for row, column in standing:
        for name, down, right in (("right", 0, 1), ("below", 1, 0)):
            for step in range(1, 7):
                following = standing.get((row + down * step, column + right * step))
                if following is None:
                    continue
                here = standing[row, column]
                doubled = step == 1 and len(here) > 1 and len(following) > 1
                related |= {
                    (a, b, name)
                    for a in here
                    for b in following
                    if a != b and not (doubled and cells[a] == cells[b])
                }
                break
    return related


@given(cells=grids)
def test_relations_are_those_of_plain_loops(cells):
    assert n_relations(*cells) == len(slow_relations(cells))


@given(truth=grids, found=grids, variant=st.sampled_from(VARIANTS))
def test_what_is_found_is_what_plain_loops_find(truth, found, variant):
    ours, theirs = table_of(*truth), table_of(*found)
    score = scored(TableStructure(variant=variant), ours, theirs)
    n_found = []
    for at in THRESHOLDS:
        pairs = [
            (area, i, j)
            for i, a in enumerate(truth)
            for j, b in enumerate(found)
            if (area := grid_iou(a, b)) >= at
        ]
        mapped = {}
        if variant == "page":
            for _, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
                if i not in mapped and j not in mapped.values():
                    mapped[i] = j
        else:
            for _, i, j in pairs:
                mapped.setdefault(i, j)
        moved = {(mapped.get(a), mapped.get(b), name) for a, b, name in slow_relations(truth)}
        n_found.append(len(moved & slow_relations(found)))
    assert [n_correct for n_correct, _, _ in counts(score)] == n_found
    assert sum(match.recall_credit for match in score.matches) == pytest.approx(
        score.tally.recalled
    )
    ours_named = [index for match in score.matches for index in match.truth]
    left = [u.index for u in score.unmatched if u.side == "truth"]
    assert sorted(ours_named + left) == list(range(len(ours)))


def grid_iou(a, b):
    rows = min(a[2], b[2]) - max(a[0], b[0]) + 1
    columns = min(a[3], b[3]) - max(a[1], b[1]) + 1
    shared = max(rows, 0) * max(columns, 0)
    areas = [(last - top + 1) * (right - left + 1) for top, left, last, right in (a, b)]
    return shared / (sum(areas) - shared)


def test_only_page_tries_the_table_after_a_paired_one():
    tables = [*table_of(*GRID), *table_of(*GRID, id="1", left=200)]
    assert counts(scored(TableStructure(), tables, tables))[0] == [24, 24, 24]
    score = scored(TableStructure(variant="tool"), tables, tables)
    assert counts(score)[0] == [12, 24, 24]
    reasons = {u.index: u.reason for u in score.unmatched if u.side == "truth"}
    assert reasons[10].startswith("it was never tried")
    assert reasons[11] == "its table has no partner"


def test_an_image_without_cells_at_the_end_is_counted_too():
    full = tuple(table_of(*GRID))
    scores = TableStructure().score([Scene(full, full), Scene((TABLE,), ()), Scene((), None)])
    assert [score.f_score for score in scores] == [1.0, 1.0, 1.0]


def test_a_cell_without_its_table_is_refused():
    lonely = Region.from_box(0, 0, 9, 9, cell=(0, 0, 0, 0), parent="7")
    with pytest.raises(RegionError, match=r"0, truth 1: no table with the cell's parent, '7'"):
        scored(TableStructure(), [TABLE, lonely], [])
    with pytest.raises(RegionError, match=r"detection 2: several tables"):
        scored(
            TableStructure(), [], [TABLE, TABLE, Region(TABLE.points, cell=(0,) * 4, parent="0")]
        )
    alone = Region.from_box(0, 0, 9, 9, cell=(0, 0, 0, 0))
    assert scored(TableStructure(), [TABLE, alone], [TABLE, alone]).f_score == 1.0


@pytest.mark.parametrize("grid", [(0, 0, -1, 0), (-1, 0, 0, 0), (0, 5, 0, 4), (0, 0, 10**7, 0)])
def test_a_cell_with_an_impossible_range_is_refused(grid):
    with pytest.raises(RegionError, match="truth 1: a cell needs"):
        scored(TableStructure(), [TABLE, Region(TABLE.points, cell=grid)], [])


def test_a_grid_beyond_all_bounds_is_refused():
    with pytest.raises(RegionError, match="positions on its grid; at most"):
        scored(TableStructure(), [TABLE, Region(TABLE.points, cell=(0, 0, 9999, 9999))], [])
    crowd = [Region(TABLE.points, cell=(0, column, 0, column)) for column in (0, 1)] * 2000
    with pytest.raises(RegionError, match="neighbours on its grid"):
        scored(TableStructure(), [TABLE, *crowd], [])


def test_an_unknown_variant_or_a_threshold_out_of_range_is_refused():
    with pytest.raises(ParameterError, match="variant must be one of page, tool"):
        TableDetection(variant="paper")
    with pytest.raises(ParameterError, match=r"threshold_1 must be a number in \[0.01, 1\]"):
        TableStructure(threshold_1=0.0)


def test_a_document_is_read_in_file_order_with_its_cells_after_each_table():
    spanning = cell('start-row="0" start-col="1" end-row="2" end-col="3"')
    content = document(spanning + SQUARE + cell(), SQUARE + "<content>x</content>")
    found = read_document(content, "a.xml")
    assert [(region.id, region.parent, region.cell) for region in found] == [
        ("0", None, None),
        (None, "0", (0, 1, 2, 3)),
        (None, "0", (0, 0, 0, 0)),
        ("1", None, None),
    ]
    assert {region.label for region in found} == {"table", None}
    assert read_document(b"<document/>", "a.xml") == ()


@pytest.mark.parametrize(
    "points", ["0,0 0,9 9,9", "0,0,0,9,9,9", "0,0, 0,9 ,9 9", " 0 0\n0 9\t9,9 ", "+0,0 0,9 9,9"]
)
def test_blanks_and_commas_separate_coordinates_in_any_mixture(points):
    [table] = read_document(document(f'<Coords points="{points}"/>'), "a.xml")
    assert table.points == (0, 0, 0, 9, 9, 9)


def test_negative_coordinates_are_read():
    [table] = read_document(document('<Coords points="-5,-6 0,9 9,9"/>'), "a.xml")
    assert table.box == (-5, -6, 9, 9)


def coords(points):
    return f'<Coords points="{points}"/>'


@pytest.mark.parametrize(
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
        (document(SQUARE).replace(b"<table>", b"<table><table>", 1), "a table inside it"),
        (document(SQUARE + cell(inside=SQUARE + cell())), "not stand directly in a table"),
        (document(*[SQUARE] * 1001), "more than 1000 tables"),
        (b"<document>" + b"<a>" * 60, "nested more than 50 deep"),
        (b"<page/>", "expected a root element"),
        (b"", "not readable as XML"),
        (b"<document>", "not readable as XML"),
        (b"\xff\xfe\x00", "not readable as XML"),
        (b"<?xml version='1.0' encoding='klingon'?><document/>", "not readable as XML"),
        (b"<!DOCTYPE document><document/>", "document type or entity"),
        (
            b'<!DOCTYPE d [<!ENTITY a "b">]><document>&a;</document>',
            "document type or entity",
        ),
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
    assert unreadable["message"].startswith("b.xml: not readable as XML")
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
