"""Signs of groups of annotators and scenes of images that were not declared."""

import numpy as np

from rankings.design.simulation import Simulated, simulate
from rankings.inference.clusters import Declared
from rankings.inference.personal_distances import PersonalDistances
from rankings.inference.undeclared import Signs, undeclared_clusters
from tests.support.cases import cases


def shown(study, n_studies, declared=None):
    """Return in how many simulated studies groups and scenes show."""
    rng = np.random.default_rng(1)
    names = [f"{at % study.scenes if study.scenes else 0}_{at}" for at in range(study.images)]
    found = [
        undeclared_clusters(
            simulate(study, rng).distances, names, declared or Declared(), seed=number
        )
        for number in range(n_studies)
    ]
    return sum(one.groups for one in found), sum(one.scenes for one in found)


def test_two_sites_with_a_shared_bias_show_in_most_studies_and_else_hardly_any():
    n_groups, n_scenes = shown(Simulated(20, 60, groups=2), 20)
    assert n_groups >= 12
    assert n_scenes <= 2
    assert max(shown(Simulated(12, 60), 20)) <= 3


def test_scenes_show_if_their_images_follow_each_other_by_name():
    assert shown(Simulated(6, 60, scenes=10), 10)[1] >= 9


def test_what_is_declared_is_no_sign():
    declared = Declared({"ann": "Paris"}, {"i": "park"})
    study = Simulated(20, 60, groups=2, scenes=10)
    assert shown(study, 3, declared) == (0, 0)


def table(n_images, n_annotators, rows):
    images, annotators = np.divmod(np.arange(n_images * n_annotators), n_annotators)
    return PersonalDistances(("p", "q"), images, annotators, rows)


@cases(("n_images", "n_annotators"), [(0, 0), (1, 1), (30, 1), (1, 30), (30, 8)])
def test_too_little_or_constant_data_show_nothing(n_images, n_annotators):
    rows = np.tile([1.0, 2.0], (n_images * n_annotators, 1))
    names = [f"i{at}" for at in range(n_images)]
    found = undeclared_clusters(table(n_images, n_annotators, rows), names, seed=1)
    assert found == Signs(groups=False, scenes=False)


def test_one_protocol_has_no_difference_to_look_at():
    only = table(30, 8, np.random.default_rng(1).random((240, 2))).of(["p"])
    assert undeclared_clusters(only, [f"i{at}" for at in range(30)], seed=1) == Signs()
