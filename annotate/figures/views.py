"""A study's figures: one page of all of them, and each as a file; the settings stand in the address."""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from annotate.jobs.presentation import go_to
from annotate.reports import services
from annotate.reports.errors import TooLarge
from annotate.reports.models import KeptReport
from annotate.reports.views import offered_as_work
from annotate.requests import SignedInRequest
from annotate.studies.models import Study
from annotate.studies.views import followed
from rankings.report import report_from_json

from . import work
from .building import FigureFile, build
from .data import FigureData
from .files import FORMATS
from .forms import FigureForm, FileForm, KeptFigureForm, KeptFileForm
from .papers import Paper
from .presentation import criteria_links, shown_figures

# Beyond, drawing takes longer than a page may; all figures are written as work.
MAX_IMAGES_DRAWN_AT_ONCE: Final = 500
_STYLE: Final = re.compile(rb"<style>(.*?)</style>", re.DOTALL)


@login_required
@require_safe
def figures(request: HttpRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    form = FigureForm(request.GET, study=study, runs=services.available_runs(study))
    context: dict[str, Any] = {"study": study, "form": form}
    if not form.is_valid():
        return render(request, "reports/figures.html", context, status=422)
    try:
        services.require_small(study, MAX_IMAGES_DRAWN_AT_ONCE)
    except TooLarge as refusal:
        return render(request, "reports/figures.html", context | {"too_large": str(refusal)})
    data = _data(study, form)
    context |= {
        "criterion": data.criterion,
        "criteria": list(criteria_links(request.GET)),
        "figures": shown_figures(data, request.GET),
        "settings_to_post": [(k, v) for k, values in request.GET.lists() for v in values],
    }
    return render(request, "reports/figures.html", context)


@login_required
@require_POST
def all_figures(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have every figure written in every format, as one zip."""
    study = followed(request, slug)
    form = FigureForm(request.POST, study=study, runs=services.available_runs(study))
    if not form.is_valid():
        return _refusal(form)
    job = work.start(study=study, settings=form.settings(), runs=form.runs(), person=request.user)
    return go_to(job)


# Answers change what is drawn, so a browser asks each time, and is told when nothing did.
@cache_control(private=True, no_cache=True)
@login_required
@require_safe
def figure(request: HttpRequest, slug: str, name: str, extension: str) -> HttpResponse:
    study = followed(request, slug)
    form = FileForm(request.GET, study=study, runs=services.available_runs(study))
    if not form.is_valid():
        return _refusal(form)
    try:
        services.require_small(study, MAX_IMAGES_DRAWN_AT_ONCE)
    except TooLarge as refusal:
        return offered_as_work(refusal)
    return _file(request, _data(study, form), form.paper(), name, extension)


@login_required
@require_safe
def kept_figures(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The figures of a report that was kept, from what it holds."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    form = KeptFigureForm(request.GET)
    if not form.is_valid():
        raise Http404
    data = _kept_data(study, report, form.cleaned_data["criterion"])
    context = {
        "study": study,
        "report": report,
        "criterion": data.criterion,
        "criteria": list(criteria_links(request.GET)),
        "figures": shown_figures(data, request.GET),
    }
    return render(request, "reports/figures.html", context)


@login_required
@require_POST
def all_kept_figures(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Have every figure of a kept report written in every format, as one zip."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    data = _kept_data(study, report, "recall")
    job = work.start(
        study=study, settings=data.settings, runs=data.runs, person=request.user, kept=report
    )
    return go_to(job)


@cache_control(private=True, no_cache=True)
@login_required
@require_safe
def kept_figure(
    request: HttpRequest, slug: str, pk: int, name: str, extension: str
) -> HttpResponse:
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    form = KeptFileForm(request.GET)
    if not form.is_valid():
        return _refusal(form)
    return _file(
        request,
        _kept_data(study, report, form.cleaned_data["criterion"]),
        form.paper(),
        name,
        extension,
    )


def _refusal(form: FigureForm | KeptFigureForm) -> HttpResponse:
    return HttpResponse(form.errors.as_text(), status=422, content_type="text/plain; charset=utf-8")


def _file(
    request: HttpRequest, data: FigureData, paper: Paper, name: str, extension: str
) -> HttpResponse:
    file = FigureFile(build(data, [name])[name], paper, data.facts, extension)
    unchanged = get_conditional_response(request, etag=file.etag)
    if unchanged is not None:
        return unchanged
    content = file.content()
    file_name = f"{data.study.slug}-{name}-{data.criterion}-{data.facts['date']}.{extension}"
    return HttpResponse(
        content,
        content_type=FORMATS[extension].content_type,
        headers={
            "ETag": file.etag,
            "Content-Disposition": f'inline; filename="{file_name}"',
            "Content-Security-Policy": _policy_of_figure(content),
            "X-Content-Type-Options": "nosniff",
        },
    )


def _policy_of_figure(content: bytes) -> str:
    """Allow the one style of an SVG, which carries its font, by its hash; and nothing else."""
    style = _STYLE.search(content)
    if style is None:
        return "default-src 'none'"
    digest = b64encode(sha256(style[1]).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; font-src data:"


def _data(study: Study, form: FigureForm) -> FigureData:
    return FigureData(study, form.runs(), form.settings(), form.cleaned_data["criterion"])


def _kept_data(study: Study, kept: KeptReport, criterion: str) -> FigureData:
    report = report_from_json(kept.data)
    # Runs that were replaced since are in the report by their names alone.
    names = {row.protocol for table in report.criteria.values() for row in table.rows}
    runs = [run for run in services.available_runs(study) if run.name in names]
    return FigureData(study, runs, report.settings, criterion, kept)
