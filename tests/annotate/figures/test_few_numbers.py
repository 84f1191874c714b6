"""Figures of nothing, of one number, of equal numbers and of very many."""

import json
import pickle
import re
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from annotate.figures.data import Flow
from annotate.figures.files import specification, to_pdf, to_png, to_svg
from annotate.figures.kinds.agreement import annotator_agreement
from annotate.figures.kinds.beta import beta_curves
from annotate.figures.kinds.critical_difference import critical_difference
from annotate.figures.kinds.distances import distance_distribution
from annotate.figures.kinds.nearness import nearness
from annotate.figures.kinds.participants import flow_of_participants
from annotate.figures.kinds.parts_of_images import losses_by_part
from annotate.figures.kinds.progress import progress_over_time
from annotate.figures.kinds.scores import score_by_rank
from annotate.figures.kinds.strengths import detector_strengths
from annotate.figures.kinds.variance import variance_components
from annotate.figures.kinds.wins import win_matrix
from annotate.figures.themes import Paper
from annotate.recruiting.models import Entrance, Outcome
from annotate.recruiting.selectors import Figures
from annotate.reports.main_table import shown_table
from rankings.agreement.report import build_report
from rankings.inference.significance import critical_difference as nemenyi
from rankings.orders.buckets import checked
from tests.support.cases import cases, listed
from tests.support.figures import FACTS, PAPERS, components, cut
from tests.support.notes import check_interval

pytestmark = pytest.mark.release

# Each theme and each width; a theme changes colours alone.
BOTH = [Paper("light", "single"), Paper("dark", "double")]


def scores_of(images, protocols="AB"):
    """A table of so many images of a > b by three people: A says the same, all others the opposite."""
    rankings = {"recall": {image: [checked([["a"], ["b"]])] * 3 for image in images}}
    values = {name: {"a": (name == "A", 0.5), "b": (name != "A", 0.5)} for name in protocols}
    report = build_report(rankings, dict.fromkeys(images, values))
    return nearness(shown_table("recall", report.criteria["recall"], None))


def flow(n=0, **outcomes):
    """The flow of an entrance to which so many agreed."""
    entrance = Entrance(name="One", turned_away={"full": 2} if n else {})
    by = {outcome: outcomes.get(outcome, 0) for outcome in Outcome}
    figures = Figures(entrance, 0, n, 0, n - sum(by.values()), by, None, 0, 0)
    return Flow([figures], n, 0)


NOTHING = [
    scores_of([]),
    scores_of(["one"], protocols=""),
    distance_distribution({}, ["A"], left_out=[("one", "0 of 3 annotators")]),
    distance_distribution({}, []),
    score_by_rank({}, {}, ["A"]),
    score_by_rank({"one": {}}, {"one": checked([["a"]])}, ["A"]),
    win_matrix({}, ["A", "B"]),
    win_matrix({"one": {"A": 1.0}}, ["A"]),
    annotator_agreement([], []),
    annotator_agreement([[None]], ["A1"]),
    annotator_agreement([[None, None], [None, None]], ["A1", "A2"]),
    beta_curves({}, {}, n_images=0),
    beta_curves({"A": ()}, {}, n_images=0),
    critical_difference(nemenyi([[1.0]], ["A"])),
    critical_difference(nemenyi([[]], [])),
    progress_over_time([]),
    flow_of_participants(Flow((), 0, 0)),
    variance_components(components(0, 0, 0), reason="one annotator says nothing about others"),
    variance_components(components(0, 0, 0)),
    losses_by_part([], ["A"]),
    losses_by_part([cut("Size", 1, 1, {"A": 1.0}), cut("Size", None, None, {"A": 1.0})], ["A"]),
]


@cases("figure", NOTHING)
def test_without_anything_to_draw_a_figure_says_what_is_missing(figure):
    assert figure.is_empty
    assert figure.notes[0].endswith(".")
    assert figure.rows == ()
    for paper in BOTH:
        svg = to_svg(figure, paper, FACTS).decode()
        assert figure.notes[0].split()[0] in svg
        to_png(figure, paper, FACTS)
        to_pdf(figure, paper, FACTS)


