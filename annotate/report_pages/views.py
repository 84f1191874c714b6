"""Pages of a report, live or kept; settings are in the address, so links reproduce views."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.figures.data import MAX_IMAGES_DRAWN_AT_ONCE, FigureData, data_of_kept
from annotate.figures.forms import FigureForm, KeptFigureForm
from annotate.figures.presentation import criteria_links, preferred_of, shown_figures
from annotate.figures.shortcuts import report_page
from annotate.reports import exports, services
from annotate.reports.main_table import Behind, ImageLinks, shown_tables
from annotate.reports.models import KeptReport
from annotate.reports.pairs import shown_pairs
from annotate.reports.presentation import (
    facts_shown,
    images_behind,
    said_of_settings,
    settings_query,
    shown_around,
)
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed
from rankings.agreement.report import Report, report_from_json
from rankings.output.skips import skips_said

from .presentation import FIRST_FIGURE, OF_IMAGES, answer_of, figure_names, parts_of

_IMAGES_PER_PAGE = 100


@report_page("reports/report.html")
def report(request: HttpRequest, form: FigureForm) -> dict[str, Any]:
    asked, query = form.asked(), form.query()
    study = asked.study
    n_images = study.study_images.count()
    is_small = n_images <= services.MAX_IMAGES_ANALYSED_AT_ONCE
    data: Mapping[str, Any] = {}
    detectors: Mapping[str, Any] = {}
    if is_small:
        detectors = services.preferences_report(asked)["criteria"][asked.criterion]
    if is_small and asked.runs:
        built, data = services.analysed_report(asked)
    else:
        built = services.study_report(asked)
    behind = Behind(reverse("evidence:disagreement", args=[study.slug]), query)
    is_drawn = n_images <= MAX_IMAGES_DRAWN_AT_ONCE
    figures = replace(asked, analysed=data or None) if is_drawn else None
    return {
        "built": built,
        "skips": skips_said(built.header),
        "facts": facts_shown(built.header),
        "protocols_left_out": built.protocols_left_out,
        "people_left_out": built.people_left_out,
        "known_answers": built.known_answers,
        "settings_query": query,
        "is_too_large": not is_small,
        "address_of_images": reverse("reports:images", args=[study.slug]),
        "formats": exports.FORMATS,
        "pairs": shown_pairs(services.pairs_report(asked)),
        "preferred": preferred_of(asked.criterion, detectors),
        **_page(request, study, built.report, data, asked.criterion, figures, behind),
    }


@login_required
@require_safe
def kept(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study, kept_report, criterion = _kept(request, slug, pk)
    shown = report_from_json(kept_report.data, images_of=criterion)
    address_of_images = reverse("reports:kept_images", args=[study.slug, pk])
    context = {
        "study": study,
        "report": kept_report,
        "skips": skips_said(kept_report.data["header"]),
        "facts": facts_shown(kept_report.data["header"]),
        "formats": exports.FORMATS,
        "pairs": shown_pairs(kept_report.data.get("pairs")),
        "preferred": preferred_of(criterion, kept_report.data["detectors"]["criteria"][criterion]),
        "others_kept": study.kept_reports.defer("content").exclude(pk=pk)[:20],
        "address_of_images": address_of_images,
    }
    data = data_of_kept(study, kept_report, criterion)
    behind = Behind(address_of_images)
    context |= _page(request, study, shown, kept_report.data, criterion, data, behind)
    return render(request, "reports/kept.html", context)


def _page(
    request: HttpRequest,
    study: Study,
    report: Report,
    data: Mapping[str, Any],
    criterion: str,
    figure_data: FigureData | None,
    behind: Behind,
) -> dict[str, Any]:
    """Return the context of the page under one criterion, for a live report or a kept one."""
    is_kept = figure_data is not None and figure_data.kept is not None
    tables = shown_tables(report, data["analysis"] if data else {}, behind=behind)
    shown = next(table for table in tables if table.criterion == criterion)
    address_of = None if is_kept else images_behind(study.slug, criterion, report.settings)
    around = shown_around(data, criterion, address_of) if data else {}
    names = figure_names(is_kept=is_kept) if shown.rows and figure_data else []
    figures = {
        figure.name: figure
        for figure in (shown_figures(figure_data, request.GET, names) if figure_data else ())
    }
    pages = dict(criteria_links(request.GET))
    return {
        "criterion": criterion,
        "criteria": list(pages.items()),
        "query": request.GET.urlencode(),
        "settings": report.settings,
        "said_of_settings": said_of_settings(report.settings),
        "tables": tables,
        "shown": shown,
        "others": [
            replace(table, page=f"?{pages[table.criterion]}")
            for table in tables
            if table is not shown
        ],
        "answer": answer_of(shown, data),
        "figure": figures.get(FIRST_FIGURE),
        "figures_of_images": [figures[name] for name in OF_IMAGES if name in figures],
        "parts": parts_of(around, figures, is_kept=is_kept),
        "between_criteria": around.get("criteria"),
    }


@report_page("reports/images.html")
def images(request: HttpRequest, form: FigureForm) -> dict[str, Any]:
    """Show the distance of every protocol to the consensus of each image."""
    asked = form.asked()
    built = services.study_report(asked)
    anywhere = reverse("evidence:image", args=[asked.study.slug, "-"])
    links = ImageLinks(anywhere.removesuffix("-/"), settings_query(asked.settings))
    return _images(request, built.report, asked.criterion, links)


@login_required
@require_safe
def kept_images(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show these distances in a kept report."""
    study, kept_report, criterion = _kept(request, slug, pk)
    context: dict[str, Any] = {"study": study, "report": kept_report}
    shown = report_from_json(kept_report.data, images_of=criterion)
    context |= _images(request, shown, criterion, None)
    return render(request, "reports/images.html", context)


def _images(
    request: HttpRequest, report: Report, criterion: str, links: ImageLinks | None
) -> dict[str, Any]:
    tables = shown_tables(report, {}, links=links)
    shown = next(table for table in tables if table.criterion == criterion)
    page = Paginator(shown.images, _IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    return {
        "criterion": criterion,
        "criteria": list(criteria_links(query)),
        "settings": report.settings,
        "shown": shown,
        "page": page,
        "rows": shown.image_rows(list(page)),
    }


def _kept(request: HttpRequest, slug: str, pk: int) -> tuple[Study, KeptReport, str]:
    study = followed(request, slug)
    kept_report = get_object_or_404(study.kept_reports.select_related("created_by"), pk=pk)
    form = KeptFigureForm(request.GET)
    if not form.is_valid():
        raise Http404
    return study, kept_report, form.cleaned_data["criterion"]
