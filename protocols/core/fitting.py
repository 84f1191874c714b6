"""Checks of whether data have a protocol's inputs, and of whether it measures their shapes."""

from collections.abc import Iterable
from itertools import tee

from text_rankings.base.i18n import Message

from .base import Protocol
from .regions import Region


def lacking(
    protocol: Protocol, truths: Iterable[Region], found: Iterable[Region], n_methods: int
) -> str:
    """Return which input the data do not have, as the end of a sentence; "" if none is missing.

    Parameters
    ----------
    protocol : Protocol
    truths, found : iterable of Region
        Of the whole dataset.
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
    truths, for_cells = tee(region for region in truths if not region.ignored)
    if protocol.needs == "several methods" and n_methods < 2:
        return Message("it needs the results of several methods")
    if protocol.needs == "cells" and not any(region.cell for region in for_cells):
        return Message("the ground truth has no table cells")
    if protocol.needs in ("text", "detected text") and not any(region.text for region in truths):
        return Message("the ground truth has no transcriptions")
    return lacking_in_results(protocol, found)


def lacking_in_results(protocol: Protocol, found: Iterable[Region]) -> str:
    """Return which input the results do not have, as the end of a sentence; "" if none is missing.

    Parameters
    ----------
    protocol : Protocol
    found : iterable of Region
        All detections of one method, or of several.

    Examples
    --------
    >>> from protocols import registry
    >>> word = [Region.from_box(0, 0, 100, 40)]
    >>> lacking_in_results(registry.get("average-precision"), word)
    'the results have no confidences'
    """
    if protocol.needs == "detected text" and not any(region.text for region in found):
        return Message("the results have no transcriptions")
    if protocol.needs == "confidences" and all(region.confidence is None for region in found):
        return Message("the results have no confidences")
    return ""


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
        return Message(
            "it treats every region as its bounding box (deteval-total-text measures polygons)"
        )
    return ""


def _is_box(region: Region) -> bool:
    left, top, right, bottom = region.box
    corners = {(left, top), (right, top), (right, bottom), (left, bottom)}
    return set(zip(region.points[::2], region.points[1::2], strict=True)) <= corners
