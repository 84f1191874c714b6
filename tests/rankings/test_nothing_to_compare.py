"""Public functions with no protocols, no answers, no methods or no scores: empty, or a RankingError."""

import json
import warnings
from dataclasses import asdict, is_dataclass

import numpy as np
import pytest

from rankings.agreement.annotators import (
    annotator_distances,
    human_baseline,
    image_agreements,
    krippendorff_alpha,
    left_out_distances,
)
from rankings.agreement.baselines import against_silence, baseline_measures
from rankings.agreement.measures import measures
from rankings.agreement.packed_tables import packed_table
from rankings.agreement.report import Settings, build_report, report_from_json
from rankings.agreement.sensitivity import rounding_table, sensitivity_table
from rankings.agreement.sentinels import sentinel_warnings
from rankings.agreement.ties import tied_shares
from rankings.analysis.analysis import analyse
from rankings.analysis.pair_report import pair_report
from rankings.design.pilots import pilot_of_rankings
from rankings.design.study_plans import Question, plan
from rankings.detectors.leaderboard import disagreements, leaderboard
from rankings.detectors.method_strengths import counts_of, people_of, strengths_of
from rankings.detectors.standings import detectors
from rankings.errors import RankingError
from rankings.inference.clusters import NONE_DECLARED
from rankings.inference.disparity import disparity
from rankings.inference.moments import moments, moments_of_means
from rankings.inference.multi_reader import compare_clusters, compare_protocols
from rankings.inference.personal_distances import personal_losses
from rankings.inference.personal_rankings import personal_rankings_from_scores
from rankings.inference.resampling import score_intervals
from rankings.inference.sequential import look
from rankings.inference.significance import (
    clusters,
    compact_letters,
    critical_difference,
    friedman_test,
    holm,
    shaffer,
)
from rankings.inference.stand_in import stand_in
from rankings.inference.undeclared import undeclared_clusters
from rankings.output import report_files, table_files
from rankings.output.analysis_tables import tables_of
from rankings.output.detector_tables import detector_tables, disagreement_table, leaderboard_table
from rankings.tuning.beta import beta_search
from rankings.tuning.changes import corrected_changes
from rankings.tuning.cross_validation import fold_numbers, folds, nearest
from rankings.tuning.gains import choose, corrected
from rankings.tuning.open_questions import beta_gains, differences_of_methods, open_questions
from rankings.tuning.preference_strength import strength_correlations
from rankings.tuning.slices import slices
from rankings.tuning.tie_calibration import tie_calibration
from tests.support.cases import cases
from tests.support.rankings import tallies_of_scores

# From ten images on there are intervals and tests.
IMAGES = [f"img_{n}" for n in range(1, 13)]
RANKING = (("a",), ("b",))
SETTINGS = Settings(min_annotators=1)


def of_people(ranking):
    return {image: {"x": ranking, "y": ranking} for image in IMAGES}


def of_protocol(**methods):
    return {image: {"p": {name: (own, own) for name, own in methods.items()}} for image in IMAGES}


ANSWERS, NO_ANSWER = of_people(RANKING), {image: {} for image in IMAGES}
SCORES, NO_PROTOCOL = of_protocol(a=0.5, b=0.2), {image: {} for image in IMAGES}
# (rankings, scores, protocols)
STATES = {
    "no protocols": (ANSWERS, NO_PROTOCOL, []),
    "no answers": (NO_ANSWER, SCORES, ["p"]),
    "no answers and no protocols": (NO_ANSWER, NO_PROTOCOL, []),
    "no methods": (of_people(()), of_protocol(), ["p"]),
    "no methods and no protocols": (of_people(()), NO_PROTOCOL, []),
    "one method": (of_people((("a",),)), of_protocol(a=0.5), ["p"]),
    "no scores": (ANSWERS, {}, ["p"]),
    "no images": ({}, {}, []),
    "no images and a protocol": ({}, {}, ["p"]),
}


class Case:
    """The inputs that functions need in one state."""

    def __init__(self, people, scores, protocols):
        self.people, self.scores, self.protocols = people, scores, protocols
        self.values = {
            image: {
                name: {method: score[0] for method, score in own.items()}
                for name, own in of_image.items()
            }
            for image, of_image in scores.items()
        }
        self.consensus = {
            image: ranking for image, own in people.items() for ranking in list(own.values())[:1]
        }

    @property
    def rankings(self):
        return personal_rankings_from_scores(self.people, self.values, self.protocols, 4)

    @property
    def distances(self):
        return personal_losses(self.rankings)

    def analysed(self):
        own = {"recall": self.people, "preference": self.people}
        return analyse(own, self.scores, SETTINGS, n_resamples=50).to_json()

    def standings(self):
        return detectors({"recall": self.people}, tallies_of_scores(self.scores)).to_json()


def report(case):
    plain = {image: list(own.values()) for image, own in case.people.items()}
    return build_report({"recall": plain, "preference": plain}, case.scores, SETTINGS).to_json()


def report_texts(case):
    found = report_from_json(case.analysed())
    writers = (report_files.to_csv, report_files.to_json, report_files.to_latex)
    return [write(found, {}) for write in (*writers, report_files.to_markdown)]


WRITERS = (
    *(table_files.to_csv, table_files.to_json),
    *(table_files.to_latex, table_files.to_markdown),
)


def table_texts(case):
    tables = tables_of(case.analysed())
    return [write(table, {}) for table in tables for write in WRITERS]


