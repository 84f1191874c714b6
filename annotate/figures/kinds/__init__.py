"""The figures of a study, in the order in which its page shows them; each is a module here.

A module has ``figure_of(data)``: the numbers, the words and the drawing of one figure. To add a
figure, write its module and name it here.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Final

from ..data import FigureData
from ..figure import Figure

# name in addresses -> module
_MODULES: Final = {
    "distances": "distances",
    "wins": "wins",
    "critical-difference": "critical_difference",
    "scores": "scores",
    "beta": "beta",
    "agreement": "agreement",
    "progress": "progress",
}
NAMES: Final = tuple(_MODULES)


def figure_of(name: str, data: FigureData) -> Figure:
    """Return one of NAMES.

    Its module is imported here because it loads the drawing library, which takes a second: a
    process that shows no figures does without.
    """
    module = import_module(f".{_MODULES[name]}", __package__)
    build: Callable[[FigureData], Figure] = module.figure_of
    return build(data)
