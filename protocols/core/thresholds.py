"""Thresholds that several protocols share: their meaning, and their names in the RRC scripts."""

from typing import Any

from .base import choice, parameter


def min_iou(says: str = "a pair needs an IoU above this") -> Any:
    """Declare the IoU above which a truth and a detection may be a pair."""
    return parameter(0.5, says=says, rrc="IOU_CONSTRAINT")


def max_ignored_share(
    says: str = "a detection with a larger share inside an ignored truth is ignored",
) -> Any:
    """Declare the share inside an ignored truth above which a detection is ignored."""
    return parameter(0.5, says=says, rrc="AREA_PRECISION_CONSTRAINT")


def min_area_recall(default: float) -> Any:
    """Declare the share of a truth that must be covered."""
    return parameter(
        default, says="share of a truth that must be covered", rrc="AREA_RECALL_CONSTRAINT"
    )


def min_area_precision(default: float) -> Any:
    """Declare the share of a detection that must lie on truth."""
    return parameter(
        default,
        says="share of a detection that must lie on truth",
        rrc="AREA_PRECISION_CONSTRAINT",
    )


def max_centre_distance() -> Any:
    """Declare the distance of centres, in mean diagonals, below which one-to-one is possible."""
    return parameter(
        1.0,
        high=10.0,
        says="one-to-one needs a smaller distance of the centres, in mean diagonals",
        rrc="EV_PARAM_IND_CENTER_DIFF_THR",
    )


def matching() -> Any:
    """Declare which of several possible pairs are taken."""
    return choice(
        "first",
        "best",
        "most",
        "heaviest",
        says="which pairs are matched if several are good enough: the first in order, the best IoU before "
        "the others, as many pairs as possible, or the largest sum of IoU",
    )
