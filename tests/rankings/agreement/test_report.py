"""Consensus, protocol rankings and the Best / Worst / Score tables."""

import csv
import io
import json
import math

import pytest

from rankings.agreement.main_table import MEASURES
from rankings.agreement.report import ALL_TIED, RANDOM_ORDER, Settings, build_report
from rankings.consensus.mean_rank import mean_rank
from rankings.errors import MissingScore, RankingError
from rankings.orders.from_scores import f_beta, ranking_from_scores
from rankings.output import report_files
from tests.support.cases import cases
from tests.support.rankings import by_text, criterion_table, of_the_paper
from tests.support.shared import shared_path


@pytest.fixture(scope="module")
def study_case():
    return json.loads(shared_path("reference", "study_case.json").read_text())


def test_the_reference_consensus_is_reproduced(study_case):
    for image, rankings in study_case["annotator_rankings"].items():
        consensus = [list(bucket) for bucket in mean_rank(rankings)]
        assert consensus == study_case["consensus_mean_rank"][image], image


@pytest.mark.parametrize("distance", ["edit", "kemeny"])
@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_the_reference_tables_are_reproduced_exactly(study_case, decimals, distance):
    table = criterion_table(
        study_case["annotator_rankings"],
        study_case["protocol_scores"],
        Settings(decimals=decimals, distance=distance),
    )
    expected = study_case["expected_by_decimals"][str(decimals)]
    assert {row.protocol: of_the_paper(row) for row in table.rows} == {
        protocol: (row["best"], row["worst"], row["score"])
        for protocol, row in expected[distance].items()
    }
    assert [row.score for row in table.rows] == sorted(row.score for row in table.rows)
    if distance == "edit":
        for protocol, of_image in expected["edit_per_image"].items():
            assert {image: table.distances[image][protocol] for image in of_image} == of_image


def test_a_consensus_of_nobody_is_refused():
    with pytest.raises(RankingError):
        mean_rank([])


@cases(
    ("scores", "decimals", "ranking"),
    [
        ({"a": 0.3, "b": 0.7}, 4, "b>a"),
        ({"a": 0.12346, "b": 0.12344}, 4, "a>b"),
        ({"a": 0.12346, "b": 0.12344}, 3, "a=b"),
        # A half goes to the even neighbour: 0.125 -> 0.12, 0.135 -> 0.14, 0.145 -> 0.14.
        ({"a": 0.125, "b": 0.12}, 2, "a=b"),
        ({"a": 0.135, "b": 0.145}, 2, "a=b"),
        ({"a": 0.1, "b": 0.1 + 1e-12}, None, "b>a"),
        ({"a": 0.1, "b": 0.1 + 1e-12}, 4, "a=b"),
        ({"a": 1, "b": 1.0, "c": 0}, 0, "a=b>c"),
    ],
)
def test_scores_are_ranked_after_rounding_half_to_even(scores, decimals, ranking):
    assert ranking_from_scores(scores, decimals) == by_text(ranking)


@cases("score", [None, math.nan, math.inf])
def test_a_missing_score_is_refused_by_name(score):
    with pytest.raises(MissingScore, match="beta-net"):
        ranking_from_scores({"alpha-net": 0.5, "beta-net": score})


@cases(
    ("recall", "precision", "beta", "expected"),
    [(0, 0, 1, 0), (0.5, 1, 1, 2 / 3), (0.5, 1, 2, 5 * 0.5 / 4.5), (1, 0, 1, 0)],
)
def test_f_beta(recall, precision, beta, expected):
    assert f_beta(recall, precision, beta) == pytest.approx(expected, abs=1e-15)


def scores_of(**protocols):
    """The same recall and precision for each method, from per-method numbers."""
    return {
        protocol: dict(zip("abc", [(value, value) for value in values], strict=True))
        for protocol, values in protocols.items()
    }


def rankings_of(*texts):
    return {
        c: {"img": [by_text(text) for text in texts]} for c in ("recall", "precision", "preference")
    }


def test_each_criterion_is_compared_with_its_own_score():
    """Recall says a > b, precision b > a; with beta 8 the F-score follows recall, with 1/8 precision."""
    scores = {"img": {"x": {"a": (0.9, 0.3), "b": (0.3, 0.9)}}}
    rankings = {"recall": {"img": [by_text("a>b")]}, "precision": {"img": [by_text("b>a")]}}
    for beta, preferred in ((8.0, "a>b"), (0.125, "b>a")):
        report = build_report(
            rankings | {"preference": {"img": [by_text(preferred)]}},
            scores,
            Settings(min_annotators=1, beta=beta),
        )
        assert [table.rows[0].score for table in report.criteria.values()] == [0, 0, 0]


