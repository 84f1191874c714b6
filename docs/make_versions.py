"""Write the tables of docs/protocols/versions.md: versions of one protocol on public result sets.

``python docs/make_versions.py`` scores the shared result sets; without them it prints a message and exits
with 2.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from protocols import registry  # noqa: E402
from tests.support.reading import scenes_of  # noqa: E402
from tools.pages import between, row  # noqa: E402

PAGE = ROOT / "docs" / "protocols" / "versions.md"
BEGIN, END = "<!-- made by docs/make_versions.py -->\n", "<!-- end of what is made -->"
ICDAR2013 = ("ccswt-dec29", "ccswt-jan05a", "ccswt-jan10", "east-argman", "fcn-blocks")
# By question: the data, their result sets, and the versions as the command line names them.
ASKED = {
    "DetEval on polygons": (
        "ctw1500",
        ("ctd",),
        ("deteval-total-text", "deteval-total-text:one-sided"),
    ),
    "DetEval on boxes": ("icdar2013", ICDAR2013, ("deteval", "icdar13", "deteval-wolf")),
    "IoU above one half": (
        "icdar2015",
        ("pixellink", "east-argman"),
        ("iou", "iou:art", "iou-toolkits"),
    ),
    "average precision": (
        *("icdar2015", ("fcn-blocks",)),
        ("average-precision", "average-precision:rctw", "average-precision:voc2007"),
    ),
}


def made() -> str:
    parts = []
    for question, (data, methods, versions) in ASKED.items():
        parts.append(
            f"\n### {question}\n\n| data | result set | version | R | P | F | AP |\n{'| --- ' * 7}|\n"
        )
        for method in methods:
            scenes = scenes_of(data, method)
            for version in versions:
                protocol = registry.get(version)
                whole = protocol.overall(protocol.score(scenes))
                average = whole.indicators.get("average_precision")
                figures = [whole.recall, whole.precision, whole.f_score, average]
                shown = ["–" if value is None else f"{value:.4f}" for value in figures]
                parts.append(row(data, method, f"`{version}`", *shown) + "\n")
    return "".join(parts)


def main() -> int:
    if not (ROOT.parent / "shared" / "data").is_dir():
        print("The result sets are not here; nothing was written.", file=sys.stderr)
        return 2
    PAGE.write_text(between(PAGE.read_text("utf-8"), BEGIN, END, made()), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
