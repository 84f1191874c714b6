"""Signs of the formats that are read, in JSON by its keys and in markup by its elements.

In signs.json a format of JSON has alternative sets of keys. It is ground truth if all keys of
"truth" are there and none of "results"; without "truth" it is results.
"""

import json
from collections.abc import Set
from pathlib import Path
from typing import Final, NamedTuple


class Sign(NamedTuple):
    """The format that a file has, what it was recognised by, and whether it is ground truth."""

    format: str
    says: str
    is_truth: bool


_LISTED: Final = json.loads(Path(__file__).with_name("signs.json").read_text(encoding="utf-8"))


def sign_of_json(keys: Set[str]) -> Sign | None:
    """Return the first format whose keys are among those of a file, or None."""
    for of in _LISTED["json"]:
        if any(keys >= set(alternative) for alternative in of["keys"]):
            is_truth = "truth" in of and keys >= set(of["truth"])
            return Sign(
                of["format"],
                of["says"],
                is_truth and keys.isdisjoint(of.get("results", ())),
            )
    return None


def sign_of_markup(text: str, root: str | None) -> Sign | None:
    """Return the first format whose element is in a text with its outermost element, or None."""
    for of in _LISTED["markup"]:
        if of.get("root", root) == root and of["element"] in text:
            return Sign(of["format"], of["says"], of["results"] not in text)
    return None