@cases(
    ("annotators", "scores", "reason"),
    [
        (["a>b>c"] * 2, scores_of(x=(1, 0.5, 0)), "2 of 3 annotators"),
        ([], scores_of(x=(1, 0.5, 0)), "0 of 3 annotators"),
        (["a>b>c", "a>b>c", "a>b"], scores_of(x=(1, 0.5, 0)), "not ranked by every annotator: c"),
        (["a>b>c"] * 3, {"x": {"a": (1, 1), "b": (1, 1)}}, "x: c has no score"),
        (["a>b>c"] * 3, {"x": {"a": (1, 1), "b": (None, None), "c": (0, 0)}}, "x: b has no score"),
        # Left out for one protocol, left out for all.
        (["a>b>c"] * 3, scores_of(x=(1, 0.5, 0)) | {"y": {"a": (1, 1)}}, "y: b has no score"),
        (["a>b>c"] * 3, {"x": {"a": (math.nan,) * 2, "b": (1, 1), "c": (0, 0)}}, "x: a scores nan"),
    ],
)
def test_an_image_that_cannot_count_is_left_out_with_the_reason(annotators, scores, reason):
    report = build_report(rankings_of(*annotators), {"img": scores})
    for table in report.criteria.values():
        assert table.left_out == (("img", reason),)
        assert table.n_images == table.n_rankings == 0
        assert all(row.score is None for row in (*table.rows, *table.baselines))


@cases(
    "wrong",
    [
        {"decimals": -1},
        {"decimals": 16},
        {"distance": "far"},
        {"consensus": "loudest"},
        {"beta": 0},
        {"beta": math.nan},
        {"min_annotators": 0},
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(wrong):
    with pytest.raises(RankingError, match=next(iter(wrong))):
        Settings(**wrong)


NASTY = {'=SUM(A1), "quoted"': (0.9, 0.5, 0.1), "50 % & more_|": (0.1, 0.5, 0.9)}


@pytest.fixture
def nasty():
    return build_report(rankings_of(*["a>b>c"] * 3), {"img": scores_of(**NASTY)})


def test_csv_reads_back_and_holds_no_formula(nasty):
    # The first line names the columns: what pandas.read_csv expects.
    rows = list(csv.DictReader(io.StringIO(report_files.to_csv(nasty, {"study": "one\nstudy"}))))
    assert {row["protocol"] for row in rows} == {
        '\'=SUM(A1), "quoted"',
        "50 % & more_|",
        ALL_TIED,
        RANDOM_ORDER,
    }
    assert [row["score"] for row in rows if row["criterion"] == "recall"] == [
        "0.0",
        "3.0",
        "1.0",
        "1.5",
    ]
    assert {row["best"] for row in rows if row["kind"] == "baseline"} == {""}


def test_latex_escapes_what_latex_would_read(nasty):
    text = report_files.to_latex(nasty, {"study": "a % b"})
    # Names may end lines between letters if the table is wide.
    lines = text.replace(r"\penalty500 ", "").splitlines()
    row = next(line for line in lines if r"50 \%" in line)
    [name, *cells] = row.strip().removesuffix(r" \\").split(" & ")
    assert name == r"50 \% \& more\_\textbar{}"
    n = len(MEASURES)
    assert [cells[at : at + 3] for at in range(0, 3 * n, n)] == [["0", "1", "3.00"]] * 3
    assert len(cells) == 3 * n
    assert text.startswith("% study: a % b\n")


def test_markdown_keeps_its_columns(nasty):
    text = report_files.to_markdown(nasty, {})
    [row] = [line for line in text.splitlines() if "50" in line and "3.00" in line][:1]
    assert row.replace(r"\|", "").count("|") == 2 + len(MEASURES)


def test_json_holds_the_whole_report_and_no_nan(nasty):
    data = json.loads(report_files.to_json(nasty, {"study": "s"}), parse_constant=pytest.fail)
    assert data["header"] == {"study": "s"}
    assert data["criteria"]["recall"]["consensus"] == {"img": [["a"], ["b"], ["c"]]}


def test_an_empty_report_says_dash_and_never_nan():
    report = build_report(rankings_of("a>b>c"), {"img": scores_of(x=(1, 0.5, 0))})
    assert "| x | 0 | 0 | – |" in report_files.to_markdown(report, {})
    for write in (report_files.to_csv, report_files.to_latex, report_files.to_json):
        assert "nan" not in write(report, {}).lower()
