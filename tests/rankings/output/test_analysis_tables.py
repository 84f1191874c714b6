import csv
import io
import json
import random
import re
from copy import deepcopy

import numpy as np
import pytest
import scipy.stats

from rankings.agreement.annotators import image_agreements
from rankings.agreement.report import Settings, build_report, report_from_json
from rankings.analysis.analysis import analyse
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import f_beta, ranking_from_scores
from rankings.output import table_files
from rankings.output.analysis_tables import tables_of
from rankings.output.table import Column, Table
from rankings.tuning.slices import ImageProperty
from tests.support.analyses import SETTINGS, random_study
from tests.support.notes import check_note

NASTY = Table(
    "nasty",
    "A & B",
    "100 % of it.",
    (Column("Protocol"), Column("Value", True, 3), Column("n", True), Column("Same")),
    (("=1+1|_x", 0.1 + 0.2, 3, True), ("b", None, 0, False), ("c", -0.0001, 1, None)),
)
HEADER = {"study": "Street\nsigns"}
FRIEDMAN = "Friedman test of all protocols, annotators fixed: p"


@pytest.fixture(scope="module")
def data():
    exported = analyse(*random_study(), SETTINGS, sentinels=["count"], n_resamples=100).to_json()
    return json.loads(json.dumps(exported))


def test_every_kind_of_table_is_there_for_every_criterion(data):
    tables = {table.slug: table for table in tables_of(data)}
    assert set(tables) == {
        *("intervals", "differences", "sensitivity", "agreement", "annotators", "criteria"),
        *("ties", "verdicts", "person", "silence"),
        *("measures", "rounding", "calibration", "beta"),
        *("variance", "taste", "values", "slices"),
    }
    for slug, table in tables.items():
        assert all(len(row) == len(table.columns) for row in table.rows)
        check_note(table.note, [column.name for column in table.columns])
        expected = {"beta": {"preference"}}.get(slug, {"recall", "precision", "preference"})
        if slug != "criteria":
            assert {row[0] for row in table.rows} == expected


def test_the_numbers_stand_under_their_heads(data):
    tables = {table.slug: table for table in tables_of(data)}

    def cells(slug, **where):
        names = [column.name for column in tables[slug].columns]
        rows = [dict(zip(names, row, strict=True)) for row in tables[slug].rows]
        [row] = [row for row in rows if where.items() <= row.items()]
        return row

    around = data["analysis"]["recall"]
    at_iou = {
        name: {entry["protocol"]: entry for entry in around[name]}["IOU"]
        for name in ("measures", "calibration")
    }
    row = cells("measures", Criterion="recall", Protocol="IOU")
    assert row["tau-b"] == at_iou["measures"]["tau_b"]
    assert row["Pairs agreed"] == at_iou["measures"]["pairwise_accuracy"]
    row = cells("calibration", Criterion="recall", Protocol="IOU")
    assert row["Epsilon"] == at_iou["calibration"]["epsilon"]
    assert row["Accuracy at 0"] == at_iou["calibration"]["accuracy_at_0"]
    score = {row["protocol"]: row["score"] for row in data["criteria"]["recall"]["rows"]}["IOU"]
    assert cells("rounding", Criterion="recall", Protocol="IOU")["2 decimals"] == score
    row = cells("intervals", Criterion="recall", Protocol="IOU")
    assert row["Score"] == pytest.approx(score)
    assert row["Cluster"] == around["clusters"]["IOU"]
    assert row["Letters"] == around["letters"]["IOU"]
    pair = around["comparisons"]["pairs"][0]
    [against] = around["against_silence"]["count"]["pairs"][:1]
    row = cells(
        "silence", Criterion="recall", Protocol=against["first"], **{"Compared with": "count"}
    )
    assert (row["Difference"], row["p, adjusted"]) == (
        against["difference"],
        against["adjusted_p_value"],
    )
    row = cells("differences", Criterion="recall", First=pair["first"], Second=pair["second"])
    assert (row["Difference"], row["p, adjusted"]) == (
        pair["difference"],
        pair["adjusted_p_value"],
    )
    assert (row["Low"], row["High"]) == (pair["adjusted_low"], pair["adjusted_high"])


