"""Suggestions for names that do not exist: the nearest of the known ones."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a wrong one resembles most, whatever the case, or None."""
    # Only for faults, so that no other start of a program waits for it.
    import difflib

    by_key = {one.casefold(): one for one in known}
    alike = difflib.get_close_matches(name.casefold()[:200], by_key, n=1)
    return by_key[alike[0]] if alike else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question in brackets for a sentence about an unknown name, or an empty text."""
    alike = nearest(name, known)
    return f" (did you mean {alike!r}?)" if alike else ""
