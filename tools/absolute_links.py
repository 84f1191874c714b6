"""Make the relative links of the README absolute, for the page at the package index.

``python -m tools.absolute_links https://HOST/OWNER/NAME v1.2.3`` writes README.md in place.
"""

import re
import sys
from pathlib import Path

_README = Path(__file__).resolve().parents[1] / "README.md"
_RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?!https?://|#|mailto:)([^)]+)\)")


def absolute(text: str, address: str, tag: str) -> str:
    """Return Markdown whose relative links lead to the files of a tag; pictures to their content."""

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}{found[2]}({address}/{kind}/{tag}/{found[3]})"

    return _RELATIVE.sub(link, text)


def main() -> None:
    address, tag = sys.argv[1:]
    _README.write_text(absolute(_README.read_text(encoding="utf-8"), address, tag), "utf-8")


if __name__ == "__main__":
    main()
