"""Warnings of sentinels that are nearer to people than protocols are, as pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankings.agreement.report import ALL_TIED


@dataclass(frozen=True, slots=True)
class ShownWarning:
    """A sentinel and all protocols that lie farther from people."""

    sentinel: str
    # Of 100 pairs; in older reports the Score.
    loss: float
    protocols: Sequence[str]


def by_sentinel(warnings: Sequence[Mapping[str, Any]]) -> list[ShownWarning]:
    """Group the warnings by sentinel, because a list of dozens would not be read.

    The verdicts already cover the ranking that ties all.
    """
    found: dict[str, ShownWarning] = {}
    for warning in warnings:
        if warning["sentinel"] == ALL_TIED:
            continue
        empty = ShownWarning(
            warning["sentinel"], warning.get("sentinel_loss", warning.get("sentinel_score")), []
        )
        gathered = found.setdefault(warning["sentinel"], empty)
        found[warning["sentinel"]] = replace(
            gathered, protocols=[*gathered.protocols, warning["protocol"]]
        )
    return list(found.values())
