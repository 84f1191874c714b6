"""A study's figures: one page of all of them, and each as a file; the settings stand in the address."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, Final

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.reports import services
from annotate.reports.forms import ReportForm
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun
from annotate.studies import permissions
from annotate.studies.models import Study
from rankings.elicitation import CRITERIA
from rankings.report import report_from_json

from .building import build
from .data import FigureData
from .figure import Cell, Figure
from .files import FORMATS
from .files.vega import size_css_px, specification
from .kinds import NAMES
from .papers import THEMES, WIDTHS_MM, Paper

_STYLE: Final = re.compile(rb"<style>(.*?)</style>", re.DOTALL)
_USUAL = {"criterion": "recall", "theme": "light", "width": "double"}


class FigureForm(ReportForm):
    """A report's settings, and the criterion that the figures are of."""

    criterion = forms.ChoiceField(
        choices=[(name, name) for name in CRITERIA], required=False, label="Criterion"
    )
    field_order = ("criterion",)

    def __init__(self, data: QueryDict, *, study: Study, runs: Sequence[ProtocolRun]) -> None:
        super().__init__(_with_usual(data), study=study, runs=runs)


class FileForm(FigureForm):
    """How the file of a figure is drawn."""

    theme = forms.ChoiceField(choices=[(name, name) for name in THEMES], required=False)
    width = forms.ChoiceField(choices=[(name, name) for name in WIDTHS_MM], required=False)


def _with_usual(data: QueryDict) -> QueryDict:
    given = data.copy()
    for name, value in _USUAL.items():
        if not given.get(name):
            given[name] = value
    return given


@dataclass(frozen=True)
class Picture:
    """The addresses of one theme's drawings, with their sizes in CSS pixels."""

    theme: str
    wide: str
    wide_size: tuple[int, int]
    narrow: str
    narrow_size: tuple[int, int]


@dataclass(frozen=True)
class ShownFigure:
    """What templates/reports/figure.html needs."""

    name: str
    title: str
    caption: str
    alt: str
    notes: tuple[str, ...]
    is_empty: bool
    columns: tuple[str, ...]
    rows: list[list[str]]
    pictures: list[Picture]
    # (width in mm, [(label, address)])
    downloads: list[tuple[int, list[tuple[str, str]]]]


def shown_figures(data: FigureData, query: QueryDict) -> list[ShownFigure]:
    """Return all figures for a page; ``query`` is the page's, whose settings its files share."""
    built = build(data, NAMES)
    return [_shown(data, name, figure, query) for name, figure in built.items()]


def _shown(data: FigureData, name: str, figure: Figure, query: QueryDict) -> ShownFigure:
    kept = query.copy()
    for own in ("theme", "width"):
        kept.pop(own, None)
    kept["criterion"] = data.criterion

    def address(extension: str, **drawn: str) -> str:
        path = (
            reverse("figures:kept_figure", args=[data.study.slug, data.kept.pk, name, extension])
            if data.kept
            else reverse("figures:figure", args=[data.study.slug, name, extension])
        )
        parameters = kept.copy()
        parameters.update(drawn)
        return f"{path}?{parameters.urlencode()}"

    # Both themes draw alike.
    sizes = (
        {}
        if figure.is_empty
        else {width: size_css_px(figure, Paper("light", width)) for width in WIDTHS_MM}
    )

    def picture(theme: str) -> Picture:
        return Picture(
            theme,
            address("svg", theme=theme, width="double"),
            sizes["double"],
            address("svg", theme=theme, width="single"),
            sizes["single"],
        )

    return ShownFigure(
        name=figure.name,
        title=figure.title,
        caption=figure.caption,
        alt=f"{figure.title}. {figure.summary}",
        notes=figure.notes,
        is_empty=figure.is_empty,
        columns=figure.columns,
        rows=[[_cell(value) for value in row] for row in figure.rows],
        pictures=[] if figure.is_empty else [picture(theme) for theme in THEMES],
        downloads=[]
        if figure.is_empty
        else [
            (
                millimetres,
                [
                    (kind.label, address(extension, theme="light", width=width))
                    for extension, kind in FORMATS.items()
                ],
            )
            for width, millimetres in WIDTHS_MM.items()
        ],
    )


