"""Pages of invitations, the account and preferences; the account library provides the others."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.decorators import rate_limit
from allauth.mfa.models import Authenticator
from allauth.usersessions.views import ListUserSessionsView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.i18n import LANGUAGE_QUERY_PARAMETER, set_language

from annotate.access import permitted
from annotate.requests import SignedInRequest, refusals_on, refusals_told, require
from annotate.studies.models import Role, Study

from . import languages, mail, services
from .adapter import INVITATION_KEY, first_page
from .errors import InvitationRefused
from .forms import InviteForm, InviteToStudyForm, PreferencesForm, ProfileForm, SignUpForm
from .models import Invitation, Preferences
from .sessions import browser_of

_MAX_SHOWN = 200
# Keys that shortcuts can use, in the words of the preferences page.
KEY_ACTIONS = {
    "recall_left": _("Recall: left better"),
    "recall_equal": _("Recall: equal"),
    "recall_right": _("Recall: right better"),
    "precision_left": _("Precision: left better"),
    "precision_equal": _("Precision: equal"),
    "precision_right": _("Precision: right better"),
    "preference_left": _("Preference: left better"),
    "preference_equal": _("Preference: equal"),
    "preference_right": _("Preference: right better"),
    "same": _("Same for all three"),
    "alike": _("They look the same"),
    "undo": _("Undo"),
    "skip": _("Skip"),
    "history": _("History"),
    "pause": _("Pause"),
    "fit": _("Fit to the window"),
    "fit_boxes": _("Fit to the boxes"),
    "single_view": _("Single view, or both"),
    "other_side": _("In the single view: the other result"),
    "note": _("Write a note"),
    "link": _("Link the views"),
    "boxes_hidden": _("Hold: hide the boxes"),
    "blink": _("Hold: show the other result"),
    "differences": _("Differences"),
    "next_difference": _("Next difference"),
    "ground_truth": _("Ground truth"),
    "match_colours": _("Colour by matches"),
}


# Opening a link


@rate_limit(action="invitation", limit_get=True)  # type: ignore[untyped-decorator]  # the library has no types
@never_cache
@require_safe
def open_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Store which invitation was opened, and redirect to an address without its token.

    The address with the token is requested only once, no page that links elsewhere contains it, and
    the server's log omits the token (text_rankings/site/logs.py).
    """
    opened = services.invitation_of(token)
    if opened is None:
        request.session.pop(INVITATION_KEY, None)
        response = render(request, "accounts/invitation.html", {"invitation": None}, status=404)
    else:
        request.session[INVITATION_KEY] = opened.pk
        response = redirect("accounts:invitation")
    response["Referrer-Policy"] = "no-referrer"
    return response


@never_cache
@require_safe
def invitation(request: HttpRequest) -> HttpResponse:
    opened = _invitation_of_session(request)
    context: dict[str, Any] = {"invitation": opened}
    if opened is None:
        return render(request, "accounts/invitation.html", context, status=404)
    if opened.state != "open":
        context["refusal"] = services.WHY_CLOSED[opened.state]
        return render(request, "accounts/invitation.html", context, status=410)
    if request.user.is_authenticated:
        try:
            services.refuse_wrong_person(opened, request.user)
        except InvitationRefused as refusal:
            context |= {"refusal": str(refusal), "is_wrong_person": True}
            return render(request, "accounts/invitation.html", context, status=403)
        try:
            services.refuse_removed(opened, request.user)
        except InvitationRefused as refusal:
            context["refusal"] = str(refusal)
            return render(request, "accounts/invitation.html", context, status=410)
    else:
        context["form"] = SignUpForm()
    return render(request, "accounts/invitation.html", context)


@login_required
@require_POST
def join(request: SignedInRequest) -> HttpResponse:
    opened = _invitation_of_session(request)
    if opened is None:
        raise Http404
    try:
        services.accept(invitation=opened, person=request.user)
    except InvitationRefused:
        return redirect("accounts:invitation")
    request.session.pop(INVITATION_KEY, None)
    words = gettext("You are now {role} of {place}.")
    messages.success(request, words.format(role=opened.get_role_display(), place=opened.place))
    return redirect(first_page(opened) or "home")


def _invitation_of_session(request: HttpRequest) -> Invitation | None:
    number: int = request.session.get(INVITATION_KEY, 0)
    return Invitation.objects.with_names().filter(pk=number).first()


# Making links


@login_required
@require_http_methods(["GET", "POST"])
def invitations(request: SignedInRequest) -> HttpResponse:
    """Show all invitations of the site; admins of the site are invited here."""
    require(request.user, "annotate.manage_people")
    form = InviteForm(request.POST if request.method == "POST" else None)
    return _invitations(request, None, form)


