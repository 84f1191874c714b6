"""The parts of a protocol besides its code, and a sentence for each missing one."""

from collections.abc import Iterator
from pathlib import Path

from protocols import registry
from tests.support.empty_sides import EMPTY, SIDES

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "protocols"
# Measures nothing of a single method, so its empty sides have their own tests.
WITHOUT_EMPTY_SIDES = {"no-ground-truth"}


def lacks(slug: str) -> Iterator[str]:
    """Yield a sentence on what to add for each missing part of a registered protocol."""
    protocol = registry.PROTOCOLS[slug]
    if f"**[{protocol.reference}]**" not in read(ROOT / "protocols" / "REFERENCES.md"):
        yield f"protocols/REFERENCES.md has no **[{protocol.reference}]**, which {slug} names"
    if not (PAGES / f"{slug}.md").is_file():
        yield f"docs/protocols/{slug}.md is missing: the page of {slug}, like that of a neighbour"
    index = read(PAGES / "README.md")
    if f"| [{slug}]({slug}.md) |" not in index:
        yield f"docs/protocols/README.md has no line `| [{slug}]({slug}.md) | ... |` in its table"
    if not (PAGES / "examples" / f"{slug}.json").is_file():
        yield f"docs/protocols/examples/{slug}.json is missing: the scene that its page works out"
    if not (PAGES / "img" / f"{slug}.svg").is_file():
        yield f"docs/protocols/img/{slug}.svg is missing; `python docs/make_reference.py` draws it"
    if slug not in WITHOUT_EMPTY_SIDES:
        absent = [case for case in SIDES if case not in EMPTY.get(slug, {})]
        if absent:
            yield (
                f"EMPTY in tests/support/empty_sides.py does not say what {slug} gives for: "
                + "; ".join(absent)
            )


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
