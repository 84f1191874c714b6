"""Jobs in the API: a request that takes long returns 202 with the address of its job."""

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotate.api.scopes import READ
from annotate.api.views import AnyType, ApiView, ListView, OneView, SignedInRequest

from . import services
from .access import visible_to
from .models import Job
from .serializers import JobQuery, JobSerializer
from .shortcuts import file_response


class JobList(ListView):
    """The user's jobs, newest first; for an admin, all jobs."""

    serializer_class = JobSerializer
    query_serializer_class = JobQuery
    ordering = ("-pk",)

    def get_queryset(self) -> QuerySet[Job]:
        return visible_to(self.request.user).filter(**self.query())


class JobDetail(OneView):
    """A single job."""

    serializer_class = JobSerializer

    def get_queryset(self) -> QuerySet[Job]:
        return visible_to(self.request.user)


class _OfJob(ApiView):
    # A user who may read a dataset or study may stop jobs that read it.
    writing_scope = READ

    def job(self, request: SignedInRequest, pk: int) -> Job:
        return get_object_or_404(visible_to(request.user), pk=pk)


class JobCancel(_OfJob):
    @extend_schema(request=None, responses=JobSerializer)
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Stop a job and discard its work. A job that has ended does not change."""
        job = self.job(request, pk)
        services.cancel(job=job)
        return Response(self.shown(JobSerializer, job))


class JobFile(_OfJob):
    content_negotiation_class = AnyType

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: SignedInRequest, pk: int) -> HttpResponseBase:
        """Return a job's file; it is kept for a week. 404 if you no longer have access to its data."""
        return file_response(request.user, self.job(request, pk))
