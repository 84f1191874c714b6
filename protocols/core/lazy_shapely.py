"""Shapely, imported on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["shapely"]


class _Later:
    """A proxy for a module that is slow to import and seldom needed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import shapely
else:
    shapely = _Later("shapely")
