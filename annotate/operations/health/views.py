"""How the site is, for admins."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.requests import SignedInRequest

from .checks import PAGE, found


@login_required
@require_safe
def health(request: SignedInRequest) -> HttpResponse:
    if not request.user.has_perm("annotate.load_data"):
        raise Http404
    return render(request, "operations/health.html", {"findings": found(PAGE)})
