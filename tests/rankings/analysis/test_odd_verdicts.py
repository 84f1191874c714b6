"""Studies with little data: all justified verdicts are given, and no others."""

import json
import math
from random import Random

from rankings.agreement.report import Settings
from rankings.analysis.analysis import analyse
from rankings.analysis.verdicts import for_whom, place_of_person, verdicts
from rankings.inference.clusters import Declared
from rankings.output.analysis_tables import tables_of
from tests.support.cases import cases


def drawn(rng, methods, n_levels):
    level = {name: rng.randrange(n_levels) for name in methods}
    return tuple(
        tuple(name for name in methods if level[name] == at) for at in sorted(set(level.values()))
    )


def study(n_annotators=3, n_images=8, n_methods=4, per_image=None, n_levels=4, protocols="pq"):
    """Everybody at random; with ``per_image`` annotators take turns, and share no image if it is 1."""
    rng = Random(n_annotators + 100 * n_images + n_methods)
    methods = [f"m{at:02}" for at in range(n_methods)]
    rankings, scores = {}, {}
    for at in range(n_images):
        who = range(n_annotators) if per_image is None else [at % n_annotators][:per_image]
        rankings[f"i{at}"] = {f"a{one}": drawn(rng, methods, n_levels) for one in who}
        scores[f"i{at}"] = {
            name: {method: (rng.random(), rng.random()) for method in methods} for name in protocols
        }
    return rankings, scores


def with_a_cell_missing():
    rankings, scores = study()
    del rankings["i0"]["a1"]
    return rankings, scores


def with_a_protocol_undefined_on_some_images():
    rankings, scores = study()
    for image in ("i0", "i1"):
        scores[image]["p"] = dict.fromkeys(scores[image]["p"], (None, None))
    return rankings, scores


def with_one_who_did_nearly_all():
    """One annotator ranks all 40 images, another two of them: 95 % of the work is the first's."""
    rankings, scores = study(n_annotators=2, n_images=40)
    for at in range(2, 40):
        del rankings[f"i{at}"]["a1"]
    return rankings, scores


def with_a_protocol_twice():
    rankings, scores = study(protocols="pqr")
    for of_image in scores.values():
        of_image["r"] = of_image["p"]
    return rankings, scores


def with_everything_tied():
    rankings, scores = study(n_levels=1)
    for of_image in scores.values():
        for name in of_image:
            of_image[name] = dict.fromkeys(of_image[name], (0.5, 0.5))
    return rankings, scores


ONE_ANNOTATOR, ONE_IMAGE = "one annotator says nothing", "one image says nothing"
ODD = {
    "one annotator": (lambda: study(n_annotators=1), ONE_ANNOTATOR, 8),
    "one image": (lambda: study(n_images=1), ONE_IMAGE, 1),
    "two methods": (lambda: study(n_methods=2), None, 8),
    "annotators who share no image": (lambda: study(n_images=12, per_image=1), None, 12),
    "a cell missing": (with_a_cell_missing, None, 8),
    "a protocol undefined on some images": (with_a_protocol_undefined_on_some_images, None, 6),
    "one annotator has 95 % of the work": (with_one_who_did_nearly_all, None, 40),
    "a protocol equal to another": (with_a_protocol_twice, None, 8),
    "all tied, by people and by protocols": (with_everything_tied, None, 8),
    "all answers equal": (lambda: study(n_levels=1), None, 8),
    "50 methods": (lambda: study(n_methods=50, n_images=3), None, 3),
    "200 annotators": (lambda: study(n_annotators=200, n_images=4), None, 4),
}


@cases(("make", "untested", "n_images"), ODD.values())
def test_a_study_that_says_little(make, untested, n_images):
    rankings, scores = make()
    settings = Settings(min_annotators=1)
    analysis = analyse({"recall": rankings}, scores, settings, n_resamples=20).to_json()
    data = json.loads(json.dumps(analysis, allow_nan=False))
    assert data["criteria"]["recall"]["n_images"] == n_images
    [verdict] = verdicts(data)
    around = data["analysis"]["recall"]
    if untested:
        assert untested in verdict.sentences[0]
        assert for_whom(data) == ""
        assert set(around["clusters"].values()) == {None}
        assert place_of_person(around) is None
    else:
        assert "protocol" in " ".join(verdict.sentences)
        assert f"{n_images} images" in for_whom(data)
    assert all(len(row) == len(table.columns) for table in tables_of(data) for row in table.rows)


@cases(
    "declared",
    [
        Declared(scenes={f"i{at}": f"scene {at}" for at in range(8)}),
        Declared(groups={f"a{at}": "the only site" for at in range(3)}),
    ],
)
def test_clusters_that_say_nothing_leave_a_report_without_nan(declared):
    rankings, scores = study()
    analysis = analyse({"recall": rankings}, scores, n_resamples=20, declared=declared).to_json()
    data = json.loads(json.dumps(analysis, allow_nan=False))
    assert verdicts(data)[0].sentences


@cases("score", [math.nan, math.inf, -math.inf])
def test_an_image_with_a_score_that_is_no_number_is_left_out_and_says_why(score):
    rankings, scores = study()
    scores["i3"]["q"]["m01"] = (score, score)
    analysis = analyse({"recall": rankings}, scores, n_resamples=20).to_json()
    found = json.loads(json.dumps(analysis, allow_nan=False))["criteria"]["recall"]
    assert found["n_images"] == 7
    assert found["left_out"] == [{"image": "i3", "reason": f"q: m01 scores {score}"}]


def test_a_study_of_which_everything_was_skipped_has_no_verdict():
    _, scores = study()
    analysis = analyse({"recall": {}}, scores, n_resamples=20).to_json()
    data = json.loads(json.dumps(analysis, allow_nan=False))
    assert data["criteria"]["recall"]["n_rankings"] == 0
    assert [*verdicts(data)] == []


@cases("n_annotators", [2, 3, 4])
def test_with_three_people_an_image_it_says_what_the_published_design_allows(n_annotators):
    """Of 45 pairs, 1.2 to 2.9 (docs/explanation/method.md), which are 2.7 to 6.4 of 100."""
    rankings, scores = study(n_annotators, n_images=12)
    found = analyse({"recall": rankings}, scores, Settings(min_annotators=1), n_resamples=10)
    said = for_whom(found.to_json())
    assert said
    assert ("simultaneous intervals of ±2.7 to ±6.4 of 100 pairs" in said) == (n_annotators == 3)
