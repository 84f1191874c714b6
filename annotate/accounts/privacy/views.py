"""Pages that export and erase the user's personal data."""

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from annotate.requests import SignedInRequest, refusals_on

from . import personal_data
from .forms import EraseForm


@login_required
@never_cache
@require_safe
def export(request: SignedInRequest) -> HttpResponse:
    # Like all files, it is in English, although its address has no file extension.
    with translation.override("en"):
        response = JsonResponse(
            personal_data.everything_about(request.user), json_dumps_params={"indent": 2}
        )
    name = f"personal-data-{timezone.now():%Y-%m-%d}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@sensitive_post_parameters("password")
@login_required
@require_http_methods(["GET", "POST"])
def erase(request: SignedInRequest) -> HttpResponse:
    if request.method == "POST":
        refused: HttpResponse | None = ratelimit.consume_or_429(
            request, action="reauthenticate", user=request.user
        )
        if refused:
            return refused
    form = EraseForm(request.POST if request.method == "POST" else None, person=request.user)
    if form.is_valid():
        with refusals_on(form):
            pseudonym = personal_data.erase(request.user)
            logout(request)
            messages.success(
                request,
                _(
                    "Your personal data is erased and the account is closed. Your answers stay under "
                    "the name {name}, which cannot be traced to anybody."
                ).format(name=pseudonym),
            )
            return redirect("home")
    context = {"form": form, "is_last_admin": personal_data.is_last_admin(request.user)}
    status = 422 if form.is_bound else 200
    return render(request, "accounts/erase.html", context, status=status)
