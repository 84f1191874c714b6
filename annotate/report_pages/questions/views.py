"""The page of the open questions; POST tries other parameters, in a job if that takes long."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotate.figures.data import FigureData
from annotate.figures.forms import FigureForm
from annotate.figures.presentation import criteria_links, shown_figures
from annotate.jobs.shortcuts import go_to
from annotate.reports import exports
from annotate.reports import services as reports
from annotate.reports.errors import TooLarge
from annotate.reports.shortcuts import file_response
from annotate.requests import SignedInRequest, refused_as_text
from annotate.studies.shortcuts import followed
from rankings.agreement.settings import facts_of_settings
from rankings.output.question_tables import change_tables
from rankings.output.signature import SIGNATURE
from rankings.output.skips import skips_said

from . import services, work
from .presentation import FIGURES, Page, sections


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def questions(request: SignedInRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    form = FigureForm(request.GET, study=study)
    context: dict[str, Any] = {"study": study, "form": form, "formats": exports.FORMATS}
    if not form.is_valid():
        return render(request, "reports/questions.html", context, status=422)
    if request.method == "POST":
        return _try(request, form.asked())
    asked = form.asked()
    criterion = asked.criterion
    context |= {"criterion": criterion, "criteria": list(criteria_links(request.GET))}
    try:
        reports.require_small(study, reports.MAX_IMAGES_ANALYSED_AT_ONCE)
    except TooLarge as refusal:
        return render(request, "reports/questions.html", context | {"too_large": str(refusal)})
    if not asked.runs:
        return render(request, "reports/questions.html", context | {"has_no_run": True})
    built, data = reports.analysed_report(asked)
    changes = services.last(asked)
    figures = shown_figures(asked, request.GET, FIGURES)
    page = Page(study, criterion, asked.settings, request.GET.urlencode())
    context |= {
        "sections": sections(data, changes.data if changes else None, figures, page),
        "changes": changes,
        "n_images": data["criteria"][criterion]["n_images"],
        "query": page.query,
        "skips": skips_said(built.header),
    }
    return render(request, "reports/questions.html", context)


def _try(request: SignedInRequest, asked: FigureData) -> HttpResponse:
    query = request.GET.urlencode()
    if services.is_small(asked):
        services.keep(asked, services.compute(asked))
        address = reverse("questions:questions", args=[asked.study.slug])
        return redirect(f"{address}{f'?{query}' if query else ''}#weights")
    return go_to(work.start(asked, person=request.user, query=query))


@login_required
@require_safe
def table_file(request: HttpRequest, slug: str, table: str, extension: str) -> HttpResponse:
    """Send a table of the last computed effects of other parameters."""
    study = followed(request, slug)
    form = FigureForm(request.GET, study=study)
    if not form.is_valid():
        return refused_as_text(form)
    changes = services.last(form.asked())
    if changes is None:
        words = _(
            "No other parameters have been tried yet: start this on the page of open questions."
        )
        return HttpResponse(words, status=409, content_type="text/plain; charset=utf-8")
    found = next((one for one in change_tables(changes.data) if one.slug == table), None)
    if found is None:
        raise Http404
    facts = {
        "study": study.name,
        "dataset": study.dataset.name,
        "computed": f"{localtime(changes.at):%Y-%m-%d %H:%M %Z}",
        **facts_of_settings(changes.data["settings"]),
        SIGNATURE: changes.signature,
    }
    text = exports.TABLE_WRITERS[extension](found, facts)
    return file_response(request, text, extension, f"{study.slug}-{table}.{extension}")
