"""The base of every protocol: parameters, and a function from scenes to scores with matches."""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final, Literal, Self

from .errors import ParameterError
from .regions import Region

Kind = Literal["one-to-one", "split", "merge", "many-to-many"]
Side = Literal["truth", "detection"]
# Fields of a region besides its outline.
Field = Literal["text", "label", "confidence", "cell"]
# The input that a protocol requires.
Needs = Literal["regions", "text", "detected text", "confidences", "cells", "several methods"]

# The same in words, without regions, which are always present.
NEEDED: Final[Mapping[Needs, str]] = {
    "text": "transcriptions",
    "detected text": "transcriptions on both sides",
    "confidences": "confidences",
    "cells": "table cells",
    "several methods": "results of several methods",
}
# Groups of protocols that answer the same question, in the order in which they are listed.
Family = Literal[
    "Intersection over union",
    "Shares of areas",
    "Coverage and accuracy",
    "Characters",
    "What was read",
    "Tables",
    "Other questions",
    "Sentinels, which do not use the ground truth",
]


@dataclass(frozen=True, slots=True)
class Scene:
    """One image: its ground truth and a method's detections.

    ``detections`` is None if a result set has no file for the image; most protocols treat it as an
    empty file, some do not. ``parents`` maps ids of upper-level regions (lines) to their shapes, if
    the ground truth has them. The size in pixels is None if unknown.
    """

    truth: tuple[Region, ...]
    detections: tuple[Region, ...] | None
    name: str = ""
    width: float | None = None
    height: float | None = None
    parents: Mapping[str, Region] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(map(self.__getattribute__, self.__slots__))


