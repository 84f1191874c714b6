"""Effects of changing protocols: fixed changes, and values that are searched."""

import math

import numpy as np
import pytest

from rankings.agreement.report import Settings
from rankings.analysis.analysis import plain
from rankings.inference.significance import holm
from rankings.orders.buckets import methods_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import ranking_from_scores
from rankings.output.question_tables import change_tables
from rankings.tuning.changes import ANY, AS_IS, Variants, corrected_changes, protocol_changes
from rankings.tuning.cross_validation import folds
from tests.support.cases import cases
from tests.support.notes import check_note

METHODS = ["a", "b", "c", "d"]
VARIANTS = Variants(
    {"area": "area"},
    {"undefined": "undefined"},
    {"min": (0.5, {0.4: "min 0.4", 0.6: "min 0.6"}), "max": (1.0, {2.0: "max 2"})},
)
NAMES = [AS_IS, "area", "undefined", "min 0.4", "min 0.6", "max 2"]


def study(n_images=12, n_annotators=3):
    rng = np.random.default_rng(5)
    people, scores = {}, {}
    for at in range(n_images):
        quality = rng.normal(size=4)
        image = f"img_{at:02}"
        people[image] = {
            f"{number}": ranking_from_scores(
                dict(zip(METHODS, np.round(quality + rng.normal(size=4) / 2).tolist(), strict=True))
            )
            for number in range(n_annotators)
        }
        # "min 0.6" follows quality, what is as it is does not.
        noise = dict.fromkeys(NAMES, 3.0) | {"min 0.6": 0.1}
        scores[image] = {
            name: {
                method: float(1 / (1 + math.exp(-q - noise[name] * rng.normal())))
                for method, q in zip(METHODS, quality, strict=True)
            }
            for name in NAMES
        }
    scores["img_03"]["undefined"]["c"] = None
    return people, scores


def distance(people, scores, image, name):
    """The losses of a variant for every annotator who ranked the image."""
    ranking = ranking_from_scores(scores[image][name])
    n_pairs = math.comb(len(methods_of(ranking)), 2)
    return [100 * kemeny_distance(ranking, own) / n_pairs for own in people[image].values()]


def test_a_fixed_change_is_compared_where_it_is_defined():
    people, scores = study()
    found = protocol_changes("P", people, scores, VARIANTS, Settings())
    [weight], [rule] = found.weights, found.rules
    assert (weight.change, weight.n_left_out, weight.gain.n_images) == ("area", 0, 12)
    assert (rule.n_left_out, rule.gain.n_images) == (1, 11)
    for change, images in ((weight, sorted(people)), (rule, sorted(set(people) - {"img_03"}))):
        before = [d for image in images for d in distance(people, scores, image, AS_IS)]
        after = [d for image in images for d in distance(people, scores, image, change.change)]
        assert change.gain.before == pytest.approx(np.mean(before))
        assert change.gain.after == pytest.approx(np.mean(after))
        assert change.gain.difference == pytest.approx(np.mean(after) - np.mean(before))
        assert change.gain.low < change.gain.difference < change.gain.high


def test_a_value_is_judged_on_images_outside_its_fold():
    people, scores = study()
    found = protocol_changes("P", people, scores, VARIANTS, Settings())
    of_min, of_max, of_any = found.searches
    assert (of_min.parameter, of_max.parameter, of_any.parameter) == ("min", "max", ANY)
    images, candidates = sorted(people), {0.5: AS_IS, 0.4: "min 0.4", 0.6: "min 0.6"}
    total = {
        value: {image: sum(distance(people, scores, image, name)) for image in images}
        for value, name in candidates.items()
    }
    best_of_folds, held_out = [], 0.0
    for part in folds(12):
        outside = [image for at, image in enumerate(images) if at not in part]
        best = min(candidates, key=lambda value: sum(total[value][image] for image in outside))
        best_of_folds.append(best)
        held_out += sum(total[best][images[at]] for at in part)
    assert (of_min.least, of_min.greatest) == (min(best_of_folds), max(best_of_folds))
    assert of_min.chosen == 0.6
    assert of_min.gain.after == pytest.approx(held_out / 36)
    assert of_min.gain.high < 0, "the planted value is told"
    assert (of_any.as_is, of_any.chosen) == (None, None)
    assert of_any.gain.after <= of_min.gain.after + 10


def test_a_parameter_that_changes_nothing_keeps_its_value():
    people, scores = study()
    for of_image in scores.values():
        of_image["max 2"] = of_image[AS_IS]
    [_, of_max, _] = protocol_changes("P", people, scores, VARIANTS, Settings()).searches
    assert (of_max.chosen, of_max.least, of_max.greatest) == (1.0, 1.0, 1.0)
    assert (of_max.gain.difference, of_max.gain.p_value) == (0, 1)


@cases(("n_images", "n_annotators"), [(12, 1), (1, 3), (9, 3), (0, 0)])
def test_too_little_gives_no_interval(n_images, n_annotators):
    people, scores = study(max(n_images, 4), n_annotators)
    people = dict(list(people.items())[:n_images])
    found = corrected_changes(
        [protocol_changes("P", people, scores, VARIANTS, Settings(min_annotators=1))]
    )[0]
    for one in (*found.weights, *found.rules, *found.searches):
        assert (one.gain.low, one.gain.holm_p_value) == (None, None)
    assert (found.searches[0].chosen is None) is (n_images < 2)


def test_p_values_are_corrected_over_all_protocols_and_a_protocol_without_parameters_has_no_row():
    people, scores = study()
    alone = protocol_changes("P", people, scores, VARIANTS, Settings())
    none = protocol_changes("Q", people, scores, Variants({}, {}, {}), Settings())
    both = corrected_changes([alone, none, alone])
    assert [len(of.searches) for of in both] == [3, 0, 3]
    expected = holm([one.gain.p_value for one in alone.searches] * 2)
    corrected = [one.gain.holm_p_value for of in both for one in of.searches]
    assert corrected == pytest.approx(list(expected))
    assert (none.weights, none.rules) == ((), ())


def test_tables_have_the_numbers_under_their_heads():
    people, scores = study()
    found = corrected_changes([protocol_changes("P", people, scores, VARIANTS, Settings())])
    data = {"changes": {"recall": [plain(of) for of in found]}}
    weights, rules, thresholds = change_tables(data)
    for table in (weights, rules, thresholds):
        check_note(table.note, [column.name for column in table.columns])
    gained = found[0].weights[0].gain
    assert weights.rows == (
        (
            *("recall", "P", "area", 12, gained.before, gained.after, gained.difference),
            *(gained.low, gained.high, gained.holm_p_value),
        ),
    )
    assert rules.rows[0][:5] == ("recall", "P", "undefined", 11, 1)
    assert thresholds.rows[0][:4] == ("recall", "P", "min", 0.5)
    assert thresholds.rows[0][4] == found[0].searches[0].chosen
    for table in (weights, rules, thresholds):
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert change_tables({"changes": {}}) == []
