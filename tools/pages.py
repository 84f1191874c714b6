"""Pages of the documentation that scripts write, whole or in part."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path


def row(*cells: object) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def between(text: str, begin: str, end: str, made: str) -> str:
    """Return a text with ``made`` between two markers. Raises LookupError if one is missing."""
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise LookupError(f"There is no place between {begin!r} and {end!r}.")
    return before + begin + made + end + after


def write(pages: Mapping[Path, str], script: str) -> int:
    """Write the pages that differ; with ``--check`` only name them. Return the exit code."""
    parser = argparse.ArgumentParser(prog=script)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    checks = parser.parse_args().check
    stale = [
        (path, text.encode())
        for path, text in pages.items()
        if not path.is_file() or path.read_bytes() != text.encode()
    ]
    for path, content in stale:
        if checks:
            print(f"{path.name} differs; run python docs/{script}", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"wrote {path.name}")
    return int(checks and bool(stale))
