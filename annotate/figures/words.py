"""Phrases that the captions and notes of several figures share, in the reader's language."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.languages import numeral

from .numbers import Distances

DISTANCE_NAMES: Final = {
    "edit": gettext_lazy("ranking edit distance"),
    "kemeny": gettext_lazy("Kemeny distance"),
}
SHORT_DISTANCE_NAMES: Final = {
    "edit": gettext_lazy("edit distance"),
    "kemeny": gettext_lazy("Kemeny distance"),
}


def to_consensus(distance: str) -> str:
    """Return the title of an axis of distances."""
    name = SHORT_DISTANCE_NAMES[distance]
    return capital(_("{distance} to the consensus").format(distance=name))


def titled(title: str, criterion: str) -> str:
    """Return the title of a figure about one criterion."""
    return _("{title} by {criterion}").format(title=title, criterion=_(criterion))


def missing_images(
    images: Mapping[str, Any] | Sequence[Any],
    protocols: Sequence[str],
    left_out: Sequence[tuple[str, str]],
) -> str:
    if not protocols:
        return _("No protocol has scored every method of this study yet: score protocols.")
    if len(images):
        return ""
    if not left_out:
        return _("The study has no image that counts.")
    image, reason = left_out[0]
    values = {"image": image, "reason": reason}
    if len(left_out) == 1:
        return _("No image counts yet; left out: {image} ({reason}).").format(**values)
    n = len(left_out) - 1
    return ngettext(
        "No image counts yet; left out: {image} ({reason}), and {n} other image.",
        "No image counts yet; left out: {image} ({reason}), and {n} other images.",
        n,
    ).format(**values, n=whole(n))


def one_image(images: Mapping[str, Any]) -> list[str]:
    return [_("One image: it says nothing about others.")] if len(images) == 1 else []


def identical(distances: Distances, protocols: Sequence[str]) -> list[str]:
    columns = {name: tuple(row[name] for row in distances.values()) for name in protocols}
    return [
        _("Equally far from people on every image: {names}.").format(names=listed(group))
        for group in groups_of_equals(columns)
    ]


def groups_of_equals(values: Mapping[str, Any]) -> list[list[str]]:
    """Return groups of names that share a value, without groups of one."""
    names_by_value: dict[Any, list[str]] = {}
    for name, value in values.items():
        names_by_value.setdefault(value, []).append(name)
    return [names for names in names_by_value.values() if len(names) > 1]


def counted_images(n: int) -> str:
    return ngettext("{n} image", "{n} images", n).format(n=whole(n))


def counted_annotators(n: int) -> str:
    return ngettext("{n} annotator", "{n} annotators", n).format(n=whole(n))


def counted_protocols(n: int) -> str:
    return ngettext("{n} protocol", "{n} protocols", n).format(n=whole(n))


def whole(n: int) -> str:
    return numeral(f"{n:,}")


def percent(share: float) -> str:
    return _("{n} %").format(n=f"{100 * share:.0f}")


def percent_sign() -> str:
    """Return the percent sign as written after a number."""
    return _("{n} %").format(n="")


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str], most: int = 6) -> str:
    shown = list(names[:most])
    if len(names) > most:
        return _("{names} and {n} more").format(names=", ".join(shown), n=len(names) - most)
    if len(shown) == 1:
        return shown[0]
    return _("{first} and {last}").format(first=", ".join(shown[:-1]), last=shown[-1])
