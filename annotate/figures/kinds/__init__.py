"""The figures of a study, in the order in which its page shows them; each is a module here.

The function ``figure_of(data)`` of a module returns its figure. To add a figure, write its module
and list it here.
"""

from collections.abc import Callable, Mapping
from typing import Final

from ..data import FigureData
from ..figure import Figure
from . import (
    agreement,
    beta,
    critical_difference,
    distances,
    nearness,
    participants,
    parts_of_images,
    plan,
    progress,
    scores,
    strengths,
    variance,
    wins,
)

# name in addresses -> the function that returns the figure
_FIGURES: Final[Mapping[str, Callable[[FigureData], Figure]]] = {
    "nearness": nearness.figure_of,
    "distances": distances.figure_of,
    "wins": wins.figure_of,
    "critical-difference": critical_difference.figure_of,
    "scores": scores.figure_of,
    "strengths": strengths.figure_of,
    "beta": beta.figure_of,
    "agreement": agreement.figure_of,
    "variance": variance.figure_of,
    "parts": parts_of_images.figure_of,
    plan.NAME: plan.figure_of,
    "progress": progress.figure_of,
    participants.NAME: participants.figure_of,
}
NAMES: Final = tuple(_FIGURES)


def figure_of(name: str, data: FigureData) -> Figure:
    """Return the figure of this name, one of NAMES."""
    return _FIGURES[name](data)
