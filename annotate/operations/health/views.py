"""The health of the site, for admins."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.requests import SignedInRequest, require

from .checks import PAGE, run_checks


@login_required
@require_safe
def health(request: SignedInRequest) -> HttpResponse:
    require(request.user, "annotate.load_data")
    return render(request, "operations/health.html", {"findings": run_checks(PAGE)})
