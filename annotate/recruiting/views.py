"""Pages of researchers: the entrances of a study, their payment lists, and a preview."""

from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.access import permitted
from annotate.judging.image_allocation import is_answered
from annotate.learning.shortcuts import short_answers, short_lesson
from annotate.requests import SignedInRequest
from annotate.studies.models import Study
from annotate.studies.services import change_settings

from . import exports, presentation, selectors, services
from .errors import EntranceRefused
from .forms import EntranceForm
from .models import Entrance, Outcome

_HIGHEST_BONUS = 1000


def _study(request: HttpRequest, slug: str) -> Study:
    studies = permitted(request.user, "annotate.recruit_for_study", Study)
    return get_object_or_404(studies, slug=slug)


def _entrance(request: HttpRequest, slug: str, number: int) -> Entrance:
    found_by = {"study": _study(request, slug), "pk": number}
    return get_object_or_404(Entrance.objects.select_related("study"), **found_by)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def entrances(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the entrances of a study and what became of the people; POST makes another one."""
    study = _study(request, slug)
    form = _form(request, Entrance(study=study))
    if form.is_valid():
        _save(request, form)
        return redirect("recruiting:entrances", slug=slug)
    shown = [
        {"figures": figures, **presentation.to_paste(request, figures.entrance)}
        for figures in selectors.figures_of(study)
    ]
    context = {"study": study, "form": form, "shown": shown}
    status = 422 if form.is_bound else 200
    return render(request, "recruiting/entrances.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def entrance(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    changed = _entrance(request, slug, number)
    form = _form(request, changed)
    if form.is_valid():
        _save(request, form)
        return redirect("recruiting:entrances", slug=slug)
    context = {"study": changed.study, "entrance": changed, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "recruiting/entrance.html", context, status=status)


def _form(request: SignedInRequest, entrance: Entrance) -> EntranceForm:
    given = request.POST or None
    return EntranceForm(given, person=request.user, study=entrance.study, instance=entrance)


@transaction.atomic
def _save(request: SignedInRequest, form: EntranceForm) -> None:
    contact = form.cleaned_data.get("contact")
    if contact:
        change_settings(study=form.instance.study, is_answered=is_answered, contact=contact)
    services.save_entrance(
        form.save(commit=False),
        excludes=form.cleaned_data["excludes"],
        may_send_anywhere=request.user.is_staff,
    )
    messages.success(request, _("Saved."))


@login_required
@require_POST
def set_state(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    changed = _entrance(request, slug, number)
    state = request.POST.get("state", "")
    if state not in Entrance.State.values:
        raise Http404
    try:
        services.set_state(changed, state)
    except EntranceRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("recruiting:entrance", slug=slug, number=number)
    words = _("The entrance is {state}.").format(state=changed.get_state_display())
    messages.success(request, words)
    return redirect("recruiting:entrances", slug=slug)


@login_required
@never_cache
@require_safe
def payment(request: SignedInRequest, slug: str, number: int, kind: str) -> HttpResponse:
    paid = _entrance(request, slug, number)
    if kind not in exports.KINDS:
        raise Http404
    text = exports.payment_list(paid, kind, _bonus(request.GET.get("bonus", "")))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{paid.slug}-{kind}.csv"'
    return response


def _bonus(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 < amount <= _HIGHEST_BONUS else None


@login_required
@require_POST
def erase(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    n = services.erase_ids(entrance=_entrance(request, slug, number))
    words = ngettext("The id of {n} person is erased.", "The ids of {n} people are erased.", n)
    messages.success(request, words.format(n=n))
    return redirect("recruiting:entrances", slug=slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: SignedInRequest, slug: str, number: int, step: str) -> HttpResponse:
    """Show the pages of a participant, one after the other; nothing is stored."""
    shown = _entrance(request, slug, number)
    study = shown.study

    def at(name: str) -> str:
        return reverse("recruiting:preview", args=[slug, number, name])

    if step == "start":
        context: dict[str, Any] = {
            **presentation.start_context(shown),
            "is_preview": True,
            "preview_url": at("lesson"),
            "ids": [],
        }
        return render(request, "recruiting/start.html", context)
    if step in ("lesson", "tried"):
        answers = short_answers(request.POST) if step == "tried" else None
        return short_lesson(
            request, study, answers=answers, start_url=at("done"), preview_url=at("tried")
        )
    if step == "done":
        context = {
            "study": study,
            "entrance": shown,
            "outcome": Outcome.COMPLETED,
            "is_preview": True,
        }
        return render(request, "recruiting/done.html", context | {"code": "· · ·", "back": ""})
    raise Http404
