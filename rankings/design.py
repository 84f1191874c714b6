"""How many images, annotators and annotators of an image find a difference between two protocols.

The mean difference over I images by A annotators, r of them an image, varies by::

    v_image / I + v_annotator / A + v_rest / (I r)

and is tested as in :mod:`.multi_reader`, whose degrees of freedom are taken here at the components
themselves. Power is that of Student's t: the noncentral t of the difference in standard errors.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from .errors import RankingError
from .multi_reader import ONE_ANNOTATOR, PersonalDistances, moments_of, raw_components
from .significance import ALPHA

POWER: Final = 0.8
# Nobody ranks more images; a design that needs more is none.
MOST_IMAGES: Final = 100_000
# Beyond, Student's t is the normal distribution, and a difference of so many errors is found for certain.
_MOST_DEGREES: Final = 1e6
_MOST_ERRORS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Components:
    """Components of the variance of the difference of two protocols on one image by one annotator.

    Attributes
    ----------
    image, annotator, rest : float
        None below 0.
    negative : tuple of str
        Which of them came out below 0 and count as 0.
    image_is_apart : bool
        Whether images could be told apart from the rest; if not, all of both stands as image, with
        which more annotators of an image never seem to help.
    """

    image: float
    annotator: float
    rest: float
    negative: tuple[str, ...] = ()
    image_is_apart: bool = True

    def __post_init__(self) -> None:
        for name in ("image", "annotator", "rest"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise RankingError(f"the component of {name} must not be negative, got {value}")


@dataclass(frozen=True, slots=True)
class Design:
    """Images, annotators, and how many annotators each image has.

    Attributes
    ----------
    n_images, n_annotators : int
    per_image : int
        Annotators of an image, each of whom ranks as many images as the others.
    repeated : float
        The share of images that have ``repeats`` annotators instead.
    """

    n_images: int
    n_annotators: int
    per_image: int = 1
    repeated: float = 0.0
    repeats: int = 3

    def __post_init__(self) -> None:
        for name in ("n_images", "n_annotators", "per_image", "repeats"):
            if getattr(self, name) < 1:
                raise RankingError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.repeated <= 1:
            raise RankingError(f"repeated must be from 0 to 1, got {self.repeated}")
        if self.most_of_an_image > self.n_annotators:
            raise RankingError(
                f"{self.most_of_an_image} annotators an image are more than the {self.n_annotators} there are"
            )

    @property
    def n_repeated(self) -> int:
        """The images with ``repeats`` annotators."""
        return math.ceil(self.repeated * self.n_images - 1e-9)

    @property
    def most_of_an_image(self) -> int:
        return max(self.per_image, self.repeats) if self.repeated else self.per_image

    @property
    def n_rankings(self) -> int:
        return self.n_images * self.per_image + self.n_repeated * (self.repeats - self.per_image)


def components_of(measured: PersonalDistances) -> Components:
    """Return the mean components of all pairs of protocols.

    Means of estimates that may be negative, each without bias; a mean below 0 counts as 0.

    Raises
    ------
    RankingError
        With fewer than two protocols, images or annotators.

    Examples
    --------
    By the one annotator both protocols are as near, by the other the first is 2 farther.

    >>> image, annotator = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> apart = np.array([[0.0, 0], [2, 0], [0, 0], [2, 0]])
    >>> components_of(PersonalDistances(("p", "q"), image, annotator, apart))
    Components(image=0.0, annotator=2.0, rest=0.0, negative=(), image_is_apart=True)
    """
    n_images, n_annotators = (len(np.unique(of)) for of in (measured.images, measured.annotators))
    if len(measured.protocols) < 2:
        raise RankingError("components of variance need at least two protocols")
    if n_images < 2:
        raise RankingError("components of variance need at least two images")
    if n_annotators < 2:
        raise RankingError(f"{ONE_ANNOTATOR}: components of variance need at least two")
    parts, n_i, n_a = raw_components(measured)
    image, annotator, rest = (float(part.mean()) for part in parts)
    is_apart = bool((n_i > 1).any())
    if not is_apart:
        image, rest = rest, 0.0
    elif not (n_a > 1).any():
        # One ranking an annotator: the annotators' part is in the rest, and is taken as theirs.
        annotator, rest = rest, 0.0
    found = {"image": image, "annotator": annotator, "rest": rest}
    negative = tuple(name for name, value in found.items() if value < 0)
    return Components(
        **{name: max(value, 0.0) for name, value in found.items()},
        negative=negative,
        image_is_apart=is_apart,
    )


def spread(parts: Components, design: Design) -> tuple[float, float]:
    """Return the variance of the mean difference, and the degrees of freedom of its test.

    Parameters
    ----------
    parts : Components
    design : Design

    Returns
    -------
    variance, degrees_of_freedom : float

    Examples
    --------
    Ten images, one ranking each, by five people: 0.1 / 5 + (0.4 + 0.1) / 10.

    >>> variance, _ = spread(Components(image=0.4, annotator=0.1, rest=0.1), Design(10, 5))
    >>> round(variance, 4)
    0.07
    """
    n, i, a = design.n_rankings, design.n_images, design.n_annotators
    # Rankings an annotator are as even as they can be.
    low, more = divmod(n, a)
    of_a = (more * (low + 1) ** 2 + (a - more) * low**2) / n**2
    n_once, n_often = i - design.n_repeated, design.n_repeated
    of_i = (n_once * design.per_image**2 + n_often * design.repeats**2) / n**2
    image, rest = parts.image, parts.rest
    if design.most_of_an_image == 1:
        # The test cannot tell them apart: one ranking an image.
        image, rest = 0.0, image + rest
    free = max(n - i - min(a, n) + 1, 1)
    arrays = np.array([image]), np.array([parts.annotator]), np.array([rest])
    found = moments_of(arrays, (of_i, of_a), n, free)
    return float(found.of_mean[0]), float(found.degrees_of_freedom[0])


def power(parts: Components, design: Design, difference: float, *, alpha: float = ALPHA) -> float:
    """Return the chance that the test at ``alpha`` finds a true difference.

    Parameters
    ----------
    parts : Components
    design : Design
    difference : float
        Of the mean distances, in the unit of the components' roots.
    alpha : float
        Between 0 and 1.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    RankingError
        If ``alpha`` is not between 0 and 1, or there are fewer than two images or annotators.

    Examples
    --------
    >>> round(power(Components(0.4, 0.1, 0.1), Design(10, 5), 0.0), 4)  # what is not there is found in 5 %
    0.05
    """
    _check(design.n_annotators, alpha)
    if design.n_images < 2:
        raise RankingError("a test needs at least two images")
    variance, degrees = spread(parts, design)
    return _power(variance, degrees, difference, alpha)


def least_difference(
    parts: Components, design: Design, *, share: float = POWER, alpha: float = ALPHA
) -> float:
    """Return the smallest true difference that the test finds with a power of ``share``.

    Parameters
    ----------
    parts : Components
    design : Design
    share, alpha : float
        Between 0 and 1.

    Returns
    -------
    float
        In the unit of the components' roots; 0 where nothing varies.

    Raises
    ------
    RankingError
        As :func:`power`, or if ``share`` is not between 0 and 1.

    Examples
    --------
    >>> parts, design = Components(0.4, 0.1, 0.1), Design(10, 5)
    >>> round(power(parts, design, least_difference(parts, design)), 6)
    0.8
    """
    _check(design.n_annotators, alpha, share)
    variance, degrees = spread(parts, design)
    if not variance:
        return 0.0
    low, high = 0.0, 1.0
    while _power(1.0, degrees, high, alpha) < share:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if _power(1.0, degrees, middle, alpha) < share:
            low = middle
        else:
            high = middle
    return high * math.sqrt(variance)


def needed_images(
    parts: Components,
    design: Design,
    difference: float,
    *,
    share: float = POWER,
    alpha: float = ALPHA,
) -> int | None:
    """Return the fewest images of a design that find a difference with a power of ``share``.

    Parameters
    ----------
    parts : Components
    design : Design
        Its number of images is not looked at.
    difference : float
        Above 0.
    share, alpha : float
        Between 0 and 1.

    Returns
    -------
    int or None
        None where :data:`MOST_IMAGES` do not suffice: the annotators are too few then.

    Raises
    ------
    RankingError
        If the difference is not above 0, or ``share`` or ``alpha`` not between 0 and 1.

    Examples
    --------
    With Student's t of about 26 degrees of freedom: (2.05 + 0.86)^2 / 0.5^2 is 33.9.

    >>> needed_images(Components(image=0.0, annotator=0.0, rest=1.0), Design(2, 30), 0.5)
    34
    """
    _check(design.n_annotators, alpha, share)
    if not difference > 0:
        raise RankingError(f"the difference must be above 0, got {difference}")

    def suffices(n_images: int) -> bool:
        return power(parts, replace(design, n_images=n_images), difference, alpha=alpha) >= share

    # As many rankings as annotators at least, and two images.
    few = high = max(2, -(-design.n_annotators // design.per_image))
    while not suffices(high):
        if high >= MOST_IMAGES:
            return None
        high = min(2 * high, MOST_IMAGES)
    low = max(few - 1, high // 2) if high > few else few - 1
    while high - low > 1:
        middle = (low + high) // 2
        if suffices(middle):
            high = middle
        else:
            low = middle
    return high


def needed_annotators(
    parts: Components,
    difference: float,
    *,
    share: float = POWER,
    alpha: float = ALPHA,
    most: int = 10_000,
) -> int | None:
    """Return the fewest annotators with whom some number of images suffices.

    Parameters
    ----------
    parts : Components
    difference : float
        In the unit of the components' roots.
    share, alpha : float
        Between 0 and 1.
    most : int

    Returns
    -------
    int or None
        None above ``most``.

    Raises
    ------
    RankingError
        If ``share`` or ``alpha`` is not between 0 and 1.

    Examples
    --------
    The paired t-test finds a difference of one standard deviation with ten people (its power is 0.803).

    >>> needed_annotators(Components(image=0.0, annotator=1.0, rest=0.0), 1.0)
    10
    """
    low, high = 1, 2

    def suffices(n: int) -> bool:
        # With images without end the annotators' part is all that is left.
        variance = parts.annotator / n
        return _power(variance, n - 1.0, difference, alpha) >= share

    _check(high, alpha, share)
    while not suffices(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _check(n_annotators: int, alpha: float, share: float = POWER) -> None:
    if n_annotators < 2:
        raise RankingError(f"{ONE_ANNOTATOR}: a test needs at least two annotators")
    for name, value in (("alpha", alpha), ("power", share)):
        if not 0 < value < 1:
            raise RankingError(f"{name} must be between 0 and 1, got {value}")


def _power(variance: float, degrees: float, difference: float, alpha: float) -> float:
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    if not difference:
        return alpha
    errors = abs(difference) / math.sqrt(variance) if variance else math.inf
    if errors > _MOST_ERRORS:
        return 1.0
    if degrees > _MOST_DEGREES:
        limit = -float(ndtri(alpha / 2))
        return float(ndtr(errors - limit) + ndtr(-errors - limit))
    limit = -float(stdtrit(degrees, alpha / 2))
    return float(1 - nctdtr(degrees, errors, limit) + nctdtr(degrees, errors, -limit))
