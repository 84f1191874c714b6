"""The version of the program; a worker leaves jobs of a newer site alone."""

from typing import Final

from rankings import __version__

VERSION: Final = __version__


def is_newer(version: str, than: str) -> bool:
    """Return whether a version such as 1.10.0 is later than another; empty is the oldest."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]
