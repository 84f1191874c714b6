"""What every protocol is: parameters, and a function from scenes to scores with their matches."""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from .errors import ParameterError
from .regions import Region

Kind = Literal["one-to-one", "split", "merge"]


@dataclass(frozen=True, slots=True)
class Scene:
    """One image: what should be found and what a method found.

    ``detections`` is None where a result set has no file for the image; most protocols treat it
    as an empty file, some do not.
    """

    truth: tuple[Region, ...]
    detections: tuple[Region, ...] | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Truths and detections that belong together, by their indices, and what they earn."""

    truth: tuple[int, ...]
    detections: tuple[int, ...]
    kind: Kind
    recall_credit: float
    precision_credit: float


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A region without a match, and why."""

    side: Literal["truth", "detection"]
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Tally:
    """Credits and counts: added over images first, divided last."""

    recalled: float
    n_truth: int
    precise: float
    n_detections: int


@dataclass(frozen=True, slots=True)
class ImageScore:
    """A protocol's score of one image; None is undefined."""

    recall: float | None
    precision: float | None
    f_score: float | None
    tally: Tally
    matches: tuple[Match, ...] = ()
    unmatched: tuple[Unmatched, ...] = ()
    indicators: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OverallScore:
    """The official figures of a result set, beside the mean over its images."""

    recall: float | None
    precision: float | None
    f_score: float | None
    mean_recall: float | None
    mean_precision: float | None
    mean_f_score: float | None
    n_images: int
    n_undefined: int


def f_score(recall: float | None, precision: float | None) -> float | None:
    """Return the harmonic mean; 0 when both are 0, None when one is undefined."""
    if recall is None or precision is None:
        return None
    below = recall + precision
    return 2.0 * recall * precision / below if below else 0.0


def parameter(
    default: Any, *, says: str, low: float = 0.0, high: float = 1.0, rrc: str = ""
) -> Any:
    """Declare a parameter of a protocol: its published default, range, meaning and RRC name."""
    return field(default=default, metadata={"low": low, "high": high, "says": says, "rrc": rrc})


@dataclass(frozen=True)
class Protocol(ABC):
    """A function from ground truth and detections to scores; its fields are its parameters.

    Raises
    ------
    ParameterError
        On creation, if a parameter is outside its range; names parameter, range and value.
    """

    slug: ClassVar[str]
    name: ClassVar[str]
    reference: ClassVar[str]
    summary: ClassVar[str]

    def __post_init__(self) -> None:
        for declared in fields(self):
            _check(declared, getattr(self, declared.name))

    def parameters(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @abstractmethod
    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        """Return the score of each scene; a whole result set per call is fastest."""

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the official figures of a result set: credits added over images, then divided."""
        recall = _ratio(
            math.fsum(score.tally.recalled for score in scores),
            sum(score.tally.n_truth for score in scores),
        )
        precision = _ratio(
            math.fsum(score.tally.precise for score in scores),
            sum(score.tally.n_detections for score in scores),
        )
        return OverallScore(
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            mean_recall=_mean([score.recall for score in scores]),
            mean_precision=_mean([score.precision for score in scores]),
            mean_f_score=_mean([score.f_score for score in scores]),
            n_images=len(scores),
            n_undefined=sum(score.recall is None or score.precision is None for score in scores),
        )


def _check(declared: dataclasses.Field[Any], value: Any) -> None:
    if isinstance(declared.default, bool):
        if not isinstance(value, bool):
            raise ParameterError(f"{declared.name} must be true or false, got {value!r}")
        return
    low, high = declared.metadata["low"], declared.metadata["high"]
    a_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not a_number or not low <= value <= high:
        raise ParameterError(
            f"{declared.name} must be a number in [{low:g}, {high:g}], got {value!r}"
        )


def _ratio(above: float, below: int) -> float:
    return above / below if below else 0.0


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None