@login_required
@require_http_methods(["GET", "POST"])
def study_invitations(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the invitations to a study; its researchers invite annotators, admins anyone."""
    studies = permitted(request.user, "annotate.invite_annotators", Study)
    study = get_object_or_404(studies, slug=slug)
    form = InviteToStudyForm(request.POST if request.method == "POST" else None)
    if not request.user.is_staff:
        form.fields["role"].choices = [(Role.ANNOTATOR.value, Role.ANNOTATOR.label)]  # type: ignore[attr-defined]  # a choice field
    return _invitations(request, study, form)


def _invitations(request: SignedInRequest, study: Study | None, form: InviteForm) -> HttpResponse:
    context: dict[str, Any] = {"study": study}
    if study is not None and request.user.has_perm("annotate.manage_people"):
        context["members_url"] = reverse("studies:members", args=[study.slug])
    if form.is_valid():
        asked = {"role": Invitation.Role.ADMIN, **form.cleaned_data}
        with refusals_on(form, "emails"):
            made = services.invite(study=study, made_by=request.user, **asked)
            # Shown in this response: to show the link on another page it would have to be stored.
            context["letters"] = mail.send(
                made, lambda token: _address(request, token), request.get_host()
            )
            form = type(form)()
    status = 422 if form.is_bound else 200
    listed = Invitation.objects.with_names()
    if study is not None:
        listed = listed.filter(study=study)
    context |= {
        "form": form,
        "invitations": listed[:_MAX_SHOWN],
        "n_more": max(0, listed.count() - _MAX_SHOWN),
    }
    response = render(request, "accounts/invitations.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    revoked = get_object_or_404(Invitation.objects.with_names(), pk=pk)
    is_theirs = (
        revoked.study is not None
        and revoked.role == Invitation.Role.ANNOTATOR
        and permitted(request.user, "annotate.invite_annotators", Study)
        .filter(pk=revoked.study.pk)
        .exists()
    )
    if not is_theirs:
        require(request.user, "annotate.manage_people")
    with refusals_told(request):
        services.revoke(invitation=revoked)
        messages.success(request, gettext("The invitation is revoked; its link no longer works."))
    if revoked.study is not None and request.POST.get("from") == "study":
        return redirect("accounts:study_invitations", slug=revoked.study.slug)
    return redirect("accounts:invitations")


def _address(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("accounts:open_invitation", args=[token]))


# One's own account


@login_required
@require_http_methods(["GET", "POST"])
def account(request: SignedInRequest) -> HttpResponse:
    form = ProfileForm(request.POST if request.method == "POST" else None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, gettext("Saved."))
        return redirect("accounts:account")
    keys = list(Authenticator.objects.filter(user=request.user).values_list("type", flat=True))
    context = {
        "form": form,
        "emails": EmailAddress.objects.filter(user=request.user).order_by("-primary", "email"),
        "has_app": Authenticator.Type.TOTP in keys,
        "n_passkeys": keys.count(Authenticator.Type.WEBAUTHN),
    }
    status = 422 if form.is_bound else 200
    return render(request, "accounts/account.html", context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def preferences(request: SignedInRequest) -> HttpResponse:
    """Show and store preferences: language and theme; keys and automatic advance for comparing."""
    stored = Preferences.of(request.user)
    form = PreferencesForm(request.POST or None, instance=stored)
    if form.is_valid():
        stored.keys = form.cleaned_data["keys"]
        form.save()
        messages.success(request, gettext("Saved."))
        response = redirect("preferences")
        languages.keep(response, stored.language)
        return response
    context = {"form": form, "actions": KEY_ACTIONS, "keys": stored.keys}
    status = 422 if form.is_bound else 200
    return render(request, "accounts/preferences.html", context, status=status)


# A CSRF token would need a cookie, which public pages do not set; a form on another site is sent
# without the session.
@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Switch the language of all pages, and return to the page the request came from."""
    response: HttpResponse = set_language(request)
    asked = request.POST.get(LANGUAGE_QUERY_PARAMETER, "")
    if asked not in dict(settings.LANGUAGES):
        # Django accepts any language that it knows itself.
        response.cookies.pop(settings.LANGUAGE_COOKIE_NAME, None)
    elif request.user.is_authenticated:
        Preferences.objects.update_or_create(person=request.user, defaults={"language": asked})
    return response


class SessionsView(ListUserSessionsView):  # type: ignore[misc]  # the library has no types
    """The user's sessions, each with the name of its browser."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        for session in context["sessions"]:
            session.browser = browser_of(session.user_agent)
        return context
