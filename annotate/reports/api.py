"""Reports in the API: built on request, kept permanently, and as tables."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import Person, permitted
from annotate.api.idempotency import idempotent
from annotate.api.views import AnyType, ApiView, ListView, OneView, SignedInRequest
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed

from . import exports, services, work
from .forms import ReportForm
from .models import KeptReport
from .serializers import (
    EXTENSIONS,
    FileSettingsSerializer,
    KeptContentSerializer,
    KeptReportSerializer,
    LookSerializer,
    ReportSerializer,
    SettingsSerializer,
    look_of,
    report_form,
)
from .shortcuts import built_text, file_response

MAIN = "report"
_FILES = {
    (200, exports.FORMATS[extension].content_type.partition(";")[0]): OpenApiTypes.STR
    for extension in EXTENSIONS
    if extension != "json"
} | {(200, "application/json"): OpenApiTypes.ANY}
_TABLE = [
    OpenApiParameter(
        "table",
        str,
        OpenApiParameter.PATH,
        description=f"“{MAIN}” for Best / Worst / Score, or the name of a table around it.",
    ),
    OpenApiParameter("extension", str, OpenApiParameter.PATH, enum=EXTENSIONS),
]


class _OfStudy(ApiView):
    query_serializer_class = SettingsSerializer
    heavy_methods = ("GET", "HEAD")

    def followed(self, slug: str) -> Study:
        return followed(self.request, slug)

    def asked(self, slug: str) -> tuple[Study, ReportForm]:
        study = self.followed(slug)
        return study, report_form(self.query(), study)

    def built(self, slug: str) -> services.StudyReport:
        study, form = self.asked(slug)
        services.require_small(study)
        return services.study_report(form.asked())


class ReportOfStudy(_OfStudy):
    @extend_schema(parameters=[SettingsSerializer], responses=ReportSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Build the report of a study with these settings."""
        built = self.built(slug)
        data = {"header": built.header, **built.report.to_json()}
        return Response(self.shown(ReportSerializer, data))


class TableOfReport(_OfStudy):
    """A table as a file. Tables around Best / Worst / Score take seconds for hundreds of images."""

    content_negotiation_class = AnyType
    query_serializer_class = FileSettingsSerializer

    @extend_schema(
        operation_id="studies_report_table",
        parameters=[FileSettingsSerializer, *_TABLE],
        responses=_FILES,
    )
    def get(self, request: Request, slug: str, table: str, extension: str) -> HttpResponse:
        """Build the report of a study and return one of its tables as a file."""
        _known(extension)
        study, form = self.asked(slug)
        if table == MAIN:
            built, text = built_text(study, form, extension, look_of(self.query()))
            name = exports.file_name(built, extension)
        else:
            services.require_small_for(table, study)
            facts, data = services.report_with(table, form.asked())
            text = _table(data, facts.header, table, extension)
            name = exports.file_name(facts, extension)
        return file_response(request, text, extension, name)


class KeptReports(ListView):
    """The kept reports of a study, newest first; POST keeps another."""

    serializer_class = KeptReportSerializer
    ordering = ("-pk",)
    heavy_methods = ("POST",)

    def _followed(self) -> Study:
        return followed(self.request, self.kwargs["slug"])

    def get_queryset(self) -> QuerySet[KeptReport]:
        reports = self._followed().kept_reports.defer("content")
        return reports.select_related("study", "created_by")

    @extend_schema(request=SettingsSerializer, responses={202: JobSerializer})
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start keeping a report of the study as it is now; it never changes afterwards."""
        study = self._followed()
        form = report_form(self.sent(SettingsSerializer), study)
        return accepted(self, work.start(form.asked(), person=request.user))


def _kept(person: Person) -> QuerySet[KeptReport]:
    return KeptReport.objects.filter(study__in=permitted(person, "annotate.follow_study", Study))


class KeptReportDetail(OneView):
    """A kept report with its content."""

    serializer_class = KeptContentSerializer

    def get_queryset(self) -> QuerySet[KeptReport]:
        return _kept(self.request.user).select_related("study", "created_by")


class TableOfKeptReport(ApiView):
    content_negotiation_class = AnyType
    query_serializer_class = LookSerializer

    @extend_schema(
        operation_id="reports_table", parameters=[LookSerializer, *_TABLE], responses=_FILES
    )
    def get(self, request: Request, pk: int, table: str, extension: str) -> HttpResponse:
        """Send one table of a kept report; the checksum covers the report as JSON."""
        _known(extension)
        kept = get_object_or_404(_kept(request.user).select_related("study"), pk=pk)
        if table == MAIN:
            text = exports.kept_text(kept, extension, look_of(self.query()))
        else:
            text = _table(kept.data, kept.data["header"], table, extension)
        return file_response(
            request, text, extension, f"{kept.study.slug}-report-{pk}-{table}.{extension}"
        )


def _known(extension: str) -> None:
    if extension not in EXTENSIONS:
        raise Http404


def _table(data: Mapping[str, Any], header: Mapping[str, str], name: str, extension: str) -> str:
    text = exports.table_text(data, header, name, extension)
    if text is None:
        raise Http404
    return text
