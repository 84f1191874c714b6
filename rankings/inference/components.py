"""Components of variance of unbalanced crossed random effects, by method of moments ([GO17]_)."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..orders.packed_scores import Floats

# A component, a mean square or a difference of at most this share of what it is a part of is 0: it is
# 0 by design, as for annotators who agree on a difference, and its sign comes from rounding. This is
# the only such number in inference; verify.py has the same.
ZERO: Final = 1e-9


def components(
    total: Floats,
    in_image: Floats,
    in_annotator: Floats,
    n_i: NDArray[np.integer[Any]],
    n_a: NDArray[np.integer[Any]],
) -> tuple[Floats, Floats, Floats]:
    """Return the components of images and annotators, which may be negative, and of the rest.

    ``total``, ``in_image`` and ``in_annotator``, of any one shape, are sums of squares of some
    numbers around their mean, around the means of images and around those of annotators; ``n_i``
    and ``n_a`` the numbers of values for each of at least two images and of at least two
    annotators. A component that the design cannot separate from the rest is 0 and included in the
    rest; so is one of at most :data:`ZERO` of the variance of all values.
    """
    n = int(n_i.sum())
    # How many of the n^2 ordered pairs of rankings are of two images, and of two annotators.
    two_images, two_annotators = n**2 - float((n_i**2).sum()), n**2 - float((n_a**2).sum())
    # Expectations ([GO17]_, 3.1), v being the components:
    #   in_image / (n - images)         v_annotator + v_rest
    #   in_annotator / (n - annotators) v_image + v_rest
    #   n total                         v_image two_images + v_annotator two_annotators + v_rest (n^2 - n)
    by_image = in_image / (n - len(n_i)) if n > len(n_i) else None
    by_annotator = in_annotator / (n - len(n_a)) if n > len(n_a) else None
    image = annotator = np.zeros_like(total)
    if by_image is not None and by_annotator is not None:
        known = by_image * two_annotators + by_annotator * two_images - n * total
        rest = np.maximum(known / (two_images + two_annotators - (n**2 - n)), 0)
        image, annotator = by_annotator - rest, by_image - rest
    elif by_annotator is not None:
        # One ranking per image: the images' part is included in the rest.
        rest = by_annotator
        annotator = (n * total - rest * (n**2 - n)) / two_annotators
    elif by_image is not None:
        rest = by_image
        image = (n * total - rest * (n**2 - n)) / two_images
    else:
        rest = n * total / (n**2 - n)
    whole = n * total / (n**2 - n)
    return (
        without_rounding(image, whole),
        without_rounding(annotator, whole),
        without_rounding(rest, whole),
    )


def without_rounding(values: Floats | float, whole: Floats | float) -> Floats:
    """Return values, with 0 for those of at most :data:`ZERO` of the ``whole``.

    Parameters
    ----------
    values, whole : ndarray or float
        Of shapes that broadcast; the result has their common shape.
    """
    return np.where(np.abs(values) > ZERO * np.asarray(whole), values, 0.0)
