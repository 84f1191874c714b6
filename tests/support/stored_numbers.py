"""Stored numbers of a small corpus, and the version that they are of.

`python -m tests.support.stored_numbers` writes them again: after a version went up, or for a new protocol.
"""

import json
import math
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from protocols import registry, score_versions
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.formats.readers.scenes import read_scene
from rankings.analysis.analysis import analyse
from rankings.output.signature import TABLES_VERSION
from tests.support.analyses import SETTINGS, random_study
from tests.support.new_protocol import PAGES

FILE = Path(__file__).with_name("stored_numbers.json")
_WORDS = ("exit", "EXIT", "taxi", "a", "no parking")
VERSIONS = {"scores": score_versions.VERSION, "tables": TABLES_VERSION}


def now() -> dict[str, dict[str, Any]]:
    """Return the numbers that the code gives now, by "scores" and "tables"."""
    scores = {
        name: [_figures(name, scene) for scene in _scenes(name)]
        for protocol in registry.all_protocols()
        for name in (protocol.slug, *(f"{protocol.slug}:{of}" for of in protocol.variants))
    }
    rankings, by_image = random_study(5)
    whole = rankings["recall"]
    # Two of the three people rank an image.
    shared = {
        image: {name: own for name, own in people.items() if name != "abc"[at % 3]}
        for at, (image, people) in enumerate(whole.items())
    }
    studies = {"": whole, "shared": shared}
    found = {
        name: analyse({"recall": of}, by_image, SETTINGS, n_resamples=200).to_json()
        for name, of in studies.items()
    }
    tables = {path: number for name, one in found.items() for path, number in _numbers(one, name)}
    return {"scores": scores, "tables": tables}


def _figures(name: str, scene: Scene) -> list[float | None]:
    [scored] = registry.get(name).score([scene])
    return [_short(value) for value in (scored.recall, scored.precision, scored.f_score)]


def _scenes(name: str) -> Iterator[Scene]:
    """Yield the example of a protocol's page, and drawn scenes of shifted, split and merged words."""
    slug = name.partition(":")[0]
    example = (PAGES / "examples" / f"{slug}.json").read_text(encoding="utf-8")
    yield read_scene(json.loads(example), slug)
    for seed in range(4):
        draw = random.Random(seed).random
        truth = tuple(_truth(at, draw()) for at in range(6))
        found = [region for at in range(6) for region in _found(at, draw(), draw())]
        yield Scene(truth, tuple(found), f"scene {seed}", 800.0, 600.0)


def _truth(at: int, chance: float) -> Region:
    ignored = chance < 0.2
    text = "###" if ignored else _WORDS[at % len(_WORDS)]
    x, y = 120.0 * at, 60.0 * (at % 3)
    return Region.from_box(x, y, x + 100, y + 30, text=text, ignored=ignored, parent=str(at % 3))


def _found(at: int, kind: float, shift: float) -> Iterator[Region]:
    x, y, by = 120.0 * at, 60.0 * (at % 3), 20 * shift
    more: dict[str, Any] = {"text": _WORDS[at % len(_WORDS)], "confidence": round(shift, 2)}
    if kind < 0.5:
        corners = (x + by, y, x + 100, y + by / 2, x + 100 - by, y + 30, x, y + 30 - by / 2)
        yield Region(corners, **more)
    elif kind < 0.7:
        yield Region.from_box(x, y, x + 48 + by / 10, y + 30, **more)
        yield Region.from_box(x + 50, y, x + 100, y + 30, **more)
    elif kind < 0.9:
        yield Region.from_box(x, y, x + 220, y + 30 + by, **more)


def _numbers(data: Any, path: str = "") -> Iterator[tuple[str, float | None]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _numbers(value, f"{path}/{key}")
    elif isinstance(data, list | tuple):
        for at, value in enumerate(data):
            yield from _numbers(value, f"{path}/{at}")
    elif data is None or (isinstance(data, int | float) and not isinstance(data, bool)):
        yield path, _short(data)


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.10g}")


def differing(stored: Mapping[str, Any], today: Mapping[str, Any]) -> list[str]:
    """Return the names of numbers that are stored, and are other or gone today."""
    return [name for name, value in stored.items() if not _same(value, today.get(name))]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-9)


def main() -> None:
    kept, today = json.loads(FILE.read_text()) if FILE.exists() else {}, now()
    for kind, version in VERSIONS.items():
        before = kept.get(kind, {"version": ""})
        if before["version"] == version and (changed := differing(before["numbers"], today[kind])):
            raise SystemExit(f"{kind}: {changed[:5]} changed, and the version did not")
    written = {
        kind: {"version": version, "numbers": today[kind]} for kind, version in VERSIONS.items()
    }
    lines = ",\n".join(f'"{kind}": {_lines(of)}' for kind, of in written.items())
    FILE.write_text(f"{{{lines}}}\n", encoding="utf-8")


def _lines(of: Mapping[str, Any]) -> str:
    numbers = ",\n".join(f"{json.dumps(key)}: {json.dumps(v)}" for key, v in of["numbers"].items())
    return f'{{"version": "{of["version"]}", "numbers": {{\n{numbers}\n}}}}'


if __name__ == "__main__":
    main()
