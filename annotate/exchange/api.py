"""A study's raw data in the API."""

from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotate.rest.throttling import Heavy
from annotate.rest.views import AnyType, ApiView
from annotate.studies.api import followed

from . import raw


class RawFile(ApiView):
    content_negotiation_class = AnyType

    def get_throttles(self) -> list[BaseThrottle]:
        return [*super().get_throttles(), Heavy()]

    @extend_schema(
        parameters=[
            OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(raw.FILES)),
        ],
        responses={
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/json"): OpenApiTypes.ANY,
        },
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        """A study's raw data, row by row, annotators by pseudonyms."""
        study = followed(request, slug)
        if name not in raw.FILES:
            raise Http404
        raw.require_small(study)
        return StreamingHttpResponse(
            raw.content(study, name),
            content_type=raw.FILES[name].content_type,
            headers={"Content-Disposition": f'attachment; filename="{study.slug}-{name}"'},
        )
