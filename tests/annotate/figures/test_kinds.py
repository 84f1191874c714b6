"""The figures: numbers worked out by hand, colours and labels that can be read."""

from datetime import date
from itertools import pairwise

import pytest

from annotate.figures.kinds.agreement import mean_distances
from annotate.figures.kinds.beta import _spread, beta_curves
from annotate.figures.kinds.critical_difference import critical_difference
from annotate.figures.kinds.parts_of_images import losses_by_part
from annotate.figures.kinds.progress import progress_over_time
from annotate.figures.kinds.scores import score_by_rank
from annotate.figures.kinds.variance import variance_components
from annotate.figures.kinds.wins import win_matrix, win_shares
from annotate.figures.parts import drawing
from annotate.figures.themes import THEMES, Paper, _channels, _luminance
from rankings.inference.significance import critical_difference as nemenyi
from rankings.orders.buckets import checked
from tests.support.cases import cases
from tests.support.figures import ABC, DISTANCES, PAPERS, a_figure, components, cut


def numbers(drawing):
    """Every value that a specification carries, in lists of its layers."""
    found = drawing.get("datasets", {}).values()
    return [row for rows in found for row in rows] + [
        row for part in parts(drawing) for row in part.get("data", {}).get("values", ())
    ]


def parts(drawing):
    yield drawing
    for key in ("layer", "concat", "hconcat", "vconcat"):
        for part in drawing.get(key, ()):
            yield from parts(part)


def drawn(figure):
    return numbers(drawing(figure, Paper()))


def test_a_share_of_wins_counts_a_tie_as_half():
    """A is nearer than B on images one and four, farther on two, equal on three: 2.5 of 4."""
    assert win_shares(DISTANCES, ABC) == [
        [None, 2.5 / 4, 1.0],
        [1.5 / 4, None, 3.5 / 4],
        [0.0, 0.5 / 4, None],
    ]


def test_the_win_matrix_draws_its_shares_and_says_them_in_its_cells():
    figure = win_matrix(DISTANCES, ABC)
    cells = {(cell["row"], cell["column"]): cell for cell in drawn(figure)}
    assert cells["A", "B"]["value"] == 0.625
    assert cells["B", "C"]["text"] == "0.88"
    assert cells["C", "C"] | {"value": None, "text": "–"} == cells["C", "C"]
    assert figure.rows[0] == ("A", None, 0.625, 1.0)


def test_a_box_has_the_quartiles_and_the_mean():
    """B: 0, 0, 1, 2; its quarters lie at places 0.75, 1.5 and 2.25 of 0 .. 3."""
    rows = {row["protocol"]: row for row in drawn(a_figure())}
    b = rows["B"]
    assert [b[name] for name in ("smallest", "q1", "median", "q3", "largest", "mean", "n")] == [
        0.0,
        0.0,
        0.5,
        1.25,
        2.0,
        0.75,
        4,
    ]
    assert [row["protocol"] for row in drawn(a_figure())][:4] == ["A", "B", "C", "all tied"]


def test_average_ranks_and_groups_are_those_of_the_test():
    """Ranks of A: 1, 2, 1.5, 1; of B: 2.5, 1, 1.5, 2; of C: 2.5, 3, 3, 3. CD of 3 protocols and
    4 images: 2.343 sqrt(3 x 4 / 24) = 1.657 (Demsar, table 5).
    """
    table = [[row[name] for name in ABC] for row in DISTANCES.values()]
    figure = critical_difference(nemenyi(table, ABC), p_value=0.04)
    assert [row[:2] for row in figure.rows] == [("A", 1.375), ("B", 1.75), ("C", 2.875)]
    assert "1.66" in figure.notes[0]
    assert [row[2] for row in figure.rows] == ["group 1"] * 3
    assert "p = 0.040" in figure.notes[1]
    words = [row["text"] for row in drawn(figure) if "text" in row]
    assert {"A", "B", "C", "CD = 1.66"} <= set(words)


@cases(
    ("p_value", "n_bars", "cell"),
    [(0.04, 1, "group 1"), (0.06, 0, "not tested"), (None, 0, "not tested")],
)
def test_bars_are_drawn_only_when_friedman_rejects(p_value, n_bars, cell):
    table = [[row[name] for name in ABC] for row in DISTANCES.values()]
    figure = critical_difference(nemenyi(table, ABC), p_value=p_value)
    assert sum(row.get("width") == 3 for row in drawn(figure)) == n_bars
    assert {row[2] for row in figure.rows} == {cell}
    assert ("no bars" in figure.caption) == (not n_bars)
    for said in (figure.caption, figure.summary):
        assert ("Friedman's test does not say" in said) == (p_value == 0.06)
    assert "annotators are taken as fixed" in figure.caption


def test_average_ranks_lie_where_the_axis_has_them():
    figure = critical_difference(nemenyi([[0.0, 1, 2]] * 30, ABC))
    lines = [row for row in drawn(figure) if "x2" in row]
    words = {row["text"]: row["x"] for row in drawn(figure) if row.get("align") == "center"}
    drops = {line["x"] for line in lines if line["x"] == line["x2"] and line["y"] == 34.0}
    assert drops == {words["1"], words["2"], words["3"]}


