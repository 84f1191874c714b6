"""The bounds that all readers of regions keep, and how they tell numbers from words."""

import re
from typing import Final

MAX_NAME: Final = 200
MAX_POINTS: Final = 10_000
# Beyond this areas lose their last digits, and no photograph is a thousand kilometres wide.
MAX_COORDINATE: Final = 1e9
# So many regions are looked at together: enough for one fast call, few enough for memory.
BATCH: Final = 20_000
# Possessive, so that no text, however long, takes more than one pass.
NUMBER: Final = re.compile(r"\s*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*+\Z", re.ASCII)
NOT_FINITE: Final = re.compile(r"\s*+[+-]?(?:nan|inf|infinity)\s*+\Z", re.IGNORECASE)


def shortest(value: float) -> str:
    """Return the shortest text that reads back as the same number, whole numbers without a point.

    Examples
    --------
    >>> shortest(2.0), shortest(2.5)
    ('2', '2.5')
    """
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
