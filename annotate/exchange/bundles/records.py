"""Conversion of database rows to JSON and back, with fields by name, validated by the model."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeVar

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.timezone import is_aware

from annotate.names import seen

Row = TypeVar("Row", bound=models.Model)
_KINDS: Final = (
    (models.BooleanField, (bool,)),
    (models.IntegerField, (int,)),
    (models.FloatField, (int, float)),
    (models.DateTimeField, (str,)),
    (models.CharField, (str,)),
    (models.TextField, (str,)),
)


def plain_fields(model: type[models.Model]) -> list["models.Field[Any, Any]"]:
    """Return a model's fields except its primary key and relations."""
    return [
        field
        for field in model._meta.concrete_fields
        if not field.primary_key and not field.is_relation
    ]


def encoded(instance: models.Model, leave_out: Collection[str] = ()) -> dict[str, Any]:
    """Return the plain fields of a row as JSON-serialisable data, with times in ISO 8601."""
    return {
        field.name: value.isoformat()
        if isinstance(field, models.DateTimeField) and value
        else value
        for field in plain_fields(type(instance))
        if field.name not in leave_out
        for value in [getattr(instance, field.name)]
    }


def decoded(model: type[Row], row: Mapping[str, Any], **others: Any) -> Row:
    """Return an unsaved row from the output of encoded(); ``others`` are set unchecked.

    Raises ValueError for a field that is unknown or invalid. A missing field gets its default.
    """
    fields = {field.name: field for field in plain_fields(model)}
    unknown = row.keys() - fields.keys()
    if unknown:
        raise ValueError(f"{min(unknown)} is not known")
    values = {name: _checked(fields[name], value) for name, value in row.items()}
    return model(**values, **others)


def _checked(field: "models.Field[Any, Any]", value: Any) -> Any:
    if value is None:
        if not field.null:
            raise ValueError(f"{field.name} is undefined")
        return None
    for kind, types in _KINDS:
        if isinstance(field, kind) and type(value) not in types:
            raise ValueError(f"{field.name} is {value!r}")
    try:
        read = field.to_python(value)
        field.run_validators(read)
        if field.name == "name":
            seen(read)
        if isinstance(field, models.JSONField):
            # run_validators() skips empty values.
            for check in field.validators:
                check(read)
    except ValidationError as fault:
        raise ValueError(f"{field.name}: {' '.join(fault.messages)}") from fault
    if isinstance(field, models.DateTimeField) and not is_aware(read):
        raise ValueError(f"{field.name} has no time zone")
    if (
        field.flatchoices
        and value not in dict(field.flatchoices)
        and not (field.blank and not value)
    ):
        raise ValueError(f"{field.name} is {value!r}")
    return read


def to_line(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n").encode()


def from_json(content: bytes) -> Any:
    """Parse JSON strictly. Raises ValueError also for NaN, infinities and zero bytes."""
    if b"\\u0000" in content:
        raise ValueError("a text holds a zero byte")
    return json.loads(content.decode(), parse_constant=_no_number, parse_float=_finite)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large")
    return value


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
