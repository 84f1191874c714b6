"""Loading data through the browser: everything or nothing, and a report of every fault."""

from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotate.datasets.models import Dataset
from annotate.studies import permissions
from protocols.formats.problems import Problem

from . import services
from .errors import NotLoaded
from .forms import DatasetForm, ResultsForm, ScoresForm
from .models import Import

_MAX_SHOWN_PER_CODE = 200


@login_required
@require_http_methods(["GET", "POST"])
def dataset(request: HttpRequest) -> HttpResponse:
    _require_admin(request)

    def load(data: dict[str, Any]) -> Import:
        return services.load_dataset(person=request.user, **data)

    return _page(request, DatasetForm(*_sent(request)), load)


@login_required
@require_http_methods(["GET", "POST"])
def results(request: HttpRequest, slug: str) -> HttpResponse:
    found = _dataset(request, slug)

    def load(data: dict[str, Any]) -> Import:
        archives = [services.ResultArchive(file, Path(file.name).stem) for file in data["archives"]]
        return services.load_results(
            dataset=found, archives=archives, missing=data["missing"] or None, person=request.user
        )

    return _page(request, ResultsForm(*_sent(request)), load, found)


@login_required
@require_http_methods(["GET", "POST"])
def scores(request: HttpRequest, slug: str) -> HttpResponse:
    found = _dataset(request, slug)

    def load(data: dict[str, Any]) -> Import:
        return services.load_scores(
            dataset=found, protocol=data["protocol"], source=data["scores"], person=request.user
        )

    return _page(request, ScoresForm(*_sent(request)), load, found)


def _sent(request: HttpRequest) -> tuple[Any, Any]:
    """What the form was sent with; nothing where it is only shown."""
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def _page(
    request: HttpRequest,
    form: forms.Form,
    load: Callable[[dict[str, Any]], Import],
    dataset: Dataset | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "dataset": dataset}
    if form.is_valid():
        try:
            receipt = load(form.cleaned_data)
        except NotLoaded as refusal:
            context["refusal"] = refusal
            context["groups"] = _by_code(refusal.problems)
        else:
            messages.success(request, _loaded(receipt))
            return redirect("datasets:detail", slug=receipt.dataset.slug)
    titles = {
        DatasetForm: "Load a dataset",
        ResultsForm: "Load results",
        ScoresForm: "Load scores",
    }
    context["title"] = titles[type(form)]
    status = 422 if request.method == "POST" else 200
    return render(request, "imports/load.html", context, status=status)


def _by_code(problems: tuple[Problem, ...]) -> list[tuple[str, str, int, list[Problem]]]:
    """Return code, severity, count and the first problems of each kind, errors first."""

    def kind(problem: Problem) -> tuple[str, str]:
        return problem.severity, problem.code

    return [
        (code, severity, len(of_kind), of_kind[:_MAX_SHOWN_PER_CODE])
        for (severity, code), group in groupby(sorted(problems, key=kind), kind)
        for of_kind in [list(group)]
    ]


def _loaded(receipt: Import) -> str:
    counts = receipt.counts
    if receipt.kind == Import.Kind.DATASET:
        return (
            f"Loaded {counts['images']} images with {counts['regions']} regions "
            f"({counts['ignored']} ignored) and {counts['photographs']} photographs."
        )
    if receipt.kind == Import.Kind.RESULTS:
        of_method = [f"{name} ({of['boxes']} boxes)" for name, of in counts["methods"].items()]
        return f"Loaded results of {', '.join(of_method)}."
    return f"Loaded {counts['scores']} scores of {counts['protocol']}."


def _dataset(request: HttpRequest, slug: str) -> Dataset:
    _require_admin(request)
    return get_object_or_404(permissions.datasets_to_see(request.user), slug=slug)


def _require_admin(request: HttpRequest) -> None:
    if not permissions.may_load_data(request.user):
        raise Http404
