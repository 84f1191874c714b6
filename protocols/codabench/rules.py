"""Codabench's rules for a bundle of version 2, so that its answers are known before the upload."""

import re
import uuid
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from ..formats.containers.image_sizes import other_format, picture_size
from .values import Conversions, SettingsError, checked, shipped

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_QUESTION: Final = {"key", "type", "title", "selection", "is_required", "is_on_leaderboard"}


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

    def content_of(path: str) -> bytes:
        if path not in files:
            raise ValueError("must be a file of the bundle")
        return read(path)

    def picture(path: str) -> None:
        found = content_of(path)
        if picture_size(found) is None and other_format(found) != "GIF":
            raise ValueError("must be a PNG, JPEG, GIF or WebP picture")

    def page(path: str) -> None:
        try:
            if not content_of(path).decode().strip():
                raise ValueError("must have content")
        except UnicodeDecodeError as fault:
            raise ValueError("must be UTF-8") from fault

    def packed(path: str) -> None:
        if not path.endswith(".zip") or path not in files:
            raise ValueError("must be a zip of the bundle")

    convert: Conversions = {"picture": picture, "page": page, "zip": packed, **_CONVERSIONS}
    of = checked(content, shipped("rules.yaml"), convert, strict=False)
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
    [board, *_] = of["leaderboards"]
    for name in ("key", "index"):
        _require_once("leaderboards.1.columns", name, [of[name] for of in board["columns"]])
    if board["primary_index"] not in [column["index"] for column in board["columns"]]:
        raise SettingsError("leaderboards.1.primary_index", "must be the index of a column")


def _require_once(key: str, name: str, values: Iterable[Any]) -> None:
    seen: set[Any] = set()
    for at, value in enumerate(values, 1):
        if value in seen:
            raise SettingsError(f"{key}.{at}.{name}", f"{value} is there twice")
        seen.add(value)


def _version(value: Any) -> None:
    if value not in ("2", 2) or isinstance(value, float):
        raise ValueError("must be 2")


def _uuid(value: str) -> None:
    try:
        uuid.UUID(value)
    except ValueError as fault:
        raise ValueError("must be the UUID of a queue") from fault


def _moment(value: str) -> datetime:
    try:
        return datetime.fromisoformat(value if _DATE.fullmatch(value) else "")
    except ValueError as fault:
        raise ValueError("must be a quoted time in UTC such as '2027-01-01 09:30:00'") from fault


def _questions(given: dict[str, Any]) -> None:
    for key, of in given.items():
        if not isinstance(of, dict) or set(of) != _QUESTION or of["key"] != key:
            raise ValueError(
                f"must have, for each question, exactly {', '.join(sorted(_QUESTION))}"
            )
        if of["type"] not in ("checkbox", "text", "select"):
            raise ValueError("must have questions of the types checkbox, text and select only")


def _unused(value: Any) -> None:
    raise ValueError("must not be there, since the program computes all figures")


_CONVERSIONS: Final[Conversions] = {
    "version": _version,
    "uuid": _uuid,
    "moment": _moment,
    "questions": _questions,
    "unused": _unused,
}
