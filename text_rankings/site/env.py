"""Settings from the environment; errors name the variable."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import overload
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

from .proxies import Proxies, read

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def text(name: str, default: str | None = None) -> str:
    """Return the variable's text; if it is missing or empty and has no default, the start fails."""
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"Set the environment variable {name}.")
    return default


def flag(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")


@overload
def number(name: str, default: int) -> int: ...


@overload
def number(name: str, default: None) -> int | None: ...


def number(name: str, default: int | None) -> int | None:
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        return int(value)
    except ValueError as fault:
        raise ImproperlyConfigured(f"{name} must be a number, not {value!r}.") from fault


def zone(name: str, default: str) -> str:
    """Return the name of a time zone, such as Europe/Paris."""
    value = text(name, default)
    try:
        return ZoneInfo(value).key
    except (LookupError, ValueError, OSError) as fault:
        raise ImproperlyConfigured(
            f"{name} must be a time zone such as Europe/Paris, not {value!r}."
        ) from fault


def prefix(name: str) -> str:
    """Return a path below which the site is, such as /rankings; empty for the top of its host."""
    value = text(name, default="")
    if value and not re.fullmatch(r"(/[A-Za-z0-9_.~-]+)+", value):
        raise ImproperlyConfigured(f"{name} must be a path such as /rankings, not {value!r}.")
    return value


def choice(name: str, choices: Sequence[str], default: str) -> str:
    value = text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(choices)}, not {value!r}.")
    return value


def names(name: str, default: str = "") -> list[str]:
    """Return a comma-separated variable as a list without blanks."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def proxies(name: str) -> Proxies:
    """Return a comma-separated variable of addresses and networks as the proxies that are trusted."""
    try:
        return read(names(name))
    except ValueError as refusal:
        raise ImproperlyConfigured(f"{name}: {refusal}") from refusal


def folder(name: str, default: Path) -> Path:
    return Path(text(name, str(default))).expanduser().resolve()
