"""Responses about a report's files that several subjects share."""

from django.http import HttpRequest, HttpResponse

from annotate.studies.models import Study
from rankings.output.latex import Look

from . import exports, services
from .errors import TooLarge
from .forms import ReportForm


def offered_as_work(refusal: TooLarge) -> HttpResponse:
    """Respond that a file takes too long to compute within a request."""
    return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")


def file_response(request: HttpRequest, text: str, extension: str, name: str) -> HttpResponse:
    """Respond with a table as a file; a CSV links to the JSON with the origin of its numbers."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if extension == "csv":
        described = request.build_absolute_uri(request.get_full_path()).replace(".csv", ".json", 1)
        headers["Link"] = f'<{described}>; rel="describedby"'
    return HttpResponse(text, content_type=exports.FORMATS[extension].content_type, headers=headers)


def built_text(
    study: Study, form: ReportForm, extension: str, look: Look
) -> tuple[services.StudyReport, str]:
    """Return a report and the text of its main tables; raises TooLarge if that takes too long.

    LaTeX with intervals needs the analysis, which takes longer than the tables.
    """
    asked = form.asked()
    if extension == "tex" and look.intervals:
        services.require_small(study, services.MAX_IMAGES_ANALYSED_AT_ONCE)
        built, data = services.analysed_report(asked)
        return built, exports.export(built, extension, look, data["analysis"])
    services.require_small(study)
    built = services.study_report(asked)
    return built, exports.export(built, extension, look)
