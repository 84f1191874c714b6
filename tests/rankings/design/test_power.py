"""How many images and annotators find a difference."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from rankings.design.designs import Components, Design
from rankings.design.pilots import Pilot
from rankings.design.power import (
    _power,
    components_of,
    least_difference,
    needed_images,
    power,
    spread,
)
from rankings.design.reach import reach
from rankings.design.simulation import Simulated, outcome, simulate
from rankings.design.study_plans import Question
from rankings.errors import RankingError
from rankings.inference.multi_reader import compare
from rankings.inference.personal_distances import PersonalDistances
from tests.support.cases import cases

PARTS = Components(image=0.5, annotator=0.1, rest=1.0)


def simulated(parts, design, difference, rng):
    """One study: two protocols whose distances differ by normal effects of images, annotators and rest."""
    images, annotators = [], []
    turn = 0
    for image in range(design.n_images):
        # The first images are repeated; annotators take turns.
        n = design.repeats if image < design.n_repeated else design.per_image
        images += [image] * n
        annotators += [(turn + at) % design.n_annotators for at in range(n)]
        turn += n
    images, annotators = np.array(images), np.array(annotators)
    d = difference + math.sqrt(parts.image) * rng.normal(size=design.n_images)[images]
    d += math.sqrt(parts.annotator) * rng.normal(size=design.n_annotators)[annotators]
    d += math.sqrt(parts.rest) * rng.normal(size=len(images))
    return PersonalDistances(("p", "q"), images, annotators, np.stack([d, 0 * d], axis=1))


def test_variance_with_some_images_repeated_is_that_of_the_mean_of_all_rankings():
    """By the covariance of all pairs of rankings: 4 images, the first by 3 annotators, 6 rankings."""
    design = Design(n_images=4, n_annotators=3, repeated=0.25)
    assert (design.n_repeated, design.n_rankings) == (1, 6)
    images, annotators = [0, 0, 0, 1, 2, 3], [0, 1, 2, 0, 1, 2]
    total = sum(
        0.5 * (images[x] == images[y]) + 0.1 * (annotators[x] == annotators[y]) + 1.0 * (x == y)
        for x in range(6)
        for y in range(6)
    )
    assert spread(PARTS, design)[0] == pytest.approx(total / 36)


@cases(
    ("design", "by"),
    [
        (Design(20, 5, per_image=5), 1.001),
        (Design(60, 8, per_image=2), 1.25),
        (Design(60, 8, per_image=3), 1.3),
        (Design(100, 6, repeated=0.15), 1.15),
        (Design(60, 20, repeated=0.15), 2.2),
    ],
)
def test_degrees_of_freedom_are_those_of_the_estimates_exact_variance(design, by):
    """By the quadratic form d'Qd that estimates the variance of the mean: 2 tr(QSQS) of normal effects.

    With all of the images' part counted apart, they are 51 instead of 17, or 2 instead of 15.
    """
    sharing = {"per_image": design.per_image, "repeated": design.repeated, "even": True}
    drawn = Simulated(design.n_annotators, design.n_images, 2, model="normal", **sharing)
    study = simulate(drawn, np.random.default_rng(0)).distances
    of = [np.eye(max(units) + 1)[units] for units in (study.images, study.annotators)]
    n, sizes = len(study.images), [units.sum(axis=0) for units in of]
    alike = [*(units @ units.T for units in of), np.eye(n)]
    around = [np.eye(n) - units / size @ units.T for units, size in zip(of, sizes, strict=True)] + [
        np.eye(n) - 1 / n
    ]
    expected = [[np.trace(form @ one) for form in around] for one in alike]
    weights = [*((size**2).sum() / n**2 for size in sizes), 1 / n]
    form = np.tensordot(np.linalg.solve(expected, weights), around, axes=1)
    for values in ((0.01, 0.0014, 0.014), (0.001, 0.002, 0.02), (0.02, 0.0005, 0.004)):
        product = form @ np.tensordot(values, alike, axes=1)
        variance, degrees = spread(Components(*values), design)
        assert variance == pytest.approx(np.trace(product))
        exact = variance**2 / np.trace(product @ product)
        assert exact / by < degrees < exact * by


@pytest.mark.release
@cases(
    ("parts", "design", "difference"),
    [
        (PARTS, Design(100, 8), 0.5),
        (PARTS, Design(60, 5, per_image=5), 0.6),
        (PARTS, Design(100, 12, repeated=0.15), 0.45),
        (Components(0.3, 0.0, 1.0), Design(80, 10, per_image=2), 0.3),
    ],
)
def test_power_is_the_share_of_simulated_studies_that_find_it(parts, design, difference):
    rng = np.random.default_rng(8)
    n = 600
    found = sum(
        (compare(simulated(parts, design, difference, rng)).pairs[0].p_value or 1) <= 0.05
        for _ in range(n)
    )
    expected = power(parts, design, difference)
    assert 0.3 < expected < 0.95
    assert found / n == pytest.approx(expected, abs=0.07)


CLUSTERED = Simulated(
    *(24, 100, 2),
    per_image=2,
    model="normal",
    groups=8,
    bias=1.0,
    scenes=20,
    image=0.004,
    annotator=0.0008,
    rest=0.004,
    difference=0.055,
    farther=1,
)


def test_power_counts_groups_and_scenes_as_simulated_studies_do():
    """An annotator's variance and as much of groups of three: (1 + 3); 0.8 of scenes of five: 1 + 0.8 * 4."""
    parts = Components(4.2 * 0.004, 4 * 0.0008, 0.004, per_group=3, per_scene=5)
    design = Design(100, 24, 2)
    found = outcome(CLUSTERED, 400, seed=4)
    assert found.power == pytest.approx(power(parts, design, 0.055), abs=0.07)
    assert 0.4 < found.power < 0.9
    # As if the 24 annotators and 100 images were independent, the plan would promise too much.
    assert power(replace(parts, per_group=1, per_scene=1), design, 0.055) > found.power + 0.05


