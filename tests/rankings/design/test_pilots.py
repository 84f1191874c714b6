"""Input of a pilot for a later study."""

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from rankings.agreement.report import Settings
from rankings.design.pilots import (
    DEMO,
    DEMO_COMPONENTS,
    NO_PILOT,
    demo_pilot,
    pilot,
    pilot_of_rankings,
    ties_of,
    variance_of_draws,
)
from rankings.design.power import components_of
from rankings.elicitation.pair_draws import disagreement, draw_methods, inclusion_probabilities
from rankings.elicitation.strategies import pairs_of_ranking
from rankings.inference.clusters import Declared
from rankings.inference.pair_estimates import Visit, pair_losses
from rankings.inference.personal_distances import PersonalDistances
from rankings.orders.buckets import bucket_of
from tests.support.cases import cases
from tests.support.demo import demo_study
from tests.support.plain_orders import plain_order
from tests.support.rankings import restricted

METHODS = ("a", "b", "c", "d")
PROTOCOLS = ("p", "q", "r")


def drawn_study(n_images=40, people="vwxyz", seed=3):
    """Whole rankings of images with a quality each, seen by people and protocols with noise."""
    rng = random.Random(seed)
    visits, own = [], {}
    for at in range(n_images):
        quality = {method: rng.gauss(0, 1) for method in METHODS}

        def see(noise, quality=quality):
            return plain_order({m: round(of + rng.gauss(0, noise)) for m, of in quality.items()})

        own[f"i{at}"] = {name: see(0.3 * place) for place, name in enumerate(PROTOCOLS)}
        visits += [Visit(f"i{at}", person, see(0.5), None) for person in people]
    return visits, own


def test_a_pilot_of_whole_rankings_has_their_components():
    visits, own = drawn_study()
    found = pilot(visits, own, PROTOCOLS)
    assert found.components["rankings"] == components_of(pair_losses(visits, own, PROTOCOLS))
    means = pair_losses(visits, own, PROTOCOLS).distances.mean(axis=0)
    assert found.differences == pytest.approx(sorted(abs(a - b) for a, b in combinations(means, 2)))


