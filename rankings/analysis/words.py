"""Words and conditions that sentences on protocols and on detectors share."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..inference.significance import ALPHA

_NAMED: Final = 6
# A headline, which is a single sentence, names fewer.
NAMED_FIRST: Final = 3


def is_told(pair: Mapping[str, Any]) -> bool:
    """Return whether a tested pair, as JSON, differs significantly."""
    p = pair["adjusted_p_value"]
    return p is not None and p <= ALPHA


def named(names: Sequence[str], joint: str = "") -> str:
    """Return names in words, of more than seven the first six; ``joint`` joins the last one."""
    shown = list(names if len(names) == _NAMED + 1 else names[:_NAMED])
    if len(names) > _NAMED + 1:
        shown.append(n_others(len(names) - _NAMED))
    if len(shown) == 1:
        return shown[0]
    words = joint or "{first} and {last}"
    return words.format(first=", ".join(shown[:-1]), last=shown[-1])


def shortened(names: Sequence[str]) -> list[str]:
    """Return names, of more than four the first three and how many others there are."""
    if len(names) <= NAMED_FIRST + 1:
        return list(names)
    return [*names[:NAMED_FIRST], n_others(len(names) - NAMED_FIRST)]


def n_others(n: int) -> str:
    """Return so many others in words."""
    return f"{n} others"