def test_a_pilot_tells_the_variances_of_its_groups_and_scenes():
    large = replace(CLUSTERED, annotators=240, images=800, groups=80, scenes=160)
    made = simulate(large, np.random.default_rng(6))
    found = components_of(made.distances, made.as_tested(large))
    assert (found.per_group, found.per_scene) == (3, 5)
    assert found.image == pytest.approx(4.2 * 0.004, rel=0.3)
    assert found.annotator == pytest.approx(4 * 0.0008, rel=0.4)
    # Two people rank an image, so that what is its own, and theirs, is mostly in the rest.
    assert 0.004 < found.rest < 0.004 + 0.2 * 0.004 + 0.0008 + 0.001


def test_one_group_or_scene_finds_nothing():
    parts = Components(0.001, 0.001, 0.001, per_group=6, per_scene=10)
    for design in (Design(100, 11), Design(19, 12)):
        assert power(parts, design, 0.5) == pytest.approx(0.05)
        assert least_difference(parts, design) == math.inf
    assert math.isfinite(least_difference(parts, Design(20, 12)))
    assert needed_images(parts, Design(2, 11), 0.5) is None
    [found] = reach(Pilot({"rankings": parts}, "a pilot"), Question(people=6), Design(100, 6))
    assert found.least is None


@cases("n_annotators", [2, 3, 5, 12])
def test_power_of_few_annotators_is_that_of_drawn_mean_squares(n_annotators):
    """Of the annotators, the images and the rest, by the test's own rule for degrees of freedom."""
    parts, n_images = Components(0.01, 0.001, 0.012), 100
    n, degrees = n_images * n_annotators, (n_annotators - 1, n_images - 1)
    known = np.array([0.001 / n_annotators, 0.01 / n_images, 0.0]) + 0.012 / n
    degrees = np.array([*degrees, degrees[0] * degrees[1]])
    rng = np.random.default_rng(6)
    of_a, of_i, rest = (known * rng.chisquare(degrees, (200_000, 3)) / degrees).T
    drawn = of_a + of_i - rest
    assert (of_i > rest).all()
    squares = np.stack([of_a, of_i, rest], axis=1) ** 2
    limits = -scipy.stats.t.ppf(0.025, np.maximum(drawn**2 / (squares / degrees).sum(axis=1), 1))
    variance = known[0] + known[1] - known[2]
    for errors in (2.0, 4.0):
        found = errors + rng.standard_normal(len(drawn))
        share = np.mean(np.abs(found) * math.sqrt(variance) > limits * np.sqrt(drawn))
        design = Design(n_images, n_annotators, n_annotators)
        promised = power(parts, design, errors * math.sqrt(variance))
        assert promised == pytest.approx(share, abs=0.05)


