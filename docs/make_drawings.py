"""Draw the protocols' worked examples: docs/protocols/img/<slug>.svg from examples/<slug>.json.

``python docs/make_drawings.py`` writes the pictures; ``--check`` writes nothing, and fails if a
picture is missing or differs.
"""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "protocols"
sys.path.insert(0, str(FOLDER.parents[1]))

from protocols import registry  # noqa: E402
from protocols.core.drawing import draw_scene  # noqa: E402
from protocols.formats.readers.scenes import read_scene  # noqa: E402
from tools.pages import write  # noqa: E402


def drawings() -> dict[Path, str]:
    """Return the text of each picture by path, without examples of unknown protocols."""
    found = {}
    for example in sorted((FOLDER / "examples").glob("*.json")):
        if example.stem not in registry.PROTOCOLS:
            continue
        protocol = registry.get(example.stem)
        scene = read_scene(json.loads(example.read_text(encoding="utf-8")), example.name)
        [score] = protocol.score([scene])
        picture = draw_scene(scene, score, title=f"{protocol.name}, worked example")
        found[FOLDER / "img" / f"{example.stem}.svg"] = picture
    return found


def main() -> int:
    return write(drawings(), "make_drawings.py")


if __name__ == "__main__":
    sys.exit(main())
