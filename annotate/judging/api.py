"""Studies you annotate, a study's methods, rankings and notes in the API."""

from functools import cached_property
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import permitted
from annotate.api.views import ApiView, ListView, SignedInRequest
from annotate.datasets.models import Method
from annotate.requests import require
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed

from . import methods
from .image_allocation import own_progress
from .models import Assignment, Note, Screen
from .serializers import (
    AddedSerializer,
    AssignmentQuery,
    AssignmentSerializer,
    JudgedStudySerializer,
    NoteQuery,
    NoteSerializer,
    OwnAssignmentSerializer,
)
from .shortcuts import judged


class JudgedStudies(ApiView):
    @extend_schema(responses=JudgedStudySerializer(many=True))
    def get(self, request: SignedInRequest) -> Response:
        """List the studies you annotate, and your progress."""
        rows = own_progress(permitted(request.user, "annotate.judge_study", Study), request.user)
        return Response(self.shown(JudgedStudySerializer, rows, many=True))


class OwnAssignments(ListView):
    """The images you have ranked or are ranking in a study."""

    request: SignedInRequest
    serializer_class = OwnAssignmentSerializer
    ordering = ("position",)

    def get_queryset(self) -> QuerySet[Assignment]:
        study = judged(self.request, slug=self.kwargs["slug"])
        own = Assignment.objects.filter(study=study, annotator=self.request.user)
        return own.annotate(
            n_screens=Count("screens", filter=Q(screens__state=Screen.State.ANSWERED))
        )


class StudyMethod(ApiView):
    def _study_and_method(self, request: Request, slug: str, method: str) -> tuple[Study, Method]:
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        return study, get_object_or_404(study.dataset.methods, slug=method)

    @extend_schema(request=None, responses={200: AddedSerializer})
    def put(self, request: SignedInRequest, slug: str, method: str) -> Response:
        """Add another method to an open study (admins); no pair is asked again."""
        study, chosen = self._study_and_method(request, slug, method)
        return Response({"n_waiting": methods.add_method(study=study, method=chosen)})

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: SignedInRequest, slug: str, method: str) -> Response:
        """Remove a method from an open study (admins); the answers about it are kept."""
        study, chosen = self._study_and_method(request, slug, method)
        methods.withdraw_method(study=study, method=chosen)
        return Response(status=204)


class _OfFollowed(ListView):
    """A list of rows of a study that the user follows."""

    @cached_property
    def study(self) -> Study:
        return followed(self.request, self.kwargs["slug"])


class NoteList(_OfFollowed):
    """The notes of the annotators of a study you follow."""

    serializer_class = NoteSerializer
    ordering = ("-pk",)
    query_serializer_class = NoteQuery

    def get_queryset(self) -> QuerySet[Note]:
        notes = Note.objects.of(self.study)
        return notes.filter(discuss=True) if self.query()["discuss"] else notes


class AssignmentList(_OfFollowed):
    """Every image ranked by an annotator of a study you follow, with its rankings."""

    serializer_class = AssignmentSerializer
    query_serializer_class = AssignmentQuery
    filters = (("annotator", "annotator__username"), ("image", "image"), ("state", "state"))

    def get_queryset(self) -> QuerySet[Assignment]:
        assignments = Assignment.objects.filter(study=self.study, **self.conditions())
        return assignments.select_related("image", "annotator").defer("image__truth", "items")

    def get_serializer_context(self) -> dict[str, Any]:
        slugs = dict(self.study.dataset.methods.values_list("pk", "slug"))
        return {**super().get_serializer_context(), "slug_of": slugs}
