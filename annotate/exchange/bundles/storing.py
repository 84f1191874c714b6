"""Insertion of a bundle's rows with their original times."""

from collections.abc import Sequence
from typing import Final, TypeVar

from django.db import models

BATCH: Final = 500
_Row = TypeVar("_Row", bound=models.Model)


def store(rows: Sequence[_Row]) -> None:
    """Insert rows with their own ``created`` times, which auto_now_add would set to now."""
    if not rows:
        return
    model = type(rows[0])
    dated = any(field.name == "created" for field in model._meta.concrete_fields)
    times = [getattr(row, "created", None) for row in rows]
    model._default_manager.bulk_create(rows, batch_size=BATCH)
    if not dated:
        return
    if any(time is None for time in times):
        raise ValueError("created is missing")
    for row, time in zip(rows, times, strict=True):
        row.created = time  # type: ignore[attr-defined]  # a field, see dated
    model._default_manager.bulk_update(rows, ["created"], batch_size=BATCH)
