"""The start page, a study's progress, and setting up a study."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from . import permissions, selectors, services
from .errors import StudyRefused
from .forms import MemberForm, RoleForm, SettingsForm, StudyForm
from .models import Role, Study

_IMAGES_PER_PAGE = 50
_CELLS_PER_PAGE = 4000


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "studies/welcome.html")
    to_judge = permissions.studies_to_judge(request.user)
    context = {
        "to_judge": selectors.own_progress(to_judge, request.user),
        "to_follow": permissions.studies_to_follow(request.user).select_related("dataset"),
    }
    return render(request, "studies/home.html", context)


@login_required
@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    study = _followed(request, slug)
    hides_names = request.GET.get("pseudonyms", "") not in ("", "0")
    taking_part = selectors.annotators(study)
    counts = selectors.counts(study, len(taking_part))
    counted = counts.figures
    people = selectors.annotator_progress(study, taking_part, counts, hides_names=hides_names)
    # Fewer images beside many people: a page has so many cells at most.
    n_images = min(_IMAGES_PER_PAGE, max(_CELLS_PER_PAGE // max(len(people), 1), 10))
    page = Paginator(selectors.images_in_order(study), n_images).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "study": study,
        "figures": counted,
        "counts": counts,
        "kept_minutes": selectors.KEPT_SECONDS // 60,
        "n_last_answers": selectors.N_LAST_ANSWERS,
        "forecast": selectors.forecast(counted),
        "annotators": people,
        "hides_names": hides_names,
        "page": page,
        "images": selectors.image_progress(study, list(page.object_list), people),
        "cell_states": selectors.CELL_STATES,
        "blocks": selectors.what_blocks(study, counted, len(people)),
        "methods": study.methods.all(),
        "other_methods": study.dataset.methods.exclude(studies=study),
        "may_set_up": permissions.may_load_data(request.user),
    }
    return render(request, "studies/detail.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def create(request: HttpRequest, dataset_slug: str) -> HttpResponse:
    _require_admin(request)
    dataset = get_object_or_404(permissions.datasets_to_see(request.user), slug=dataset_slug)
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
@require_http_methods(["GET", "POST"])
def change_settings(request: HttpRequest, slug: str) -> HttpResponse:
    _require_admin(request)
    study = _followed(request, slug)
    form = SettingsForm(request.POST if request.method == "POST" else None, instance=study)
    if form.is_valid():
        try:
            services.change_settings(study=study, **form.cleaned_data)
        except StudyRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "The settings are stored.")
            return redirect("studies:detail", slug=slug)
    context = {
        "study": Study.objects.get(pk=study.pk),  # the form has changed its own
        "form": form,
        "is_answered": selectors.is_answered(study),
        "n_images": study.study_images.count(),
        "methods": study.methods.all(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "studies/settings.html", context, status=status)


@login_required
@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    return _members(request, _with_members(request, slug), MemberForm())


@login_required
@require_POST
def add_member(request: HttpRequest, slug: str) -> HttpResponse:
    study = _with_members(request, slug)
    form = MemberForm(request.POST)
    if form.is_valid():
        try:
            membership = services.add_member(study=study, **form.cleaned_data)
        except StudyRefused as refusal:
            form.add_error("username", str(refusal))
        else:
            messages.success(
                request, f"{membership.person} is {membership.get_role_display()} now."
            )
            return redirect("studies:members", slug=slug)
    return _members(request, study, form, status=422)


@login_required
@require_POST
def change_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = _with_members(request, slug)
    membership = get_object_or_404(study.memberships.select_related("person"), pk=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles. Nothing was changed.")
        return redirect("studies:members", slug=slug)
    try:
        services.change_role(membership=membership, role=form.cleaned_data["role"])
    except StudyRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"{membership.person} is {membership.get_role_display()} now.")
    return redirect("studies:members", slug=slug)


@login_required
@require_POST
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = _with_members(request, slug)
    membership = get_object_or_404(study.memberships.select_related("person"), pk=pk)
    services.remove_member(membership=membership)
    messages.success(
        request,
        f"{membership.person} no longer takes part in this study as {membership.get_role_display()}. "
        "Answers that were given are kept.",
    )
    return redirect("studies:members", slug=slug)


def _with_members(request: HttpRequest, slug: str) -> Study:
    if not permissions.may_manage_people(request.user):
        raise Http404
    return _followed(request, slug)


def _members(
    request: HttpRequest, study: Study, form: MemberForm, status: int = 200
) -> HttpResponse:
    context = {
        "study": study,
        "members": selectors.members(study),
        "left": selectors.people_who_left(study),
        "roles": Role.choices,
        "form": form,
    }
    return render(request, "studies/members.html", context, status=status)


@login_required
@require_POST
def set_state(request: HttpRequest, slug: str) -> HttpResponse:
    _require_admin(request)
    study = _followed(request, slug)
    state = request.POST.get("state", "")
    if state not in (Study.State.OPEN, Study.State.CLOSED):
        raise Http404
    services.set_state(study=study, state=state)
    messages.success(request, f"The study is {study.get_state_display()}.")
    return redirect("studies:detail", slug=slug)


def _followed(request: HttpRequest, slug: str) -> Study:
    studies = permissions.studies_to_follow(request.user).select_related("dataset")
    return get_object_or_404(studies, slug=slug)


def _require_admin(request: HttpRequest) -> None:
    if not permissions.may_load_data(request.user):
        raise Http404
