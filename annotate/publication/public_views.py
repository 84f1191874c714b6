"""The public page of a kept report and its files, for anyone with the address, without signing in."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.figures.building import build
from annotate.figures.data import data_of_kept
from annotate.figures.figure import Figure
from annotate.figures.presentation import Drawings, drawings
from annotate.reports import exports
from annotate.reports.main_table import shown_tables
from annotate.reports.models import KeptReport
from annotate.reports.presentation import (
    of_all_criteria,
    said_of_settings,
)
from annotate.reports.shortcuts import file_response
from rankings.agreement.report import report_from_json
from rankings.analysis.verdicts import earlier_loss, for_whom, verdicts
from rankings.elicitation.log import CRITERIA
from rankings.output.skips import skips_said
from rankings.output.verdict_tables import VERDICTS

from . import descriptions, files
from .models import PublicPage

FIGURE = "nearness"


def _public(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Pass a view the page of an address; ask search engines not to index unlisted pages."""

    @require_safe
    # A withdrawn page disappears at once, from caches too.
    @cache_control(no_cache=True)
    @wraps(view)
    def answer(request: HttpRequest, address: str, **kwargs: str) -> HttpResponseBase:
        pages = PublicPage.objects.select_related("report__study__dataset")
        page = get_object_or_404(pages, address=address)
        response = view(request, page, **kwargs)
        # The address is a secret that no other site may learn.
        response["Referrer-Policy"] = "no-referrer"
        if not page.is_listed:
            response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return answer


@_public
def page(request: HttpRequest, page: PublicPage) -> HttpResponse:
    report = descriptions.public_report(page)
    shown = report_from_json(report.data)
    base = _base(request)
    address = f"{base}{request.path}"
    described = descriptions.description(page, base)
    sentences = {verdict.criterion: verdict.sentences for verdict in verdicts(report.data)}
    context: dict[str, Any] = {
        "page": page,
        "report": report,
        "header": descriptions.facts_shown(report.data["header"]),
        "skips": skips_said(report.data["header"]),
        "said_of_settings": said_of_settings(shown.settings),
        "distance": dict(said_of_settings(shown.settings))[_("Distance")],
        "tables": shown_tables(shown, report.data["analysis"], is_brief=True),
        "for_whom": for_whom(report.data) or earlier_loss(report.data),
        "around": [
            of_all_criteria(one) for one in exports.tables_in(report.data) if one.slug != VERDICTS
        ],
        "formats": exports.FORMATS,
        "citation": descriptions.citation(page, address),
        # The content security policy allows this: it is data, and no browser runs it.
        "described": SafeString(  # nosec B703
            f'<script type="application/ld+json">{descriptions.element_text(described)}</script>'
        ),
        "has_file": files.path_of(page) is not None,
        "answers": [
            (criterion, sentences.get(criterion, ()), *_figure(report, criterion))
            for criterion in CRITERIA
        ],
    }
    return render(request, "publication/public.html", context)


@_public
def file(request: HttpRequest, page: PublicPage, extension: str) -> HttpResponse:
    """Send the main tables; as JSON, the whole report."""
    if extension == "json":
        text = descriptions.public_json(page)
    else:
        text = exports.kept_text(descriptions.public_report(page), extension)
    return file_response(request, text, extension, f"report.{extension}")


@_public
def table(request: HttpRequest, page: PublicPage, table: str, extension: str) -> HttpResponse:
    data = descriptions.public_report(page).data
    text = exports.table_text(data, data["header"], table, extension)
    if text is None:
        raise Http404
    return file_response(request, text, extension, f"{table}.{extension}")


@_public
def bibtex(request: HttpRequest, page: PublicPage) -> HttpResponse:
    address = request.build_absolute_uri("./")
    return HttpResponse(
        descriptions.as_bibtex(page, address), content_type="application/x-bibtex; charset=utf-8"
    )


@_public
def description(request: HttpRequest, page: PublicPage) -> HttpResponse:
    """Send the machine-readable description that the page also contains."""
    content = descriptions.description(page, _base(request))
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return HttpResponse(text, content_type="application/ld+json; charset=utf-8")


@_public
def download(request: HttpRequest, page: PublicPage) -> HttpResponseBase:
    """Send the file that the page offers."""
    path = files.path_of(page)
    if path is None:
        raise Http404
    name = f"{page.report.study.slug}-{page.download}.zip"
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)


def _figure(report: KeptReport, criterion: str) -> tuple[Figure, Drawings | None]:
    """Return the figure by a criterion and its drawings, or None if there is nothing to draw."""
    figure = build(data_of_kept(report.study, report, criterion), [FIGURE])[FIGURE]
    return figure, None if figure.is_empty else drawings(figure)


def _base(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"
