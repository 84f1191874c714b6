"""Signs of formats, also of some that are not read: first bytes, suffixes, keys of JSON, parts of markup.

In signs.json a format of JSON has alternative sets of keys. It is ground truth if all keys of
"truth" are there and none of "results"; without "truth" it is results. A format with "looks" is not read.
"""

import json
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any, Final, NamedTuple


class Sign(NamedTuple):
    """The format that a file has, what it was recognised by, and whether it is ground truth.

    Without a format it is not read, and looks like what it says.
    """

    format: str | None
    says: str
    is_truth: bool = False


_LISTED: Final[Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("signs.json").read_text(encoding="utf-8")
)


def look_of_bytes(begin: bytes) -> str | None:
    """Return the format, which is not read, of a file with these first bytes, or None."""
    start = begin.decode("latin-1")
    return next((look for mark, look in _LISTED["bytes"].items() if start.startswith(mark)), None)


def look_of_suffix(suffix: str) -> str | None:
    """Return the format, which is not read, of files with this suffix, or None."""
    look: str | None = _LISTED["suffixes"].get(suffix)
    return look


def sign_of_json(keys: Set[str]) -> Sign | None:
    """Return the first format whose keys are among those of a file, or None."""
    for of in _LISTED["json"]:
        if any(keys >= set(alternative) for alternative in of["keys"]):
            is_truth = "truth" in of and keys >= set(of["truth"])
            return _sign(of, is_truth and keys.isdisjoint(of.get("results", ())))
    return None


def sign_of_markup(text: str, root: str | None) -> Sign | None:
    """Return the first format whose parts are in a text with its outermost element, or None."""
    for of in _LISTED["markup"]:
        if of.get("root", root) == root and all(part in text for part in of["parts"]):
            return _sign(of, of.get("results", "") not in text)
    return None


def _sign(of: Mapping[str, Any], is_truth: bool) -> Sign:
    return Sign(of["format"], of["says"], is_truth) if "format" in of else Sign(None, of["looks"])
