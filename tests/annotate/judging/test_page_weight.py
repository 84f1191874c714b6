"""The scripts that the comparison page loads before the first pair, in bytes as a server sends them."""

import re

import pytest

from text_rankings.site.places import STATIC
from text_rankings.site.static import packed

FIRST = ("js/site.js", "js/judging/page.js")
# Of DESIGN's table of speed and size.
MOST_BYTES = 60_000
_IMPORT = re.compile(r'(?:\bfrom|\bimport)\s*"(\.[^"]+)"')
# A server names each imported file by its content: ".", then twelve digits.
_NAME_BYTES = 13


def scripts_of(first):
    """Return the texts of the modules that are loaded with these, without those loaded when needed."""
    found, waiting = {}, [(STATIC / name).resolve() for name in first]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = path.read_text(encoding="utf-8")
            waiting += [(path.parent / name).resolve() for name in _IMPORT.findall(found[path])]
    return found


def test_the_scripts_of_the_comparison_page_have_60_kb_at_most():
    pytest.importorskip("minify")
    scripts = scripts_of(FIRST)
    assert STATIC / "js/judging/panes.js" in scripts
    assert STATIC / "js/judging/history.js" not in scripts, "loaded when it is first opened"
    n_names = sum(text.count('.js"') for text in scripts.values())
    n_bytes = sum(len(packed("application/javascript", text).encode()) for text in scripts.values())
    assert n_bytes + _NAME_BYTES * n_names <= MOST_BYTES