def _cell(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return value.isoformat() if isinstance(value, date) else str(value)


@login_required
@require_safe
def figures(request: HttpRequest, slug: str) -> HttpResponse:
    study = _followed(request, slug)
    form = FigureForm(request.GET, study=study, runs=services.available_runs(study))
    context: dict[str, Any] = {"study": study, "form": form}
    if not form.is_valid():
        return render(request, "reports/figures.html", context, status=422)
    data = _data(study, form)
    context |= {
        "criterion": data.criterion,
        "criteria": list(_criteria(request.GET)),
        "figures": shown_figures(data, request.GET),
    }
    return render(request, "reports/figures.html", context)


def _criteria(query: QueryDict) -> Iterator[tuple[str, str]]:
    """Yield each criterion and the query that shows it under the same settings."""
    for criterion in CRITERIA:
        changed = query.copy()
        changed["criterion"] = criterion
        yield criterion, changed.urlencode()


def _policy_of_figure(content: bytes) -> str:
    """Allow the one style of an SVG, which carries its font, by its hash; and nothing else."""
    style = _STYLE.search(content)
    if style is None:
        return "default-src 'none'"
    digest = b64encode(sha256(style[1]).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; font-src data:"


# Answers change what is drawn, so a browser asks each time, and is told when nothing did.
@cache_control(private=True, no_cache=True)
@login_required
@require_safe
def figure(request: HttpRequest, slug: str, name: str, extension: str) -> HttpResponse:
    study = _followed(request, slug)
    form = FileForm(request.GET, study=study, runs=services.available_runs(study))
    if not form.is_valid():
        return HttpResponse(
            form.errors.as_text(), status=422, content_type="text/plain; charset=utf-8"
        )
    return _file(request, _data(study, form), form, name, extension)


def _file(
    request: HttpRequest,
    data: FigureData,
    form: "FileForm | DrawingForm",
    name: str,
    extension: str,
) -> HttpResponse:
    drawn = build(data, [name])[name]
    paper = Paper(form.cleaned_data["theme"], form.cleaned_data["width"])
    etag = _etag(drawn, paper, data.facts, extension)
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    kind = FORMATS[extension]
    content = kind.write(drawn, paper, data.facts)
    return HttpResponse(
        content,
        content_type=kind.content_type,
        headers={
            "ETag": etag,
            "Content-Disposition": f'inline; filename="{_file_name(data, name, extension)}"',
            "Content-Security-Policy": _policy_of_figure(content),
            "X-Content-Type-Options": "nosniff",
        },
    )


class CriterionForm(forms.Form):
    """Of a kept report only the criterion can be chosen: its settings are its own."""

    criterion = forms.ChoiceField(choices=[(name, name) for name in CRITERIA], required=False)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(_with_usual(data))


class DrawingForm(CriterionForm):
    theme = forms.ChoiceField(choices=[(name, name) for name in THEMES], required=False)
    width = forms.ChoiceField(choices=[(name, name) for name in WIDTHS_MM], required=False)


@login_required
@require_safe
def kept_figures(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The figures of a report that was kept, from what it holds."""
    study = _followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    form = CriterionForm(request.GET)
    if not form.is_valid():
        raise Http404
    data = _kept_data(study, report, form)
    context = {
        "study": study,
        "report": report,
        "criterion": data.criterion,
        "criteria": list(_criteria(request.GET)),
        "figures": shown_figures(data, request.GET),
    }
    return render(request, "reports/figures.html", context)


@cache_control(private=True, no_cache=True)
@login_required
@require_safe
def kept_figure(
    request: HttpRequest, slug: str, pk: int, name: str, extension: str
) -> HttpResponse:
    study = _followed(request, slug)
    report = get_object_or_404(study.kept_reports, pk=pk)
    form = DrawingForm(request.GET)
    if not form.is_valid():
        return HttpResponse(
            form.errors.as_text(), status=422, content_type="text/plain; charset=utf-8"
        )
    return _file(request, _kept_data(study, report, form), form, name, extension)


def _kept_data(study: Study, report: KeptReport, form: CriterionForm) -> FigureData:
    found = report_from_json(report.data)
    # Runs that were replaced since are in the report by their names alone.
    names = {row.protocol for table in found.criteria.values() for row in table.rows}
    runs = [run for run in services.available_runs(study) if run.name in names]
    return FigureData(study, runs, found.settings, form.cleaned_data["criterion"], report)


def _etag(drawn: Figure, paper: Paper, facts: dict[str, str], extension: str) -> str:
    parts = (
        extension,
        paper,
        drawn.title,
        drawn.caption,
        drawn.summary,
        drawn.notes,
        sorted(facts.items()),
        specification(drawn, paper),
    )
    return f'"{sha256(repr(parts).encode()).hexdigest()[:32]}"'


def _file_name(data: FigureData, name: str, extension: str) -> str:
    return f"{data.study.slug}-{name}-{data.criterion}-{data.facts['date']}.{extension}"


def _data(study: Study, form: FigureForm) -> FigureData:
    return FigureData(study, form.runs(), form.settings(), form.cleaned_data["criterion"])


def _followed(request: HttpRequest, slug: str) -> Study:
    studies = permissions.studies_to_follow(request.user).select_related("dataset")
    return get_object_or_404(studies, slug=slug)
