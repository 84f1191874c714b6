"""The public page of a challenge, its files, and the way in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.guide.markdown import own_words
from annotate.requests import SignedInRequest

from . import services
from .errors import ChallengeRefused
from .models import Challenge, ChallengeArchive
from .selectors import PUBLIC
from .shortcuts import board_figure, board_file, boards_context, remember


def _challenge(address: str) -> Challenge:
    return get_object_or_404(Challenge.objects.select_related("dataset"), address=address)


@require_safe
@cache_control(no_cache=True)
def page(request: HttpRequest, address: str) -> HttpResponse:
    """Show texts, dates, standings and log to anyone."""
    challenge = _challenge(address)
    context = {
        "challenge": challenge,
        "text": own_words(challenge.text, headings=True),
        "terms": own_words(challenge.terms, headings=True),
        "changes": challenge.changes.select_related("challenge"),
        **boards_context(request, challenge, PUBLIC, request.path),
    }
    return render(request, "challenges/public.html", context)


@require_safe
@cache_control(no_cache=True)
def file(request: HttpRequest, address: str, split: str, extension: str) -> HttpResponse:
    return board_file(request, _challenge(address), PUBLIC, split, extension)


@require_safe
@cache_control(no_cache=True)
def figure(request: HttpRequest, address: str, extension: str) -> HttpResponse:
    return board_figure(request, _challenge(address), PUBLIC, extension)


@require_safe
def archive(request: HttpRequest, address: str) -> HttpResponse:
    """Send what is kept of a challenge after its end."""
    kept = get_object_or_404(ChallengeArchive, challenge=_challenge(address))
    return HttpResponse(kept.content, content_type="application/json")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: SignedInRequest, address: str) -> HttpResponse:
    """Ask to agree to the terms; a visitor makes an account or signs in first."""
    challenge = _challenge(address)
    refusal = ""
    if request.user.is_authenticated and request.method == "POST":
        try:
            services.join(challenge=challenge, person=request.user)
        except ChallengeRefused as fault:
            refusal = str(fault)
        else:
            return redirect("challenges:challenge", challenge.slug)
    if not request.user.is_authenticated:
        remember(request, challenge)
    context = {
        "challenge": challenge,
        "terms": own_words(challenge.terms, headings=True),
        "refusal": refusal,
    }
    status = 409 if refusal else 200
    return render(request, "challenges/join.html", context, status=status)
