"""The page that plans a study on a dataset, and the files of its map."""

from datetime import date
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from annotate.datasets.shortcuts import seen_dataset
from annotate.figures.kinds.plan import sufficient_designs
from annotate.figures.shortcuts import asked_paper, figure_response
from annotate.jobs.shortcuts import go_to
from annotate.requests import SignedInRequest, refused_as_text
from rankings.design.pilots import DEMO

from .forms import TrialForm, planned
from .presentation import choices_with_all, differences_of, kinds_of, shown_map, shown_trial
from .work import MODELS, last, simulated, start


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: SignedInRequest, slug: str) -> HttpResponse:
    dataset = seen_dataset(request, slug)
    asked_for = planned(request.GET, dataset=dataset, person=request.user)
    form, found = asked_for.form, asked_for.plan
    context: dict[str, Any] = {"dataset": dataset, "form": form}
    if found is None:
        return render(request, "design/plan.html", context, status=422)
    asked = form.asked()
    is_sent = request.method == "POST"
    trial_form = TrialForm(request.POST if is_sent else {"model": MODELS[0]} | request.GET.dict())
    study = simulated(found, dataset, trial_form.data.get("model", ""))
    if is_sent and study is not None and trial_form.is_valid():
        query = request.GET.copy()
        query["model"] = trial_form.cleaned_data["model"]
        return go_to(
            start(study=study, dataset=dataset, query=query.urlencode(), person=request.user)
        )
    begin = reverse("setup:begin", args=[dataset.slug])
    figure = sufficient_designs(found, criterion=asked["criterion"])
    context |= {
        **asked_for.panel(begin),
        "differences": differences_of(found),
        "kinds": kinds_of(found),
        "pilot": asked["study"],
        "criterion": asked["criterion"],
        "choices": choices_with_all(found, begin, asked["strategy"]),
        "figure": shown_map(figure, dataset, request.GET),
        "may_set_up": request.user.has_perm("annotate.load_data"),
        "trial_form": trial_form,
        "is_simulated": study is not None or not trial_form.is_valid(),
        "trial": None if study is None else shown_trial(last(study)),
        "trial_query": request.GET.urlencode(),
    }
    return render(request, "design/plan.html", context, status=422 if is_sent else 200)


@cache_control(private=True, no_cache=True)
@login_required
@require_safe
def map_file(request: SignedInRequest, slug: str, extension: str) -> HttpResponse:
    dataset = seen_dataset(request, slug)
    asked_for = planned(request.GET, dataset=dataset, person=request.user)
    form, found = asked_for.form, asked_for.plan
    if found is None:
        return refused_as_text(form)
    paper = asked_paper(request)
    asked = form.asked()
    figure = sufficient_designs(found, criterion=asked["criterion"])
    facts = {
        "dataset": dataset.name,
        "pilot": str(asked["study"] or DEMO),
        "criterion": asked["criterion"],
        "difference": f"{asked['difference']:g}",
        "date": f"{date.today():%Y-%m-%d}",
    }
    name = f"{dataset.slug}-plan.{extension}"
    return figure_response(request, figure, paper, facts, name)
