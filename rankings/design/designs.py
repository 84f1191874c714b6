"""Designs of studies, and the variances that their power depends on."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..errors import RankingError

# A plan may call a difference out of reach by chance in this share of pilots.
RARE = 0.02


@dataclass(frozen=True, slots=True)
class Components:
    """Components of the variance of the difference of two protocols on one image by one annotator.

    ``negative`` names those that were estimated below 0 and count as 0. Unless ``image_is_apart``,
    images could not be separated from the rest: both count as image, and more annotators per image
    never seem to help. ``prior`` is what other pairs of protocols tell about the annotators' variance
    of one, in degrees of freedom (:mod:`.moderation`): None if pairs differ by chance only, so that
    a test of ``protocols`` has as many as it can. ``degrees`` of freedom of the estimate, None if the
    components are known;
    ``least_annotator`` is the annotators' component that would give such a large one in 2 % of pilots.
    With ``per_group`` annotators of a group, or ``per_scene`` images of a scene, above 1, groups or
    scenes are the units of the test: the component is the variance of their mean times this number.
    """

    image: float
    annotator: float
    rest: float
    negative: tuple[str, ...] = ()
    image_is_apart: bool = True
    prior: float | None = 0.0
    protocols: int = 2
    degrees: float | None = None
    least_annotator: float | None = None
    per_group: float = 1.0
    per_scene: float = 1.0

    def __post_init__(self) -> None:
        if self.prior is not None and not self.prior >= 0:
            raise RankingError(f"prior must not be negative, got {self.prior}")
        for name in ("image", "annotator", "rest"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise RankingError(f"the component of {name} must not be negative, got {value}")
        if self.degrees is not None and not self.degrees > 0:
            raise RankingError(f"degrees must be above 0, got {self.degrees}")
        for name in ("per_group", "per_scene"):
            if not 1 <= getattr(self, name) < math.inf:
                raise RankingError(f"{name} must be at least 1, got {getattr(self, name)}")

    @property
    def prior_degrees(self) -> float:
        """The prior degrees of freedom, infinite if the test has as many as it can."""
        return math.inf if self.prior is None else self.prior

    @property
    def scales(self) -> tuple[float, ...]:
        """The true components, relative to the estimated ones: nine equally likely values.

        Power is the mean over them (assurance): an estimate from few annotators may be wrong. They are the
        deciles of the variance's posterior, with one more degree of freedom than the estimate has: a
        prior between Jeffreys' (none) and the uniform shrinkage prior ([Dan99]_: two more). In
        simulations, the former says too often that no number of images suffices; the latter plans too few.
        """
        if self.degrees is None:
            return (1.0,)
        return _scales(self.degrees)

    @property
    def unlucky(self) -> "Components":
        """The components if the estimate is far too small: in one of ten pilots like this it is."""
        return self._known(self.scales[0])

    @property
    def lucky(self) -> "Components":
        """The components if the estimate is far too large: in one of fifty pilots like this it is."""
        if self.degrees is None:
            return self
        found = self._known(times_too_large(self.degrees))
        if self.least_annotator is None:
            return found
        return replace(found, annotator=self.least_annotator)

    def _known(self, scale: float) -> "Components":
        image, annotator, rest = (scale * of for of in (self.image, self.annotator, self.rest))
        return replace(self, image=image, annotator=annotator, rest=rest, degrees=None)


def times_too_large(degrees: float) -> float:
    """Return the true variance relative to an estimate so large that 2 % of estimates are larger."""
    from scipy.special import chdtri

    return degrees / float(chdtri(degrees, RARE))


@lru_cache(maxsize=64)
def _scales(degrees: float) -> tuple[float, ...]:
    from scipy.special import chdtri

    shares = np.arange(0.9, 0.05, -0.1)
    return tuple((degrees / chdtri(degrees + 1, shares)).tolist())


@dataclass(frozen=True, slots=True)
class Design:
    """Images, annotators, and how many annotators each image has.

    Each annotator ranks about as many images as the others; a share ``repeated`` of the images has
    ``repeats`` annotators instead of ``per_image``.
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
        """The number of images with ``repeats`` annotators."""
        return math.ceil(self.repeated * self.n_images - 1e-9)

    @property
    def most_of_an_image(self) -> int:
        return max(self.per_image, self.repeats) if self.repeated else self.per_image

    @property
    def n_rankings(self) -> int:
        return self.n_images * self.per_image + self.n_repeated * (self.repeats - self.per_image)
