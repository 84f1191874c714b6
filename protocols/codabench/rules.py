"""Codabench's rules for a bundle of version 2, so that its answers are known before the upload."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from ..formats.containers.image_sizes import other_format, picture_size
from .values import SettingsError, checked, shipped


def require_accepted(content: Any, files: Collection[str], read: Callable[[str], bytes]) -> None:
    """Raise SettingsError, with the key, for the first thing that Codabench would refuse.

    Parameters
    ----------
    content : Any
        That of ``competition.yaml``.
    files : collection of str
        Paths in the bundle.
    read : callable
        Returns the bytes of one of them.
    """

    def picture(path: str) -> None:
        if picture_size(found := content_of(path)) is None and other_format(found) != "GIF":
            raise ValueError("must be a PNG, JPEG, GIF or WebP picture")

    def page(path: str) -> None:
        try:
            if not content_of(path).decode().strip():
                raise ValueError("must have content")
        except UnicodeDecodeError as fault:
            raise ValueError("must be UTF-8") from fault

    def content_of(path: str) -> bytes:
        if path not in files:
            raise ValueError("must be a file of the bundle")
        return read(path)

    def packed(path: str) -> None:
        if not path.endswith(".zip") or path not in files:
            raise ValueError("must be a zip of the bundle")

    convert = {"picture": picture, "page": page, "zip": packed, "time": datetime.fromisoformat}
    of = checked(content, shipped("rules.yaml"), convert)
    tasks = [task["index"] for task in of["tasks"]]
    _require_once("tasks", "index", tasks)
    ended, before = datetime.min, ""
    for at, phase in sorted(enumerate(of["phases"], 1), key=lambda pair: pair[1]["index"]):
        if phase["end"] - phase["start"] < timedelta(minutes=1):
            raise SettingsError(f"phases.{at}.end", "must be at least a minute after the start")
        if phase["start"] <= ended:
            why = f"must be at least a second after the end of {before}, {ended} UTC"
            raise SettingsError(f"phases.{at}.start", why)
        ended, before = phase["end"], phase["name"]
        if missing := [index for index in phase["tasks"] if index not in tasks]:
            raise SettingsError(f"phases.{at}.tasks", f"there is no task {missing[0]}")
    for key, question in (of["fact_sheet"] or {}).items():
        if question["key"] != key:
            raise SettingsError(f"fact_sheet.{key}.key", f"must be {key}")
    [board, *_] = of["leaderboards"]
    for name in ("key", "index"):
        _require_once("leaderboards.1.columns", name, [of[name] for of in board["columns"]])
    if not any(column["index"] == board["primary_index"] for column in board["columns"]):
        raise SettingsError("leaderboards.1.primary_index", "must be the index of a column")


def _require_once(key: str, name: str, values: Iterable[Any]) -> None:
    seen: set[Any] = set()
    for at, value in enumerate(values, 1):
        if value in seen:
            raise SettingsError(f"{key}.{at}.{name}", f"{value} is there twice")
        seen.add(value)
