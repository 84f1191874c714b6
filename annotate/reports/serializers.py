"""Reports as the API shows them; their settings are checked by the page's form."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.http import QueryDict
from rest_framework import serializers

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.output.latex import LAYOUTS, WIDTHS, Look

from .exports import FORMATS
from .forms import DECIMALS, ReportForm
from .models import KeptReport
from .presentation import CONSENSUSES, DISTANCES


class SettingsSerializer(serializers.Serializer[Any]):
    """A report's settings; missing fields have their defaults."""

    decimals = serializers.ChoiceField(DECIMALS, required=False)
    distance = serializers.ChoiceField(DISTANCES, required=False)
    consensus = serializers.ChoiceField(CONSENSUSES, required=False)
    beta = serializers.FloatField(required=False, min_value=0.01, max_value=100)
    min_annotators = serializers.IntegerField(required=False, min_value=1, max_value=100)
    protocol = serializers.ListField(
        child=serializers.CharField(max_length=120),
        required=False,
        max_length=200,
        help_text="Names of the runs that take part; without it the newest of each.",
    )


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


def report_form(sent: Mapping[str, Any], study: Study, runs: list[ProtocolRun]) -> ReportForm:
    """Return the page's form filled with settings; raises the API's error if they are invalid."""
    data = QueryDict(mutable=True)
    for name, value in sent.items():
        data.setlist(name, [str(item) for item in (value if isinstance(value, list) else [value])])
    form = ReportForm(data, study=study, runs=runs)
    if not form.is_valid():
        raise serializers.ValidationError(
            {name: [str(error) for error in errors] for name, errors in form.errors.items()}
        )
    return form


class UsedSettingsSerializer(serializers.Serializer[Any]):
    decimals = serializers.IntegerField(allow_null=True)
    distance = serializers.CharField()
    consensus = serializers.CharField()
    beta = serializers.FloatField()
    min_annotators = serializers.IntegerField()


class RowSerializer(serializers.Serializer[Any]):
    """A protocol's row, or a baseline's; null means undefined."""

    protocol = serializers.CharField()
    best = serializers.IntegerField(allow_null=True)
    worst = serializers.IntegerField(allow_null=True)
    score = serializers.FloatField(allow_null=True)


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
