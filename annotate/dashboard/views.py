"""The start page: a user's next tasks, by role."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.requests import SignedInRequest

from . import selectors


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "studies/welcome.html")
    return _home(request)  # type: ignore[arg-type]  # signed in


def _home(request: SignedInRequest) -> HttpResponse:
    waiting, ended = selectors.to_rank(request.user)
    studies = selectors.followed_studies(request.user).select_related("dataset")
    page = Paginator(studies, selectors.PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "waiting": waiting,
        "ended": ended,
        "page": page,
        "followed": selectors.followed(list(page.object_list)),
    }
    if request.user.has_perm("annotate.load_data"):
        context["site"] = selectors.site(request.user)
    return render(request, "studies/home.html", context)