def test_the_answers_to_open_questions_stand_under_their_heads():
    rankings, scores = random_study(n_images=12)
    size = ImageProperty("Size", "px", {f"img_{at}": float(at) for at in range(12)})
    analysed = analyse(rankings, scores, SETTINGS, properties=[size], n_resamples=20).to_json()
    around = analysed["analysis"]["preference"]
    tables = {table.slug: table for table in tables_of(json.loads(json.dumps(analysed)))}

    def row(slug, *start):
        [found] = [
            row for row in tables[slug].rows if row[: 1 + len(start)] == ("preference", *start)
        ]
        return found[1 + len(start) :]

    part = around["questions"]["disparity"]["components"][1]
    found = row("variance", "taste: protocols are nearer to some annotators than to others")
    assert found == (part["variance"], part["share"], part["low"], part["high"])
    taste = around["questions"]["disparity"]["tastes"][0]
    assert row("taste", "a")[1:5] == (
        *(taste["protocol"], taste["difference"], taste["low"], taste["high"]),
    )
    strength = around["questions"]["strengths"][0]
    assert row("values", strength["protocol"])[7:] == tuple(strength["gain"].values())
    gained = around["beta_gains"][0]
    assert row("beta", gained["protocol"])[5:] == (
        *(gained["difference"], gained["low"], gained["high"], gained["holm_p_value"]),
    )
    cut = around["questions"]["slices"][0]
    score = cut["scores"][0]
    assert row("slices", "Size", "0 to 3 px", 4, score["protocol"]) == (score["score"], None, None)
    # Of ten pairs of methods.
    losses = [
        10 * kemeny_distance(own, ranking_from_scores(f_scores, SETTINGS.decimals))
        for image in (f"img_{at}" for at in range(4))
        for own in rankings["preference"][image].values()
        for f_scores in [{m: f_beta(*both) for m, both in scores[image][score["protocol"]].items()}]
    ]
    assert (cut["n_images"], score["score"]) == (4, pytest.approx(sum(losses) / len(losses)))


def test_few_images_have_no_interval():
    for n_images, has_limits in ((9, False), (10, True)):
        analysed = analyse(*random_study(n_images=n_images), SETTINGS, n_resamples=50).to_json()
        [table] = [table for table in tables_of(analysed) if table.slug == "intervals"]
        assert {cell is not None for row in table.rows for cell in row[6:8]} == {has_limits}
        assert ("an interval needs 10" in table.note) is not has_limits


def test_shares_of_ties_and_what_follows_when_they_differ(data):
    """Annotators draw 4 values for 5 methods and tie; the mean of three ranks ties less."""
    [table] = [table for table in tables_of(data) if table.slug == "ties"]
    shares = data["analysis"]["recall"]["ties"]
    rows = [row[1:] for row in table.rows if row[0] == "recall"]
    assert rows[0] == ("annotator", "a", shares["annotators"]["a"])
    assert ("consensus", "", shares["consensus"]) in rows
    assert ("protocol", "IOU", shares["protocols"]["IOU"]) in rows
    assert "differ by more than 5 points" in table.note
    for around in data["analysis"].values():
        people = list(around["ties"]["annotators"].values())
        assert sum(people) / len(people) > around["ties"]["consensus"] + 0.05
    alike = json.loads(json.dumps(data))
    for around in alike["analysis"].values():
        around["ties"] = {"annotators": {"a": 0.2}, "consensus": 0.24, "protocols": {}}
    [table] = [table for table in tables_of(alike) if table.slug == "ties"]
    assert "points" not in table.note
    for around in alike["analysis"].values():
        around["ties"]["protocols"] = {"P": 0.26, "Q": 0.24, "R": 0.1, "S": None}
    [table] = [table for table in tables_of(alike) if table.slug == "ties"]
    assert "2 of 3 by recall" in table.note


def test_one_annotator_is_said_to_allow_no_comparison():
    rankings, scores = random_study(n_images=3)
    alone = {
        criterion: {image: {"a": of_image["a"]} for image, of_image in of.items()}
        for criterion, of in rankings.items()
    }
    analysed = analyse(alone, scores, Settings(min_annotators=1), n_resamples=10).to_json()
    tables = {table.slug: table for table in tables_of(analysed)}
    assert "one annotator says nothing about others" in tables["differences"].note
    assert {row[-1] for row in tables["differences"].rows} == {None}
    assert {row[-2:] for row in tables["intervals"].rows} == {(None, None)}


def test_without_an_image_there_is_no_table():
    rankings, scores = random_study(n_images=2)
    empty = analyse(rankings, scores, Settings(min_annotators=9), n_resamples=10)
    assert {table.slug for table in tables_of(empty.to_json())} <= {"criteria"}


def test_csv_has_every_digit_and_no_formula():
    text = table_files.to_csv(NASTY, HEADER)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0] == {
        "Protocol": "'=1+1|_x",
        "Value": "0.30000000000000004",
        "n": "3",
        "Same": "true",
    }
    assert rows[1] == {"Protocol": "b", "Value": "", "n": "0", "Same": "false"}


