"""The page of a study's judges, and the release of its pictures."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.reports.services import asked_now, usual_settings
from annotate.requests import SignedInRequest, refusals_on, require
from annotate.studies.exclusions import programs
from annotate.studies.models import Role
from annotate.studies.pseudonyms import keys_and_names
from annotate.studies.shortcuts import followed

from . import services
from .behind import PER_PAGE, images_with_answers, pairs_behind
from .comparison import programs_in
from .declaring import declare_program
from .forms import ProgramForm, ReleaseForm
from .models import PicturesSent
from .pictures import PARTS, SMALL, picture_of
from .presentation import (
    answers_shown,
    judge_table,
    people_table,
    sent_table,
    shown_comparison,
)
from .tasks import tasks_named


@login_required
@require_safe
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the programs of a study, and how they compare with its people."""
    study = followed(request, slug)
    rows = [(judge, services.counts_of(judge)) for judge in study.judges.select_related("study")]
    found = programs_in(asked_now(study, usual_settings(study)), {}) if rows else None
    shown = [shown_comparison(found, name) for name in found["judges"]] if found else []
    context: dict[str, Any] = {
        "study": study,
        "judges": judge_table(rows),
        "compared": shown,
        "unfinished": [*found["unfinished"].items()] if found else [],
        "is_small": found is not None or not rows,
        "release": services.release_in_force(study),
        "site": request.build_absolute_uri(reverse("home")).rstrip("/"),
        "may_release": request.user.has_perm("annotate.load_data"),
    }
    return render(request, "judges/judges.html", context)


@login_required
@require_safe
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pairs of an image behind the numbers: people, and each judge in both orders."""
    study = followed(request, slug)
    images = images_with_answers(study)
    named = request.GET.get("image", images[0].name if images else "")
    image = next((one for one in images if one.name == named), None)
    if images and image is None:
        raise Http404
    pairs = Paginator(pairs_behind(study, image) if image else [], PER_PAGE)
    page = pairs.get_page(request.GET.get("page"))
    context = {
        "study": study,
        "images": images,
        "image": image,
        "page": page,
        "pairs": [(pair, people_table(pair), answers_shown(study, pair)) for pair in page],
    }
    return render(request, "judges/answers.html", context)


@login_required
@require_safe
@cache_control(private=True, max_age=3600)
def sent(request: HttpRequest, slug: str, pk: int, task: str, part: str) -> HttpResponse:
    """Send a researcher the picture of a task as the judge got it, or smaller with ``small``."""
    judge = get_object_or_404(followed(request, slug).judges.select_related("study"), pk=pk)
    asked = tasks_named(judge, {task}).get(task)
    if asked is None or part not in PARTS:
        raise Http404
    side = SMALL if "small" in request.GET else judge.max_side
    content = picture_of(judge.study, asked, part, side)
    if content is None:
        raise Http404
    return HttpResponse(content, content_type="image/png")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def declare(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a judge of the answers that a program gave as an annotator."""
    require(request.user, "annotate.load_data")
    study = followed(request, slug)
    not_people = {*programs(study).values_list("about", flat=True)}
    people = {
        person: f"{key} ({name})"
        for person, (key, name) in keys_and_names(study, real=True).items()
        if key.startswith(Role.ANNOTATOR) and person not in not_people
    }
    form = ProgramForm(request.POST if request.method == "POST" else None, people)
    if form.is_valid():
        given = dict(form.cleaned_data)
        person = User.objects.get(pk=given.pop("annotator"))
        with refusals_on(form):
            declare_program(study=study, person=person, admin=request.user, **given)
            messages.success(
                request,
                _("The answers are a program's now. Numbers of people no longer have them."),
            )
            return redirect("judges:judges", slug)
    status = 422 if request.method == "POST" else 200
    context = {"study": study, "form": form, "has_people": bool(people)}
    return render(request, "judges/declare.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def release(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show what was released and sent, and release the study's pictures to hosts."""
    require(request.user, "annotate.load_data")
    study = followed(request, slug)
    form = ReleaseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals_on(form):
            services.release_pictures(
                study=study,
                admin=request.user,
                licence=request.POST.get("licence", ""),
                **form.asked(),
            )
            messages.success(request, _("The pictures are released."))
            return redirect("judges:judges", slug)
    context = {
        "study": study,
        "form": form,
        "release": services.release_in_force(study),
        "sent": sent_table(PicturesSent.objects.filter(judge__study=study).select_related("judge")),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "judges/release.html", context, status=status)


@login_required
@require_POST
def end_release(request: SignedInRequest, slug: str) -> HttpResponse:
    """End the release; the next request for a picture is refused."""
    require(request.user, "annotate.load_data")
    if services.end_release(study=followed(request, slug), admin=request.user):
        messages.success(request, _("The release has ended."))
    return redirect("judges:release", slug)
