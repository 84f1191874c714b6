"""Sentinels: measures that ignore the ground truth and so should not agree with people ([P24]_)."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from .core.base import Family, ImageScore, Protocol, Scene, Tally
from .core.geometry import Floats, Shapes

# The number of detections, and the side in pixels, that score one half.
_HALF_COUNT: Final = 10.0
_HALF_SIDE_PX: Final = 100.0


@dataclass(frozen=True)
class _Sentinel(Protocol):
    """A score that grows with x, x / (x + half), as recall, precision and F-score alike.

    It has no matches. The score of a result set is the mean over its images.
    """

    reference: ClassVar[str] = "P24"
    family: ClassVar[Family] = "Sentinels, which do not use the ground truth"
    is_sentinel: ClassVar[bool] = True
    has_matches: ClassVar[bool] = False
    half: ClassVar[float]

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        scores = []
        for scene in scenes:
            detections = scene.detections or ()
            x = self.measured(Shapes(detections, masks=True).areas)
            value = x / (x + self.half)
            tally = Tally(value, 1, value, 1)
            scores.append(ImageScore(value, value, value, tally, indicators={"measured": x}))
        return scores

    @abstractmethod
    def measured(self, areas: Floats) -> float:
        """Return x, from the areas of an image's detections."""


@dataclass(frozen=True)
class Count(_Sentinel):
    """The number of detections, right or wrong: n / (n + 10)."""

    slug: ClassVar[str] = "count"
    name: ClassVar[str] = "Sentinel: count"
    summary: ClassVar[str] = "How many detections there are, right or wrong."
    half: ClassVar[float] = _HALF_COUNT

    def measured(self, areas: Floats) -> float:
        return float(len(areas))


@dataclass(frozen=True)
class TotalArea(_Sentinel):
    """The area of all detections together: s / (s + 100), s the side of a square of that area.

    Overlapping areas of detections count several times.
    """

    slug: ClassVar[str] = "total-area"
    name: ClassVar[str] = "Sentinel: total area"
    summary: ClassVar[str] = "How much area the detections have together, right or wrong."
    half: ClassVar[float] = _HALF_SIDE_PX

    def measured(self, areas: Floats) -> float:
        return math.sqrt(math.fsum(areas))


@dataclass(frozen=True)
class MeanSize(_Sentinel):
    """The size of the detections: s / (s + 100), s the side of a square of their mean area."""

    slug: ClassVar[str] = "mean-size"
    name: ClassVar[str] = "Sentinel: mean size"
    summary: ClassVar[str] = "How large the detections are on average, right or wrong."
    half: ClassVar[float] = _HALF_SIDE_PX

    def measured(self, areas: Floats) -> float:
        return math.sqrt(math.fsum(areas) / len(areas)) if len(areas) else 0.0