@cases("repeated", [0.0, 0.15])
def test_the_needed_images_are_the_fewest(repeated):
    design = Design(1, 20, repeated=repeated)
    n = needed_images(PARTS, design, 0.3)
    by_trying = next(
        i for i in range(20, 5000) if power(PARTS, Design(i, 20, repeated=repeated), 0.3) >= 0.8
    )
    assert n == by_trying


def test_a_smaller_difference_needs_more_images_and_a_larger_one_is_found_more_often():
    design = Design(100, 20)
    assert needed_images(PARTS, design, 0.3) > needed_images(PARTS, design, 0.4)
    powers = [power(PARTS, design, size) for size in (0.0, 0.1, 0.3, 0.6, 100.0)]
    assert powers[0] == 0.05
    assert powers == sorted(powers)
    assert powers[-1] == 1.0


def test_the_least_difference_is_found_as_often_as_asked():
    design = Design(100, 8)
    for share in (0.5, 0.8, 0.9):
        assert power(PARTS, design, least_difference(PARTS, design, share=share)) == pytest.approx(
            share, abs=1e-6
        )


def test_no_number_of_images_makes_up_for_too_few_people():
    """With A people the standard error is at least sqrt(0.1 / A): by the noncentral t of scipy."""

    def limit(a):
        reach = 0.3 / math.sqrt(0.1 / a)
        t = scipy.stats.t.ppf(0.975, a - 1)
        return scipy.stats.nct.sf(t, a - 1, reach)

    least = next(a for a in range(2, 100) if limit(a) >= 0.8)
    assert needed_images(PARTS, Design(1, least - 4), 0.3) is None
    assert needed_images(PARTS, Design(1, least + 2), 0.3) is not None


def drawn_parts(rng):
    of_each = 10.0 ** rng.uniform(-4, 1, 3) * (rng.random(3) < 0.9)
    return Components(*map(float, of_each))


def test_power_is_a_number_that_never_falls_with_images_people_or_difference():
    rng = np.random.default_rng(24)
    for _ in range(150):
        parts, alpha = drawn_parts(rng), float(rng.choice([0.05, 0.05 / 190, 1e-5]))
        per_image, repeated = int(rng.integers(1, 4)), float(rng.choice([0.0, 0.15]))
        people = int(rng.integers(3, 60))
        images = int(10 ** rng.uniform(0.5, 3.5))
        difference = float(10 ** rng.uniform(-3, 1))

        def found(i, a, d, parts=parts, alpha=alpha, sharing=(per_image, repeated)):
            value = power(parts, Design(i, a, *sharing), d, alpha=alpha)
            assert alpha - 1e-12 <= value <= 1
            return value

        usual = found(images, people, difference)
        more_images = found(images + int(rng.integers(1, 2000)), people, difference)
        more_people = found(images, people + int(rng.integers(1, 200)), difference)
        larger = found(images, people, difference * rng.uniform(1, 100))
        assert min(more_images, more_people, larger) >= usual - 1e-9


def test_power_is_a_number_in_every_tail():
    """10,000 drawn tests: degrees of freedom from 1 to a million, differences up to 1,000 errors."""
    rng = np.random.default_rng(7)
    degrees = 10 ** rng.uniform(0, 6, 10_000)
    errors = 10 ** rng.uniform(-3, 3, 10_000)
    for alpha in (0.05, 0.05 / 190, 1e-6):
        here, further = (_power(errors * by, degrees, alpha) for by in (1, 1.2))
        assert np.isfinite(here).all()
        assert (alpha * (1 - 1e-6) <= here).all()
        assert (here <= 1).all()
        assert (further >= here - 1e-12).all()


