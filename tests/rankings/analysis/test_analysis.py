import json
from contextlib import closing
from statistics import fmean

import numpy as np
import pytest

from rankings.agreement.report import Settings, build_report
from rankings.analysis.analysis import Analysis, analyse
from rankings.consensus.rules import consensus_of
from rankings.orders.edit_distance import edit_distance
from rankings.orders.from_scores import ranking_from_scores
from tests.support.analyses import METHODS, SETTINGS, random_study
from tests.support.cases import cases
from tests.support.executors import Shuffled
from text_rankings.base.processes import Processes


@pytest.fixture(scope="module")
def study():
    return random_study()


@pytest.fixture(scope="module")
def analysis(study) -> Analysis:
    return analyse(*study, SETTINGS, sentinels=["count"], n_resamples=200)


def test_the_tables_are_those_of_the_report(study, analysis):
    rankings, scores = study
    unnamed = {
        criterion: {image: list(of_annotator.values()) for image, of_annotator in of.items()}
        for criterion, of in rankings.items()
    }
    assert analysis.report == build_report(unnamed, scores, SETTINGS)


def test_every_part_speaks_of_the_scores_of_the_tables(analysis):
    for criterion, around in analysis.criteria.items():
        table = analysis.report.criteria[criterion]
        scores = {row.protocol: pytest.approx(row.score) for row in table.rows}
        assert {part.protocol: part.score for part in around.intervals.scores} == scores
        assert [part.protocol for part in around.measures] == [row.protocol for row in table.rows]
        for part in around.intervals.scores:
            assert part.low <= part.score <= part.high
        at_settings = {part.protocol: part.scores for part in around.rounding}
        assert {
            name: any(score == known for score in at_settings[name])
            for name, known in scores.items()
        } == dict.fromkeys(scores, True)


def test_a_protocol_that_agrees_with_people_stands_alone_in_the_first_cluster():
    rankings, scores = random_study(n_images=30, seed=3)
    for image, of_annotator in rankings["recall"].items():
        people = next(iter(of_annotator.values()))
        for name in of_annotator:
            of_annotator[name] = people
        places = {method: at for at, bucket in enumerate(people) for method in bucket}
        scores[image]["IOU"] = {method: (1 - places[method] / 10, 0.5) for method in METHODS}
    around = analyse(rankings, scores, SETTINGS, n_resamples=200).criteria["recall"]
    assert around.clusters["IOU"] == 1
    assert around.clusters["DETEVAL"] > 1
    assert around.clusters["count"] > 1
    assert around.human_baseline.score == 0
    assert around.agreement.edit_distance == 0
    assert around.agreement.alpha == 1


def test_a_sentinel_above_a_protocol_is_warned_of():
    rankings, scores = random_study(n_images=20, seed=4)
    for image, of_annotator in rankings["precision"].items():
        people = next(iter(of_annotator.values()))
        for name in of_annotator:
            of_annotator[name] = people
        places = {method: at for at, bucket in enumerate(people) for method in bucket}
        scores[image]["count"] = {method: (0.5, 1 - places[method] / 10) for method in METHODS}
    around = analyse(rankings, scores, SETTINGS, sentinels=["count"], n_resamples=200)
    warned = {
        (warning.sentinel, warning.protocol) for warning in around.criteria["precision"].warnings
    }
    assert {("count", "IOU"), ("count", "DETEVAL")} <= warned


def test_images_that_do_not_count_count_nowhere(study):
    rankings, scores = study
    fewer = {
        criterion: {image: dict(of_annotator) for image, of_annotator in of.items()}
        for criterion, of in rankings.items()
    }
    for of_image in fewer.values():
        of_image["img_0"] = {"a": of_image["img_0"]["a"]}
    left = {
        criterion: {image: of_annotator for image, of_annotator in of.items() if image != "img_0"}
        for criterion, of in rankings.items()
    }
    with_it = analyse(fewer, scores, SETTINGS, n_resamples=200)
    without = analyse(left, scores, SETTINGS, n_resamples=200)
    assert with_it.criteria == without.criteria
    assert with_it.between_criteria == without.between_criteria


