"""Answers that do not count because pairs were skipped, as counted in a report's header."""

import re
from collections.abc import Mapping
from typing import Final

from text_rankings.base.i18n import gettext_noop, ngettext, numeral

# Entries of a header: whole rankings, visits about drawn methods, and reasons for skipping.
RANKINGS: Final = gettext_noop("rankings lost to skips")
VISITS: Final = gettext_noop("visits lost to skips")
REASONS: Final = gettext_noop("skipped pairs by reason")
# Visits among the lost ones whose other answers enter the losses.
KEPT: Final = gettext_noop("of these visits, with other answers")
# Pairs answered with "They look the same".
ALIKE: Final = gettext_noop("pairs that look the same")
# Rankings and visits that were begun.
UNFINISHED: Final = gettext_noop("begun and not finished")
# How a rule ended the study.
END: Final = gettext_noop("end of the study")
# The column of CSV files, which have no header.
COLUMN: Final = "rankings_skipped"
# The value of the first two.
MISSING: Final = gettext_noop("{n} missing of {all}")
_MISSING: Final = re.compile(r"(\d+) missing of (\d+)")


def n_lost(header: Mapping[str, str], what: str = RANKINGS) -> tuple[int, int] | None:
    """Return how many rankings or visits are missing because pairs were skipped, and of how many.

    None if the header counts no such skip, as in older reports.
    """
    found = _MISSING.fullmatch(header.get(what, ""))
    return (int(found[1]), int(found[2])) if found else None


def skips_said(header: Mapping[str, str]) -> str:
    """Return a sentence on whole rankings that are missing because of skipped pairs, or ""."""
    counts = n_lost(header)
    if counts is None:
        return ""
    n, n_all = counts
    words = ngettext(
        "{n} of {all} rankings is missing, because pairs in it were skipped; what it would have changed "
        "is not known.",
        "{n} of {all} rankings are missing, because pairs in them were skipped; what they would have "
        "changed is not known.",
        n,
    )
    return words.format(n=numeral(f"{n:,}"), all=numeral(f"{n_all:,}"))
