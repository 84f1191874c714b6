"""Studies: setup, opening and closing, members."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.views import ApiView, ListView, OneView
from annotate.datasets.models import Dataset
from annotate.requests import require

from . import services
from .models import Membership, Study
from .serializers import (
    MemberSerializer,
    NewMemberSerializer,
    NewStudySerializer,
    StateSerializer,
    StudyQuery,
    StudySerializer,
)
from .shortcuts import followed


class StudyList(ListView):
    """The studies you follow as a researcher or an admin; admins may set one up."""

    serializer_class = StudySerializer
    query_serializer_class = StudyQuery

    def get_ordering(self) -> tuple[str, ...]:
        return (self.query()["order"], "pk")

    def get_queryset(self) -> QuerySet[Study]:
        asked = self.query()
        studies = permitted(self.request.user, "annotate.follow_study", Study)
        if "state" in asked:
            studies = studies.filter(state=asked["state"])
        if "dataset" in asked:
            studies = studies.filter(dataset__slug=asked["dataset"])
        return studies.select_related("dataset").prefetch_related("methods")

    @extend_schema(parameters=[StudyQuery])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(request=NewStudySerializer, responses={201: StudySerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Set up a study. Images with results of fewer than two of the methods are left out."""
        require(request.user, "annotate.load_data")
        seen = permitted(request.user, "annotate.see_dataset", Dataset)
        study = services.create_study(**self.sent(NewStudySerializer, datasets=seen))
        address = reverse("api:study", args=[study.slug], request=request)
        return Response(self.shown(StudySerializer, study), 201, headers={"Location": address})


class StudyDetail(OneView):
    """One study you follow."""

    serializer_class = StudySerializer
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Study]:
        studies = permitted(self.request.user, "annotate.follow_study", Study)
        return studies.select_related("dataset").prefetch_related("methods")


class StudyState(ApiView):
    @extend_schema(request=StateSerializer, responses=StudySerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Open a study for answers, or close it; the answers are kept (admins)."""
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        services.set_state(study=study, **self.sent(StateSerializer))
        return Response(self.shown(StudySerializer, study))


class MemberList(ListView):
    """The members of a study; admins may add one."""

    serializer_class = MemberSerializer
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[Membership]:
        require(self.request.user, "annotate.load_data")
        study = followed(self.request, self.kwargs["slug"])
        return study.memberships.select_related("person")

    @extend_schema(request=NewMemberSerializer, responses={201: MemberSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Add a member; a second request changes nothing."""
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        membership = services.add_member(study=study, **self.sent(NewMemberSerializer))
        return Response(self.shown(MemberSerializer, membership), 201)