@cases(
    ("degrees", "errors", "alpha"),
    [(1, 40.0, 0.001), (2.5, 4.0, 0.05), (11, 5.2, 0.05 / 190), (40, 2.0, 0.05), (300, 9.0, 1e-6)],
)
def test_power_is_how_often_simulated_tests_find_the_difference(degrees, errors, alpha):
    """Half a million draws of Student's ratio; five standard errors of their share."""
    rng = np.random.default_rng(3)
    n = 500_000
    ratio = (errors + rng.standard_normal(n)) / np.sqrt(rng.chisquare(degrees, n) / degrees)
    share = np.mean(np.abs(ratio) > scipy.stats.t.isf(alpha / 2, degrees))
    exact = _power(np.array([errors]), np.array([float(degrees)]), alpha)[0]
    assert exact == pytest.approx(share, abs=5 * math.sqrt(max(share * (1 - share), 1e-6) / n))


def test_a_design_counts_as_the_best_design_within_it():
    """By trying each: 59 people with 53 images leave one degree of freedom for the rest."""
    parts, design = Components(0.006, 0.0035, 0.108), Design(53, 59, 2)

    def alone(i, a):
        variance, degrees = spread(parts, Design(i, a, 2))
        errors = np.array([0.4 / math.sqrt(variance)])
        return _power(errors, np.array([degrees]), 0.05 / 45)[0]

    best = max(alone(i, a) for i in range(2, 54) for a in range(2, 60))
    assert power(parts, design, 0.4, alpha=0.05 / 45) == pytest.approx(best, abs=1e-12)
    assert 0.97 < alone(53, 59) < best


def test_without_any_variance_every_difference_is_found():
    shared = Components(0.0, 0.0, 0.0, prior=None, protocols=7, degrees=3.0)
    assert needed_images(shared, Design(2, 45), 0.1, alpha=0.05 / 21) == 45
    nothing = Components(0.0, 0.0, 0.0)
    assert power(nothing, Design(2, 2), 0.1) == 1.0
    assert least_difference(nothing, Design(2, 2)) == 0.0


def test_components_are_means_over_the_pairs_of_protocols():
    rng = np.random.default_rng(3)
    images, annotators = np.indices((30, 6)).reshape(2, -1)
    shape = (30, 6, 3)
    effects = rng.normal(size=(30, 1, 3)) + rng.normal(size=(1, 6, 3)) + rng.normal(size=shape)
    measured = PersonalDistances(("p", "q", "r"), images, annotators, effects.reshape(-1, 3))
    found = components_of(measured)
    pairs = compare(measured).pairs
    for name in ("image", "annotator", "rest"):
        expected = [getattr(pair, f"{name}_variance") for pair in pairs]
        assert min(expected) > 0
        assert getattr(found, name) == pytest.approx(sum(expected) / 3)
    assert found.negative == ()


def test_components_below_0_count_as_0_and_are_named():
    """Annotators whose means are equal to the last digit: their mean square is below the rest's."""
    images, annotators = np.indices((2, 2)).reshape(2, -1)
    d = np.array([1.0, -1.0, -1.0, 1.0])
    found = components_of(
        PersonalDistances(("p", "q"), images, annotators, np.stack([d, 0 * d], 1))
    )
    assert (found.image, found.annotator) == (0.0, 0.0)
    assert found.negative == ("image", "annotator")
    assert found.rest > 0


def test_with_one_ranking_an_image_the_rest_stands_with_images():
    images, annotators = np.arange(40), np.arange(40) % 4
    d = np.random.default_rng(5).normal(size=40)
    found = components_of(
        PersonalDistances(("p", "q"), images, annotators, np.stack([d, 0 * d], 1))
    )
    assert not found.image_is_apart
    assert found.rest == 0.0
    assert found.image > 0
    # So more annotators of an image never seem to help.
    assert spread(found, Design(40, 4))[0] <= spread(found, Design(20, 4, per_image=2))[0]


