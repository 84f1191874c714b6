"""Reports as the API shows them; their settings are checked by the page's form."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.http import QueryDict
from rest_framework import serializers

from annotate.studies.models import Study
from rankings.agreement.main_table import MEASURES
from rankings.agreement.settings import Declared, declared_settings
from rankings.output.latex import LAYOUTS, WIDTHS, Look

from .exports import FORMATS
from .forms import ReportForm, choices_of
from .models import KeptReport

_TYPES: Final[Mapping[type, Any]] = {
    int: serializers.IntegerField,
    float: serializers.FloatField,
    str: serializers.CharField,
}


class SettingsSerializer(serializers.Serializer[Any]):
    """A report's settings; missing fields have their defaults."""

    protocol = serializers.ListField(
        child=serializers.CharField(max_length=120),
        required=False,
        max_length=200,
        help_text="Names of the runs that take part; without it the newest of each.",
    )

    def get_fields(self) -> dict[str, Any]:
        of_settings = {name: _asked(one) for name, one in declared_settings().items()}
        return {**of_settings, **super().get_fields()}


class LookSerializer(serializers.Serializer[Any]):
    """The layout of a report's main table in LaTeX."""

    layout = serializers.ChoiceField(LAYOUTS, required=False)
    width = serializers.ChoiceField(WIDTHS, required=False)
    intervals = serializers.BooleanField(required=False)


class FileSettingsSerializer(SettingsSerializer, LookSerializer):
    """A report's settings, and the layout of its main table in LaTeX."""


def look_of(sent: Mapping[str, Any]) -> Look:
    """Return the layout of the main table; missing fields have their defaults."""
    names = ("layout", "width", "intervals")
    return Look(**{name: sent[name] for name in names if name in sent})


def report_form(sent: Mapping[str, Any], study: Study) -> ReportForm:
    """Return the page's form filled with settings; raises the API's error if they are invalid."""
    data = QueryDict(mutable=True)
    for name, value in sent.items():
        data.setlist(name, [str(item) for item in (value if isinstance(value, list) else [value])])
    form = ReportForm(data, study=study)
    if not form.is_valid():
        raise serializers.ValidationError(
            {name: [str(error) for error in errors] for name, errors in form.errors.items()}
        )
    return form


def _asked(declared: Declared) -> "serializers.Field[Any, Any, Any, Any]":
    if declared.choices:
        return serializers.ChoiceField(choices_of(declared), required=False)
    number = _TYPES[type(declared.default)]
    found: serializers.Field[Any, Any, Any, Any] = number(
        required=False, min_value=declared.low, max_value=declared.high
    )
    return found


class UsedSettingsSerializer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {
            name: _TYPES[type(one.default)](**({"allow_null": True} if None in one.choices else {}))
            for name, one in declared_settings().items()
        }


class RowSerializer(serializers.Serializer[Any]):
    """A protocol's row, or a baseline's; null means undefined."""

    protocol = serializers.CharField()

    def get_fields(self) -> dict[str, Any]:
        of_measures = {
            one.name: (serializers.FloatField if one.decimals else serializers.IntegerField)(
                allow_null=True
            )
            for one in MEASURES
        }
        return {**super().get_fields(), **of_measures}


class LeftOutSerializer(serializers.Serializer[Any]):
    image = serializers.CharField()
    reason = serializers.CharField()


class CriterionTableSerializer(serializers.Serializer[Any]):
    rows = RowSerializer(many=True)
    baselines = RowSerializer(many=True)
    n_images = serializers.IntegerField()
    n_rankings = serializers.IntegerField()
    left_out = LeftOutSerializer(many=True)
    consensus = serializers.DictField(
        child=serializers.ListField(child=serializers.ListField(child=serializers.CharField())),
        help_text="For each image the people's ranking: methods in buckets, best first.",
    )
    distances = serializers.DictField(
        child=serializers.DictField(child=serializers.FloatField(allow_null=True)),
        help_text="For each image the distance of each protocol's ranking to the consensus.",
    )
    unproven = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="With the Kemeny consensus: images where it is not proven to be the nearest.",
    )


class CriteriaSerializer(serializers.Serializer[Any]):
    recall = CriterionTableSerializer()
    precision = CriterionTableSerializer()
    preference = CriterionTableSerializer()


class ReportSerializer(serializers.Serializer[Any]):
    """Best / Worst / Score of each protocol under each criterion."""

    header = serializers.DictField(child=serializers.CharField())
    settings = UsedSettingsSerializer()
    criteria = CriteriaSerializer()


class KeptReportSerializer(serializers.ModelSerializer[KeptReport]):
    """A kept report, without its content."""

    study = serializers.SlugRelatedField[Study]("slug", read_only=True)
    created_by = serializers.SlugRelatedField[User]("username", read_only=True, allow_null=True)

    class Meta:
        model = KeptReport
        fields = read_only_fields = [
            "id",
            "study",
            "checksum",
            "software_version",
            "created",
            "created_by",
        ]


class KeptContentSerializer(KeptReportSerializer):
    """A kept report, with its content."""

    content = serializers.DictField(source="data")

    class Meta(KeptReportSerializer.Meta):
        fields = read_only_fields = [*KeptReportSerializer.Meta.fields, "content"]


EXTENSIONS = list(FORMATS)
