"""Numbers with their nouns, for sentences."""


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun, as in "1 image" and "2 images"."""
    return f"{n} {one if n == 1 else many or f'{one}s'}"
