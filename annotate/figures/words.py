"""Words that the captions and notes of several figures share."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .numbers import Distances

DISTANCE_NAMES: Final = {"edit": "ranking edit distance", "kemeny": "Kemeny distance"}
SHORT_DISTANCE_NAMES: Final = {"edit": "edit distance", "kemeny": "Kemeny distance"}


def missing_images(
    images: Mapping[str, Any] | Sequence[Any],
    protocols: Sequence[str],
    left_out: Sequence[tuple[str, str]],
) -> str:
    if not protocols:
        return "No protocol has scored this dataset yet."
    if len(images):
        return ""
    if not left_out:
        return "The study has no image that counts."
    image, reason = left_out[0]
    more = f", and {counted(len(left_out) - 1, 'other image')}" if len(left_out) > 1 else ""
    return f"No image counts yet; left out: {image} ({reason}){more}."


def one_image(images: Mapping[str, Any]) -> list[str]:
    return ["One image: it says nothing about others."] if len(images) == 1 else []


def identical(distances: Distances, protocols: Sequence[str]) -> list[str]:
    columns = {name: tuple(row[name] for row in distances.values()) for name in protocols}
    return [
        f"Equally far from people on every image: {listed(group)}."
        for group in groups_of_equals(columns)
    ]


def groups_of_equals(values: Mapping[str, Any]) -> list[list[str]]:
    """Return the names that share a value with another, together."""
    names_by_value: dict[Any, list[str]] = {}
    for name, value in values.items():
        names_by_value.setdefault(value, []).append(name)
    return [names for names in names_by_value.values() if len(names) > 1]


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str], most: int = 6) -> str:
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
