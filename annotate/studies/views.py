"""Opening and closing a study."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.requests import SignedInRequest, refusals_told, require

from . import services
from .models import Study
from .shortcuts import followed


@login_required
@require_POST
def set_state(request: SignedInRequest, slug: str) -> HttpResponse:
    require(request.user, "annotate.load_data")
    study = followed(request, slug)
    state = request.POST.get("state", "")
    if state not in (Study.State.OPEN, Study.State.CLOSED):
        raise Http404
    on_blank_pages = request.POST.get("on_blank_pages") == "yes"
    with refusals_told(request):
        services.set_state(study=study, state=state, on_blank_pages=on_blank_pages)
        said = _("The study is {state}.").format(state=study.get_state_display())
        messages.success(request, said)
    return redirect("studies:detail", slug=slug)
