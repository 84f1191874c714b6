"""COCO's files, or the data in them."""

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from .core.errors import ProtocolError

Json = str | PathLike[str] | Mapping[str, Any] | list[Any]


class NotCoco(ProtocolError, ValueError):
    """A file that cannot be used; the message names it and its first fault."""


def loaded(given: Json) -> Any:
    """Return the data of a file, or data as they are given.

    Raises NotCoco if the file cannot be read, or is no JSON.
    """
    if not isinstance(given, str | PathLike):
        return given
    try:
        return json.loads(Path(given).read_text(encoding="utf-8-sig"))
    except OSError as fault:
        raise NotCoco(f"{given} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise NotCoco(f"{given} is not JSON: {fault}") from fault
