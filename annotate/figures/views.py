"""A study's figures: one page of all, and each as a file; the settings are in the address."""

from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from annotate.jobs.shortcuts import go_to
from annotate.reports import exports, services
from annotate.reports.errors import TooLarge
from annotate.reports.included import protocols_left_out
from annotate.reports.shortcuts import offered_as_work
from annotate.requests import SignedInRequest, refused_as_text
from annotate.studies.shortcuts import followed
from rankings.output.skips import skips_said

from . import work
from .building import are_kept, build
from .data import (
    MAX_IMAGES_DRAWN_AT_ONCE,
    MAX_SCORES_DRAWN_TOGETHER,
    FigureData,
    data_of_kept,
)
from .detectors import accuracy_table, said_of_methods_left_out, shown_standings, wrong_table
from .forms import FigureForm, FileForm, KeptFileForm
from .kinds import NAMES
from .presentation import criteria_links, preferred_of, shown_figure, shown_figures
from .shortcuts import figure_response, kept_asked, report_page
from .themes import Paper

# The figure that is made in the least time.
_FIRST: Final = "distances"


@report_page("reports/figures.html", lambda: MAX_IMAGES_DRAWN_AT_ONCE)
def figures(request: HttpRequest, form: FigureForm) -> dict[str, Any]:
    """Show the figures; of a large study, one that is made soon; the page fetches the others."""
    data = form.asked()
    n_scores = len(data.runs) * data.study.study_images.count()
    is_long = n_scores > MAX_SCORES_DRAWN_TOGETHER and "whole" not in request.GET
    waits = is_long and not are_kept(data, NAMES)
    return {
        "criterion": data.criterion,
        "criteria": list(criteria_links(request.GET)),
        "figures": shown_figures(data, request.GET, [_FIRST] if waits else NAMES),
        "waits": waits,
        "settings_to_post": [(k, v) for k, values in request.GET.lists() for v in values],
    }


@login_required
@require_POST
def all_figures(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing every figure in every format, as one zip."""
    study = followed(request, slug)
    form = FigureForm(request.POST, study=study)
    if not form.is_valid():
        return refused_as_text(form)
    return go_to(work.start(form.asked(), person=request.user))


# New answers change the drawing, so browsers revalidate each time, and get "not modified" if
# nothing changed.
@cache_control(private=True, no_cache=True)
@login_required
@require_safe
def figure(request: HttpRequest, slug: str, name: str, extension: str) -> HttpResponse:
    study = followed(request, slug)
    form = FileForm(request.GET, study=study)
    if not form.is_valid():
        return refused_as_text(form)
    try:
        services.require_small(study, MAX_IMAGES_DRAWN_AT_ONCE)
    except TooLarge as refusal:
        return offered_as_work(refusal)
    return _file(request, form.asked(), form.paper(), name, extension)


@login_required
@require_safe
def kept_figures(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the figures of a kept report, from its own data."""
    study, report, criterion = kept_asked(request, slug, pk)
    data = data_of_kept(study, report, criterion)
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
    """Start writing every figure of a kept report in every format, as one zip."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    data = data_of_kept(study, report, "recall")
    return go_to(work.start(data, person=request.user, kept=report))


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
        return refused_as_text(form)
    return _file(
        request,
        data_of_kept(study, report, form.cleaned_data["criterion"]),
        form.paper(),
        name,
        extension,
    )


@report_page("reports/detectors.html", lambda: services.MAX_IMAGES_ANALYSED_AT_ONCE)
def detectors(request: HttpRequest, form: FigureForm) -> dict[str, Any]:
    """Show the standings of the detectors, by people and by every protocol."""
    data = form.asked()
    shown = {
        "formats": exports.FORMATS,
        "query": request.GET.urlencode(),
        "protocols_left_out": protocols_left_out(data.study),
    }
    return shown | _standings(data, request.GET)


@login_required
@require_safe
def kept_detectors(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the standings of the detectors in a kept report, from its own data."""
    study, report, criterion = kept_asked(request, slug, pk)
    data = data_of_kept(study, report, criterion)
    context: dict[str, Any] = {"study": study, "report": report, "formats": exports.FORMATS}
    return render(request, "reports/detectors.html", context | _standings(data, request.GET))


def _standings(data: FigureData, query: QueryDict) -> dict[str, Any]:
    standings = shown_standings(data)
    return {
        "criterion": data.criterion,
        "criteria": list(criteria_links(query)),
        "figure": shown_figure("strengths", data, query),
        "preferred": preferred_of(data.criterion, data.detectors),
        "standings": standings,
        "accuracies": accuracy_table(standings),
        "wrong": [
            (shown, wrong_table(shown) if shown.pairs else None) for shown in standings.protocols
        ],
        "methods_left_out": said_of_methods_left_out(standings),
        "skips": skips_said(data.facts),
    }


def _file(
    request: HttpRequest, data: FigureData, paper: Paper, name: str, extension: str
) -> HttpResponse:
    figure = build(data, [name])[name]
    file_name = f"{data.study.slug}-{name}-{data.criterion}-{data.facts['date']}.{extension}"
    return figure_response(request, figure, paper, data.facts, file_name)
