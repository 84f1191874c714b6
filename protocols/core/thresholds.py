"""Thresholds that several protocols share: their meaning, and their names in the RRC scripts."""

from typing import Any

from .base import parameter


def min_iou() -> Any:
    return parameter(0.5, says="a pair needs an IoU above this", rrc="IOU_CONSTRAINT")


def max_ignored_share() -> Any:
    return parameter(
        0.5,
        says="a detection with a larger share inside an ignored truth is ignored",
        rrc="AREA_PRECISION_CONSTRAINT",
    )


def min_area_recall(default: float) -> Any:
    return parameter(
        default, says="share of a truth that must be covered", rrc="AREA_RECALL_CONSTRAINT"
    )


def min_area_precision(default: float) -> Any:
    return parameter(
        default,
        says="share of a detection that must lie on truth",
        rrc="AREA_PRECISION_CONSTRAINT",
    )


def max_centre_distance() -> Any:
    return parameter(
        1.0,
        high=10.0,
        says="one-to-one needs a smaller distance of the centres, in mean diagonals",
        rrc="EV_PARAM_IND_CENTER_DIFF_THR",
    )
