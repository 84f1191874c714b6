"""Figures, drawings and files: each is made once, and cached in the database for all processes.

The cache key contains the inputs and the language, so an item is never out of date or in the wrong
language. Items are deleted after a day.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeVar

from django.conf import settings
from django.core.cache import caches
from django.utils.translation import get_language

import rankings
from annotate.jobs.errors import JobFailed

from .data import FigureData
from .figure import Figure
from .files import FORMATS, specification
from .kinds import figure_of
from .themes import Paper

# The name of the cache in text_rankings.site.settings.CACHES.
_CACHE: Final = "drawings"
Made = TypeVar("Made")
NO_FILES: Final = (
    "Files of figures need more packages on the server: "
    "pip install 'text-detection-rankings[figures]'"
)


class NoFiles(JobFailed):
    """The packages that write files of figures are not installed."""


def can_write() -> bool:
    """Return whether the extra ``figures`` is installed."""
    return find_spec("vl_convert") is not None


def build(data: FigureData, names: Collection[str]) -> dict[str, Figure]:
    """Return the figures of some of NAMES."""
    keys = {name: _key("figure", data.key, name) for name in names}
    kept = caches[_CACHE].get_many(keys.values())
    made = {name: figure_of(name, data) for name in names if keys[name] not in kept}
    caches[_CACHE].set_many({keys[name]: figure for name, figure in made.items()})
    return {name: made[name] if name in made else kept[keys[name]] for name in names}


def are_kept(data: FigureData, names: Collection[str]) -> bool:
    """Return whether no figure of these names has to be made."""
    keys = {_key("figure", data.key, name) for name in names}
    return len(caches[_CACHE].get_many(keys)) == len(keys)


class FigureFile:
    """A file of a figure on a paper, with the facts about its origin; written on request.

    Raises NoFiles if the extra ``figures`` is not installed.
    """

    def __init__(
        self, figure: Figure, paper: Paper, facts: Mapping[str, str], extension: str
    ) -> None:
        if not can_write():
            raise NoFiles(NO_FILES)
        self._figure, self._paper, self._facts = figure, paper, facts
        self._extension = extension
        words = (figure.title, figure.caption, figure.summary, figure.notes)
        drawing = specification(figure, paper)
        self._key = _key(extension, paper, words, sorted(facts.items()), drawing)

    @property
    def etag(self) -> str:
        """The ETag; equal files have equal tags."""
        return f'"{self._key[:32]}"'

    def content(self) -> bytes:
        return _kept(("file", self._key), self._write)

    def _write(self) -> bytes:
        return FORMATS[self._extension].write(self._figure, self._paper, self._facts)


def _kept(parts: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """Return the cached item of these parts, or make and cache it."""
    key = _key(*parts)
    kept: Made | None = caches[_CACHE].get(key)
    if kept is None:
        kept = make()
        caches[_CACHE].set(key, kept)
    return kept


def _key(*parts: object) -> str:
    return sha256(
        repr((_code(), get_language(), *parts)).encode(errors="surrogatepass")
    ).hexdigest()


@cache
def _code() -> tuple[str, int]:
    """Return the version, and when a module that affects figures was last changed."""
    folders = (Path(__file__).parents[1], Path(rankings.__file__).parent)
    changes = (
        path.stat().st_mtime_ns
        for folder in folders
        for pattern in ("*.py", "*.json")
        for path in folder.rglob(pattern)
    )
    return settings.PROGRAM, max(changes)