def test_scores_stand_at_the_mean_places_of_ties():
    """a = b > c: ranks 1.5, 1.5 and 3."""
    scores = {"one": {"A": {"a": 0.9, "b": 0.5, "c": 0.1}}}
    figure = score_by_rank(scores, {"one": checked([["a", "b"], ["c"]])}, ["A"])
    assert figure.rows == (
        ("A", 1.5, 2, 0.5, 0.6, pytest.approx(0.7), pytest.approx(0.8), 0.9),
        ("A", 3.0, 1, 0.1, 0.1, 0.1, 0.1, 0.1),
    )
    assert [row["median"] for row in drawn(figure) if row] == [pytest.approx(0.7), 0.1]


def test_curves_carry_their_values_and_their_best_beta():
    curves = {"A": [(0.5, 3.0), (1.0, 2.0), (2.0, 4.0)], "B": [(0.5, 1.0), (1.0, 1.0), (2.0, 1.0)]}
    best = {"A": (1.0, 2.0), "B": (1.0, 1.0)}
    figure = beta_curves(curves, best, n_images=4)
    assert figure.rows == ((0.5, 3.0, 1.0), (1.0, 2.0, 1.0), (2.0, 4.0, 1.0))
    rows = drawn(figure)
    assert {
        (row["protocol"], row["beta"], row["distance"]) for row in rows if "end" not in row
    } == {(name, *point) for name, curve in curves.items() for point in curve}
    assert "Beta changes nothing for B." in figure.notes


def test_lines_differ_in_lightness_or_dash_or_mark():
    names = [f"protocol {at}" for at in range(24)]
    curves = {name: [(0.5, 1.0), (2.0, float(at))] for at, name in enumerate(names)}
    optima = {name: curve[0] for name, curve in curves.items()}
    for paper in PAPERS:
        line, point, *_ = beta_curves(curves, optima, n_images=3).draw(paper)["layer"]
        looks = [
            of["encoding"][channel]["scale"]["range"]
            for of, channel in ((line, "color"), (line, "strokeDash"), (point, "shape"))
        ]
        assert len({str(look) for look in zip(*looks, strict=True)}) == 24


def test_labels_of_equal_curves_do_not_cover_each_other():
    found = _spread({"a": 1.0, "b": 1.0, "c": 9.9}, 0.0, 10.0, 1.0)
    places = sorted(found.values())
    assert all(after - before >= 1 for before, after in pairwise(places))
    assert places[0] >= 0
    assert places[-1] <= 10


def test_bars_are_the_shares_of_the_variance():
    """6, 3 and 1 of 10."""
    figure = variance_components(components(6.0, 3.0, 1.0, 0.1, 0.9), n_images=20, n_annotators=5)
    assert [row[2] for row in figure.rows] == [0.6, 0.3, 0.1]
    shown = drawn(figure)
    assert {row["name"]: row["share"] for row in shown} == {
        "images": 0.6,
        "taste of annotators": 0.3,
        "a single ranking": 0.1,
    }
    assert {(row["low"], row["high"]) for row in shown} == {(0.1, 0.9)}
    assert "images 60 %" in figure.summary


def test_parts_are_drawn_from_the_smallest_to_the_largest():
    """Of two parts there is no middle one; what is alike everywhere is not drawn."""
    scores = {"A": 1.0, "B": 2.0, "all tied": 3.0}
    figure = losses_by_part(
        [
            *(cut("Size", at, at, scores) for at in range(3)),
            *(cut("Turned", at, at, scores) for at in range(2)),
            cut("Words", 1, 1, scores),
        ],
        ["A", "B"],
    )
    shown = drawn(figure)
    places = {(row["by"], row["place"]) for row in shown}
    assert places == {
        *(("Size", place) for place in ("smallest", "middle", "largest")),
        *(("Turned", place) for place in ("smallest", "largest")),
    }
    assert {(row["protocol"], row["score"], row["low"], row["high"]) for row in shown} == {
        ("A", 1.0, 0.5, 1.5),
        ("B", 2.0, 1.5, 2.5),
        ("all tied", 3.0, 2.5, 3.5),
    }
    assert len(figure.rows) == 6 * 3


def test_days_add_up():
    figure = progress_over_time([(date(2026, 3, 2), 2), (date(2026, 3, 1), 3)])
    assert figure.rows == ((date(2026, 3, 1), 3, 3), (date(2026, 3, 2), 2, 5))
    assert [(row["day"], row["rankings"]) for row in drawn(figure)] == [
        ("2026-03-01", 3),
        ("2026-03-02", 2),
    ]


def test_two_annotators_differ_by_the_mean_over_their_common_images():
    """One swap on the first image, nothing on the second; the third only one has ranked."""
    abc, bac = checked([["a"], ["b"], ["c"]]), checked([["b"], ["a"], ["c"]])
    found = mean_distances(
        {"A1": {"i": abc, "j": abc, "k": abc}, "A2": {"i": bac, "j": abc}, "A3": {}}, "edit"
    )
    assert found == {("A1", "A2"): 0.5, ("A1", "A3"): None, ("A2", "A3"): None}


@cases("theme", THEMES)
def test_numbers_on_shaded_cells_can_be_read(theme):
    """4.5:1 on every shade, by the formula of WCAG 2."""
    colours = THEMES[theme]
    low, high = map(_channels, colours.ramp)
    for at in range(101):
        share = at / 100
        ground = _luminance([a + share * (b - a) for a, b in zip(low, high, strict=True)])
        ink = _luminance(_channels(colours.ink_on(share)))
        one, other = sorted((ground, ink))
        assert (other + 0.05) / (one + 0.05) >= 4.5, share
