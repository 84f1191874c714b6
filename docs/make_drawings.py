"""Draw the worked examples of the protocols: docs/protocols/img/<slug>.svg from examples/<slug>.json.

``python docs/make_drawings.py`` writes the pictures; with ``--check`` nothing is written, and it fails
if a picture is missing or differs.
"""

import argparse
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "protocols"
sys.path.insert(0, str(FOLDER.parents[1]))

from protocols import registry  # noqa: E402
from protocols.core.drawing import draw_scene  # noqa: E402
from protocols.formats.readers.scenes import read_scene  # noqa: E402


def drawings() -> dict[Path, str]:
    """Return the text of every picture by its path; examples of unknown protocols are left out."""
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
    parser = argparse.ArgumentParser(description="Draw the worked examples of the protocols.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    checks = parser.parse_args().check
    n_stale = 0
    for path, picture in drawings().items():
        if path.is_file() and path.read_bytes() == picture.encode():
            continue
        n_stale += 1
        if checks:
            print(f"{path.name} differs; run python docs/make_drawings.py", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture.encode())
            print(f"wrote {path.name}")
    return 1 if checks and n_stale else 0


if __name__ == "__main__":
    sys.exit(main())
