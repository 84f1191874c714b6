"""Keys in addresses: numbers that every database can store."""

from typing import Final

N_DIGITS: Final = 18


class Key:
    """A positive number of at most eighteen digits; longer ones match no address."""

    regex = f"[1-9][0-9]{{0,{N_DIGITS - 1}}}"

    def to_python(self, text: str) -> int:
        return int(text)

    def to_url(self, key: int) -> str:
        return str(key)
