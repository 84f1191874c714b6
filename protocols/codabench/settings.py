"""Settings of a competition on Codabench, read from YAML or from a form's values."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from text_rankings.base.names import natural_order
from text_rankings.base.suggestions import did_you_mean

from .. import registry
from ..core.base import Protocol
from ..core.errors import ProtocolError
from .values import SettingsError, checked, shipped

DEFAULT_IMAGE: Final = "python:3.12-slim-bookworm"
FIGURES: Final = {
    "f_score": "F-score",
    "recall": "recall",
    "precision": "precision",
    "mean_f_score": "mean F-score",
    "mean_recall": "mean recall",
    "mean_precision": "mean precision",
}
_COLUMN: Final[Mapping[str, Any]] = {
    "protocol": {"is": "text"},
    "parameters": {"is": "mapping", "default": {}},
    "figures": {"is": "list", "default": ["f_score"], "least": 1},
    "short": {"is": "text", "default": ""},
}
_DRAWN: Final[Mapping[str, Any]] = {
    "share": {"is": "number", "least": 0.000001, "most": 1},
    "seed": {"is": "whole", "default": 1, "most": 2**32},
}
_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:\d\d|[A-Za-z_/+\-0-9]+)?"
)
# Chooses images among those with ground truth, or raises ValueError.
Choose = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the leaderboard: a figure of a protocol."""

    key: str
    title: str
    protocol: Protocol
    figure: str


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a competition, with times in UTC; ``given`` are its values by their names."""

    given: Mapping[str, Any]
    has_truth: bool
    is_hidden: bool

    @property
    def name(self) -> str:
        return str(self.given["name"])

    def chosen(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return its images among those with ground truth; raise ValueError for another name."""
        chosen: Sequence[str] = self.given["images"](sorted(names, key=natural_order))
        return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Settings:
    """A competition: ``given`` are its values by their names, checked and with defaults."""

    given: Mapping[str, Any]
    columns: tuple[Column, ...]
    phases: tuple[Phase, ...]

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        return tuple(dict.fromkeys(column.protocol for column in self.columns))

    @property
    def has_default_image(self) -> bool:
        return bool(self.given["docker_image"] == DEFAULT_IMAGE)


def settings_of(content: Any) -> Settings:
    """Return the settings of a mapping, as YAML or a form holds it.

    Raises SettingsError for the first value that cannot be used, or a key that does not exist.
    """
    convert = {"time": _in_utc, "images": _choice_of}
    given = checked(content, shipped("settings.yaml"), convert)
    columns = _columns(given["protocols"])
    for column in columns:
        needs = {"detected text": "text", "confidences": "confidence"}.get(column.protocol.needs)
        if needs and given["fields"] != needs:
            why = f"must be {needs}, which {column.protocol.slug} needs in each result line"
            raise SettingsError("fields", why)
    phases = []
    for at, phase in enumerate(given["phases"], 1):
        is_last = at == len(given["phases"])
        has_truth = (phase["truth"] or ("here" if is_last else "bundle")) == "bundle"
        if phase["detailed_results"] and not has_truth:
            why = (
                "would show figures of each image, which give the truth away; not with truth: here"
            )
            raise SettingsError(f"phases.{at}.detailed_results", why)
        is_hidden = (phase["output"] or ("hidden" if is_last else "shown")) == "hidden"
        phases.append(Phase(phase, has_truth, is_hidden))
    return Settings(given, columns, tuple(phases))


def _columns(given: Sequence[Any]) -> tuple[Column, ...]:
    columns: dict[str, Column] = {}
    for at, one in enumerate(given, 1):
        key = f"protocols.{at}"
        of = checked({"protocol": one} if isinstance(one, str) else one, _COLUMN, {}, key)
        try:
            protocol = registry.get(of["protocol"], of["parameters"])
        except ProtocolError as refusal:
            raise SettingsError(key, str(refusal)) from refusal
        if protocol.needs in ("cells", "several methods"):
            needs = "table cells" if protocol.needs == "cells" else "the results of several methods"
            why = f"{protocol.slug} needs {needs}, which a submission does not have"
            raise SettingsError(key, why)
        label = of["short"] or protocol.full_slug
        for figure in of["figures"]:
            if figure not in FIGURES:
                why = f"must be some of {', '.join(FIGURES)}, got {figure!r}"
                raise SettingsError(f"{key}.figures", why)
            column = f"{label.replace(':', '-')}_{figure}"
            title = f"{label} {FIGURES[figure]}"
            if len(column) > 36 or column in columns:
                wrong = "is there twice" if column in columns else "is longer than 36 characters"
                why = f"the column {column} {wrong}; give a short name (short: …)"
                raise SettingsError(key, why)
            columns[column] = Column(column, title, protocol, figure)
    return tuple(columns.values())


def _choice_of(value: Any) -> Choose:
    """Return how a phase chooses images: all, a list, or a share drawn by a seed."""
    if value == "all":
        return list
    if isinstance(value, dict):
        given = checked(value, _DRAWN, {})
        return lambda names: _drawn(names, given["share"], given["seed"])
    if not isinstance(value, list) or not value or not all(isinstance(of, str) for of in value):
        raise ValueError("must be all, a list of names, or a share and a seed")

    def listed(names: Sequence[str]) -> list[str]:
        if unknown := next((name for name in value if name not in names), None):
            hint = did_you_mean(unknown, names)
            raise ValueError(f"there is no ground truth for the image {unknown}{hint}")
        return [name for name in names if name in value]

    return listed


def _drawn(names: Sequence[str], share: float, seed: int) -> list[str]:
    drawn = set(random.Random(seed).sample(list(names), max(1, round(share * len(names)))))
    return [name for name in names if name in drawn]


def _in_utc(value: Any) -> datetime:
    """Return a time in UTC without fractions; raise ValueError if its zone is missing or unclear."""
    if isinstance(value, str):
        match = _TIME.fullmatch(value.strip())
        if match is None:
            raise ValueError("must be a time such as 2027-03-28 09:30 Europe/Paris")
        day, clock, zone = match.groups()
        if zone is None or re.fullmatch(r"Z|[+-]\d\d:\d\d", zone):
            value = datetime.fromisoformat(f"{day} {clock}{(zone or '').replace('Z', '+00:00')}")
        else:
            try:
                value = datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=ZoneInfo(zone))
            except (KeyError, OSError) as fault:
                raise ValueError(f"there is no time zone {zone}") from fault
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise ValueError("needs a time of day and a time zone, as in 2027-03-28 09:30 Europe/Paris")
    if value.replace(fold=0).utcoffset() != value.replace(fold=1).utcoffset():
        raise ValueError("must be written in UTC, since clocks change in that hour")
    return value.astimezone(UTC).replace(microsecond=0)