@dataclass(frozen=True, slots=True)
class Match:
    """Truths and detections that belong together, by their indices, and their credits."""

    truth: tuple[int, ...]
    detections: tuple[int, ...]
    kind: Kind
    recall_credit: float
    precision_credit: float


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A region without a match, and why."""

    side: Side
    index: int
    reason: str

    @property
    def is_out(self) -> bool:
        """Whether the region does not count, because it is ignored or left out."""
        return "ignored region" in self.reason or "left out" in self.reason


@dataclass(frozen=True, slots=True)
class Tally:
    """Credits and counts (or weights): added over images first, divided last."""

    recalled: float
    n_truth: float
    precise: float
    n_detections: float

    @property
    def figures(self) -> tuple[float | None, float | None, float | None]:
        """Recall, precision and F-score, undefined (None) where nothing is counted."""
        recall = self.recalled / self.n_truth if self.n_truth else None
        precision = self.precise / self.n_detections if self.n_detections else None
        return recall, precision, f_score(recall, precision)

    @classmethod
    def total(cls, tallies: Iterable["Tally"]) -> Self:
        """Return the exact sums over images."""
        every = list(tallies)
        return cls(
            math.fsum(tally.recalled for tally in every),
            math.fsum(tally.n_truth for tally in every),
            math.fsum(tally.precise for tally in every),
            math.fsum(tally.n_detections for tally in every),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(map(self.__getattribute__, self.__slots__))


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
    # Counted detections by descending confidence: confidence, and whether it is matched.
    ranked: tuple[tuple[float, bool], ...] = ()
    # Counts by bin, for drawing.
    histograms: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(map(self.__getattribute__, self.__slots__))


@dataclass(frozen=True, slots=True)
class OverallScore:
    """The official figures of a result set, in addition to the mean over its images."""

    recall: float | None
    precision: float | None
    f_score: float | None
    mean_recall: float | None
    mean_precision: float | None
    mean_f_score: float | None
    n_images: int
    n_undefined: int
    indicators: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variant:
    """A published way of computing a protocol that differs in parameters only.

    It is requested as ``slug:variant``; ``says`` names its origin in a few words.
    """

    parameters: Mapping[str, Any]
    says: str


def f_score(recall: float | None, precision: float | None) -> float | None:
    """Return the harmonic mean; 0 when both are 0, None when one is undefined.

    Parameters
    ----------
    recall, precision : float in [0, 1], or None

    Examples
    --------
    >>> f_score(1.0, 0.5)
    0.6666666666666666
    >>> f_score(0.0, 0.0)
    0.0
    >>> f_score(1.0, None) is None
    True
    """
    if recall is None or precision is None:
        return None
    below = recall + precision
    return 2.0 * recall * precision / below if below else 0.0


def parameter(
    default: Any,
    *,
    says: str,
    low: float = 0.0,
    high: float = 1.0,
    rrc: str = "",
    reads: Field | None = None,
) -> Any:
    """Declare a number or a switch: its published default, range, meaning and RRC name.

    Parameters
    ----------
    default : bool, int or float
        The published value.
    says : str
        Meaning, for readers.
    low, high : float
        Its range; a switch has none.
    rrc : str
        Its name in the scripts of the Robust Reading Competition.
    reads : Field or None
        The field of regions that a switch reads.

    Examples
    --------
    >>> parameter(0.5, says="The least overlap.").metadata["high"]
    1.0
    """
    return field(
        default=default,
        metadata={"low": low, "high": high, "says": says, "rrc": rrc, "reads": reads},
    )


def choice(default: str, *others: str, says: str, shared: bool = False, rrc: str = "") -> Any:
    """Declare a parameter with named values, the published one first.

    A ``shared`` one belongs to a family of protocols and is listed after a protocol's own.

    Parameters
    ----------
    default, *others : str
    says : str
        Meaning, for readers.
    shared : bool
    rrc : str
        Its name in the scripts of the Robust Reading Competition.

    Examples
    --------
    >>> choice("word", "line", says="What is counted.").metadata["choices"]
    ('word', 'line')
    """
    choices = (default, *others)
    metadata = {"choices": choices, "says": says, "rrc": rrc, "shared": shared}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Protocol(ABC):
    """A function from ground truth and detections to scores; its fields are its parameters.

    Raises
    ------
    ParameterError
        On creation, if a parameter is outside its range; the message has name, range and value.
    """

    slug: ClassVar[str]
    name: ClassVar[str]
    reference: ClassVar[str]
    summary: ClassVar[str]
    family: ClassVar[Family]
    needs: ClassVar[Needs] = "regions"
    # Fields of both sides that it compares if they are there, besides those that it needs.
    compares: ClassVar[tuple[Field, ...]] = ()
    # Whether it ignores the ground truth, so that it should not agree with people.
    is_sentinel: ClassVar[bool] = False
    # Whether it reports which truths and detections belong together.
    has_matches: ClassVar[bool] = True
    # Whether recall and precision are the mean credit of single regions, so that the loss of a
    # region has a cost (causes.py); true for protocols that add up credits.
    has_causes: ClassVar[bool] = False
    # Whether the order of truths or detections can change a score, by the published definition.
    depends_on_order: ClassVar[bool] = False
    # Whether regions are measured by their upright bounding boxes, whatever their shape.
    measures_boxes: ClassVar[bool] = False
    # Whether an image's score depends on other images, so that they cannot be cut into chunks.
    needs_all_images: ClassVar[bool] = False
    # Origin of the protocol without a variant, if its name does not say so.
    as_published: ClassVar[str] = ""
    # Other published ways of computing it, by name.
    variants: ClassVar[Mapping[str, Variant]] = {}

    def __post_init__(self) -> None:
        for declared in fields(self):
            _check(declared, getattr(self, declared.name))

    @classmethod
    def declared(cls) -> list[dataclasses.Field[Any]]:
        """Return the parameters as fields, its own before the shared ones."""
        return sorted(fields(cls), key=lambda declared: declared.metadata.get("shared", False))

    @property
    def reads_sizes(self) -> bool:
        """Whether the size of an image can change its score."""
        return False

    @property
    def variant_name(self) -> str:
        """The variant whose parameters it has, or ""; of several, the one with most parameters."""
        mine = self.parameters()
        fitting = [
            (len(variant.parameters), name)
            for name, variant in self.variants.items()
            if all(mine[key] == value for key, value in variant.parameters.items())
        ]
        return max(fitting, default=(0, ""), key=lambda found: found[0])[1]

    @property
    def full_slug(self) -> str:
        """Return its slug with its variant, in the form that ``registry.get`` accepts."""
        return f"{self.slug}:{self.variant_name}" if self.variant_name else self.slug

    def parameters(self) -> dict[str, Any]:
        return {declared.name: getattr(self, declared.name) for declared in self.declared()}

    def fields_read(self) -> set[Field]:
        """Return the fields of detections that can change a score."""
        needed: dict[Needs, Field] = {"detected text": "text", "confidences": "confidence"}
        switched = [
            declared.metadata["reads"]
            for declared in fields(self)
            if declared.metadata.get("reads") and getattr(self, declared.name) is True
        ]
        return {*self.compares, *switched, *filter(None, [needed.get(self.needs)])}

    def settled_for(self, truth: Iterable[Region]) -> Self:
        """Return the protocol with the parameters fixed that depend on a dataset's ground truth.

        Callers that score a dataset in parts call this once, before scoring.
        """
        return self

    @abstractmethod
    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        """Return the score of each scene; a whole result set per call is fastest."""

    def score_methods(self, results: Mapping[str, Sequence[Scene]]) -> dict[str, list[ImageScore]]:
        """Return the scores of several methods on the same images, each in the same order.

        A method's scores depend on the others only if the protocol says so.
        """
        return {method: self.score(scenes) for method, scenes in results.items()}

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the official figures of a result set: credits added over images, then divided."""
        total = Tally.total(score.tally for score in scores)
        recall = _ratio(total.recalled, total.n_truth)
        precision = _ratio(total.precise, total.n_detections)
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


def official(protocol: Protocol, scores: Sequence[ImageScore]) -> OverallScore:
    """Return the official figures; without any score, all of them are undefined.

    ``overall`` of no images would be the score for no truth and no detections, which is 1 for
    several protocols.
    """
    overall = protocol.overall(scores)
    if scores:
        return overall
    indicators = dict.fromkeys(overall.indicators)
    return OverallScore(None, None, None, None, None, None, 0, 0, indicators)


def _check(declared: dataclasses.Field[Any], value: Any) -> None:
    if isinstance(declared.default, bool):
        if not isinstance(value, bool):
            raise ParameterError(f"{declared.name} must be true or false, got {value!r}")
        return
    if "choices" in declared.metadata:
        choices = declared.metadata["choices"]
        if not isinstance(value, str) or value not in choices:
            raise ParameterError(
                f"{declared.name} must be one of {', '.join(choices)}; got {value!r}"
            )
        return
    low, high = declared.metadata["low"], declared.metadata["high"]
    a_number = isinstance(value, int | float) and not isinstance(value, bool)
    whole = isinstance(declared.default, int)
    if not a_number or not low <= value <= high or (whole and not float(value).is_integer()):
        if whole:
            raise ParameterError(
                f"{declared.name} must be a whole number in [{low:g}, {high:g}], got {value!r}"
            )
        raise ParameterError(
            f"{declared.name} must be a number in [{low:g}, {high:g}], got {value!r}"
        )


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None
