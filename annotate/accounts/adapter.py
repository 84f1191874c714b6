"""Adapter of the account library: sign-up by invitation, mail, redirects."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.mfa.models import Authenticator
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.requests import network_of

from . import known_browsers, languages
from .models import Invitation, hash_of

# Session key of the invitation whose link the visitor opened.
INVITATION_KEY = "invitation"
# Messages of the account library on our pages, and those whose French differs from ours: our
# catalogue has precedence.
SAID_BY_THE_LIBRARY = (
    _("Username"),
    _("Email"),
    _("The username and/or password you specified are not correct."),
    _("Please type your current password."),
    _("This email address is already associated with this account."),
    _("You cannot remove your primary email address (%(email)s)."),
    _("Your primary email address must be verified."),
    _("Confirmation email sent to %(email)s."),
    _("You have confirmed %(email)s."),
    _("Removed email address %(email)s."),
    _("Primary email address set."),
    _("Authenticator app activated."),
    _("Authenticator app deactivated."),
    _("A new set of Two-Factor Authentication recovery codes has been generated."),
    _("You have signed out."),
)
# A person who is locked out and goes on trying is one entry of the log in this time.
_SECONDS_BETWEEN_ENTRIES = 300


class ClosedSignUp(DefaultAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Sign-up by invitation only: an invitation opens it once."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return invitation_in_hand(request) is not None

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        name = str(credentials.get("username", ""))
        try:
            super().pre_authenticate(request, **credentials)
            self._limit_guessing(request, **credentials)
        except ValidationError:
            # The name that was typed may be a password; only a name that exists is kept.
            if cache.add(f"locked-out:{hash_of(name)}", True, _SECONDS_BETWEEN_ENTRIES):
                record(Act.LOCKED_OUT, about=User.objects.filter(username__iexact=name).first())
            raise

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is not None:
            # The right password uses up no try.
            key = self._get_login_attempts_cache_key(request, **credentials)
            ratelimit.clear(request, action="sign_in_while_guessed_at", key=key)
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        super().authentication_failed(request, **credentials)
        name = str(credentials.get("username", ""))
        if not known_browsers.of(request, name):
            ratelimit.consume(request, action="failures_of_strangers", key=name.lower())

    def _limit_guessing(self, request: HttpRequest, **credentials: Any) -> None:
        """Allow each unknown network one try an hour while many of them guess at one name.

        The first try of a network is never refused, so that strangers cannot shut the owner out. The
        limit holds neither for a browser that the person has signed in with nor where a password
        alone does not open the account.
        """
        name = str(credentials.get("username", ""))
        if ratelimit.consume(
            request, action="failures_of_strangers", key=name.lower(), dry_run=True
        ):
            return
        if known_browsers.of(request, name):
            return
        if Authenticator.objects.filter(user__username__iexact=name).exists():
            return
        key = self._get_login_attempts_cache_key(request, **credentials)
        if not ratelimit.consume(request, action="sign_in_while_guessed_at", key=key):
            raise self.validation_error("too_many_login_attempts")

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count failures by name and source, so that strangers cannot shut an owner out.

        The source is a browser that the person has signed in with, else a network.
        """
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        name = str(credentials.get("username", ""))
        source = known_browsers.of(request, name) or network_of(self.get_client_ip(request))
        return f"{key}:{source}"

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        with languages.writing_to([user.pk]):
            super().send_password_reset_mail(user, email, context)

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        known_browsers.remember(request, response, user.username)
        if language := languages.of(user):
            languages.keep(response, language)
        return response


def invitation_in_hand(request: HttpRequest) -> Invitation | None:
    """Return the open invitation whose link this visitor opened."""
    number: int = request.session.get(INVITATION_KEY, 0)
    return Invitation.objects.open().with_names().filter(pk=number).first()
