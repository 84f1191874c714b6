"""The report page and its exports; the settings stand in the address, so a link is a view."""

from itertools import islice

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotate.studies import permissions
from annotate.studies.models import Study
from rankings.elicitation import CRITERIA
from rankings.orders import to_text
from rankings.report import CriterionReport

from . import exports, services
from .forms import ReportForm

_MAX_IMAGES_SHOWN = 250
_AGAINST = {
    "recall": "Rankings by recall against the protocols' recall R",
    "precision": "Rankings by precision against the protocols' precision P",
    "preference": "Rankings by preference against the protocols' F‑score",
}


@login_required
@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    study = _followed(request, slug)
    form = _form(request, study)
    context = {
        "study": study,
        "form": form,
        "formats": exports.FORMATS,
        "query": request.GET.urlencode(),
    }
    if not form.is_valid():
        return render(request, "reports/report.html", context, status=422)
    built = services.study_report(study=study, settings=form.settings(), runs=form.runs())
    context["built"] = built
    context["tables"] = [
        (
            criterion.capitalize(),
            _AGAINST[criterion],
            built.report.criteria[criterion],
            _images_behind(built.report.criteria[criterion]),
        )
        for criterion in CRITERIA
    ]
    return render(request, "reports/report.html", context)


def _images_behind(table: CriterionReport) -> list[tuple[str, str, list[float]]]:
    """Return image, consensus and the distance of each row's protocol, for the first images."""
    protocols = [row.protocol for row in table.rows]
    return [
        (image, to_text(table.consensus[image]), [distances[name] for name in protocols])
        for image, distances in islice(table.distances.items(), _MAX_IMAGES_SHOWN)
    ]


@login_required
@require_safe
def export(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    study = _followed(request, slug)
    form = _form(request, study)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), status=422, content_type="text/plain")
    built = services.study_report(study=study, settings=form.settings(), runs=form.runs())
    return HttpResponse(
        exports.export(built, extension),
        content_type=exports.FORMATS[extension].content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{exports.file_name(built, extension)}"'
        },
    )


def _followed(request: HttpRequest, slug: str) -> Study:
    studies = permissions.studies_to_follow(request.user).select_related("dataset")
    return get_object_or_404(studies, slug=slug)


def _form(request: HttpRequest, study: Study) -> ReportForm:
    return ReportForm(request.GET, study=study, runs=services.available_runs(study))
