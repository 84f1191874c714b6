"""The long work of a load: checking its files, and loading what was checked."""

from collections.abc import Mapping
from typing import Any

from annotate.jobs.registry import Progress


def check(arguments: Mapping[str, Any], progress: Progress) -> None:
    raise NotImplementedError


def load(arguments: Mapping[str, Any], progress: Progress) -> None:
    raise NotImplementedError
