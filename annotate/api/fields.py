"""Fields and serializers used by several subjects."""

import math
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from protocols.core.regions import Region, encode_regions

# The fields "label" and "parent" are named like attributes of every serializer. The framework
# removes declared fields before it creates the class, so nothing is overridden.
MAX_COORDINATE = 1e6
MAX_POINTS = 200
MAX_TEXT = 1000


def unknown_fields(serializer: serializers.Field[Any, Any, Any, Any] | None, sent: Any) -> Any:
    """Return a fault, in the framework's form, for each field that no serializer has; {} for none."""
    if isinstance(serializer, serializers.ListSerializer) and isinstance(sent, list):
        faults = [unknown_fields(serializer.child, one) for one in sent]
        return faults if any(faults) else {}
    if not isinstance(serializer, serializers.Serializer) or not isinstance(sent, Mapping):
        return {}
    known = serializer.fields
    found = {
        name: unknown_fields(known[name], value)
        if name in known
        else ["This address knows no such field."]
        for name, value in sent.items()
    }
    return {name: fault for name, fault in found.items() if fault}


class Finite(serializers.FloatField):
    """A JSON number within bounds: no text, no boolean, nothing infinite."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        return super().to_internal_value(data)


class Defined(serializers.FloatField):
    """A figure in a response; null if it is undefined or infinite."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def to_representation(self, value: Any) -> Any:
        return float(value) if math.isfinite(value) else None


class RegionSerializer(serializers.Serializer[None]):
    """A polygon in image pixels, y down; fields without a value are omitted."""

    points = serializers.ListField(
        child=Finite(min_value=-MAX_COORDINATE, max_value=MAX_COORDINATE),
        min_length=6,
        max_length=2 * MAX_POINTS,
        help_text="x1, y1, x2, y2, …; three points or more.",
    )
    text = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_TEXT, trim_whitespace=False
    )
    confidence = Finite(required=False, min_value=-MAX_COORDINATE, max_value=MAX_COORDINATE)
    ignored = serializers.BooleanField(
        required=False, help_text="Ground truth that counts for nobody."
    )
    label = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TEXT)  # type: ignore[assignment]  # a field
    id = serializers.CharField(required=False, max_length=MAX_TEXT)
    parent = serializers.CharField(  # type: ignore[assignment]  # a field
        required=False, max_length=MAX_TEXT, help_text="The id of the line or table it belongs to."
    )
    cell = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=10_000),
        min_length=4,
        max_length=4,
        required=False,
        help_text="First row, first column, last row, last column of a table cell, from 0.",
    )

    def validate_points(self, points: list[float]) -> list[float]:
        if len(points) % 2:
            raise serializers.ValidationError("Each point has x and y; the last has no y.")
        return points


class StoredRegionSerializer(serializers.Serializer[None]):
    """A polygon in image pixels, y down; fields without a value are omitted."""

    points = serializers.ListField(child=serializers.FloatField(), min_length=6)
    text = serializers.CharField(required=False)
    confidence = serializers.FloatField(required=False)
    ignored = serializers.BooleanField(required=False)
    label = serializers.CharField(required=False)  # type: ignore[assignment]  # a field
    id = serializers.CharField(required=False)
    parent = serializers.CharField(required=False)  # type: ignore[assignment]  # a field
    cell = serializers.ListField(child=serializers.IntegerField(), required=False)
    pixels = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        required=False,
        help_text="A mask as runs: row, first column, column after the last.",
    )


@extend_schema_field(StoredRegionSerializer(many=True))
class Regions(serializers.ReadOnlyField):
    """A field of stored regions; the attribute that it reads holds them decoded."""

    def to_representation(self, value: tuple[Region, ...]) -> list[dict[str, Any]]:
        regions: list[dict[str, Any]] = encode_regions(value)["regions"]
        return regions


def region_of(sent: dict[str, Any]) -> Region:
    """Return a region from the validated data of a RegionSerializer."""
    fields = {**sent, "points": tuple(sent["points"])}
    if "cell" in fields:
        first_row, first_column, last_row, last_column = fields["cell"]
        fields["cell"] = (first_row, first_column, last_row, last_column)
    return Region(**fields)
