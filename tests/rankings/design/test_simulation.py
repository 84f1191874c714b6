"""Simulated studies, groups and scenes, and the command that simulates."""

import json
import math
import re

import numpy as np
import pytest

from rankings import __main__ as command_line
from rankings.design.simulation import Simulated, outcome, simulate, simulated_from
from rankings.errors import RankingError
from rankings.inference.clusters import clustered
from rankings.inference.multi_reader import compare
from rankings.inference.personal_distances import PersonalDistances
from tests.support import commands
from tests.support.cases import cases


def test_equal_seeds_give_equal_studies_and_losses_are_shares():
    study = Simulated(annotators=4, images=20, protocols=3, per_image=2)
    first, second = (simulate(study, np.random.default_rng(1)).distances for _ in range(2))
    assert (first.distances == second.distances).all()
    assert len(first.images) == 40
    assert 0 <= first.distances.min() <= first.distances.max() <= 1


def test_a_protocol_with_more_noise_is_farther_from_people():
    study = Simulated(annotators=6, images=400, protocols=4, farther=2, added=0.6)
    means = simulate(study, np.random.default_rng(2)).distances.distances.mean(axis=0)
    assert means[2:].min() > means[:2].max() + 0.02


def test_people_without_noise_and_taste_agree_and_those_who_answer_at_random_do_not():
    exact = Simulated(annotators=3, images=50, noise=0, taste=0)
    made = simulate(exact, np.random.default_rng(3)).distances.distances.reshape(50, 3, -1)
    assert (made == made[:, :1]).all()
    random = Simulated(annotators=3, images=400, flips=1)
    means = simulate(random, np.random.default_rng(3)).distances.distances.mean(axis=0)
    # A verdict at random is left, equal or right: it is (0 + 1/2 + 1) / 3 away from an order.
    assert means == pytest.approx(np.full(7, 0.5), abs=0.02)


def test_mistakes_of_the_pair_are_those_of_everybody():
    study = Simulated(annotators=3, images=50, noise=0, taste=0, flips=0.5, flips_by="pair")
    made = simulate(study, np.random.default_rng(4)).distances.distances.reshape(50, 3, -1)
    assert (made == made[:, :1]).all()


def test_workload_drop_outs_and_skips_take_rankings():
    def numbers(**settings):
        study = Simulated(annotators=4, images=400, per_image=1, **settings)
        return np.bincount(
            simulate(study, np.random.default_rng(5)).distances.annotators, minlength=4
        )

    even, uneven = numbers(), numbers(workload=3)
    assert even.min() > 70
    assert uneven[0] > 300
    assert numbers(drop_outs=1).sum() == 200
    assert numbers(skips=1).sum() == 0


def test_nothing_is_tested_of_one_person_or_one_image_and_that_is_counted():
    assert outcome(Simulated(annotators=1, images=5), 3, 1).tested == 0
    assert outcome(Simulated(annotators=5, images=1), 3, 1).tested == 0
    assert outcome(Simulated(skips=1, images=5), 3, 1).tested == 0


@pytest.mark.release
@cases(
    "study",
    [
        Simulated(12, 60, groups=4, protocols=2),
        Simulated(12, 60, groups=2, protocols=7),
        Simulated(6, 60, scenes=6, protocols=2),
    ],
)
def test_declared_groups_and_scenes_keep_errors_low(study):
    """150 studies: 8 % is 12, and up to 22 are within 3 standard deviations."""
    assert outcome(study, 150, 6).errors <= 22 / 150


def test_sites_that_are_not_declared_make_errors():
    study = Simulated(20, 60, groups=2, protocols=2, declared=False)
    assert outcome(study, 100, 6).errors > 0.2


def test_cells_are_the_means_of_a_groups_rankings_of_a_scene():
    images, annotators = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 2, 2])
    apart = np.array([[1.0], [3], [5], [7], [9]])
    measured = PersonalDistances(("p",), images, annotators, apart)
    groups, scenes = np.array([0, 0, 0, 1, 1]), np.array([4, 4, 4, 4, 5])
    found = clustered(measured, groups, scenes)
    assert found.images.tolist() == [4, 4, 5]
    assert found.annotators.tolist() == [0, 1, 1]
    assert found.distances.ravel().tolist() == [3, 7, 9]
    assert found.by_group
    by_scene = clustered(measured, scenes=scenes)
    assert by_scene.annotators.tolist() == [0, 1, 2, 2]
    assert not by_scene.by_group


def test_one_group_is_none_and_every_image_a_scene_changes_nothing():
    measured = simulate(Simulated(4, 10), np.random.default_rng(7)).distances
    one = np.zeros(len(measured.images), dtype=np.intp)
    assert clustered(measured, one, one) is measured
    assert compare(clustered(measured, scenes=measured.images)) == compare(measured)


def test_two_groups_leave_one_degree_of_freedom():
    made = simulate(Simulated(10, 30, 2, groups=2), np.random.default_rng(8))
    [pair] = compare(clustered(made.distances, made.groups)).pairs
    assert pair.degrees_of_freedom == 1
    assert math.isfinite(pair.adjusted_low)


def test_numbers_that_do_not_fit_the_rankings_are_refused():
    measured = simulate(Simulated(4, 10), np.random.default_rng(7)).distances
    with pytest.raises(RankingError, match="expected 40 numbers, got 2"):
        clustered(measured, np.array([0, 1]))


