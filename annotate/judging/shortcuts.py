"""The response if a study does not accept answers, for pages of several apps."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.errors import Refusal
from annotate.requests import SignedInRequest


def wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


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
