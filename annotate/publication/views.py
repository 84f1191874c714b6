"""A report for a paper, and the settings of its public page."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotate.access import permitted
from annotate.figures.building import NO_FILES, build, can_write
from annotate.figures.data import FigureData, data_of_kept
from annotate.figures.parts import ENGLISH
from annotate.figures.presentation import drawings
from annotate.jobs.shortcuts import go_to
from annotate.reports import exports
from annotate.reports import services as reports
from annotate.reports.cache import Asked
from annotate.reports.errors import TooLarge
from annotate.reports.forms import ReportForm
from annotate.reports.models import KeptReport
from annotate.reports.provenance import whole
from annotate.requests import SignedInRequest, refusals_on
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed
from rankings.agreement.report import Settings
from rankings.output.methods_text import n_left_out

from . import files, papers, services, work
from .forms import PaperForm, PublishForm
from .models import PublicPage


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def paper(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the current report as material for a paper; POST starts a job that zips all of it."""
    study = followed(request, slug)
    sent = request.POST if request.method == "POST" else request.GET
    form = ReportForm(sent, study=study)
    look = PaperForm(sent)
    context: dict[str, Any] = {"study": study, "look": look, "query": request.GET.urlencode()}
    if not (form.is_valid() and look.is_valid()):
        return _paper(request, context | {"faults": {**form.errors, **look.errors}})
    asked = form.asked()
    if request.method == "POST":
        return _start(request, look, asked)
    context["settings"] = [
        (name, value)
        for name, values in request.GET.lists()
        if name not in look.fields
        for value in values
    ]
    try:
        reports.require_small(study, reports.MAX_IMAGES_ANALYSED_AT_ONCE)
    except TooLarge as refusal:
        return _paper(request, context | {"too_large": str(refusal)})
    built, data = reports.analysed_report(asked)
    content = whole(built.header, asked.runs, reports.sentinels(asked.runs), data)
    figures = FigureData(**vars(asked), criterion=look.chosen().criterion, analysed=content)
    return _paper(request, context | _shown(content, look, figures))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def kept_paper(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show a kept report as material for a paper; POST starts a job that zips all of it."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    look = PaperForm(request.POST if request.method == "POST" else request.GET)
    context: dict[str, Any] = {"study": study, "report": report, "look": look}
    if not look.is_valid():
        return _paper(request, context | {"faults": look.errors})
    if request.method == "POST":
        asked = Asked(study, Settings(**report.data["settings"]), [])
        return _start(request, look, asked, kept=report)
    figures = data_of_kept(study, report, look.chosen().criterion)
    return _paper(request, context | _shown(report.data, look, figures))


def _paper(request: SignedInRequest, context: dict[str, Any]) -> HttpResponse:
    status = 422 if "faults" in context else 200
    return render(request, "publication/paper.html", context, status=status)


def _start(
    request: SignedInRequest, look: PaperForm, asked: Asked, kept: KeptReport | None = None
) -> HttpResponse:
    chosen = look.chosen()
    return go_to(
        work.start_paper(asked, person=request.user, look=look.look(), chosen=chosen, kept=kept)
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show the form for the public page of a kept report; POST publishes it."""
    report = _to_publish(request, slug, pk)
    page = PublicPage.objects.filter(report=report).first()
    study = report.study
    usual = {"address": page.address if page and page.is_listed else ""}
    if page is None:
        usual["title"] = _("{study}: evaluation protocols compared with people").format(
            study=study.name
        )
    form = PublishForm(request.POST or None, instance=page, initial=usual)
    if form.is_valid():
        with refusals_on(form):
            page = services.publish(report=report, person=request.user, **form.said())
            if page.download != PublicPage.Download.NOTHING and not page.file:
                work.start_file(page=page, person=request.user)
            messages.success(request, _("The page is public."))
            return redirect("publication:publish", slug, pk)
    context = {
        "study": study,
        "report": report,
        "form": form,
        "page": page,
        "link": request.build_absolute_uri(reverse("public:page", args=[page.address]))
        if page
        else "",
        "has_file": page is not None and files.path_of(page) is not None,
        "n_left_out": n_left_out(report.data["header"]),
    }
    return render(request, "publication/publish.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def withdraw(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw a public page."""
    report = _to_publish(request, slug, pk)
    page = PublicPage.objects.filter(report=report).first()
    if page is not None:
        services.withdraw(page=page, person=request.user)
        messages.success(request, _("The page is gone. The report stays."))
    return redirect("publication:publish", slug, pk)


def _to_publish(request: SignedInRequest, slug: str, pk: int) -> KeptReport:
    study = get_object_or_404(
        permitted(request.user, "annotate.publish_study", Study).select_related("dataset"),
        slug=slug,
    )
    return get_object_or_404(study.kept_reports.select_related("study"), pk=pk)


def _shown(data: Mapping[str, Any], form: PaperForm, figures: FigureData) -> dict[str, Any]:
    chosen, text = form.chosen(), papers.methods_text(data)
    with translation.override(ENGLISH):
        figure = build(figures, [chosen.figure])[chosen.figure]
        drawn = None if figure.is_empty else drawings(figure, "double")
    tables = exports.tables_in(data)
    form.offer(tables)
    table = next((one for one in tables if one.slug == chosen.table), None)
    facts = exports.facts_of(data, data["header"])
    latex = (
        exports.TABLE_WRITERS["tex"](exports.with_skips(table, data["header"], "tex"), facts)
        if table
        else papers.main_table(data, form.look())
    )
    return {
        "chosen": chosen,
        "figure": figure,
        "drawings": drawn,
        "no_files": "" if can_write() else NO_FILES,
        "texts": [
            # anchor, title, file, text, number of lines visible at once
            ("methods", _("What was done"), "methods.tex", text.latex, 10),
            (
                "table",
                _("The table"),
                f"tables/{table.slug}.tex" if table else "table.tex",
                latex,
                18,
            ),
            ("references", _("References"), "references.bib", text.bib, 12),
        ],
    }
