"""The settings of a report, each declared once: forms, API, commands and pages loop over them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from ..consensus.rules import CONSENSUS_METHODS, ConsensusMethod
from ..errors import RankingError
from ..orders.distances import Distance, require_distance
from ..orders.from_scores import require_decimals

# None in addresses and options.
NONE: Final = "none"
# None in files.
_UNROUNDED: Final = "not rounded"


@dataclass(frozen=True, slots=True)
class Declared:
    """The words, choices and range of a setting.

    Attributes
    ----------
    words : str
        Its label on pages.
    choices : mapping
        The values that pages offer, with their words; empty if a number is entered.
    low, high : float
        The range that pages accept.
    help : str
        Of the option in a shell.
    default : object
        That of the field; its type is that of all values but None.
    """

    words: str
    choices: Mapping[Any, str] = field(default_factory=dict)
    low: float = 0
    high: float = math.inf
    help: str | None = None
    default: Any = None

    @property
    def is_closed(self) -> bool:
        """Whether the choices are all the values there are."""
        return bool(self.choices) and None not in self.choices

    def parsed(self, text: str) -> Any:
        """Return the value that a text in an address or an option means.

        Raises
        ------
        ValueError
            If the text is not of the type of the setting.
        """
        return None if text == NONE and None in self.choices else type(self.default)(text)

    def said(self, value: Any) -> str:
        """Return a value in words."""
        return self.choices.get(value) or (f"{value:g}" if isinstance(value, float) else str(value))


def _declared(words: str, **more: Any) -> dict[str, Declared]:
    return {"declared": Declared(words, **more)}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a report.

    Attributes
    ----------
    decimals : int or None
        Scores are rounded to this many decimals before they are ranked; None: not rounded.
    distance : "edit" or "kemeny"
    consensus : "mean-rank" or "kemeny"
    beta : float
        Preference is compared with the F-score of this beta.
    min_annotators : int
        An image counts once it has this many rankings.
    """

    decimals: int | None = field(
        default=4,
        metadata=_declared(
            "Decimals of the scores",
            choices={2: "2", 3: "3", 4: "4", None: _UNROUNDED},
            help="a number, or none",
        ),
    )
    distance: Distance = field(
        default="edit",
        metadata=_declared(
            "Distance", choices={"edit": "ranking edit distance", "kemeny": "Kemeny distance"}
        ),
    )
    consensus: ConsensusMethod = field(
        default="mean-rank",
        metadata=_declared(
            "Consensus",
            choices={"mean-rank": "mean rank", "kemeny": "Kemeny (the nearest of all rankings)"},
        ),
    )
    beta: float = field(default=1.0, metadata=_declared("Beta of the F-score", low=0.01, high=100))
    min_annotators: int = field(
        default=3, metadata=_declared("Annotators per image, at least", low=1, high=100)
    )

    def __post_init__(self) -> None:
        require_decimals(self.decimals)
        require_distance(self.distance)
        if self.consensus not in CONSENSUS_METHODS:
            raise RankingError(
                f"consensus must be {', '.join(CONSENSUS_METHODS)}, got {self.consensus!r}"
            )
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise RankingError(f"beta must be a positive number, got {self.beta}")
        if self.min_annotators < 1:
            raise RankingError(f"min_annotators must be at least 1, got {self.min_annotators}")


def declared_settings() -> dict[str, Declared]:
    """Return the settings by their names, in the order in which they are shown."""
    return {
        one.name: replace(one.metadata["declared"], default=one.default) for one in fields(Settings)
    }


def as_text(value: Any) -> str:
    """Return the value of a setting as in an address or an option."""
    return NONE if value is None else str(value).removesuffix(".0")


def facts_of_settings(values: Mapping[str, Any]) -> dict[str, str]:
    """Return settings as facts about the origin of numbers, in files."""
    return {name: _UNROUNDED if value is None else str(value) for name, value in values.items()}
