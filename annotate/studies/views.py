"""Setting up a study, changing its settings, opening and closing it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotate.access import permitted
from annotate.datasets.models import Dataset
from annotate.requests import SignedInRequest

from . import services
from .errors import StudyRefused
from .forms import StudyForm
from .models import Study


@login_required
@require_http_methods(["GET", "POST"])
def create(request: SignedInRequest, dataset_slug: str) -> HttpResponse:
    _require_admin(request)
    dataset = get_object_or_404(
        permitted(request.user, "annotate.see_dataset", Dataset), slug=dataset_slug
    )
    like = dataset.studies.filter(slug=request.GET.get("like", "")).first()
    form = StudyForm(request.POST if request.method == "POST" else None, dataset=dataset, like=like)
    if form.is_valid():
        try:
            study = services.create_study(dataset=dataset, **form.cleaned_data)
        except StudyRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "The study is set up. Add people, then open it.")
            return redirect("studies:detail", slug=study.slug)
    status = 422 if request.method == "POST" else 200
    context = {"dataset": dataset, "form": form, "like": like}
    return render(request, "studies/create.html", context, status=status)


@login_required
@require_POST
def set_state(request: SignedInRequest, slug: str) -> HttpResponse:
    _require_admin(request)
    study = followed(request, slug)
    state = request.POST.get("state", "")
    if state not in (Study.State.OPEN, Study.State.CLOSED):
        raise Http404
    services.set_state(study=study, state=state)
    messages.success(request, f"The study is {study.get_state_display()}.")
    return redirect("studies:detail", slug=slug)


def followed(request: HttpRequest, slug: str) -> Study:
    studies = permitted(request.user, "annotate.follow_study", Study).select_related("dataset")
    return get_object_or_404(studies, slug=slug)


def _require_admin(request: HttpRequest) -> None:
    if not request.user.has_perm("annotate.load_data"):
        raise Http404
