"""The pictures of the worked examples and the practice, and where the words in them are.

`make artwork` draws the pictures and writes the table that is read here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

# Left, top, right and bottom in pixels of the picture.
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Picture:
    """A drawn photograph; ``says`` describes it to those who do not see it."""

    slug: str
    says: str
    boxes: Mapping[str, Box]


def _picture(slug: str, says: str, boxes: Mapping[str, list[float]]) -> Picture:
    return Picture(
        slug, says, {word: (box[0], box[1], box[2], box[3]) for word, box in boxes.items()}
    )


_TABLE: Final[dict[str, Any]] = json.loads(
    Path(__file__).with_name("pictures.json").read_text(encoding="utf-8")
)
WIDTH: Final[int] = _TABLE["width"]
HEIGHT: Final[int] = _TABLE["height"]
PICTURES: Final[Mapping[str, Picture]] = {
    row["slug"]: _picture(**row) for row in _TABLE["pictures"]
}
