"""Promises of plans without a pilot, compared with simulated studies."""

import math
from dataclasses import replace

import numpy as np
import pytest

from rankings.design.designs import Components, Design
from rankings.design.power import power
from rankings.design.simulation import Simulated, outcome
from tests.support.cases import cases

USUAL = Simulated(
    *(3, 100, 7), per_image=3, farther=3, model="normal", even=True, difference=0.08
)  # fmt: skip


def promised(study):
    """The power that a plan promises to a study of normal effects."""
    parts = Components(
        study.image, study.annotator, study.rest, prior=None, protocols=study.protocols
    )
    design = Design(study.images, study.annotators, study.per_image, study.repeated)
    alpha = 0.05 / math.comb(study.protocols, 2)
    return power(parts, design, study.difference, alpha=alpha)


def found(study, n_studies):
    """The share of true differences that simulated studies find."""
    return outcome(study, n_studies, seed=study.images).power


def test_three_people_find_what_is_promised_to_them():
    """Each on its own 2 degrees of freedom, the pairs would be promised .27."""
    assert promised(USUAL) == pytest.approx(0.85, abs=0.01)
    assert found(USUAL, 100) == pytest.approx(promised(USUAL), abs=0.07)
    parts = Components(USUAL.image, USUAL.annotator, USUAL.rest)
    assert power(parts, Design(100, 3, 3), 0.08, alpha=0.05 / 21) < 0.3


@cases(
    ("images", "image", "annotator", "rest", "difference"),
    [
        (100, 0.01123, 0.00051, 0.01191, 0.1616),
        (150, 0.00296, 0.00021, 0.00678, 0.0343),
        (60, 0.00540, 0.00310, 0.00920, 0.1300),
    ],
)
def test_two_people_find_what_is_promised_to_them(images, image, annotator, rest, difference):
    """At the annotators' expected mean square, they were promised .96, .24 and .30."""
    study = replace(USUAL, annotators=2, images=images, protocols=2, per_image=2, farther=1)
    study = replace(study, image=image, annotator=annotator, rest=rest, difference=difference)
    assert found(study, 1000) == pytest.approx(promised(study), abs=0.07)


def test_two_of_eight_people_an_image_find_what_is_promised_to_them():
    """With the images' part taken out before pairs share what they tell, they found .35 of .79."""
    study = replace(USUAL, annotators=8, images=60, per_image=2, protocols=15, farther=7)
    study = replace(study, image=0.024, annotator=0.0004, rest=0.057, difference=0.14)
    assert found(study, 60) == pytest.approx(promised(study), abs=0.09)


def drawn_design(rng):
    """Two to twenty people, one to three of them an image, and variances as in several worlds."""
    protocols, methods = int(rng.choice([2, 7, 15])), int(rng.integers(2, 11))
    people = int(rng.choice([2, 3, 4, 5, 6, 8, 10, 12, 15, 20]))
    variance = rng.uniform(0.205, 0.23) * (1 + 0.14 * (methods - 2)) / math.comb(methods, 2)
    of_image = rng.uniform(0.08, 0.51)
    per_image = int(rng.integers(1, min(people, 3) + 1))
    return Simulated(
        *(people, int(rng.choice([40, 60, 100, 150, 200])), protocols, methods),
        per_image=per_image,
        repeated=0.15 if per_image == 1 and people > 2 and rng.random() < 0.5 else 0.0,
        farther=protocols // 2,
        model="normal",
        image=variance * of_image,
        annotator=rng.uniform(0, 0.0039),
        rest=variance * (1 - of_image),
        difference=float(10 ** rng.uniform(-1.7, -0.7)),
        even=True,
    )


@pytest.mark.release
def test_promises_are_kept_by_drawn_studies():
    """A thousand like these, and those beyond 7 points, are in docs/validation/promises.md."""
    rng = np.random.default_rng(3)
    differences = []
    while len(differences) < 40:
        study = drawn_design(rng)
        if 0.1 < promised(study) < 0.98:
            differences.append(promised(study) - found(study, 200))
    assert abs(np.mean(differences)) < 0.03
    assert np.sqrt(np.mean(np.square(differences))) < 0.05
    assert max(map(abs, differences)) < 0.15
