"""Serializers of protocol runs and scores."""

from rest_framework import serializers

from annotate.datasets.models import Dataset

from .models import ProtocolRun, Score


class OverallSerializer(serializers.Serializer[None]):
    recall = serializers.FloatField(allow_null=True)
    precision = serializers.FloatField(allow_null=True)
    f_score = serializers.FloatField(allow_null=True)


class RunSerializer(serializers.ModelSerializer[ProtocolRun]):
    dataset = serializers.SlugRelatedField[Dataset]("slug", read_only=True)
    parameters = serializers.DictField()
    overall = serializers.DictField(
        child=OverallSerializer(), help_text="The official figures of each method, by its name."
    )

    class Meta:
        model = ProtocolRun
        fields = read_only_fields = [
            "id",
            "dataset",
            "name",
            "protocol",
            "parameters",
            "version",
            "signature",
            "origin",
            "overall",
            "created",
        ]


class NewRunSerializer(serializers.Serializer[None]):
    protocol = serializers.CharField(
        max_length=60, help_text="Slug of a protocol, or of one of its variants (`iou:art`)."
    )
    parameters = serializers.DictField(
        required=False, default=dict, help_text="Those that are not the published ones."
    )


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """The scores of one result in a run; null means undefined, never zero."""

    image = serializers.IntegerField(source="result.image_id")
    image_name = serializers.CharField(source="result.image.name")
    method = serializers.CharField(source="result.method.slug")
    indicators = serializers.DictField(child=serializers.FloatField(allow_null=True))

    class Meta:
        model = Score
        fields = read_only_fields = [
            "result",
            "image",
            "image_name",
            "method",
            "recall",
            "precision",
            "f_score",
            "indicators",
        ]


class ScoreQuery(serializers.Serializer[None]):
    method = serializers.SlugField(required=False, help_text="Slug of a method.", max_length=120)
    image = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Id of an image."
    )


class RunQuery(serializers.Serializer[None]):
    protocol = serializers.CharField(required=False, help_text="Slug.", max_length=60)
    latest = serializers.ChoiceField(
        ["yes", "no"], required=False, default="no", help_text="Only the newest run of each name."
    )