def test_json_keeps_numbers_and_says_what_the_table_is():
    content = json.loads(table_files.to_json(NASTY, HEADER))
    assert content["rows"][0]["Value"] == 0.1 + 0.2
    assert content["rows"][1] == {"Protocol": "b", "Value": None, "n": 0, "Same": False}
    assert content["note"] == "100 % of it."


def test_latex_escapes_and_dashes():
    text = table_files.to_latex(NASTY, HEADER)
    assert r"=1+1\textbar{}\_x & 0.300 & 3 & yes \\" in text
    assert r"b & -- & 0 & no \\" in text
    # Rounded to zero: no minus.
    assert r"c & 0.000 & 1 & -- \\" in text
    assert r"\begin{tabular}{@{}lrrl@{}}" in text
    assert r"\caption{A \& B. 100 \% of it.}" in text
    assert r"\label{tab:street-signs-nasty}" in text
    assert text.startswith("% study: Street signs\n")


def test_markdown_escapes_and_aligns():
    text = table_files.to_markdown(NASTY, HEADER)
    assert r"| =1+1\|\_x | 0.300 | 3 | yes |" in text
    assert "| --- | ---: | ---: | --- |" in text


def test_a_small_p_value_is_never_zero():
    table = Table("p", "p", "", (Column("p", True, 3),), ((0.0002,), (0.2,)))
    assert table.shown == [["< 0.001"], ["0.200"]]


def test_a_small_p_value_among_other_measures_is_never_zero_and_a_file_for_programs_has_its_digits(
    data,
):
    tiny = deepcopy(data)
    tiny["analysis"]["recall"]["friedman"]["p_value"] = 0.00001
    table = next(table for table in tables_of(tiny) if table.slug == "agreement")
    [row] = [row for row in table.shown if row[:2] == ["recall", FRIEDMAN]]
    assert row[2] == "< 0.001"
    assert rf"| recall | {FRIEDMAN} | \< 0.001 |" in table_files.to_markdown(table, HEADER)
    assert re.search(r"Friedman.*textless{} 0\.001", table_files.to_latex(table, HEADER))
    assert f'recall,"{FRIEDMAN}",1e-05' in table_files.to_csv(table, HEADER)


def test_a_report_comes_back_from_its_json():
    rankings, scores = random_study(n_images=3)
    unnamed = {
        criterion: {image: list(of_annotator.values()) for image, of_annotator in of.items()}
        for criterion, of in rankings.items()
    }
    unnamed["recall"]["img_0"] = []
    report = build_report(unnamed, scores, SETTINGS)
    assert report_from_json(json.loads(json.dumps(report.to_json()))) == report


def test_images_without_kendalls_w_are_counted_beside_its_mean():
    """Two images of four are tied by all annotators: W has no value there, and is 1 on the others."""
    strict, tied = (("a",), ("b",)), (("a", "b"),)
    people = {
        f"img_{at}": dict.fromkeys(["ann", "ben", "cem"], tied if at % 2 else strict)
        for at in range(4)
    }
    scores = {image: {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}} for image in people}
    found = analyse({"recall": people}, scores, n_resamples=10).to_json()
    table = next(table for table in tables_of(found) if table.slug == "agreement")
    shown = {name: value for _, name, value in table.rows}
    assert shown["Images without Kendall's W"] == 2
    assert shown["Kendall's W, mean over images (1: the same order)"] == 1
    # Three annotators have W 1/3 by chance; two images of four have no interval.
    assert shown["Kendall's W of orders at random, for as many annotators"] == pytest.approx(1 / 3)
    assert not [name for name in shown if name.startswith("Kendall's W: low")]
    assert "its mean leaves these images out" in table.note


def test_kendalls_w_of_orders_at_random_and_its_interval():
    """The mean of drawn orders is that of chance, and its interval is by Student's t."""
    rng = random.Random(3)
    people = {
        f"img_{at}": {name: tuple((m,) for m in rng.sample("abcdef", 6)) for name in "vwxyz"}
        for at in range(80)
    }
    scores = {image: {"iou": dict.fromkeys("abcdef", (0.5, 0.5))} for image in people}
    found = analyse({"recall": people}, scores, n_resamples=5).to_json()
    own = found["analysis"]["recall"]["agreement"]
    assert own["w_by_chance"] == pytest.approx(0.2)
    assert own["w_low"] < 0.2 < own["w_high"]
    ws = [image_agreements({"i": of})["i"].kendall_w for of in people.values()]
    expected = scipy.stats.t.interval(0.95, 79, np.mean(ws), scipy.stats.sem(ws))
    assert (own["w_low"], own["w_high"]) == pytest.approx(expected)
