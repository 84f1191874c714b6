"""Public pages of kept reports, and the zip for a paper."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.views import ApiView, SignedInRequest
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.names import seen
from annotate.reports.cache import Asked
from annotate.reports.models import KeptReport
from annotate.reports.serializers import (
    FileSettingsSerializer,
    LookSerializer,
    look_of,
    report_form,
)
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed
from rankings.agreement.report import Settings

from . import files, services, work
from .models import DOI, PublicPage


class PublishSerializer(serializers.Serializer[Any]):
    """A public page. Without an address it gets one that cannot be guessed."""

    title = serializers.CharField(max_length=200, validators=[seen])
    address = serializers.SlugField(
        min_length=3, max_length=60, required=False, allow_blank=True, help_text="Lists the page."
    )
    authors = serializers.CharField(
        max_length=300, required=False, allow_blank=True, validators=[seen]
    )
    description = serializers.CharField(max_length=3000, required=False, allow_blank=True)
    doi = serializers.CharField(max_length=120, required=False, allow_blank=True, validators=[DOI])
    licence = serializers.ChoiceField(PublicPage.Licence.choices, required=False, allow_blank=True)
    download = serializers.ChoiceField(PublicPage.Download.choices, required=False)


class PublicPageSerializer(serializers.ModelSerializer[PublicPage]):
    """The public page of a kept report."""

    url = serializers.SerializerMethodField(help_text="Where everybody reads it.")
    has_file = serializers.SerializerMethodField(help_text="Whether its file is written.")

    class Meta:
        model = PublicPage
        fields = read_only_fields = [
            *("url", "is_listed", "title", "authors", "description", "doi", "licence", "download"),
            *("has_file", "file_sha256", "file_bytes", "created"),
        ]

    def get_url(self, page: PublicPage) -> str:
        path = reverse("public:page", args=[page.address])
        url: str = self.context["request"].build_absolute_uri(path)
        return url

    def get_has_file(self, page: PublicPage) -> bool:
        return files.path_of(page) is not None


class PublicPageOfReport(ApiView):
    """The public page of a kept report."""

    @extend_schema(operation_id="reports_public_page", responses=PublicPageSerializer)
    def get(self, request: SignedInRequest, pk: int) -> Response:
        """Return the content and address of the page; 404 if the report is not public."""
        return Response(self.shown(PublicPageSerializer, self._page(request, pk)))

    @extend_schema(
        operation_id="reports_publish", request=PublishSerializer, responses=PublicPageSerializer
    )
    def put(self, request: SignedInRequest, pk: int) -> Response:
        """Make a kept report public, or change its page."""
        report = self._report(request, pk)
        page = services.publish(report=report, person=request.user, **self.sent(PublishSerializer))
        if page.download != PublicPage.Download.NOTHING and not page.file:
            work.start_file(page=page, person=request.user)
            page.refresh_from_db()
        return Response(self.shown(PublicPageSerializer, page))

    @extend_schema(operation_id="reports_withdraw", responses={204: None})
    def delete(self, request: SignedInRequest, pk: int) -> Response:
        """Delete the page and its file; the report is kept."""
        services.withdraw(page=self._page(request, pk), person=request.user)
        return Response(status=204)

    def _report(self, request: Request, pk: int) -> KeptReport:
        studies = permitted(request.user, "annotate.publish_study", Study)
        reports_of = KeptReport.objects.filter(study__in=studies).select_related("study")
        return get_object_or_404(reports_of, pk=pk)

    def _page(self, request: Request, pk: int) -> PublicPage:
        report = self._report(request, pk)
        page = PublicPage.objects.filter(report=report).first()
        if page is None:
            raise Http404
        return page


class PaperOfStudy(ApiView):
    @extend_schema(
        operation_id="studies_paper", request=FileSettingsSerializer, responses={202: JobSerializer}
    )
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start writing all files for a paper from the current report into one zip."""
        study = followed(request, slug)
        sent = self.sent(FileSettingsSerializer)
        form = report_form(sent, study)
        job = work.start_paper(form.asked(), look=look_of(sent), person=request.user)
        return accepted(self, job)


class PaperOfKeptReport(ApiView):
    @extend_schema(
        operation_id="reports_paper", request=LookSerializer, responses={202: JobSerializer}
    )
    @idempotent
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Start writing all files for a paper from a kept report into one zip."""
        studies = permitted(request.user, "annotate.follow_study", Study)
        kept = get_object_or_404(
            KeptReport.objects.filter(study__in=studies).select_related("study"), pk=pk
        )
        job = work.start_paper(
            Asked(kept.study, Settings(**kept.data["settings"]), []),
            look=look_of(self.sent(LookSerializer)),
            person=request.user,
            kept=kept,
        )
        return accepted(self, job)
