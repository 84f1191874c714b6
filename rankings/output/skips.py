"""Answers that do not count because pairs were skipped, as counted in a report's header."""

import re
from collections.abc import Mapping
from typing import Final

# Entries of a header: whole rankings, visits about drawn methods, and reasons for skipping.
RANKINGS: Final = "rankings lost to skips"
VISITS: Final = "visits lost to skips"
REASONS: Final = "skipped pairs by reason"
# Visits among the lost ones whose other answers enter the losses.
KEPT: Final = "of these visits, with other answers"
# Pairs answered with "They look the same".
ALIKE: Final = "pairs that look the same"
# Rankings and visits that were begun.
UNFINISHED: Final = "begun and not finished"
# How a rule ended the study.
END: Final = "end of the study"
# The column of CSV files, which have no header.
COLUMN: Final = "rankings_skipped"
# The value of the first two.
MISSING: Final = "{n} missing of {all}"
_MISSING: Final = re.compile(r"(\d+) missing of (\d+)")


def n_lost(header: Mapping[str, str], what: str = RANKINGS) -> tuple[int, int] | None:
    """Return how many rankings or visits are missing because pairs were skipped, and of how many.

    None if the header counts no such skip.
    """
    found = _MISSING.fullmatch(header.get(what, ""))
    return (int(found[1]), int(found[2])) if found else None


def skips_said(header: Mapping[str, str]) -> str:
    """Return a sentence on whole rankings that are missing because of skipped pairs, or ""."""
    counts = n_lost(header)
    if counts is None:
        return ""
    n, n_all = counts
    are, them, they = ("is", "it", "it") if n == 1 else ("are", "them", "they")
    return (
        f"{n:,} of {n_all:,} rankings {are} missing, because pairs in {them} were skipped; what {they} would "
        "have changed is not known."
    )
