"""Opening and closing a study."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.access import permitted
from annotate.requests import SignedInRequest

from . import services
from .models import Study


@login_required
@require_POST
def set_state(request: SignedInRequest, slug: str) -> HttpResponse:
    _require_admin(request)
    study = followed(request, slug)
    state = request.POST.get("state", "")
    if state not in (Study.State.OPEN, Study.State.CLOSED):
        raise Http404
    services.set_state(study=study, state=state)
    messages.success(request, _("The study is {state}.").format(state=study.get_state_display()))
    return redirect("studies:detail", slug=slug)


def followed(request: HttpRequest, slug: str) -> Study:
    studies = permitted(request.user, "annotate.follow_study", Study).select_related("dataset")
    return get_object_or_404(studies, slug=slug)


def _require_admin(request: HttpRequest) -> None:
    if not request.user.has_perm("annotate.load_data"):
        raise Http404
