"""Progress of studies."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.views import ApiView, ListView
from annotate.studies.models import StudyImage
from annotate.studies.shortcuts import followed

from . import selectors
from .serializers import AnnotatorProgressSerializer, ProgressSerializer, StudyImageSerializer


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
