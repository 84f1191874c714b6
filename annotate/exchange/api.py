"""A study's raw data in the API."""

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.scopes import READ
from annotate.api.views import AnyType, ApiView, SignedInRequest
from annotate.datasets.models import Dataset
from annotate.datasets.shortcuts import seen_dataset
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.judging.shortcuts import judged
from annotate.scoring.models import ProtocolRun
from annotate.studies.shortcuts import followed

from . import raw, work
from .shortcuts import own_answers_response, scores_response, table_response

_TABLE = {(200, "text/csv"): OpenApiTypes.STR, (200, "application/json"): OpenApiTypes.ANY}


class RawFile(ApiView):
    content_negotiation_class = AnyType
    heavy_methods = ("GET", "HEAD")

    @extend_schema(
        parameters=[
            OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(raw.FILES)),
        ],
        responses=_TABLE,
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        """Return a study's raw data, row by row, with pseudonyms for annotators."""
        study = followed(request, slug)
        if name not in raw.FILES:
            raise Http404
        raw.require_small(study)
        return table_response(raw.content(study, name), f"{study.slug}-{name}")


class OwnAnswers(ApiView):
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[
            OpenApiParameter("extension", str, OpenApiParameter.PATH, enum=[*raw.WRITERS]),
        ],
        responses=_TABLE,
    )
    def get(self, request: SignedInRequest, slug: str, extension: str) -> HttpResponseBase:
        """Return all your answers and skips in a study, also undone ones, without method names."""
        return own_answers_response(judged(request, slug=slug), request.user, extension)


class ScoresOfDataset(ApiView):
    content_negotiation_class = AnyType
    heavy_methods = ("GET", "HEAD")

    @extend_schema(
        parameters=[OpenApiParameter("protocol", str, description="Name of one run.")],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Return every score of every method by the newest run of each protocol, image by image."""
        dataset = seen_dataset(request, slug)
        return scores_response(dataset, request.query_params.get("protocol", ""))


class CausesOfRun(ApiView):
    """Export for users who may read the run, so the read scope is enough."""

    writing_scope = READ
    heavy_methods = ("POST",)

    @extend_schema(request=None, responses={202: JobSerializer})
    @idempotent
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Export the reasons regions were unmatched, and the score each costs (zipped CSV).

        Also 404 if the run's protocol cannot give reasons.
        """
        seen = permitted(request.user, "annotate.see_dataset", Dataset)
        run = get_object_or_404(
            ProtocolRun.objects.select_related("dataset"), pk=pk, dataset__in=seen
        )
        if not run.has_causes:
            raise Http404
        return accepted(self, work.start(work.CAUSES, run, person=request.user))
