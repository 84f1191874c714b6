"""Reports as files, and keeping them; settings are in the address, so links reproduce views."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_safe

from annotate.jobs.shortcuts import go_to
from annotate.requests import SignedInRequest, refused_as_text
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed
from rankings.agreement.report import report_from_json

from . import exports, services, work
from .comparison import compared
from .errors import TooLarge
from .forms import LookForm, ReportForm
from .presentation import facts_shown, said_of_settings
from .shortcuts import built_text, file_response, offered_as_work


@login_required
@require_safe
def export(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    study = followed(request, slug)
    form = _form(request, study)
    if not form.is_valid():
        return refused_as_text(form)
    look = LookForm(request.GET)
    if not look.is_valid():
        return refused_as_text(look)
    try:
        built, text = built_text(study, form, extension, look.look())
    except TooLarge as refusal:
        return offered_as_work(refusal)
    name = exports.file_name(built, extension)
    return file_response(request, text, extension, name)


@login_required
@require_safe
def export_table(request: HttpRequest, slug: str, table: str, extension: str) -> HttpResponse:
    """Send one of the tables around Best / Worst / Score."""
    study = followed(request, slug)
    form = _form(request, study)
    if not form.is_valid():
        return refused_as_text(form)
    try:
        services.require_small_for(table, study)
    except TooLarge as refusal:
        return offered_as_work(refusal)
    built, data = services.report_with(table, form.asked())
    return _table_file(request, data, built.header, study, table, extension)


def _table_file(
    request: HttpRequest,
    data: Mapping[str, Any],
    header: Mapping[str, str],
    study: Study,
    name: str,
    extension: str,
) -> HttpResponse:
    text = exports.table_text(data, header, name, extension)
    if text is None:
        raise Http404
    return file_response(request, text, extension, f"{study.slug}-{name}.{extension}")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def kept_reports(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the kept reports, and keep another."""
    study = followed(request, slug)
    if request.method == "POST":
        form = ReportForm(request.POST, study=study)
        if not form.is_valid():
            context = {"study": study, "form": form}
            return render(request, "reports/report.html", context, status=422)
        return go_to(work.start(form.asked(), person=request.user))
    reports = study.kept_reports.defer("content").select_related("created_by")
    return render(request, "reports/kept_reports.html", {"study": study, "reports": reports})


@login_required
@require_safe
def kept_file(request: HttpRequest, slug: str, pk: int, extension: str) -> HttpResponse:
    """Send a kept report as a file; as JSON, the very bytes that its checksum covers."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    look = LookForm(request.GET)
    if not look.is_valid():
        return refused_as_text(look)
    text = exports.kept_text(report, extension, look.look())
    return file_response(request, text, extension, f"{study.slug}-report-{pk}.{extension}")


@login_required
@require_safe
def kept_table(
    request: HttpRequest, slug: str, pk: int, table: str, extension: str
) -> HttpResponse:
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    return _table_file(request, report.data, report.data["header"], study, table, extension)


@login_required
@require_safe
def kept_compared(request: HttpRequest, slug: str, pk: int, other: int) -> HttpResponse:
    """Compare two kept reports cell by cell."""
    study = followed(request, slug)
    before = get_object_or_404(study.kept_reports, pk=pk)
    after = get_object_or_404(study.kept_reports, pk=other)
    cells = compared(report_from_json(before.data), report_from_json(after.data))
    changed = [cell for cell in cells if cell.before != cell.after]
    old, new = (_said_of(report.data) for report in (before, after))
    context = {
        "study": study,
        "before": before,
        "after": after,
        "changed": changed,
        "n_cells": len(cells),
        "facts": [
            (name, old.get(name), value) for name, value in new.items() if old.get(name) != value
        ],
    }
    return render(request, "reports/kept_compared.html", context)


def _said_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts about a kept report's origin, and its settings."""
    return {
        **dict(facts_shown(data["header"])),
        **dict(said_of_settings(report_from_json(data).settings)),
    }


def _form(request: HttpRequest, study: Study) -> ReportForm:
    return ReportForm(request.GET, study=study)