def test_groups_and_scenes_of_a_pilot_are_the_units_of_its_plan():
    """Six people in three groups, 40 images in eight scenes: by hand from the means of their cells."""
    visits, own = drawn_study(people="uvwxyz")
    groups = {name: f"group {at // 2}" for at, name in enumerate("uvwxyz")}
    scenes = {f"i{at}": f"scene {at // 5}" for at in range(40)}
    found = pilot(visits, own, PROTOCOLS, declared=Declared(groups, scenes))
    parts = found.components["rankings"]
    assert (parts.per_group, parts.per_scene) == (2, 5)
    measured = pair_losses(visits, own, PROTOCOLS)
    names = sorted(scenes)
    cells = np.zeros((8, 3, 3))
    for image, person, losses in zip(
        measured.images, measured.annotators, measured.distances, strict=True
    ):
        cells[int(names[image][1:]) // 5, person // 2] += losses / 10
    scene, group = np.indices((8, 3)).reshape(2, -1)
    expected = components_of(PersonalDistances(PROTOCOLS, scene, group, cells.reshape(-1, 3)))
    assert parts.image == pytest.approx(5 * expected.image)
    assert parts.annotator == pytest.approx(2 * expected.annotator)
    assert parts.rest == pytest.approx(10 * expected.rest)
    assert [line.split(" on average")[0] for line in found.remarks[:2]] == [
        "the pilot has groups of 2 people",
        "the pilot has scenes of 5 images",
    ]
    assert found.components["pairs"].per_group == 2


def test_what_a_draw_adds_is_the_spread_over_all_pairs_that_may_be_drawn():
    """Every pair with its probability, and the estimate it gives; mean over rankings and protocols."""
    visits, own = drawn_study(n_images=3, people="xy")
    expected = []
    for visit in visits:
        weights = disagreement(list(own[visit.image].values()))
        chances = inclusion_probabilities(METHODS, k=2, weights=weights)
        estimates = [
            pair_losses(
                [Visit(visit.image, "x", restricted(visit.ranking, pair), chances)], own, PROTOCOLS
            )
            for pair in chances
        ]
        table = np.array([estimate.distances[0] for estimate in estimates])
        for one, other in combinations(range(3), 2):
            d = table[:, one] - table[:, other]
            mean = d @ list(chances.values())
            expected.append((d - mean) ** 2 @ list(chances.values()))
    assert variance_of_draws(visits, own, PROTOCOLS) == pytest.approx(np.mean(expected))


def test_a_draw_is_of_the_methods_that_an_annotator_ranked():
    """Annotators of one image may have ranked different methods, which raised a KeyError."""
    visits, own = drawn_study(n_images=3, people="xy")
    some = [
        replace(one, ranking=restricted(one.ranking, METHODS[:3])) if one.annotator == "x" else one
        for one in visits
    ]
    expected = []
    for one in some:
        ranked = bucket_of(one.ranking)
        of_ranked = {name: restricted(ranking, ranked) for name, ranking in own[one.image].items()}
        expected.append(variance_of_draws([one], {one.image: of_ranked}, PROTOCOLS))
    assert variance_of_draws(some, own, PROTOCOLS) == pytest.approx(np.mean(expected))
    assert pilot(some, own, PROTOCOLS).methods == 3.5


def test_a_study_of_pairs_varies_as_its_pilot_of_whole_rankings_foretold():
    visits, own = drawn_study(n_images=1500, people="xy")
    expected = pilot(visits, own, PROTOCOLS).components["pairs"]
    rng = random.Random(6)
    asked = []
    for visit in visits:
        weights = disagreement(list(own[visit.image].values()))
        methods, chances = draw_methods(rng, METHODS, k=2, weights=weights)
        asked.append(
            Visit(visit.image, visit.annotator, restricted(visit.ranking, methods), chances)
        )
    found = pilot(asked, own, PROTOCOLS)
    assert set(found.components) == {"pairs"}
    seen = found.components["pairs"]
    assert seen.image + seen.rest == pytest.approx(expected.image + expected.rest, rel=0.1)


def test_the_demos_components_are_those_of_its_archive():
    done, rankings, scores, sentinels = demo_study()
    found = pilot_of_rankings(
        rankings["preference"], scores, "preference", Settings(), without=sentinels
    )
    for asking, parts in DEMO_COMPONENTS.items():
        for name in ("image", "annotator", "rest"):
            expected = getattr(found.components[asking], name)
            assert getattr(parts, name) == pytest.approx(expected, rel=0.005), (asking, name)
    answers = [sum(event["kind"] == "judgement" for event in row["events"]) for row in done]
    by_ties = pairs_of_ranking(10, ties_of(rankings["preference"]))
    assert by_ties == pytest.approx(np.mean(answers), rel=0.15)


@cases("n", [3, 7])
def test_variances_of_fewer_methods_are_those_of_subsets_of_the_demos(n):
    """Mean of 24 subsets of its ten methods: images and rest, and the part of drawing one pair."""
    _, rankings, scores, sentinels = demo_study()
    ranked = rankings["preference"]
    methods = sorted(bucket_of(next(iter(next(iter(ranked.values())).values()))))
    rng = random.Random(1)
    seen = []
    for _ in range(24):
        kept = set(rng.sample(methods, n))
        few = {
            image: {
                person: tuple(tuple(kept & {*bucket}) for bucket in one if kept & {*bucket})
                for person, one in of.items()
            }
            for image, of in ranked.items()
        }
        found = pilot_of_rankings(few, scores, "preference", Settings(), without=sentinels)
        assert found.methods == n
        whole, pairs = found.components["rankings"], found.components["pairs"]
        seen.append((whole.image + whole.rest, pairs.rest - whole.rest))
    scaled = demo_pilot().for_methods(n).components
    whole, pairs = scaled["rankings"], scaled["pairs"]
    expected = np.mean(seen, axis=0)
    assert whole.image + whole.rest == pytest.approx(expected[0], rel=0.25)
    assert pairs.rest - whole.rest == pytest.approx(expected[1], rel=0.25)


def test_variances_of_as_many_methods_stay_and_come_back():
    known = demo_pilot()
    assert known.for_methods(10) is known
    back = known.for_methods(4).for_methods(10).components
    for asking, parts in known.components.items():
        for name in ("image", "annotator", "rest"):
            assert getattr(back[asking], name) == pytest.approx(getattr(parts, name))


def test_without_a_pilot_it_is_the_demo_and_that_is_said():
    found = pilot([], {}, PROTOCOLS)
    assert (found.origin, found.components, found.remarks) == (DEMO, DEMO_COMPONENTS, (NO_PILOT,))


@cases(
    ("n_images", "protocols", "words"),
    [(1, PROTOCOLS, "fewer than two images"), (5, ("p",), "fewer than two protocols")],
)
def test_a_pilot_too_small_is_the_demo_and_that_is_said(n_images, protocols, words):
    visits, own = drawn_study(n_images=n_images)
    found = pilot(visits, own, protocols)
    assert found.components == DEMO_COMPONENTS
    assert words in found.remarks[0]


def test_of_one_annotator_people_are_taken_from_the_demo():
    visits, own = drawn_study(people="x")
    found = pilot(visits, own, PROTOCOLS)
    demo = DEMO_COMPONENTS["rankings"]
    parts = found.components["rankings"]
    losses = pair_losses(visits, own, PROTOCOLS).distances
    spread = np.mean(
        [np.var(losses[:, a] - losses[:, b], ddof=1) for a, b in ((0, 1), (0, 2), (1, 2))]
    )
    assert parts.image + parts.rest == pytest.approx(spread)
    assert parts.annotator == pytest.approx(spread * demo.annotator / (demo.image + demo.rest))
    assert "one annotator" in found.remarks[0]


def test_components_below_0_are_said():
    """Two people, two images: everything is in the rest."""
    first, second = (("a",), ("b",)), (("b",), ("a",))
    own = {image: {"p": first, "q": second} for image in "ij"}
    visits = [
        Visit(image, person, first if (image == "i") == (person == "x") else second, None)
        for image in "ij"
        for person in "xy"
    ]
    found = pilot(visits, own, ["p", "q"])
    parts = found.components["rankings"]
    assert (parts.image, parts.annotator) == (0.0, 0.0)
    assert [remark.split()[0] for remark in found.remarks] == ["Images", "People"]


def test_protocols_that_never_disagree_leave_nothing_to_vary():
    visits, own = drawn_study()
    alike = {image: dict.fromkeys(PROTOCOLS, of["p"]) for image, of in own.items()}
    found = pilot(visits, alike, PROTOCOLS)
    assert found.components["pairs"].image == 0.0
    assert found.components["pairs"].rest == pytest.approx(0.0, abs=1e-12)
    assert found.differences == (0.0, 0.0, 0.0)


def test_images_without_a_score_are_left_out():
    rankings = {i: {"x": (("a",), ("b",)), "y": (("b",), ("a",))} for i in ("i", "j", "k")}
    scores = {i: {p: {"a": (0.1, 0.2), "b": (0.3, 0.1)} for p in "pq"} for i in rankings}
    complete = pilot_of_rankings(rankings, scores, "recall", Settings())
    rankings["l"] = rankings["i"]
    scores["l"] = {"p": {"a": (None, 0.2), "b": (0.3, 0.1)}, "q": scores["i"]["q"]}
    assert pilot_of_rankings(rankings, scores, "recall", Settings()) == complete
