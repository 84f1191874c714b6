"""Write the table of formats in docs/formats.md from the registry.

python docs/make_formats.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from protocols.formats.recognition.reading import FORMATS  # noqa: E402
from protocols.formats.writing.converting import WRITTEN  # noqa: E402
from tools.pages import between, row  # noqa: E402

PAGE = ROOT / "docs" / "formats.md"
BEGIN = "<!-- made by docs/make_formats.py -->\n"
END = "<!-- end of what is made -->\n"


def table() -> str:
    """Return the table, with a row for each format in the order of the registry."""
    rows = [
        "| slug | format | a file of it | kept in addition to the outline | written |",
        "| --- | --- | --- | --- | --- |",
    ]
    for slug, of in FORMATS.items():
        description, comma, example = of.description.partition(", as in ")
        shown = (
            f"{description}{comma}`{example}`" if "`" not in example and comma else of.description
        )
        cells = (f"`{slug}`", of.name, shown, of.kept, "yes" if slug in WRITTEN else "")
        rows.append(row(*cells))
    return "\n".join(rows) + "\n"


def made(text: str) -> str:
    """Return the page with an up-to-date table."""
    return between(text, BEGIN, END, table())


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