@cases(
    ("images", "annotators", "protocols", "message"),
    [
        ([0, 1], [0, 0], ("p", "q"), "one annotator says nothing about others"),
        ([0, 0], [0, 1], ("p", "q"), "at least two images"),
        ([0, 1], [0, 1], ("p",), "at least two protocols"),
    ],
)
def test_what_has_no_components_is_refused(images, annotators, protocols, message):
    distances = np.zeros((2, len(protocols)))
    with pytest.raises(RankingError, match=message):
        components_of(
            PersonalDistances(protocols, np.array(images), np.array(annotators), distances)
        )


@cases(
    ("work", "message"),
    [
        (lambda: Design(0, 2), "n_images must be at least 1, got 0"),
        (lambda: Design(5, 2, per_image=3), "3 annotators an image are more than the 2"),
        (lambda: Design(5, 2, repeated=0.5), "3 annotators an image are more than the 2"),
        (lambda: Design(5, 2, repeated=1.5), "repeated must be from 0 to 1"),
        (lambda: Components(-0.1, 0, 0), "the component of image must not be negative"),
        (lambda: Components(0, float("nan"), 0), "the component of annotator must not"),
        (lambda: power(PARTS, Design(5, 1), 0.1), "at least two annotators"),
        (lambda: power(PARTS, Design(1, 2), 0.1), "at least two images"),
        (lambda: power(PARTS, Design(5, 2), 0.1, alpha=0), "alpha must be between 0 and 1"),
        (lambda: needed_images(PARTS, Design(5, 2), 0.0), "the difference must be above 0"),
        (lambda: needed_images(PARTS, Design(5, 2), 0.1, share=1), "power must be between"),
    ],
)
def test_what_is_no_design_is_refused(work, message):
    with pytest.raises(RankingError, match=message):
        work()


def test_power_by_a_pilot_is_the_mean_over_what_the_variance_may_be():
    """Nine equally likely scales: the degrees over the deciles of chi square with one more."""
    known, few = PARTS, replace(PARTS, degrees=4.0)
    design = Design(100, 8)
    scales = [4 / scipy.stats.chi2(5).ppf(share / 10) for share in range(1, 10)]
    [variance], [degrees] = ([of] for of in spread(known, design))
    powers = []
    for scale in scales:
        error = 0.5 / math.sqrt(scale * variance)
        limit = scipy.stats.t(degrees).ppf(0.975)
        powers.append(scipy.stats.nct(degrees, error).sf(limit))
    assert power(few, design, 0.5) == pytest.approx(np.mean(powers), abs=0.01)
    assert power(few, design, 0.5) < power(known, design, 0.5)
    unlucky = few.unlucky
    assert unlucky.annotator == pytest.approx(0.1 * max(scales))
    assert power(unlucky, design, 0.5) < power(few, design, 0.5)
    assert needed_images(few, design, 0.6) > needed_images(known, design, 0.6)


@cases("per_image", [4, 1])
def test_the_least_variances_of_a_pilot_are_those_that_2_percent_of_pilots_overestimate(per_image):
    """The annotators' mean square is divided by its chi-square quantile, less the noise within."""
    rng = np.random.default_rng(7)
    design = Design(24, 4, per_image)
    measured = simulated(replace(PARTS, annotator=3.0), design, 0.0, rng)
    found = components_of(measured)
    d = measured.distances[:, 0]
    n_each = 24 * per_image // 4
    means = np.array([d[measured.annotators == at].mean() for at in range(4)])
    between = n_each * means.var(ddof=1)
    # The noise within annotators is the rest, with the images' part if each has one person.
    within = found.rest if per_image == 4 else found.image
    times = 3 / scipy.stats.chi2(3).isf(0.02)
    assert found.lucky.annotator == pytest.approx((between * times - within) / n_each)
    assert 0 < found.lucky.annotator < found.annotator
    assert found.lucky.image == pytest.approx(
        found.image * found.degrees / scipy.stats.chi2(found.degrees).isf(0.02)
    )
    assert PARTS.lucky == PARTS
