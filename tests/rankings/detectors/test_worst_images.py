"""The images on which a detector loses most: by arrays as by a plain loop over the images."""

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.detectors.worst_images import Figures, worst_images

shares = st.none() | st.sampled_from([0.0, 0.25, 0.5, 1.0])
by_image = st.dictionaries(st.integers(1, 30), shares)


def figures(of):
    return Figures.of_rows(
        (image, value, None if value is None else 1 - value) for image, value in of.items()
    )


@given(by_image, by_image, st.booleans())
def test_against_another_the_cost_is_the_difference_on_shared_images(own, other, are_losses):
    images = figures(other).shared_with(sorted(own))
    assert images.tolist() == sorted(own.keys() & other.keys())
    worst = worst_images(figures(own).on(images), figures(other).on(images), are_losses=are_losses)
    costs = {
        image: own[image] - other[image] if are_losses else other[image] - own[image]
        for image in own.keys() & other.keys()
        if None not in (own[image], other[image])
    }
    expected = sorted((-cost, image) for image, cost in costs.items() if cost > 0)
    assert worst.rows(0, 99) == [(at, -cost, own[at], other[at]) for cost, at in expected]


@given(by_image)
def test_alone_the_cost_is_what_is_lost_and_places_follow_it(own):
    worst = worst_images(figures(own), are_losses=False)
    lost = sorted((own[image], image) for image in own if own[image] not in (None, 1.0))
    assert worst.images == [image for _, image in lost]
    assert [worst.place(image) for _, image in lost] == list(range(len(worst)))
    assert worst.place(31) is None
    assert all(other is None for *_, other in worst.rows(0, len(worst)))


@given(by_image)
def test_packed_figures_are_what_they_were(own):
    kept, again = figures(own), Figures.unpacked(figures(own).packed())
    np.testing.assert_equal(vars(again), vars(kept))
    assert again.images.dtype == kept.images.dtype


@pytest.mark.parametrize("missing", [0.0, nan])
def test_an_image_without_a_figure_has_what_is_said(missing):
    found = figures({3: 0.5}).on(np.array([1, 3, 5]), missing)
    assert found.values.tolist() == pytest.approx([missing, 0.5, missing], nan_ok=True)