@cases("empty", ["rankings", "scores", "images", "one protocol", "one annotator"])
def test_what_is_missing_leaves_gaps_and_no_error(empty):
    rankings, scores = random_study(n_images=3)
    settings = SETTINGS
    if empty == "rankings":
        rankings = {name: {image: {} for image in of} for name, of in rankings.items()}
    elif empty == "images":
        rankings, scores = {name: {} for name in rankings}, {}
    elif empty == "scores":
        scores = {image: {} for image in scores}
    elif empty == "one protocol":
        scores = {image: {"IOU": of["IOU"]} for image, of in scores.items()}
    else:
        settings = Settings(min_annotators=1)
        rankings = {
            name: {image: {"a": of_annotator["a"]} for image, of_annotator in of.items()}
            for name, of in rankings.items()
        }
    analysis = analyse(rankings, scores, settings, n_resamples=50, other_consensuses=["kemeny"])
    assert json.dumps(analysis.to_json(), allow_nan=False)


@cases("consensus", ["kemeny"])
def test_other_consensuses_are_compared_with_the_reports_own(consensus):
    study = random_study(n_images=2)
    plain = analyse(*study, SETTINGS, other_consensuses=[consensus], n_resamples=50)
    names = [variant.name for variant in plain.criteria["recall"].sensitivity]
    assert any(consensus in name for name in names)
    own = Settings(decimals=2, min_annotators=2, consensus=consensus)
    assert analyse(*study, own, n_resamples=50).report.settings.consensus == consensus


def test_no_digit_depends_on_where_and_in_which_order_statistics_are_computed(study, analysis):
    expected = json.dumps(analysis.to_json())
    with Shuffled() as shuffled:
        there = analyse(*study, SETTINGS, sentinels=["count"], n_resamples=200, executor=shuffled)
    assert json.dumps(there.to_json()) == expected
    assert shuffled.order != sorted(shuffled.order), "or this shows nothing"
    with closing(Processes(2, ["rankings.analysis.analysis"])) as engine:
        there = analyse(*study, SETTINGS, sentinels=["count"], n_resamples=200, executor=engine)
    assert json.dumps(there.to_json()) == expected


@pytest.mark.parametrize("consensus", ["mean-rank", "kemeny"])
def test_everything_that_names_a_consensus_uses_the_reports_own(study, consensus):
    """The human baseline by hand."""
    settings = Settings(decimals=2, min_annotators=2, consensus=consensus)
    analysis = analyse(*study, settings, n_resamples=200)
    around = analysis.criteria["recall"]
    apart = [
        edit_distance(
            own,
            consensus_of([of_image[other] for other in of_image if other != name], consensus),
        ).distance
        for of_image in study[0]["recall"].values()
        for name, own in of_image.items()
    ]
    person = around.human_baseline
    assert person.score == pytest.approx(fmean(apart))
    assert person.low <= person.score <= person.high


def study_of(noise, people, decimals, seed):
    """Forty images of five methods: each annotator and protocol sees true qualities with noise."""
    rng = np.random.default_rng(seed)
    rankings, scores = {}, {}
    for at in range(40):
        true, image = rng.random(5), f"img_{at:02}"
        scores[image] = {
            protocol: {
                method: tuple(np.clip(quality + rng.normal(0, spread, 2), 0, 1))
                for method, quality in zip("abcde", true, strict=True)
            }
            for protocol, spread in (("near", 0.05), ("usual", 0.2), ("far", 0.6))
        }
        seen = {person: np.round(true + rng.normal(0, noise, 5), decimals) for person in people(at)}
        rankings[image] = {
            person: ranking_from_scores(dict(zip("abcde", own.tolist(), strict=True)))
            for person, own in seen.items()
        }
    return rankings, scores


def intervals_in(kept):
    """Yield each number of a kept analysis with its limits."""
    if isinstance(kept, dict):
        if kept.get("low") is not None and kept.get("high") is not None:
            names = ("score", "value", "difference", "share")
            yield from ((kept[name], kept["low"], kept["high"]) for name in names if name in kept)
        kept = list(kept.values())
    if isinstance(kept, list | tuple):
        for part in kept:
            yield from intervals_in(part)


@cases(
    ("noise", "people", "decimals"),
    [
        (0.3, lambda at: ("ann", "ben", "cem"), 3),
        (1.0, lambda at: ("ann", "ben", "cem"), 3),  # Kendall's W about one half
        (0.3, lambda at: ("ann", f"other {at % 4}"), 3),  # one has ranked every image
        (0.3, lambda at: ("ann", "ben", "cem"), 0),  # most methods tied
    ],
)
def test_every_interval_contains_its_number(noise, people, decimals):
    for seed in range(2):
        rankings, scores = study_of(noise, people, decimals, seed)
        kept = analyse({"recall": rankings}, scores, Settings(min_annotators=1), n_resamples=100)
        found = list(intervals_in(kept.to_json()["analysis"]))
        assert len(found) > 20
        for number, low, high in found:
            assert low - 1e-9 <= number <= high + 1e-9
