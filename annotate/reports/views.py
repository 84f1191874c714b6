"""The report page and its exports; the settings stand in the address, so a link is a view."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from annotate.jobs.presentation import go_to
from annotate.requests import SignedInRequest
from annotate.studies.models import Study
from annotate.studies.views import followed
from rankings import analysis_tables
from rankings.report import Settings, report_from_json

from . import exports, services, work
from .errors import TooLarge
from .forms import ReportForm
from .presentation import ImageLinks, shown_around, shown_tables


@login_required
@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    form = _form(request, study)
    context: dict[str, Any] = {
        "study": study,
        "form": form,
        "formats": exports.FORMATS,
        "query": request.GET.urlencode(),
    }
    if not form.is_valid():
        return render(request, "reports/report.html", context, status=422)
    try:
        services.require_small(study)
    except TooLarge as refusal:
        return render(request, "reports/report.html", context | {"too_large": str(refusal)})
    built, screen = _screen_of(study, form)
    context |= screen
    if len(built.runs) < len(services.available_runs(study)):
        # What Best and Worst count depends on who takes part.
        among = urlencode({"among": [run.name for run in built.runs]}, doseq=True)
        context["settings_query"] += f"&{among}"
    return render(request, "reports/report.html", context)


def _screen_of(study: Study, form: ReportForm) -> tuple[services.StudyReport, dict[str, Any]]:
    settings, runs = form.settings(), form.runs()
    is_small = study.study_images.count() <= services.MAX_IMAGES_ANALYSED_AT_ONCE
    data: Mapping[str, Any] = {}
    if is_small and runs:
        built, data = services.analysed_report(study=study, settings=settings, runs=runs)
    else:
        built = services.study_report(study=study, settings=settings, runs=runs)
    query = _query_of(built.settings)
    anywhere = reverse("evidence:image", args=[study.slug, "-"])
    links = ImageLinks(anywhere.removesuffix("-/"), query)
    return built, {
        "built": built,
        "settings": built.settings,
        "settings_query": query,
        "n_protocols": len(built.runs),
        "tables": shown_tables(built.report, data.get("analysis", {}), links),
        "around": shown_around(data) if data else [],
        "is_too_large": not is_small,
    }


def _query_of(settings: Settings) -> str:
    texts = {name: "none" if value is None else value for name, value in asdict(settings).items()}
    return urlencode(texts)


@login_required
@require_safe
def export(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    study = followed(request, slug)
    form = _form(request, study)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), status=422, content_type="text/plain")
    try:
        services.require_small(study)
    except TooLarge as refusal:
        return offered_as_work(refusal)
    built = services.study_report(study=study, settings=form.settings(), runs=form.runs())
    return HttpResponse(
        exports.export(built, extension),
        content_type=exports.FORMATS[extension].content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{exports.file_name(built, extension)}"'
        },
    )


@login_required
@require_safe
def export_table(request: HttpRequest, slug: str, table: str, extension: str) -> HttpResponse:
    """One of the tables around Best / Worst / Score."""
    study = followed(request, slug)
    form = _form(request, study)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), status=422, content_type="text/plain")
    try:
        services.require_small(study, services.MAX_IMAGES_ANALYSED_AT_ONCE)
    except TooLarge as refusal:
        return offered_as_work(refusal)
    built, data = services.analysed_report(study=study, settings=form.settings(), runs=form.runs())
    return _table_file(data, built.header, study, table, extension)


def offered_as_work(refusal: TooLarge) -> HttpResponse:
    """Answer who asks for a file that is not computed while they wait."""
    return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")


def _table_file(
    data: Mapping[str, Any], header: Mapping[str, str], study: Study, name: str, extension: str
) -> HttpResponse:
    table = next((table for table in analysis_tables.tables_of(data) if table.slug == name), None)
    if table is None:
        raise Http404
    facts = {**header, **{key: str(value) for key, value in data["settings"].items()}}
    return HttpResponse(
        exports.TABLE_WRITERS[extension](table, facts),
        content_type=exports.FORMATS[extension].content_type,
        headers={"Content-Disposition": f'attachment; filename="{study.slug}-{name}.{extension}"'},
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def kept_reports(request: SignedInRequest, slug: str) -> HttpResponse:
    """The reports that were kept, and keeping another."""
    study = followed(request, slug)
    if request.method == "POST":
        form = ReportForm(request.POST, study=study, runs=services.available_runs(study))
        if not form.is_valid():
            context = {"study": study, "form": form, "formats": exports.FORMATS, "query": ""}
            return render(request, "reports/report.html", context, status=422)
        job = work.start(
            study=study, settings=form.settings(), runs=form.runs(), person=request.user
        )
        return go_to(job)
    reports = study.kept_reports.defer("content").select_related("created_by")
    return render(request, "reports/kept_reports.html", {"study": study, "reports": reports})


@login_required
@require_safe
def kept(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports.select_related("created_by"), pk=pk)
    shown = report_from_json(report.data)
    context = {
        "study": study,
        "report": report,
        "header": report.data["header"],
        "settings": shown.settings,
        "n_protocols": len(next(iter(shown.criteria.values())).rows),
        "tables": shown_tables(shown, report.data["analysis"]),
        "around": shown_around(report.data),
        "formats": exports.FORMATS,
        "others": study.kept_reports.defer("content").exclude(pk=pk)[:20],
    }
    return render(request, "reports/kept.html", context)


@login_required
@require_safe
def kept_file(request: HttpRequest, slug: str, pk: int, extension: str) -> HttpResponse:
    """A kept report as a file; as JSON, the very bytes that its checksum is of."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    if extension == "json":
        text = report.content
    else:
        text = exports.FORMATS[extension].write(
            report_from_json(report.data), report.data["header"]
        )
    return HttpResponse(
        text,
        content_type=exports.FORMATS[extension].content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{study.slug}-report-{pk}.{extension}"'
        },
    )


@login_required
@require_safe
def kept_table(
    request: HttpRequest, slug: str, pk: int, table: str, extension: str
) -> HttpResponse:
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    return _table_file(report.data, report.data["header"], study, table, extension)


@login_required
@require_safe
def kept_compared(request: HttpRequest, slug: str, pk: int, other: int) -> HttpResponse:
    """Two kept reports, cell by cell."""
    study = followed(request, slug)
    before = get_object_or_404(study.kept_reports, pk=pk)
    after = get_object_or_404(study.kept_reports, pk=other)
    cells = services.compared(report_from_json(before.data), report_from_json(after.data))
    changed = [cell for cell in cells if cell.before != cell.after]
    settings = [
        (name, before.data["settings"].get(name), value)
        for name, value in after.data["settings"].items()
    ]
    header = [
        (name, before.data["header"].get(name), value)
        for name, value in after.data["header"].items()
        if before.data["header"].get(name) != value
    ]
    context = {
        "study": study,
        "before": before,
        "after": after,
        "changed": changed,
        "n_cells": len(cells),
        "settings": [row for row in settings if row[1] != row[2]],
        "header": header,
    }
    return render(request, "reports/kept_compared.html", context)


def _form(request: HttpRequest, study: Study) -> ReportForm:
    return ReportForm(request.GET, study=study, runs=services.available_runs(study))
