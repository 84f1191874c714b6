"""Checks whether data have what a protocol needs."""

from collections.abc import Iterable
from itertools import tee

from .base import Protocol
from .regions import Region


def lacking(
    protocol: Protocol, truths: Iterable[Region], found: Iterable[Region], n_methods: int
) -> str:
    """Say what a protocol needs and the data lack, as the end of a sentence; empty if nothing."""
    truths, for_cells = tee(region for region in truths if not region.ignored)
    if protocol.needs == "several methods" and n_methods < 2:
        return "it needs the results of several methods"
    if protocol.needs == "cells" and not any(region.cell for region in for_cells):
        return "the ground truth has no table cells"
    if protocol.needs in ("text", "detected text") and not any(region.text for region in truths):
        return "the ground truth has no transcriptions"
    if protocol.needs == "detected text" and not any(region.text for region in found):
        return "the results have no transcriptions"
    if protocol.needs == "confidences" and all(region.confidence is None for region in found):
        return "the results have no confidences"
    return ""
