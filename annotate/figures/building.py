"""Building figures once for a page and the files on it."""

from collections.abc import Collection
from threading import Lock
from typing import Final

from .data import FigureData
from .figure import Figure
from .kinds import figure_of

_N_KEPT: Final = 12
_built: dict[str, dict[str, Figure]] = {}
_lock = Lock()


def build(data: FigureData, names: Collection[str]) -> dict[str, Figure]:
    """Return the figures of some of NAMES.

    A page and the files on it ask one after the other, so a process keeps what it has built last:
    until the study's log, its runs or the settings are others.
    """
    key = data.key
    with _lock:
        figures = dict(_built.get(key, {}))
    missing = [name for name in names if name not in figures]
    if missing:
        figures |= {name: figure_of(name, data) for name in missing}
        with _lock:
            _built.pop(key, None)
            _built[key] = figures
            while len(_built) > _N_KEPT:
                del _built[next(iter(_built))]
    return {name: figures[name] for name in names}
