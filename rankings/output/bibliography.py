"""References as BibTeX: those that are cited, out of the packages' ``references.bib``."""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Final

_ENTRY: Final = re.compile(r"^@\w+\{([^,\s]+),.*?^\}$", re.MULTILINE | re.DOTALL)
_TITLE: Final = re.compile(r"^ *title = \{(.*)\},?$", re.MULTILINE)


def entries(package: str) -> dict[str, str]:
    """Return a package's references by their keys, which are those of its REFERENCES.md."""
    text = files(package).joinpath("references.bib").read_text(encoding="utf-8")
    return {found[1]: found[0] for found in _ENTRY.finditer(text)}


def cited(keys: Iterable[str], packages: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the BibTeX of cited entries by key, and for every cited key the one to cite it by.

    Two packages with a ``references.bib`` may have different keys for the same work: the first
    cited key is used for both. Keys that no package knows are in neither.
    """
    known: Mapping[str, str] = {
        key: entry for package in packages for key, entry in entries(package).items()
    }
    chosen: dict[str, str] = {}
    key_of_title: dict[str, str] = {}
    stands_for: dict[str, str] = {}
    for key in dict.fromkeys(keys):
        if key in known:
            title = _title(known[key])
            stands_for[key] = key_of_title.setdefault(title, key)
            chosen.setdefault(stands_for[key], known[key])
    return chosen, stands_for


def _title(entry: str) -> str:
    found = _TITLE.search(entry)
    return re.sub(r"[{}]", "", found[1]).lower() if found else entry
