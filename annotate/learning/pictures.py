"""The pictures of the worked examples and the practice, and where the words in them are.

The program that drew the pictures and wrote the table is in the repository's history (commit 13e0791,
`tools/artwork/cards/`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Left, top, right and bottom in pixels of the picture.
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Picture:
    """A drawing or photograph; ``says`` is its text alternative."""

    slug: str
    file: str
    width: int
    height: int
    says: str
    boxes: Mapping[str, Box]


def _boxes(boxes: Mapping[str, list[float]]) -> dict[str, Box]:
    return {name: (box[0], box[1], box[2], box[3]) for name, box in boxes.items()}


PICTURES: Final[Mapping[str, Picture]] = {
    row["slug"]: Picture(**row | {"boxes": _boxes(row["boxes"])})
    for row in json.loads(Path(__file__).with_name("pictures.json").read_text(encoding="utf-8"))
}
