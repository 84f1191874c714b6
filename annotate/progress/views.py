"""Pages of a study: its progress, its members, and the settings that may still change."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.judging.image_allocation import is_answered
from annotate.requests import SignedInRequest, refusals_on, refusals_told, require
from annotate.stopping.presentation import shown_standings
from annotate.studies import services
from annotate.studies.draws import in_words
from annotate.studies.forms import MemberForm, RoleForm, SettingsForm
from annotate.studies.models import Membership, Role, Study
from annotate.studies.shortcuts import followed

from . import selectors

_IMAGES_PER_PAGE = 50
_CELLS_PER_PAGE = 4000


@login_required
@require_safe
def detail(request: SignedInRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    hides_names = request.GET.get("pseudonyms", "") not in ("", "0")
    taking_part = selectors.annotators(study)
    counts = selectors.counts(study)
    counted = counts.figures
    people = selectors.annotator_progress(study, taking_part, counts, hides_names=hides_names)
    # Fewer images for many people: a page has a maximum number of cells.
    n_images = min(_IMAGES_PER_PAGE, max(_CELLS_PER_PAGE // max(len(people), 1), 10))
    # By key, so that only the images of this page are read.
    keys = selectors.images_in_order(study).values_list("image", flat=True)
    paginator = Paginator(keys, n_images)
    paginator.count = counted.n_images  # already counted, saves a query
    page = paginator.get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "study": study,
        "figures": counted,
        "counts": counts,
        "n_last_answers": selectors.N_LAST_ANSWERS,
        "forecast": selectors.forecast(counted),
        "words": selectors.in_words(study, counted),
        "annotators": people,
        "hides_names": hides_names,
        "page": page,
        "images": selectors.image_progress(study, list(page.object_list), people),
        "cell_states": selectors.CELL_STATES,
        "blocks": selectors.what_blocks(study, counted, len(people)),
        "main_action": selectors.main_action(study, len(people)),
        "asked": in_words(study),
        "standings": shown_standings(study),
        "methods": study.methods.all(),
        "other_methods": study.dataset.methods.exclude(studies=study),
        "may_set_up": request.user.has_perm("annotate.load_data"),
        "has_photographs": study.state != Study.State.DRAFT or services.has_photographs(study),
    }
    return render(request, "studies/detail.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def change_settings(request: SignedInRequest, slug: str) -> HttpResponse:
    require(request.user, "annotate.load_data")
    study = followed(request, slug)
    answered = is_answered(study)
    sent = request.POST if request.method == "POST" else None
    form = SettingsForm(sent, instance=study, is_answered=answered)
    if form.is_valid():
        with refusals_on(form):
            services.change_settings(study=study, is_answered=is_answered, **form.cleaned_data)
            messages.success(request, _("The settings are saved."))
            return redirect("studies:detail", slug=slug)
    context = {
        "study": Study.objects.get(pk=study.pk),  # the form has changed its instance
        "form": form,
        "is_answered": answered,
        "n_images": study.study_images.count(),
        "methods": study.methods.all(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "studies/settings.html", context, status=status)


@login_required
@require_safe
def members(request: SignedInRequest, slug: str) -> HttpResponse:
    return _members(request, _with_members(request, slug), MemberForm())


@login_required
@require_POST
def add_member(request: SignedInRequest, slug: str) -> HttpResponse:
    study = _with_members(request, slug)
    form = MemberForm(request.POST)
    if form.is_valid():
        with refusals_on(form, "username"):
            membership = services.add_member(study=study, **form.cleaned_data)
            _confirm_role(request, membership)
            return redirect("studies:members", slug=slug)
    return _members(request, study, form, status=422)


@login_required
@require_POST
def change_member(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    study = _with_members(request, slug)
    membership = get_object_or_404(study.memberships.select_related("person"), pk=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(
            request,
            _("Choose one of the roles and a group with a short name. Nothing was changed."),
        )
        return redirect("studies:members", slug=slug)
    with refusals_told(request):
        services.change_role(membership=membership, role=form.cleaned_data["role"])
        services.set_group(membership=membership, group=form.cleaned_data["group"])
        _confirm_role(request, membership)
    return redirect("studies:members", slug=slug)


def _confirm_role(request: HttpRequest, membership: Membership) -> None:
    words = _("{person} is now {role}.")
    role = membership.get_role_display()
    messages.success(request, words.format(person=membership.person, role=role))


@login_required
@require_POST
def remove_member(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    study = _with_members(request, slug)
    membership = get_object_or_404(study.memberships.select_related("person"), pk=pk)
    services.remove_member(membership=membership)
    messages.success(
        request,
        _(
            "{person} no longer takes part in this study as {role}. "
            "Answers that were given are kept."
        ).format(person=membership.person, role=membership.get_role_display()),
    )
    return redirect("studies:members", slug=slug)


def _with_members(request: HttpRequest, slug: str) -> Study:
    require(request.user, "annotate.manage_people")
    return followed(request, slug)


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
