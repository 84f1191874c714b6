"""Example scenes for the playground, on most of which protocols disagree."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .playground import Drawing, from_data


@dataclass(frozen=True, slots=True)
class Preset:
    """A scene; its English ``name`` and ``says`` are translated where they are shown."""

    slug: str
    name: str
    says: str
    drawing: Drawing


def _preset(row: Mapping[str, Any]) -> Preset:
    drawing = from_data({side: row[side] for side in ("truth", "detections")})
    return Preset(row["slug"], row["name"], row["says"], drawing)


_LISTED: Final = json.loads(Path(__file__).with_name("presets.json").read_text(encoding="utf-8"))
PRESETS: Final[Mapping[str, Preset]] = {row["slug"]: _preset(row) for row in _LISTED}
DEFAULT: Final = next(iter(PRESETS.values()))
