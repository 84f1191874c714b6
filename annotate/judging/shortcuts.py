"""Studies that a request may answer, and the response if one does not accept answers."""

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request

from annotate.access import permitted
from annotate.errors import Refusal
from annotate.requests import SignedInRequest, wants_json
from annotate.studies.models import Study

from .current_screen import Outcome


class Answered(JsonResponse):
    """The response to an answer or a skip, with its outcome for a middleware that follows it."""

    def __init__(self, outcome: Outcome, data: object) -> None:
        super().__init__(data)
        self.outcome = outcome


def judged(request: HttpRequest | Request, **found_by: object) -> Study:
    """Return a study that this request may answer; raise Http404 for any other."""
    user: User | AnonymousUser = request.user
    return get_object_or_404(permitted(user, "annotate.judge_study", Study), **found_by)


def judged_with(request: HttpRequest | Request, screen_id: str) -> Study:
    """Return the study of one of this annotator's screens; raise Http404 for any other screen."""
    own = {"assignments__screens__public_id": screen_id, "assignments__annotator": request.user}
    return judged(request, **own)


def refused(request: SignedInRequest, refusal: Refusal) -> HttpResponse:
    """Return the response if a study does not accept answers now."""
    if wants_json(request):
        return JsonResponse({"message": str(refusal)}, status=403)
    context = {
        "title": _("This study is not taking answers now"),
        "sentence": str(refusal),
        "next_url": reverse("home"),
        "next_label": _("Your studies"),
    }
    return render(request, "judging/refused.html", context, status=403)
