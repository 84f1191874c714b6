"""Settings of a competition on Codabench: of YAML or a form, and as its bundle keeps them."""

import json
import random
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Final
from zoneinfo import ZoneInfo

from text_rankings.base.names import natural_order
from text_rankings.base.suggestions import did_you_mean

from .. import registry
from ..core.base import Protocol
from ..core.errors import ProtocolError
from .values import Conversions, SettingsError, checked, shipped

KEPT_FILE: Final = "settings.json"
FIGURES: Final[Mapping[str, str]] = {
    "f_score": "F-score",
    "recall": "recall",
    "precision": "precision",
    "mean_f_score": "mean F-score",
    "mean_recall": "mean recall",
    "mean_precision": "mean precision",
}
_MAX_KEY: Final = 36
# Needs of protocols: those that no submission meets, and those that a field of its lines meets.
NEVER_GIVEN: Final = {"cells": "table cells", "several methods": "the results of several methods"}
_FIELDS: Final = {"detected text": "text", "confidences": "confidence"}
_DRAWN: Final[Mapping[str, Any]] = {
    "share": {"is": "number", "least": 0.000001, "most": 1},
    "seed": {"is": "whole", "default": 1, "most": 2**32},
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the leaderboard: a figure of a protocol."""

    key: str
    title: str
    protocol: Protocol
    figure: str


@dataclass(frozen=True, slots=True)
class Settings:
    """A competition: ``given`` are its values by their names, checked and with defaults.

    The ``truth`` of a phase is ``bundle`` or ``here``, and its ``images`` are their names.
    """

    given: Mapping[str, Any]
    columns: tuple[Column, ...]

    @classmethod
    def kept(cls, given: Mapping[str, Any]) -> "Settings":
        """Return the settings of values that were checked before."""
        columns: dict[str, Column] = {}
        for at, of_protocol in enumerate(given["protocols"], 1):
            _add_columns(columns, of_protocol, given["fields"], f"protocols.{at}")
        return cls(given, tuple(columns.values()))

    @property
    def phases(self) -> Sequence[Mapping[str, Any]]:
        phases: Sequence[Mapping[str, Any]] = self.given["phases"]
        return phases

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        return tuple(dict.fromkeys(column.protocol for column in self.columns))


def settings_of_bundle(bundle: Path | IO[bytes]) -> Settings:
    """Return the settings that a bundle, or its scoring program, keeps; times are text in UTC.

    Raises SettingsError, with the key ``bundle``, if the file is no such zip.
    """
    try:
        with zipfile.ZipFile(bundle) as packed:
            return Settings.kept(json.loads(packed.read(KEPT_FILE)))
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as fault:
        raise SettingsError("bundle", "must be a zip of text-protocols codabench write") from fault


def settings_of(content: Any, images: Sequence[str]) -> Settings:
    """Return the settings of a mapping, as YAML or a form holds it.

    ``images`` are the names of those with ground truth. Raises SettingsError, with the key of the
    setting, for the first value that cannot be used, or a key that does not exist.
    """
    if isinstance(content, dict) and isinstance(named := content.get("protocols"), list):
        named = [{"protocol": of} if isinstance(of, str) else of for of in named]
        content = content | {"protocols": named}
    names = sorted(images, key=natural_order)
    convert: Conversions = {"time": _in_utc, "images": partial(_chosen, names)}
    given = checked(content, shipped("settings.yaml"), convert)
    for at, phase in enumerate(given["phases"], 1):
        is_last = at == len(given["phases"])
        phase["truth"] = phase["truth"] or ("here" if is_last else "bundle")
        phase["output"] = phase["output"] or ("hidden" if is_last else "shown")
        if phase["detailed_results"] and phase["truth"] == "here":
            why = "would show figures of each image, and the truth with them; not with truth: here"
            raise SettingsError(f"phases.{at}.detailed_results", why)
    settings = Settings.kept(given)
    for of in given["protocols"]:
        # All parameters, so that other defaults of a later version change nothing.
        of["parameters"] = registry.get(of["protocol"], of["parameters"]).parameters()
    return settings


def _add_columns(
    columns: dict[str, Column], given: Mapping[str, Any], fields: str, key: str
) -> None:
    try:
        protocol = registry.get(given["protocol"], given["parameters"])
    except ProtocolError as refusal:
        raise SettingsError(key, str(refusal)) from refusal
    if needs := NEVER_GIVEN.get(protocol.needs):
        raise SettingsError(key, f"{protocol.slug} needs {needs}, which no submission has")
    if (needs := _FIELDS.get(protocol.needs, fields)) != fields:
        raise SettingsError("fields", f"must be {needs}, which {protocol.slug} needs in each line")
    label = given["short"] or protocol.full_slug
    for figure in given["figures"]:
        if figure not in FIGURES:
            why = f"must be some of {', '.join(FIGURES)}, got {figure!r}"
            raise SettingsError(f"{key}.figures", why)
        column = f"{label.replace(':', '-')}_{figure}"
        if len(column) > _MAX_KEY or column in columns:
            wrong = "is there twice" if column in columns else "is longer than 36 characters"
            why = f"the column {column} {wrong}; give a short name (short: …)"
            raise SettingsError(key, why)
        columns[column] = Column(column, f"{label} {FIGURES[figure]}", protocol, figure)


def _chosen(names: Sequence[str], value: Any) -> tuple[str, ...]:
    """Return the images of a phase: all, those of a list, or a share drawn by a seed."""
    if not names:
        raise ValueError("the dataset has no image with ground truth")
    chosen = value
    if value == "all":
        chosen = names
    elif isinstance(value, dict):
        given = checked(value, _DRAWN, {})
        n = max(1, round(given["share"] * len(names)))
        chosen = random.Random(given["seed"]).sample(names, n)
    elif not isinstance(value, list) or not value or not all(isinstance(of, str) for of in value):
        raise ValueError("must be all, a list of names, or a share and a seed")
    if unknown := next((name for name in chosen if name not in names), None):
        hint = did_you_mean(unknown, names)
        raise ValueError(f"there is no ground truth for the image {unknown}{hint}")
    return tuple(sorted(set(chosen), key=natural_order))


def _in_utc(value: Any) -> str:
    """Return a time as Codabench reads it, in UTC; raise ValueError if its zone is not clear."""
    moment, _, zone = str(value).strip().rpartition(" ")
    try:
        if ":" not in moment:
            raise ValueError(value)
        time = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))
    except (ValueError, KeyError, OSError) as fault:
        example = "2027-03-28 09:30 Europe/Paris"
        raise ValueError(f"must be a time of day with its time zone, as in {example}") from fault
    if time.replace(fold=0).utcoffset() != time.replace(fold=1).utcoffset():
        raise ValueError("must be written in UTC, since clocks change in that hour")
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
