"""Numbers that are 0 by design: decided as in exact arithmetic, in any order of rows."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from rankings.inference.clusters import clustered
from rankings.inference.moments import moments, raw_components
from rankings.inference.multi_reader import compare, told_apart
from rankings.inference.personal_distances import PersonalDistances
from tests.support.cases import cases

N_STUDIES = 60


def near_equal(seed):
    """A small study of protocols that differ on a few rankings, with cells missing at random."""
    rng = np.random.default_rng(seed)
    n_images, n_annotators, n_protocols = rng.integers(2, 7), rng.integers(2, 5), rng.integers(2, 6)
    cells = [(i, a) for i in range(n_images) for a in range(n_annotators)]
    kept = [cell for cell in cells if rng.random() > 0.3 * (seed % 2)]
    common = rng.integers(0, 91, len(kept))
    own = rng.integers(0, 3, (len(kept), n_protocols)) * (
        rng.random((len(kept), n_protocols)) < 0.3
    )
    images, annotators = np.array(kept).T
    return PersonalDistances(
        tuple(f"p{at}" for at in range(n_protocols)),
        images,
        annotators,
        (common[:, np.newaxis] + own) / 2,
        **({"scale": 4} if seed % 4 < 2 and "scale" in PersonalDistances.__slots__ else {}),
    )


def studies():
    for seed in range(N_STUDIES):
        study = near_equal(seed)
        if len(set(study.images.tolist())) > 1 and len(set(study.annotators.tolist())) > 1:
            yield study


def exact_components(study, first, second):
    """Components of images, annotators and rest by the equations of Gao and Owen, as fractions."""
    of = [Fraction(x) for x in (study.distances[:, first] - study.distances[:, second]).tolist()]
    n = len(of)

    def within(groups):
        sizes, sums = Counter(groups), Counter()
        for group, x in zip(groups, of, strict=True):
            sums[group] += x
        return sum(x * x for x in of) - sum(sums[at] ** 2 / sizes[at] for at in sizes), sizes

    in_image, n_i = within(study.images.tolist())
    in_annotator, n_a = within(study.annotators.tolist())
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


def test_components_have_the_signs_of_exact_arithmetic():
    n_zero = 0
    for study in studies():
        parts = np.array(raw_components(study)[0]).T
        pairs = combinations(range(len(study.protocols)), 2)
        for found, (a, b) in zip(parts, pairs, strict=True):
            exact, whole = exact_components(study, a, b)
            assert np.sign(found).tolist() == [(of > 0) - (of < 0) for of in exact]
            # Sums of numbers that need not be whole are rounded.
            error = (1e-12 if getattr(study, "scale", 0) else 1e-10) * float(whole)
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
            (image, annotator, rest), _ = exact_components(study, a, b)
            variance = annotator * of_a + rest / n + max(image, 0) * of_i
            found = moments(pair).of_mean[0]
            assert (found > 0, found < 0) == (variance > 0, variance < 0)
            n_without += variance == 0
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