FEW = {
    "an entrance that no one opened": flow_of_participants(flow()),
    "a person": flow_of_participants(flow(1, completed=1)),
    "one method without limits": detector_strengths(
        {
            "strengths": [{"method": "a", "strength": 0.0, "low": None, "high": None}],
            "reason": "one image says nothing about others",
            "n_images": 1,
            "n_annotators": 1,
        }
    ),
    "one image's Scores": scores_of(["one"]),
    "one image": distance_distribution({"one": {"A": 1.0, "B": 2.0}}, ["A", "B"]),
    "one method": score_by_rank({"one": {"A": {"a": 0.5}}}, {"one": checked([["a"]])}, ["A"]),
    "all zero": distance_distribution({"one": {"A": 0.0}, "two": {"A": 0.0}}, ["A"]),
    "identical": win_matrix({"one": {"A": 1.0, "B": 1.0}, "two": {"A": 0.0, "B": 0.0}}, ["A", "B"]),
    "identical ranks": critical_difference(nemenyi([[1.0, 1.0], [2.0, 2.0]], ["A", "B"])),
    "one image's ranks": critical_difference(nemenyi([[1.0, 2.0]], ["A", "B"])),
    "constant": score_by_rank(
        {"one": {"A": {"a": 0.5, "b": 0.5}}}, {"one": checked([["a"], ["b"]])}, ["A"]
    ),
    "all agree": annotator_agreement([[None, 0.0], [0.0, None]], ["A1", "A2"], constant=["A1"]),
    "flat": beta_curves(
        {"A": [(0.5, 0.0), (2.0, 0.0)], "B": [(0.5, 0.0), (2.0, 0.0)]},
        {"A": (2.0, 0.0), "B": (2.0, 0.0)},
        n_images=1,
    ),
    "no taste": variance_components(components(1.0, 0.0, 1.0)),
    "few of a part": losses_by_part(
        [
            cut("Size", 1, 2, {"A": 0.0}, 3, None),
            cut("Size", 3, 4, {"A": 0.0}, 3, None),
            cut("Size", None, None, {"A": 0.0}, 2, None),
        ],
        ["A"],
    ),
    "fifty": losses_by_part(
        [cut("Size", at, at, {f"P{name}": 1.0 * name for name in range(50)}) for at in range(3)],
        [f"P{name}" for name in range(50)],
    ),
    "one day": progress_over_time([(date(2026, 3, 1), 1)]),
    "many": annotator_agreement(
        [[None if i == j else 1.0 + (i + j) % 5 for j in range(40)] for i in range(40)],
        [f"A{at}" for at in range(1, 41)],
    ),
    "long names": critical_difference(
        nemenyi(
            [[float(at) for at in range(20)]] * 3, [f"{at} " + "long " * 12 for at in range(20)]
        )
    ),
}


@cases("figure", FEW.values())
def test_a_caption_says_of_what_its_intervals_are(figure):
    low = [at for at, name in enumerate(figure.columns) if name == "Low"]
    if any(row[at] is not None for row in figure.rows for at in low):
        check_interval(figure.caption, list(figure.columns))


@pytest.fixture(scope="module")
def schema():
    """Vega-Lite's JSON schema, from Altair's files; Altair itself is not used."""
    [folder] = find_spec("altair").submodule_search_locations
    [path] = Path(folder).glob("vegalite/v6/schema/vega-lite-schema.json")
    return Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("paper", BOTH, ids=str)
@pytest.mark.parametrize("figure", [*FEW.values(), *NOTHING], ids=lambda figure: figure.name)
def test_every_drawing_keeps_to_the_schema(schema, figure, paper):
    """The drawing program passes over what it does not know."""
    schema.validate(json.loads(specification(figure, paper)))


@cases("figure", [*FEW.values(), *NOTHING])
def test_a_figure_that_was_kept_is_drawn_like_a_new_one(figure):
    kept = pickle.loads(pickle.dumps(figure))
    for paper in PAPERS:
        assert specification(kept, paper) == specification(figure, paper)


@pytest.mark.parametrize("part", ["mark", "encoding"])
def test_the_schema_refuses_a_word_that_it_does_not_know(schema, part):
    drawing = json.loads(specification(FEW["one day"], Paper()))
    drawing[part]["wdith"] = {"type": "bar"}
    assert not schema.is_valid(drawing)


@cases("paper", BOTH)
@cases("case", FEW)
def test_few_or_equal_numbers_are_drawn_without_a_nan(case, paper):
    figure = FEW[case]
    svg = to_svg(figure, paper, FACTS).decode()
    assert "NaN" not in svg
    assert "undefined" not in svg
    assert "Infinity" not in svg
    assert not re.search(r"\bnan\b", str(figure.rows) + str(figure.notes) + figure.summary)
    to_pdf(figure, paper, FACTS)


@cases(("case", "words"), listed(__file__, "what_few_numbers_cannot_say_stands_in_words"))
def test_what_few_numbers_cannot_say_stands_in_words(case, words):
    assert words in " ".join(FEW[case].notes)
