"""Scoring a dataset from its page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotate.datasets.shortcuts import seen_dataset
from annotate.jobs.models import Job
from annotate.jobs.shortcuts import go_to
from annotate.requests import SignedInRequest, require

from . import work
from .forms import ScoreForm
from .readiness import readiness


@login_required
@require_http_methods(["GET", "POST"])
def score(request: SignedInRequest, slug: str) -> HttpResponse:
    require(request.user, "annotate.load_data")
    dataset = seen_dataset(request, slug)
    ready = readiness(dataset)
    sent = request.POST.copy() if request.method == "POST" else None
    if sent is not None and ("all" in sent or "proposed" in sent):
        # As published: other choices of the form are ignored.
        slugs = ready.fitting if "all" in sent else ready.proposed
        sent = QueryDict(mutable=True)
        sent.setlist("protocols", list(slugs))
    form = ScoreForm(sent, fitting=ready.fitting)
    if form.is_valid():
        jobs = [
            work.start(
                dataset=dataset,
                slug=protocol,
                parameters=form.parameters_of(protocol),
                person=request.user,
            )
            for protocol in form.cleaned_data["protocols"]
        ]
        is_done = all(job.state == Job.State.DONE for job in jobs)
        return go_to(jobs[-1]) if is_done or len(jobs) == 1 else redirect("jobs:work")
    status = 422 if request.method == "POST" else 200
    return render(
        request,
        "scoring/score.html",
        {"dataset": dataset, "form": form, "ready": ready},
        status=status,
    )
