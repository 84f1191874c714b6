"""Numbers with their nouns, and some of many names, for sentences."""

from collections.abc import Sequence


def counted(n: int | str, one: str, many: str | None = None) -> str:
    """Return a number with its noun, as in "1 image" and "2 images"."""
    return f"{n} {one if str(n) == '1' else many or f'{one}s'}"


def some_of(names: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """Return the first names, with an ellipsis if there are more."""
    return between.join(names[:most]) + (" …" if len(names) > most else "")