def detector_texts(case):
    tables = detector_tables(case.standings())
    return [write(table, {}) for table in tables for write in WRITERS]


FUNCTIONS = {
    "build_report": report,
    "analyse": Case.analysed,
    "files of a report": report_texts,
    "tables of a report": table_texts,
    "packed_table": lambda case: packed_table(report(case)["criteria"]["recall"]),
    "detectors": Case.standings,
    "tables of detectors": detector_texts,
    "strengths_of": lambda case: strengths_of(people_of(case.people)),
    "counts_of": lambda case: counts_of(people_of(case.people)),
    "image_agreements": lambda case: image_agreements(case.people),
    "krippendorff_alpha": lambda case: krippendorff_alpha(case.people),
    "annotator_distances": lambda case: annotator_distances(case.people),
    "left_out_distances": lambda case: left_out_distances(case.people),
    "human_baseline": lambda case: human_baseline(case.people, n_resamples=50),
    "baseline_measures": lambda case: baseline_measures(case.rankings, case.consensus),
    "measures": lambda case: measures(case.protocols, case.values, case.consensus, SETTINGS),
    "sensitivity_table": lambda case: sensitivity_table(case.people, case.values),
    "rounding_table": lambda case: rounding_table(case.values, case.consensus),
    "tied_shares": lambda case: tied_shares(case.rankings, case.consensus),
    "personal_losses": lambda case: case.distances,
    "stand_in": lambda case: stand_in(case.rankings),
    "against_silence": lambda case: against_silence(case.rankings, case.protocols),
    "compare_protocols": lambda case: compare_protocols(case.rankings),
    "compare_clusters": lambda case: compare_clusters(
        case.distances, IMAGES, ["x", "y"], NONE_DECLARED
    ),
    "disparity": lambda case: disparity(case.rankings),
    "moments": lambda case: moments(case.distances),
    "moments_of_means": lambda case: moments_of_means(case.distances),
    "look": lambda case: look(case.distances, (), (0.5, 1.0)),
    "undeclared_clusters": lambda case: undeclared_clusters(case.distances, IMAGES, seed=1),
    "choose": lambda case: choose(case.distances),
    "strength_correlations": lambda case: strength_correlations(
        case.people, case.values, case.protocols
    ),
    "differences_of_methods": lambda case: differences_of_methods(
        case.values, case.consensus, case.protocols
    ),
    "beta_search": lambda case: beta_search(case.scores, case.consensus),
    "beta_gains": lambda case: beta_gains(
        case.people, case.consensus, case.values, case.scores, (), SETTINGS
    ),
    "tie_calibration": lambda case: tie_calibration(case.values, case.people),
    "open_questions": lambda case: open_questions(
        case.people, case.consensus, case.values, case.rankings, SETTINGS
    ),
    "pilot_of_rankings": lambda case: pilot_of_rankings(
        case.people, case.scores, "preference", SETTINGS
    ),
    "plan": lambda case: plan(
        pilot_of_rankings(case.people, case.scores, "preference", SETTINGS),
        Question(people=6, images=12),
    ),
    "pair_report": lambda case: pair_report({"recall": []}, case.scores, SETTINGS),
}


def found_by(function, *given):
    """Return the result, or None for a RankingError with a sentence; a warning is an error."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        try:
            return function(*given)
        except RankingError as refusal:
            sentence = str(refusal)
    assert len(sentence.split()) > 3, sentence
    return None


@cases("state", STATES)
@cases("name", FUNCTIONS)
def test_nothing_to_compare_is_an_empty_result_or_a_sentence(name, state):
    check(found_by(FUNCTIONS[name], Case(*STATES[state])))


def check(result):
    """Check that no number of a result is NaN, at any depth."""
    if is_dataclass(result):
        result = asdict(result)
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, list | tuple):
        for one in result:
            check(one)
    elif isinstance(result, float | np.ndarray):
        assert not np.isnan(result).any()
    elif isinstance(result, str) and result.startswith("{"):
        json.loads(result, parse_constant=pytest.fail)


@cases("n_protocols", [0, 1, 2])
@cases("n_images", [0, 1, 12])
def test_tables_without_rows_or_columns_have_no_test_and_no_interval(n_images, n_protocols):
    names = [f"p{at}" for at in range(n_protocols)]
    images = [f"img_{at}" for at in range(n_images)]
    table = np.zeros((n_images, n_protocols))
    check(found_by(score_intervals, table, names))
    check(found_by(friedman_test, table, names))
    check(found_by(slices, table, images, names, []))
    check(found_by(nearest, table))
    board = found_by(leaderboard, np.zeros((n_images, n_protocols, 4)), names, "recall")
    check(board)
    check(found_by(leaderboard_table, {"iou": board}, "iou", "recall"))


def test_lists_without_entries_stay_empty():
    assert holm([]) == shaffer([], 0) == corrected([]) == corrected_changes([]) == ()
    assert compact_letters([], []) == disagreement_table({}).rows == sentinel_warnings({}, []) == ()
    assert folds(0) == fold_numbers([], 0).tolist() == disagreements({}) == []
    with pytest.raises(RankingError, match="no leaderboard of iou"):
        leaderboard_table({}, "iou", "recall")


def test_no_protocols_have_no_clusters_and_no_critical_difference():
    check(found_by(clusters, [], []))
    check(found_by(critical_difference, np.zeros((12, 0)), []))
