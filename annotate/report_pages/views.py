"""Pages of a report, live or kept; settings are in the address, so links reproduce views."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.figures.data import MAX_IMAGES_DRAWN_AT_ONCE, FigureData, data_of_kept
from annotate.figures.forms import FigureForm
from annotate.figures.presentation import (
    ShownFigure,
    criteria_links,
    preferred_of,
    shown_figures,
)
from annotate.figures.shortcuts import kept_asked, report_page
from annotate.judges.comparison import programs_in
from annotate.reports import exports, services
from annotate.reports.cache import Asked
from annotate.reports.main_table import (
    Behind,
    ImageLinks,
    ShownRow,
    program_rows,
    shown_tables,
)
from annotate.reports.presentation import (
    ShownAround,
    facts_shown,
    images_behind,
    said_of_settings,
    settings_query,
    shown_around,
    shown_pairs,
    since_kept,
)
from annotate.studies.exclusions import declared_since
from annotate.studies.models import Study
from rankings.agreement.report import Report, report_from_json
from rankings.output.skips import skips_said

from .presentation import (
    FIRST_FIGURE,
    OPEN,
    Found,
    answer_of,
    asked_for,
    figure_names,
    shown_questions,
)

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
    context = {
        "built": built,
        "facts": facts_shown(built.header),
        "known_answers": built.known_answers,
        "settings_query": query,
        "address_of_images": reverse("reports:images", args=[study.slug]),
        "pairs": shown_pairs(services.pairs_report(asked)),
    }
    page = _Page(
        request, study, built.report, data, asked.criterion, figures, behind, detectors, asked
    )
    return context | page.context(built.header)


@login_required
@require_safe
def kept(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study, kept_report, criterion = kept_asked(request, slug, pk)
    shown = report_from_json(kept_report.data, images_of=criterion)
    header = kept_report.data["header"]
    address_of_images = reverse("reports:kept_images", args=[study.slug, pk])
    context = {
        "report": kept_report,
        "facts": facts_shown(header),
        "pairs": shown_pairs(kept_report.data.get("pairs")),
        "declared": declared_since(study, kept_report.created),
        "others_kept": study.kept_reports.defer("content").exclude(pk=pk)[:20],
        "address_of_images": address_of_images,
    }
    data = data_of_kept(study, kept_report, criterion)
    behind = Behind(address_of_images)
    detectors = kept_report.data["detectors"]["criteria"][criterion]
    page = _Page(request, study, shown, kept_report.data, criterion, data, behind, detectors)
    return render(request, "reports/kept.html", context | page.context(header))


@dataclass(frozen=True, slots=True)
class _Page:
    """The page under one criterion, for a live report or a kept one."""

    request: HttpRequest
    study: Study
    report: Report
    # The report's JSON with its analysis; empty without one.
    data: Mapping[str, Any]
    criterion: str
    figure_data: FigureData | None
    behind: Behind
    # The criterion of the detectors' standings, or its preferences alone.
    detectors: Mapping[str, Any]
    # None: a kept report.
    asked: Asked | None = None

    def context(self, header: Mapping[str, str]) -> dict[str, Any]:
        """Return the context of reports/report_page.html."""
        study, criterion, query = self.study, self.criterion, self.request.GET
        analysis = self.data["analysis"] if self.data else {}
        tables = shown_tables(self.report, analysis, behind=self.behind)
        shown = next(table for table in tables if table.criterion == criterion)
        shown = replace(shown, programs=self._programs(shown.table.n_images))
        figures = self._figures() if shown.rows else {}
        preferred = preferred_of(criterion, self.detectors)
        pages, settings = dict(criteria_links(query)), query.copy()
        settings.pop(OPEN, None)
        since = self._since() if "made" in asked_for(query) else ""
        around = self._around()
        found = Found(study, criterion, self.data, preferred, figures, around, since, self.asked)
        return {
            "study": study,
            "criterion": criterion,
            "criteria": list(pages.items()),
            "query": settings.urlencode(),
            "settings_to_post": [(k, v) for k, values in settings.lists() for v in values],
            "settings": self.report.settings,
            "said_of_settings": said_of_settings(self.report.settings),
            "formats": exports.FORMATS,
            "skips": skips_said(header),
            "tables": tables,
            "shown": shown,
            "others": [table for table in tables if table.criterion != criterion],
            "answer": answer_of(shown, self.data, None if self._is_kept else study),
            "preferred": preferred,
            "figure": figures.get(FIRST_FIGURE),
            "questions": shown_questions(query, found),
        }

    @property
    def _is_kept(self) -> bool:
        return self.figure_data is not None and self.figure_data.kept is not None

    def _programs(self, n_images: int) -> list[ShownRow]:
        """Return Best, Worst and Score of the report's judges."""
        if self.asked is not None and not self.study.judges.exists():
            return []
        found = programs_in(self.asked, self.data, self.criterion)
        return program_rows(found["main"].get(self.criterion, []), n_images) if found else []

    def _since(self) -> str:
        """Return what has changed since the last kept report."""
        last = None if self._is_kept else self.study.kept_reports.order_by("-pk").first()
        return since_kept(last, self.report)

    def _figures(self) -> dict[str, ShownFigure]:
        query = self.request.GET
        names = figure_names(asked_for(query), is_kept=self._is_kept)
        shown = shown_figures(self.figure_data, query, names) if self.figure_data else ()
        return {figure.name: figure for figure in shown}

    def _around(self) -> dict[str, ShownAround]:
        """Return the tables around the main one if a question is open; they take longest."""
        if not self.data or not asked_for(self.request.GET):
            return {}
        address_of = (
            None
            if self._is_kept
            else images_behind(self.study.slug, self.criterion, self.report.settings)
        )
        return shown_around(self.data, self.criterion, address_of)


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
    study, kept_report, criterion = kept_asked(request, slug, pk)
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
