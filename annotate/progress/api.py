"""Progress of studies."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.views import ApiView, ListView
from annotate.studies.models import StudyImage
from annotate.studies.shortcuts import followed

from . import selectors


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
        child=serializers.CharField(), help_text="What is missing for a complete report."
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


class StudyProgress(ApiView):
    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the progress of a study, and what is missing for a complete report."""
        study = followed(request, slug)
        counts = selectors.counts(study)
        blocks = selectors.what_blocks(study, counts.figures, len(selectors.annotators(study)))
        data = {"counts": counts, "blocks": blocks}
        return Response(self.shown(ProgressSerializer, data))


class StudyAnnotators(ApiView):
    @extend_schema(responses=AnnotatorProgressSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the progress of each annotator, without any answers."""
        study = followed(request, slug)
        people = selectors.annotators(study)
        counts = selectors.counts(study)
        rows = selectors.annotator_progress(study, people, counts)
        return Response(self.shown(AnnotatorProgressSerializer, rows, many=True))


@extend_schema_view(get=extend_schema(operation_id="studies_images_list"))
class StudyImages(ListView):
    """The images of a study, with the number of complete rankings each has."""

    serializer_class = StudyImageSerializer
    ordering = ("image_id",)

    def get_queryset(self) -> QuerySet[StudyImage]:
        return followed(self.request, self.kwargs["slug"]).study_images.select_related("image")