@cases(
    ("settings", "words"),
    [
        ({"people": 3}, "no setting people"),
        ({"annotators": 0}, "annotators must be from 1"),
        ({"annotators": "ten"}, "of kind int"),
        ({"taste": math.nan}, "taste must be from 0"),
        ({"taste": True}, "of kind float"),
        ({"per_image": 13}, "per_image must be from 0 to 12"),
        ({"farther": 7}, "farther must be from 0 to 6"),
        ({"scenes": 101}, "scenes must be from 0 to 100"),
        ({"model": "gauss"}, "model must be thurstone or plackett-luce or normal"),
        ({"repeated": 0.5, "annotators": 2}, "repeats must be from 0 to 2"),
        ({"images": 100_000, "annotators": 1000}, "too large"),
        ({"order": "at random"}, "order must be interleaved or sessions"),
        ({"skew": -1.0}, "skew must be from 0"),
    ],
)
def test_settings_that_make_no_study_are_refused(settings, words):
    with pytest.raises(RankingError, match=words):
        simulated_from(settings)


def simulate_command(tmp_path, text, *arguments):
    file = tmp_path / "design.toml"
    file.write_text(text, encoding="utf-8")
    return commands.run_here(command_line.main, "simulate", str(file), "--studies", "5", *arguments)


def test_the_command_says_what_the_design_finds(tmp_path):
    text = "annotators = 4\nimages = 30\nprotocols = 3\nfarther = 1\n"
    said = simulate_command(tmp_path, text).stdout
    assert "5 simulated studies of 3 protocols, 4 annotators and 30 images." in said
    assert "in 100 pairs is found in" in said
    found = json.loads(simulate_command(tmp_path, text, "--json").stdout)
    assert found["study"]["farther"] == 1
    assert 0 <= found["outcome"]["power"] <= 1


def test_the_command_says_what_looks_find(tmp_path):
    text = (
        "annotators = 8\nimages = 80\nper_image = 2\nprotocols = 2\nfarther = 1\nadded = 3.0\n"
        'order = "sessions"\n'
    )
    said = simulate_command(tmp_path, text, "--looks").stdout
    assert "Looks while it runs decide wrongly in 0.0 % of studies." in said
    assert re.search(r"They find 100 % of true differences, after \d+ % of the rankings", said)
    found = json.loads(simulate_command(tmp_path, text, "--looks", "--json").stdout)
    assert found["looks"]["found"] == found["looks"]["found_at_end"] == 1.0


def test_skew_spreads_every_second_protocols_losses_and_keeps_their_mean():
    plain = simulate(Simulated(6, 2000, 2), np.random.default_rng(9)).distances.distances
    skewed = simulate(Simulated(6, 2000, 2, skew=2.0), np.random.default_rng(9)).distances.distances
    assert skewed[:, 1].mean() == pytest.approx(plain[:, 1].mean(), rel=0.15)
    assert skewed[:, 1].var() > 2 * plain[:, 1].var()


def test_the_command_says_why_a_design_cannot_be_simulated(tmp_path):
    for text, words in (
        ("annotators = ", "is not TOML"),
        ("annotators = 1", "No study allows a test"),
        ("images = -1", "images must be from 1"),
    ):
        done = simulate_command(tmp_path, text)
        assert words in done.stdout + done.stderr


def losses_of(seed=6, **settings):
    """Losses of 21 images, all annotators and protocols, without noise and tastes unless given."""
    study = Simulated(4, 21, 4, **({"noise": 0.0, "taste": 0.0} | settings))
    return simulate(study, np.random.default_rng(seed)).distances.distances.reshape(21, 4, 4)


def test_people_in_camps_like_one_feature_each():
    mixed, split = (losses_of(taste=100.0, camps=camps) for camps in (100.0, 0.001))
    # Four features in equal parts are one taste; one feature each is one of four.
    assert (mixed == mixed[:, :1]).mean() > 0.5
    alike = [(split[:, a] == split[:, b]).all() for a in range(4) for b in range(a)]
    assert not all(alike)
    # An annotator is nearest to the protocol that sees the same feature.
    assert {*split.mean(axis=0).argmin(axis=1).tolist()} <= {0, 1, 2, 3}
    assert split.mean(axis=0).min(axis=1).max() < mixed.mean(axis=0).min()


def test_tastes_that_drift_are_equal_halfway_only():
    drifting = losses_of(drift=100.0)
    assert (drifting[10] == drifting[10, :1]).all()
    assert not any((drifting[at] == drifting[at, :1]).all() for at in (0, 20))


def test_people_with_scales_of_their_own_tie_other_pairs():
    own = losses_of(scales=True)
    assert (own != own[:, :1]).any()


def test_every_second_protocol_rounds():
    coarse = losses_of(coarse=100.0)
    # It ties everything: half of the pairs that people do not tie.
    assert (coarse[..., 1] == coarse[..., 3]).all()
    assert coarse[..., 1].max() <= 0.5
    assert (coarse[..., [0, 2]] == losses_of()[..., [0, 2]]).all()


def test_rankings_are_lost_where_methods_look_close():
    study = Simulated(5, 40, 2, unclear=1.0)
    made = simulate(study, np.random.default_rng(8)).distances
    assert np.bincount(made.annotators).tolist() == [20] * 5


def test_the_edit_distance_is_that_of_rankings():
    # Without ties both count pairs in another order; the edit distance is multiples of 1/2 of 15.
    edit, pairs = (losses_of(loss=loss) for loss in ("edit", "kemeny"))
    assert (edit * 30).round(9).tolist() == (edit * 30).round().tolist()
    assert (edit <= pairs + 1e-9).all()
    assert (edit < pairs - 1e-9).any()
    with pytest.raises(RankingError, match="the edit distance needs rankings"):
        Simulated(flips=0.1, loss="edit")
