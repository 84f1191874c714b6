"""The limits of all readers of regions, and how they distinguish numbers from words."""

import re
from typing import Final

MAX_NAME: Final = 200
MAX_POINTS: Final = 10_000
# This many regions are processed together: enough for one fast call, few enough for memory.
BATCH: Final = 20_000
# Possessive quantifiers, so that even a long text takes a single pass.
NUMBER: Final = re.compile(r"\s*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*+\Z", re.ASCII)
NOT_FINITE: Final = re.compile(r"\s*+[+-]?(?:nan|inf|infinity)\s*+\Z", re.IGNORECASE)


def shortest(value: float) -> str:
    """Return the shortest text that reads back as this number; no point if whole, below 1e15."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
