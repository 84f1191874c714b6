"""LaTeX tables as a real TeX sets them: without an error, and no wider than page or column."""

from dataclasses import replace
from itertools import product

import pytest

from rankings.agreement.report import report_from_json
from rankings.analysis.analysis import analyse
from rankings.errors import RankingError
from rankings.output import report_files, table_files
from rankings.output.analysis_tables import tables_of
from rankings.output.escaping import latex_text
from rankings.output.latex import LAYOUTS, WIDTHS, Look, breakable, rest_of_line, total_em
from rankings.output.table import Column, Table
from tests.support.analyses import SETTINGS, random_study
from tests.support.tex import typeset

HEADER = {"study": "Signs & 50 % ~{streets}", "dataset": "ICDAR_2015 #4", "annotators": "3"}
ASCII = "".join(map(chr, range(32, 127)))
# As wide as they may be, and with everything that LaTeX would read.
NASTY = (
    ASCII,
    "[1] *starred*",
    "W" * 120,
    "détection_œuvre_łódź -- --- ,, '' `` “x” – …",
    "min_recall_coverage=0.8, min_precision_coverage=0.4, merge_credit=0.8",
)
# Every article has these columns: of one, of two.
DOCUMENTS = ("", "twocolumn")


@pytest.fixture(scope="module")
def data():
    return analyse(*random_study(12), SETTINGS, sentinels=["count"], n_resamples=50).to_json()


@pytest.fixture(scope="module")
def nasty(data):
    """The analysis with unusual names, and counts of thousands."""
    text = repr(data)
    for old, new in zip(("DETEVAL", "IOU", "count"), NASTY, strict=False):
        text = text.replace(repr(old), repr(new))
    renamed = eval(text)
    for table in renamed["criteria"].values():
        for row in table["rows"]:
            row["best"], row["worst"], row["score"] = 1000 + row["best"], 2000, 88.885
    return renamed


def looks():
    return [Look(*chosen) for chosen in product(LAYOUTS, WIDTHS, (False, True))]


@pytest.mark.parametrize("options", DOCUMENTS)
def test_no_look_is_wider_than_its_place(nasty, data, tmp_path, options):
    made = [
        report_files.to_latex(report_from_json(of), HEADER, look, of["analysis"])
        for of in (data, nasty)
        for look in looks()
    ]
    assert typeset(tmp_path, made, options).overfull == []


def test_every_table_around_fits_the_page(nasty, data, tmp_path):
    made = [table_files.to_latex(table, HEADER) for of in (data, nasty) for table in tables_of(of)]
    assert typeset(tmp_path, made, times=2).overfull == []


def test_a_long_table_goes_over_pages(tmp_path):
    columns = (Column("Protocol"), Column("Value", True, 2))
    table = Table("long", "Long", "A note.", columns, tuple((name, 0.5) for name in NASTY * 30))
    text = table_files.to_latex(table, HEADER)
    assert r"\begin{longtable}" in text
    assert typeset(tmp_path, [text], times=2).overfull == []


@pytest.mark.parametrize("look", looks(), ids=str)
def test_caption_label_and_bold_are_there(data, look):
    text = report_files.to_latex(report_from_json(data), HEADER, look, data["analysis"])
    assert text.startswith("% study: Signs & 50 % ~{streets}\n")
    assert r"\label{tab:signs-50-streets-protocols}" in text
    assert r"on ICDAR\_2015 \#4" in text
    assert (r"\begin{table*}" in text) == (look.width == "page")
    assert ("In brackets" in text) == look.intervals
    best = min(row["score"] for row in data["criteria"]["recall"]["rows"])
    assert rf"\textbf{{{best:.2f}}}" in text
    # A sentinel is never the best.
    assert all("textbf" not in line for line in text.splitlines() if "all tied" in line)


def test_all_that_show_the_same_number_are_bold(data):
    report = report_from_json(data)
    recall = report.criteria["recall"]
    rows = tuple(
        replace(row, numbers={**row.numbers, "score": score})
        for row, score in zip(recall.rows, (1.001, 1.004, 2.0), strict=True)
    )
    tied = replace(report, criteria={"recall": replace(recall, rows=rows)})
    text = report_files.to_latex(tied, HEADER)
    assert text.count(r"\textbf{1.00}") == 2
    assert r"\textbf{2.00}" not in text


def test_one_column_beside_each_other_has_scores_alone(data):
    text = report_files.to_latex(report_from_json(data), HEADER, Look("side", "column"))
    [row] = [line for line in text.splitlines() if line.strip().startswith("DETEVAL &")]
    assert row.count("&") == 3
    assert "Best" not in text


def test_an_analysis_of_one_image_has_no_interval():
    data = analyse(*random_study(1), SETTINGS, n_resamples=10).to_json()
    text = report_files.to_latex(
        report_from_json(data), HEADER, Look(intervals=True), data["analysis"]
    )
    assert "In brackets" not in text


def test_a_look_that_is_none_is_refused():
    with pytest.raises(RankingError, match="layout must be side or stacked"):
        Look(layout="diagonal")


def test_letters_that_pdflatex_lacks_are_named():
    table = Table("t", "T", "", (Column("Name"),), (("文字 検出",),))
    assert "% needs LuaLaTeX or XeLaTeX and a font with 出字文検" in table_files.to_latex(table, {})


def test_control_characters_and_line_ends_go():
    assert latex_text("a\nb\x1b\u202ec") == "a bc"


def test_the_last_column_has_what_the_others_and_the_gaps_leave():
    """Three columns have two gaps, of two separations each; 0.1 em are for rounding."""
    type_, write = rest_of_line([10.0, 2.0], 3, "page")
    assert type_.endswith(r"\linewidth - 12.1em - 4\tabcolsep\relax}")
    assert write("a_b") == r"a\_b"
    assert breakable("IoU c", 1.0) == r"I\penalty500 o\penalty500 U c"
    assert total_em([1.0, 2.0]) == pytest.approx(3.71, abs=0.01)
