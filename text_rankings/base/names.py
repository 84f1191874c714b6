"""Names given by users: characters that are not shown, and names that look the same."""

import re
import unicodedata
from typing import Final

# Control, format (zero-width, direction), surrogate, line and paragraph separator.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Letters and marks of other categories that are drawn as nothing or as a blank.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Small Cyrillic and Greek letters, and the Latin letters that look like them, in the same order.
_ALIKE: Final = str.maketrans(
    "авсԁеһіјкмнорԛѕтѵухԝαεηικνορτυχω", "abcdehijkmhopqstvyxwaehikvoptuxw"
)


def has_unseen(name: str) -> bool:
    """Return whether a name has control (line ends), direction or zero-width characters."""
    if name.isascii() and name.isprintable():
        return False
    return any(char in _BLANK or unicodedata.category(char) in _UNSEEN for char in name)


def look(name: str) -> str:
    """Return a key that is equal for names that look the same.

    Case, marks (accents), widths, kinds of spaces and hyphens, and Cyrillic or Greek letters that
    look like Latin ones make no difference.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    shown = (
        "-" if unicodedata.category(char) == "Pd" else char
        for char in folded
        if unicodedata.category(char) != "Mn"
    )
    return " ".join("".join(shown).translate(_ALIKE).split())


def natural_order(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Return a sort key by which img_2 comes before img_10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    # A number of more than 18 digits is not a real count, and is slow to convert.
    return tuple(
        (part[0] in "0123456789", int(part[-18:]) if part[0] in "0123456789" else 0, part)
        for part in parts
    )
