"""Effects of other parameters of protocols, in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.idempotency import idempotent
from annotate.api.views import ApiView, SignedInRequest
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.reports.serializers import SettingsSerializer, report_form
from annotate.studies.shortcuts import followed

from . import services, work


class ChangesSerializer(serializers.Serializer[Any]):
    """Effects of changing a protocol, by criterion; differences below 0 are nearer to people."""

    computed = serializers.DateTimeField(
        allow_null=True, help_text="null: nobody has asked for it."
    )
    is_current = serializers.BooleanField(
        help_text="Whether the study is still as it was when this was computed."
    )
    signature = serializers.CharField(
        help_text="How the differences were made; empty without them."
    )
    changes = serializers.DictField(child=serializers.ListField(child=serializers.DictField()))


class ChangesOfStudy(ApiView):
    """Effects of other weights, rules for empty images and thresholds, and their computation."""

    query_serializer_class = SettingsSerializer
    heavy_methods = ("POST",)

    @extend_schema(parameters=[SettingsSerializer], responses=ChangesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the latest result with these settings, if there is one."""
        study = followed(request, slug)
        form = report_form(self.query(), study)
        found = services.last(form.asked())
        data = {
            "computed": found and found.at,
            "is_current": bool(found and found.is_current),
            "signature": found.signature if found else "",
            "changes": found.data["changes"] if found else {},
        }
        return Response(self.shown(ChangesSerializer, data))

    @extend_schema(request=SettingsSerializer, responses={202: JobSerializer})
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start scoring every protocol with other parameters, to compare it with itself."""
        study = followed(request, slug)
        form = report_form(self.sent(SettingsSerializer), study)
        return accepted(self, work.start(form.asked(), person=request.user))
