"""Faults of plug-ins."""

from dataclasses import dataclass

from protocols.core.base import Protocol, parameter


def function():
    return None


class Misnamed(Protocol):
    slug, name, reference, summary, family = "other", "Other", "X", "Y", "Characters"

    def score(self, scenes):
        return []


@dataclass(frozen=True)
class Raises(Misnamed):
    slug = "raises"
    share: float = parameter(2.0, says="Above its range.")
