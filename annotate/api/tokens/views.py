"""The page of a user's tokens."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate.api.scopes import SCOPES
from annotate.requests import SignedInRequest, refusals_on

from . import services
from .forms import TokenForm


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: SignedInRequest) -> HttpResponse:
    """List the user's tokens, and create one; only this response shows its secret."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals_on(form):
            token, secret = services.create_token(
                person=request.user,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                days=form.cleaned_data["lasts"],
            )
            return _page(request, TokenForm(), made=token, secret=secret)
    return _page(request, form, status=422 if request.method == "POST" else 200)


def _page(
    request: SignedInRequest, form: TokenForm, *, status: int = 200, **context: object
) -> HttpResponse:
    context |= {
        "form": form,
        "tokens": request.user.api_tokens.all(),
        "scopes": SCOPES,
        "now": timezone.now(),
    }
    return render(request, "tokens/tokens.html", context, status=status)


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    if not services.revoke_token(person=request.user, pk=pk):
        raise Http404
    messages.success(
        request, _("The token is revoked. Scripts that use it are refused from now on.")
    )
    return redirect("tokens:tokens")
