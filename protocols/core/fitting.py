"""Checks of whether data have a protocol's inputs, on both sides, and of whether it measures their shapes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final, get_args

from .base import Field, Needs, Protocol, Scene
from .regions import Region

FIELDS: Final[tuple[Field, ...]] = get_args(Field)
# Words on a field that some regions have and others do not.
_WORDS: Final[Mapping[Field, str]] = {
    "label": (
        "labels on {of_truths} of {truths} truths and {of_found} of {found} detections; they count "
        "only where the ground truth has them"
    ),
    "text": (
        "texts on {of_truths} of {truths} truths and {of_found} of {found} detections; they count "
        "only where the ground truth has them"
    ),
}
# The field that a protocol needs of the ground truth, or of results, and words on its absence.
_OF_TRUTH: Final[Mapping[Needs, tuple[Field, str]]] = {
    "cells": ("cell", "the ground truth has no table cells"),
    "text": ("text", "the ground truth has no transcriptions"),
    "detected text": ("text", "the ground truth has no transcriptions"),
}
_OF_RESULTS: Final[Mapping[Needs, tuple[Field, str]]] = {
    "detected text": ("text", "the results have no transcriptions"),
    "confidences": ("confidence", "the results have no confidences"),
}


@dataclass(frozen=True, slots=True)
class Held:
    """The numbers of counted truths and of detections, and how many of them have each field.

    Those of several images are their sum.
    """

    truths: int = 0
    found: int = 0
    of_truths: Mapping[Field, int] = field(default_factory=lambda: _numbers(()))
    of_found: Mapping[Field, int] = field(default_factory=lambda: _numbers(()))

    @classmethod
    def of(cls, truths: Iterable[Region], found: Iterable[Region]) -> "Held":
        counted, found = [region for region in truths if not region.ignored], list(found)
        return cls(len(counted), len(found), _numbers(counted), _numbers(found))

    def __add__(self, other: "Held") -> "Held":
        return Held(
            self.truths + other.truths,
            self.found + other.found,
            {name: self.of_truths[name] + other.of_truths[name] for name in FIELDS},
            {name: self.of_found[name] + other.of_found[name] for name in FIELDS},
        )


def _numbers(regions: Sequence[Region]) -> dict[Field, int]:
    values = {name: list(map(attrgetter(name), regions)) for name in FIELDS}
    return {name: len(of) - of.count(None) - of.count("") for name, of in values.items()}


def _has(region: Region, name: Field) -> bool:
    value = getattr(region, name)
    return value is not None and value != ""


def lacking(
    protocol: Protocol, truths: Iterable[Region], found: Iterable[Region], n_methods: int
) -> str:
    """Return which input the data do not have, as the end of a sentence; "" if none is missing.

    On a side without counted regions nothing is missing: if nothing is found, the score is 0.

    Parameters
    ----------
    protocol : Protocol
    truths, found : iterable of Region
        Of the whole dataset; read as far as necessary.
    n_methods : int
        Number of methods with results.

    Examples
    --------
    >>> from protocols import registry
    >>> word = [Region.from_box(0, 0, 100, 40)]
    >>> lacking(registry.get("cleval"), word, word, n_methods=1)
    'the ground truth has no transcriptions'
    >>> lacking(registry.get("iou"), word, word, n_methods=1)
    ''
    """
    if protocol.needs == "several methods" and n_methods < 2:
        return "it needs the results of several methods"
    name, words = _OF_TRUTH.get(protocol.needs, (None, ""))
    if name and _have_none((region for region in truths if not region.ignored), name):
        return words
    return lacking_in_results(protocol, found)


def lacking_in_results(protocol: Protocol, found: Iterable[Region]) -> str:
    """Return which input the results do not have, as the end of a sentence; "" if none is missing.

    Parameters
    ----------
    protocol : Protocol
    found : iterable of Region
        All detections of one method, or of several; without a detection, nothing is missing.

    Examples
    --------
    >>> from protocols import registry
    >>> word = [Region.from_box(0, 0, 100, 40)]
    >>> lacking_in_results(registry.get("average-precision"), word)
    'the results have no confidences'
    >>> lacking_in_results(registry.get("average-precision"), [])
    ''
    """
    name, words = _OF_RESULTS.get(protocol.needs, (None, ""))
    return words if name and _have_none(found, name) else ""


def needed_of_results(protocol: Protocol) -> str:
    """Return the words on results without the field that a protocol needs; "" if it needs none.

    Examples
    --------
    >>> from protocols import registry
    >>> needed_of_results(registry.get("end-to-end"))
    'the results have no transcriptions'
    """
    return _OF_RESULTS.get(protocol.needs, (None, ""))[1]


def lacking_of(protocol: Protocol, held: Held) -> str:
    """Return what ``lacking`` returns for one method, from numbers of fields.

    Parameters
    ----------
    protocol : Protocol
    held : Held

    Examples
    --------
    >>> from protocols import registry
    >>> word = [Region.from_box(0, 0, 100, 40)]
    >>> lacking_of(registry.get("cleval"), Held.of(word, word))
    'the ground truth has no transcriptions'
    """
    for n, of, needed in (
        (held.truths, held.of_truths, _OF_TRUTH),
        (held.found, held.of_found, _OF_RESULTS),
    ):
        name, words = needed.get(protocol.needs, (None, ""))
        if n and name and not of[name]:
            return words
    return ""


def _have_none(regions: Iterable[Region], name: Field) -> bool:
    """Return whether there is a region, and none has a field."""
    some = False
    for region in regions:
        if _has(region, name):
            return False
        some = True
    return some


def one_sided(protocol: Protocol, held: Held) -> list[str]:
    """Return a sentence for each field that a protocol reads and not all regions have.

    Labels and texts count only where the ground truth has them. ``held`` are the numbers of one
    method; if either side is empty, there is nothing to say.

    Parameters
    ----------
    protocol : Protocol
    held : Held

    Examples
    --------
    >>> from protocols import registry
    >>> word, sign = Region.from_box(0, 0, 9, 4), Region.from_box(0, 0, 9, 4, label="text")
    >>> one_sided(registry.get("slot-error"), Held.of([word], [sign]))
    ['labels on 0 of 1 truths and 1 of 1 detections; ...']
    """
    if not held.truths or not held.found:
        return []
    said: list[str] = []
    for name in sorted(protocol.fields_read()):
        of_truths, of_found = held.of_truths[name], held.of_found[name]
        numbers = {
            "of_truths": of_truths,
            "truths": held.truths,
            "of_found": of_found,
            "found": held.found,
        }
        if name == "confidence" and of_found < held.found:
            said.append(
                "confidences on {of_found} of {found} detections; the page of the protocol says "
                "how the others count".format(**numbers)
            )
        elif name in _WORDS and 0 < of_truths + of_found < held.truths + held.found:
            said.append(_WORDS[name].format(**numbers))
    return said


def differ(of_truth: str | None, found: str | None) -> bool:
    """Return whether the label or text of a detection is wrong; it counts where the truth has one.

    Parameters
    ----------
    of_truth, found : str or None

    Examples
    --------
    >>> differ("Latin", "Arabic"), differ("Latin", None), differ(None, "Latin")
    (True, True, False)
    """
    return of_truth is not None and of_truth != found


def of_known_text(scene: Scene) -> Scene:
    """Return a scene with the truths ignored that have no text, as one does with illegible ones.

    Examples
    --------
    >>> word = Region.from_box(0, 0, 100, 40)
    >>> of_known_text(Scene((word,), (word,))).truth[0].ignored
    True
    """
    truth = tuple(
        replace(region, ignored=True) if region.text is None else region for region in scene.truth
    )
    return replace(scene, truth=truth)


def remark(protocol: Protocol, truths: Iterable[Region]) -> str:
    """Return a remark (the end of a sentence) if a protocol ignores the shapes of truths; else "".

    Parameters
    ----------
    protocol : Protocol
    truths : iterable of Region

    Examples
    --------
    >>> from protocols import registry
    >>> remark(registry.get("icdar13"), [Region((0, 0, 9, 1, 9, 5, 0, 4))])
    'it treats every region as its bounding box (deteval-total-text measures polygons)'
    """
    if protocol.measures_boxes and any(not _is_box(region) for region in truths):
        return "it treats every region as its bounding box (deteval-total-text measures polygons)"
    return ""


def _is_box(region: Region) -> bool:
    left, top, right, bottom = region.box
    corners = {(left, top), (right, top), (right, bottom), (left, bottom)}
    return set(zip(region.points[::2], region.points[1::2], strict=True)) <= corners
