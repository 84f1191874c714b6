"""Serializers of progress."""

from typing import Any

from rest_framework import serializers

from annotate.studies.models import StudyImage


class ProgressSerializer(serializers.Serializer[Any]):
    """The progress of a study."""

    n_images = serializers.IntegerField(source="counts.figures.n_images")
    n_ready = serializers.IntegerField(
        source="counts.figures.n_ready", help_text="Images with all rankings they need."
    )
    n_begun = serializers.IntegerField(
        source="counts.figures.n_begun", help_text="Images with some work, but fewer."
    )
    n_untouched = serializers.IntegerField(source="counts.figures.n_untouched")
    n_rankings = serializers.IntegerField(source="counts.figures.n_rankings")
    n_screens = serializers.IntegerField(source="counts.n_screens", help_text="Pairs answered.")
    counted = serializers.DateTimeField(source="counts.at", help_text="When this was counted.")
    blocks = serializers.ListField(
        child=serializers.CharField(), help_text="What stands between it and a complete report."
    )


class AnnotatorProgressSerializer(serializers.Serializer[Any]):
    username = serializers.CharField(source="person.username")
    is_left_out = serializers.BooleanField(help_text="Counted in no report; see the raw data.")
    n_images = serializers.IntegerField()
    n_complete = serializers.IntegerField()
    n_in_work = serializers.IntegerField()
    n_incomplete = serializers.IntegerField()
    n_screens = serializers.IntegerField()
    n_skips = serializers.IntegerField()


class StudyImageSerializer(serializers.ModelSerializer[StudyImage]):
    id = serializers.IntegerField(source="image_id")
    name = serializers.CharField(source="image.name")

    class Meta:
        model = StudyImage
        fields = read_only_fields = ["id", "name", "n_complete", "n_annotators", "asks_all"]
