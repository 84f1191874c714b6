"""Responses that several subjects share: a page of a live report, the file of a figure."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import wraps
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from annotate.reports import services
from annotate.reports.errors import TooLarge
from annotate.reports.models import KeptReport
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed

from .building import FigureFile, NoFiles
from .figure import Figure
from .files import FORMATS
from .forms import FigureForm, KeptFigureForm
from .themes import THEMES, WIDTHS_MM, Paper

_STYLE: Final = re.compile(rb"<style>(.*?)</style>", re.DOTALL)
_Shows = Callable[[HttpRequest, FigureForm], dict[str, Any]]
_View = Callable[[HttpRequest, str], HttpResponse]


def figure_response(
    request: HttpRequest, figure: Figure, paper: Paper, facts: Mapping[str, str], file_name: str
) -> HttpResponse:
    """Respond with a figure's file, "not modified", or what the server needs to write it."""
    extension = file_name.rpartition(".")[2]
    try:
        file = FigureFile(figure, paper, facts, extension)
    except NoFiles as refusal:
        return HttpResponse(str(refusal), status=501, content_type="text/plain; charset=utf-8")
    unchanged = get_conditional_response(request, etag=file.etag)
    if unchanged is not None:
        return unchanged
    content = file.content()
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


def asked_paper(request: HttpRequest) -> Paper:
    """Return the paper that an address asks for; raises Http404 if there is no such paper."""
    theme, width = request.GET.get("theme", "light"), request.GET.get("width", "double")
    if theme not in THEMES or width not in WIDTHS_MM:
        raise Http404
    return Paper(theme, width)


def _policy_of_figure(content: bytes) -> str:
    """Return a policy that allows only the style with an SVG's font, by its hash."""
    style = _STYLE.search(content)
    if style is None:
        return "default-src 'none'"
    digest = b64encode(sha256(style[1]).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; font-src data:"


def kept_asked(request: HttpRequest, slug: str, pk: int) -> tuple[Study, KeptReport, str]:
    """Return a kept report and the criterion that an address asks for; 404 without one."""
    study = followed(request, slug)
    report = get_object_or_404(study.kept_reports.select_related("created_by"), pk=pk)
    form = KeptFigureForm(request.GET)
    if not form.is_valid():
        raise Http404
    return study, report, form.cleaned_data["criterion"]


def report_page(template: str, limit: Callable[[], int] | None = None) -> Callable[[_Shows], _View]:
    """Make a view from a function that returns the context of a live report's page.

    The function is called only if the address has valid settings and the study is small enough.
    """

    def decorate(shows: _Shows) -> _View:
        @login_required
        @require_safe
        @wraps(shows)
        def view(request: HttpRequest, slug: str) -> HttpResponse:
            study = followed(request, slug)
            form = FigureForm(request.GET, study=study)
            context: dict[str, Any] = {"study": study, "form": form}
            if not form.is_valid():
                return render(request, template, context, status=422)
            try:
                services.require_small(study, limit() if limit else None)
            except TooLarge as refusal:
                return render(request, template, context | {"too_large": str(refusal)})
            return render(request, template, context | shows(request, form))

        return view

    return decorate
