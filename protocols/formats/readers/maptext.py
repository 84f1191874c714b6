"""MapText: groups of words in reading order, as in the competitions of 2024 and 2025 ([L24]_).

``[{"image": "img.png", "groups": [[{"vertices": [[x, y], ...], "text": "Bald", "illegible": false,
"truncated": false}, ...], ...]}]``; words of results have ``vertices`` and, if they were read, ``text``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, Collector
from ..containers.contents import Kind
from ..containers.documents import Document, json_of
from ..problems import Fault

_FLAGS: Final = ("illegible", "truncated")
_WANTED: Final = 'a list of {"image": …, "groups": [[word, …], …]}'
_WORD: Final = 'a word with "vertices" as [[x, y], …]'
_AGAIN: Final = REASONS["earlier-entries"]
_NO_WORDS: Final = REASONS["groups-without-words"]


def read_maptext(document: Document, collector: Collector) -> None:
    """Read the words of images, each with the number of its group as parent; raise Fault if it is no list."""
    data = json_of(document)
    if not isinstance(data, list):
        raise Fault("A1", checked.shown(data), _WANTED)
    entries: dict[str, Any] = {}
    for entry in data:
        with collector.catching():
            if not isinstance(entry, Mapping) or entry.keys() != {"image", "groups"}:
                raise Fault("L1", checked.shown(entry), _WANTED)
            if not isinstance(entry["image"], str) or not isinstance(entry["groups"], list):
                raise Fault("L1", checked.shown(entry["image"]), _WANTED)
            name = collector.named(entry["image"])
            if name in entries:
                collector.count(_AGAIN, image=name)
            entries[name] = entry["groups"]
    for name, groups in entries.items():
        with collector.catching():
            words = list(_words(name, groups, collector))
            region_of = partial(_region, kind=collector.kind)
            collector.image_with(name, words, region_of, "word")


def _words(name: str, groups: Sequence[Any], collector: Collector) -> Iterator[Mapping[str, Any]]:
    """Yield the words of an image, each with the number of its group."""
    for number, group in enumerate(groups):
        if not isinstance(group, list) or not all(isinstance(word, Mapping) for word in group):
            raise Fault("L1", f"{checked.shown(group)} as a group of {name}", "a list of words")
        if not group:
            collector.count(_NO_WORDS, image=name)
        for word in group:
            yield {**word, "parent": str(number)}


def _region(word: Mapping[str, Any], kind: Kind) -> Region:
    if not isinstance(word.get("vertices"), list):
        raise Fault("L1", checked.shown(word.get("vertices")), _WORD)
    points, text = checked.points_of_pairs(word["vertices"]), word.get("text")
    if not isinstance(text, str) and (kind == "truth" or text is not None):
        raise Fault("L2", f"{checked.shown(text)} as text", "a text")
    flags = []
    # In results they mean nothing.
    for flag in _FLAGS if kind == "truth" else ():
        if not isinstance(word.get(flag), bool):
            raise Fault("L2", f"{checked.shown(word.get(flag))} as {flag}", "true or false")
        if word[flag]:
            flags.append(flag)
    return Region(
        points,
        text,
        ignored=bool(flags),
        parent=word["parent"],
        ignored_as=" ".join(flags) or None,
    )


def as_maptext(regions: Sequence[Region], kind: Kind) -> tuple[Region, ...]:
    """Return the regions of an image as MapText can hold them, in the order in which it does.

    Words of the same parent are a group, numbered from 0, and so is a word without a parent.
    Ignored truth without a reason is illegible.
    """
    groups: dict[str | int, list[Region]] = {}
    for at, region in enumerate(regions):
        groups.setdefault(at if region.parent is None else region.parent, []).append(region)
    return tuple(
        replace(
            region,
            parent=str(number),
            ignored_as=region.ignored_as or "illegible"
            if region.ignored and kind == "truth"
            else region.ignored_as,
        )
        for number, group in enumerate(groups.values())
        for region in group
    )


def maptext_entry(image: str, regions: Sequence[Region], kind: Kind) -> dict[str, Any]:
    """Return the entry of an image from regions that MapText can hold; see ``as_maptext``."""
    by_group = groupby(regions, key=lambda region: region.parent)
    return {"image": image, "groups": [[_word(of, kind) for of in group] for _, group in by_group]}


def _word(region: Region, kind: Kind) -> dict[str, Any]:
    word: dict[str, Any] = {"vertices": checked.pairs_of(region)}
    if region.text is not None:
        word["text"] = region.text
    if kind == "truth":
        word |= {flag: flag in (region.ignored_as or "").split() for flag in _FLAGS}
    return word
