"""Numbers that are 0 by design: decided as in exact arithmetic, in any order of rows."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest

from rankings.inference.clusters import Declared, clustered
from rankings.inference.moments import moments, raw_components
from rankings.inference.multi_reader import compare, compare_protocols, told_apart
from rankings.inference.personal_distances import PersonalDistances
from rankings.inference.stand_in import stand_in
from rankings.orders.buckets import methods_of
from rankings.orders.from_scores import ranking_from_scores
from tests.support.cases import cases
from tests.support.plain_orders import plain_kemeny_distance
from tests.support.rankings import personal_rankings

N_STUDIES = 60


def near_equal(seed):
    """A small study of protocols that differ on a few rankings, with cells missing at random.

    In some the second differs from the first by the same everywhere, or by nothing on average.
    """
    rng = np.random.default_rng(seed)
    n_images, n_annotators, n_protocols = rng.integers(2, 7), rng.integers(2, 5), rng.integers(2, 6)
    cells = [(i, a) for i in range(n_images) for a in range(n_annotators)]
    kept = [cell for cell in cells if rng.random() > 0.3 * (seed % 2)]
    common = rng.integers(0, 91, len(kept))
    own = rng.integers(0, 3, (len(kept), n_protocols)) * (
        rng.random((len(kept), n_protocols)) < 0.3
    )
    if n_protocols > 1 and seed % 5 < 2:
        own[:, 1] = own[:, 0] + 1 if seed % 5 else rng.permutation(own[:, 0] + common) - common
    images, annotators = np.array(kept).T
    has_scale = seed % 4 < 2
    return PersonalDistances(
        tuple(f"p{at}" for at in range(n_protocols)),
        images,
        annotators,
        # Thirds are rounded, and added as they are where there is no scale.
        (common[:, np.newaxis] + own) / (2 if has_scale else 6),
        scale=4 if has_scale else 0,
    )


def studies():
    for seed in range(N_STUDIES):
        study = near_equal(seed)
        if len(set(study.images.tolist())) > 1 and len(set(study.annotators.tolist())) > 1:
            yield study


def exact_components(of, images, annotators):
    """Components of images, annotators and rest by the equations of Gao and Owen, as fractions."""
    n = len(of)

    def within(groups):
        sizes, sums = Counter(groups), Counter()
        for group, x in zip(groups, of, strict=True):
            sums[group] += x
        return sum(x * x for x in of) - sum(sums[at] ** 2 / sizes[at] for at in sizes), sizes

    in_image, n_i = within(images)
    in_annotator, n_a = within(annotators)
    total = within([0] * n)[0]
    two_i = n**2 - sum(size**2 for size in n_i.values())
    two_a = n**2 - sum(size**2 for size in n_a.values())
    by_image = in_image / (n - len(n_i)) if n > len(n_i) else None
    by_annotator = in_annotator / (n - len(n_a)) if n > len(n_a) else None
    whole = total / (n - 1)
    if by_image is None and by_annotator is None:
        return (0, 0, whole), whole
    if by_image is None:
        return (0, (n * total - by_annotator * (n**2 - n)) / two_a, by_annotator), whole
    if by_annotator is None:
        return ((n * total - by_image * (n**2 - n)) / two_i, 0, by_image), whole
    known = by_image * two_a + by_annotator * two_i - n * total
    rest = max(known / (two_i + two_a - (n**2 - n)), 0)
    return (by_annotator - rest, by_image - rest, rest), whole


def exact_differences(study, first, second):
    return [
        Fraction(row[first]).limit_denominator(6) - Fraction(row[second]).limit_denominator(6)
        for row in study.distances.tolist()
    ]


def of_pair(study, first, second):
    of = exact_differences(study, first, second)
    return exact_components(of, study.images.tolist(), study.annotators.tolist())


def test_components_have_the_signs_of_exact_arithmetic():
    n_zero = 0
    for study in studies():
        parts = np.array(raw_components(study)[0]).T
        pairs = combinations(range(len(study.protocols)), 2)
        for found, (a, b) in zip(parts, pairs, strict=True):
            exact, whole = of_pair(study, a, b)
            assert np.sign(found).tolist() == [(of > 0) - (of < 0) for of in exact]
            # Sums of numbers that need not be whole are rounded.
            error = (1e-12 if study.scale else 1e-10) * float(whole)
            assert found == pytest.approx([float(of) for of in exact], abs=error)
            n_zero += exact.count(0)
    assert n_zero > 100


def test_a_mean_difference_has_a_variance_exactly_if_it_has_one():
    n_without = 0
    for study in studies():
        n = len(study.images)
        of_i, of_a = (
            Fraction(sum(size**2 for size in Counter(of.tolist()).values()), n**2)
            for of in (study.images, study.annotators)
        )
        # A pair by itself, so that nothing is shared with others.
        for a, b in combinations(range(len(study.protocols)), 2):
            pair = PersonalDistances(
                ("a", "b"), study.images, study.annotators, study.distances[:, [a, b]]
            )
            (image, annotator, rest), _ = of_pair(study, a, b)
            variance = annotator * of_a + rest / n + max(image, 0) * of_i
            found = moments(pair).of_mean[0]
            assert (found > 0, found < 0) == (variance > 0, variance < 0)
            n_without += variance == 0
            difference = sum(exact_differences(study, a, b))
            [tested] = compare(pair).pairs
            assert np.sign(tested.difference) == (difference > 0) - (difference < 0)
            assert (tested.p_value is None) == (variance <= 0 and difference != 0)
    assert n_without > 10


def test_annotators_who_agree_on_every_mean_share_nothing_between_pairs():
    """Each has the same losses on other images, so that all mean squares of annotators are 0."""
    n_images = Counter()
    for seed in range(N_STUDIES):
        rng = np.random.default_rng(seed)
        table = rng.integers(0, 9, (5, 3)) / 3
        losses = np.array([rng.permutation(table) for _ in range(3)])
        annotators, images = np.indices(losses.shape[:2]).reshape(2, -1)
        study = PersonalDistances(("a", "b", "c"), images, annotators, losses.reshape(-1, 3))
        found = moments(study)
        for at, pair in enumerate(combinations(range(3), 2)):
            (image, *_), _ = of_pair(study, *pair)
            # Without a prior, the variance is the images' part alone.
            assert found.of_mean[at] == pytest.approx(float(max(image, 0) / 5), abs=1e-12)
            n_images[image > 0] += 1
    assert min(n_images.values()) > 30


def drawn_study(seed):
    """Rankings with cells missing, and protocols: two equal, one nearly, one constant, one drawn."""
    rng = Random(seed)
    methods = "abcd"[: rng.choice([2, 3, 4])]
    images = [f"i{at}" for at in range(rng.choice([2, 3, 5]))]
    people = "pqrs"[: rng.choice([2, 3, 4])]

    def drawn():
        return ranking_from_scores({name: rng.randrange(2) for name in methods}, None)

    rankings = {image: {name: drawn() for name in people if rng.random() < 0.8} for image in images}
    first = {image: drawn() for image in images}
    own = {
        image: {
            "first": first[image],
            "equal": first[image],
            "near": drawn() if image == images[0] else first[image],
            "constant": (tuple(methods),),
            "drawn": drawn(),
        }
        for image in images
    }
    groups = {name: f"g{at % 2}" for at, name in enumerate(people)} if seed % 3 == 1 else {}
    scenes = {image: f"s{at // 2}" for at, image in enumerate(images)} if seed % 2 else {}
    return rankings, own, groups, scenes


def exact_loss(ranking, other):
    """Of 100 pairs, those ordered differently, a pair tied in one counting half."""
    return 100 * plain_kemeny_distance(ranking, other) / comb(len(methods_of(ranking)), 2)


def exact_variance(parts, images, annotators, n):
    """The variance of a mean and its degrees of freedom, None without a variance.

    ``images`` and ``annotators`` are sums of squared weights.
    """
    image, annotator, rest, free = parts
    square = annotator * annotators + rest / n
    variance = square + max(image, 0) * images
    # The images' component in the annotators' mean square: none if all rank all images.
    part = (1 / annotators - n * images) / (1 / annotators - 1)
    part = min(max(part, 0), 1) / n
    below = (square + max(image, 0) * part) ** 2 / (1 / annotators - 1)
    if image > 0:
        apart = (image * images + rest / n) ** 2 / (1 / images - 1) + (rest / n) ** 2 / free
        below += (1 - part / images) ** 2 * apart
    return variance, (variance**2 / below if variance > 0 else None)


def assert_as_exact(found, difference, variance, freedom):
    """Whether there is a test, p = 1 and the degrees of freedom are those of exact arithmetic."""
    assert (found.difference > 0, found.difference < 0) == (difference > 0, difference < 0)
    assert (found.p_value is None) == (variance <= 0 and difference != 0)
    if variance <= 0 and difference == 0:
        assert found.p_value == 1
    if variance > 0:
        assert found.degrees_of_freedom == pytest.approx(max(float(freedom), 1), rel=1e-9)


def test_two_protocols_are_compared_as_in_exact_arithmetic():
    n_zero, n_images = 0, Counter()
    for seed in range(N_STUDIES):
        rankings, own, groups, scenes = drawn_study(seed)
        cells = defaultdict(list)
        for image, of_image in rankings.items():
            for name, ranking in of_image.items():
                cells[scenes.get(image, image), groups.get(name, name)].append((image, ranking))
        images, annotators = ([cell[at] for cell in cells] for at in (0, 1))
        n_i, n_a, n = Counter(images), Counter(annotators), len(cells)
        if min(len(n_i), len(n_a)) < 2:
            continue
        for pair in combinations(["first", "equal", "near", "constant", "drawn"], 2):
            of = [
                sum(
                    exact_loss(ranking, own[image][pair[0]])
                    - exact_loss(ranking, own[image][pair[1]])
                    for image, ranking in cell
                )
                / len(cell)
                for cell in cells.values()
            ]
            parts, _ = exact_components(of, images, annotators)
            free = max(n - len(n_i) - len(n_a) + 1, 1)
            of_i, of_a = (
                Fraction(sum(size**2 for size in sizes.values()), n**2) for sizes in (n_i, n_a)
            )
            variance, freedom = exact_variance((*parts, free), of_i, of_a, n)
            if groups and freedom is not None:
                freedom = min(freedom, 1 / of_a - 1)
            tested = compare_protocols(
                personal_rankings(rankings, own, pair), declared=Declared(groups, scenes)
            )
            for found in tested.pairs:
                assert_as_exact(found, sum(of) / n, variance, freedom)
                n_images[parts[0] > 0] += 1
                n_zero += variance <= 0
    assert n_zero > 20
    assert min(n_images.values()) > 100


def test_a_person_is_compared_with_as_in_exact_arithmetic():
    n_tested = n_without = 0
    for seed in range(2 * N_STUDIES):
        rankings, own, *_ = drawn_study(seed)
        if seed % 4 == 3:
            # All say the same of all images, so that a constant differs by the same everywhere.
            ranking = drawn_study(seed)[1]["i0"]["drawn"]
            rankings = {image: dict.fromkeys(of, ranking) for image, of in rankings.items()}
        elif seed % 2:
            # All agree, so that differences may vary with the image only.
            rankings = {
                image: dict.fromkeys(of, next(iter(of.values())))
                for image, of in rankings.items()
                if of
            }
        names = ["first", "near", "constant", "drawn"]
        tested = stand_in(personal_rankings(rankings, own, names))
        if tested.reason:
            continue
        rows = [
            (image, name, ranking, [other for one, other in of.items() if one != name])
            for image, of in rankings.items()
            if len(of) > 1
            for name, ranking in of.items()
        ]
        images, annotators = ([row[at] for row in rows] for at in (0, 1))
        n_i, n_a = Counter(images), Counter(annotators)
        weight = {image: Fraction(1, len(n_i) * size) for image, size in n_i.items()}
        of_i = Fraction(1, len(n_i))
        of_a = sum(
            sum(weight[i] for i, name, *_ in rows if name == annotator) ** 2 for annotator in n_a
        )
        n = 1 / sum(weight[image] ** 2 for image in images)
        effective = Fraction(len(rows) ** 2, sum(size**2 for size in n_a.values()))
        factor = 2 * (effective - 1) / (effective - 2)
        between = [
            sum(exact_loss(ranking, other) for other in others) / len(others)
            for _, _, ranking, others in rows
        ]
        of_image = {
            image: sum(b for b, row in zip(between, rows, strict=True) if row[0] == image) / size
            for image, size in n_i.items()
        }
        for found in tested.candidates:
            values = [
                exact_loss(ranking, own[image][found.name])
                - factor * b
                + (factor - 1) * of_image[image]
                for b, (image, _, ranking, _) in zip(between, rows, strict=True)
            ]
            difference = sum(weight[image] * x for image, x in zip(images, values, strict=True))
            parts, _ = exact_components(values, images, annotators)
            variance, _ = exact_variance((*parts, 1), of_i, of_a, n)
            square = max(parts[1] * of_a + parts[2] / n, 0)
            freedom = variance**2 * (1 / of_a - 1) / square**2 if square else Fraction(10**9)
            assert_as_exact(found, difference, variance, min(freedom, 10**9))
            n_tested += 1
            n_without += variance <= 0
    assert n_tested > 200
    assert n_without > 10


@cases("has_clusters", [False, True])
def test_the_same_rows_in_another_order_give_the_same_bits(has_clusters):
    for seed, study in enumerate(studies()):
        rng = np.random.default_rng(seed)

        def tested(study):
            if has_clusters:
                study = clustered(study, study.annotators // 2, study.images // 2)
            found = compare(study)
            return repr(found), told_apart(found)

        expected = tested(study)
        for _ in range(3):
            assert tested(study.at(rng.permutation(len(study.images)))) == expected


def test_images_and_annotators_under_other_names_give_the_same_bits():
    for seed, study in enumerate(studies()):
        if not study.scale:
            continue
        rng = np.random.default_rng(seed)
        named = PersonalDistances(
            study.protocols,
            rng.permutation(9)[study.images],
            rng.permutation(9)[study.annotators],
            study.distances,
            scale=study.scale,
        )
        assert repr(compare(named)) == repr(compare(study))
