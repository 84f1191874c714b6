"""Rows of every table as JSON, one list per row, the same for every kind of database."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, time
from typing import Any, Final

from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.management.color import no_style
from django.db import connection, models

from annotate.csv_tables import some_at_a_time
from annotate.jobs.models import Worker

# `migrate` recreates the first two with other keys; the others are valid only on one machine at one
# time.
_NOT_KEPT: Final = (ContentType, Permission, Session, Worker)
_NAMED: Final[dict[Any, tuple[str, ...]]] = {
    ContentType: ("app_label", "model"),
    Permission: ("content_type__app_label", "content_type__model", "codename"),
}
_BATCH: Final = 2000
Model = type[models.Model]


def kept_models() -> list[Model]:
    """Return every model whose rows are backed up, including many-to-many tables."""
    every = apps.get_models(include_auto_created=True)
    kept = [model for model in every if model not in _NOT_KEPT]
    return sorted(kept, key=lambda model: model._meta.label_lower)


def columns(model: Model) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def encoded_rows(model: Model) -> Iterator[bytes]:
    """Yield each row of a table as one line of JSON, ordered by key."""
    named = [_name_of(field) for field in model._meta.concrete_fields]
    rows = model._base_manager.order_by("pk").values_list(*columns(model))
    for row in rows.iterator(_BATCH):
        values = [name(value) for name, value in zip(named, row, strict=True)]
        yield json.dumps(values, default=_said, separators=(",", ":")).encode() + b"\n"


def _said(value: Any) -> str:
    """Encode times to the microsecond, which Django's own encoder truncates to milliseconds."""
    return value.isoformat() if isinstance(value, date | time) else str(value)


def store_rows(model: Model, lines: Iterable[bytes]) -> int:
    """Insert rows that `encoded_rows` wrote, exactly as they were; return how many.

    Raises ValueError for a line that is not such a row, and KeyError for an unknown name.
    """
    fields = model._meta.concrete_fields
    made = [_value_of(field) for field in fields]
    quoted = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    table = connection.ops.quote_name(model._meta.db_table)
    insert = " ".join(["INSERT INTO", table, "(", quoted, ") VALUES (", marks, ")"])
    n_rows = 0
    with connection.cursor() as cursor:
        for batch in some_at_a_time(lines, _BATCH):
            cursor.executemany(insert, [_values(line, made) for line in batch])
            n_rows += len(batch)
    return n_rows


def _values(line: bytes, made: Sequence[Callable[[Any], Any]]) -> list[Any]:
    row = json.loads(line)
    return [make(value) for make, value in zip(made, row, strict=True)]


def set_next_keys() -> None:
    """Set the sequences of keys to continue after the stored ones."""
    statements = connection.ops.sequence_reset_sql(no_style(), kept_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def is_empty() -> bool:
    """Return whether no table holds a row that would be backed up."""
    return not any(model._base_manager.exists() for model in kept_models())


def _name_of(field: models.Field[Any, Any]) -> Callable[[Any], Any]:
    """Return a field's encoder of values, which gives types and permissions by name."""
    if field.related_model in _NAMED:
        names = _names(field.related_model)
        return lambda pk: names.get(pk)
    return lambda value: value


def _value_of(field: models.Field[Any, Any]) -> Callable[[Any], Any]:
    if field.related_model in _NAMED:
        keys = {name: pk for pk, name in _names(field.related_model).items()}
        return lambda name: None if name is None else keys[tuple(name)]
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(target, models.JSONField):
        return lambda value: target.get_db_prep_save(value, connection)
    return lambda value: target.get_db_prep_save(target.to_python(value), connection)


def _names(model: Any) -> dict[int, tuple[str, ...]]:
    return {row[0]: row[1:] for row in model.objects.values_list("pk", *_NAMED[model])}
