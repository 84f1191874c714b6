"""Adapter of the account library: sign-up by invitation, mail, redirects."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.mfa.models import Authenticator
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_noop as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.requests import network_of

from . import known_browsers, languages
from .models import Invitation, hash_of

# Session key of the invitation that the visitor opened.
INVITATION_KEY = "invitation"
# Messages of the account library on our pages, and those whose French wording we replace: our
# catalogue takes precedence.
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
# Further attempts by a locked-out user within this time add no entry to the log.
_SECONDS_BETWEEN_ENTRIES = 300


class ClosedSignUp(DefaultAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Sign-up by invitation, which works once."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return invitation_in_hand(request) is not None

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """Lead a new annotator into the first visit of the study, and others to their studies."""
        used = Invitation.objects.filter(used_by=request.user.pk).first()
        return (used and first_page(used)) or str(super().get_signup_redirect_url(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse an attempt beyond the limits. Raises ValidationError.

        The account library counts attempts by name only; here they are counted by name and source,
        so strangers cannot lock the owner out.
        """
        name = str(credentials.get("username", ""))
        key = self._tries_of(request, name)
        # A laboratory may share one address: a browser that the user has signed in with counts alone.
        may_try = (
            bool(known_browsers.of(request, name))
            or ratelimit.consume(request, action="failed_sign_in_of_address", dry_run=True)
        ) and ratelimit.consume(request, action="failed_sign_in", key=key)
        if not may_try or self._is_guessing(request, name):
            # The typed name may be a password, so only the name of an existing user is logged.
            if cache.add(f"locked-out:{hash_of(name)}", True, _SECONDS_BETWEEN_ENTRIES):
                record(Act.LOCKED_OUT, about=User.objects.filter(username__iexact=name).first())
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is not None:
            # The correct password uses up no attempt.
            key = self._tries_of(request, str(credentials.get("username", "")))
            for action in ("failed_sign_in", "sign_in_while_guessed_at"):
                ratelimit.clear(request, action=action, key=key)
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        super().authentication_failed(request, **credentials)
        name = str(credentials.get("username", ""))
        if not known_browsers.of(request, name):
            ratelimit.consume(request, action="failed_sign_in_of_address")
            ratelimit.consume(request, action="failures_of_strangers", key=name.lower())

    def _is_guessing(self, request: HttpRequest, name: str) -> bool:
        """Return whether a network tries again while strangers are guessing the user's password.

        Each unknown network then has one attempt an hour. The first is never refused, so strangers
        cannot lock the owner out. The limit does not apply to a browser in which the user has
        signed in before, or to accounts with a second factor.
        """
        if ratelimit.consume(
            request, action="failures_of_strangers", key=name.lower(), dry_run=True
        ):
            return False
        if known_browsers.of(request, name):
            return False
        if Authenticator.objects.filter(user__username__iexact=name).exists():
            return False
        key = self._tries_of(request, name)
        return not ratelimit.consume(request, action="sign_in_while_guessed_at", key=key)

    def _tries_of(self, request: HttpRequest, name: str) -> str:
        """Return the key under which a source's attempts at a name are counted.

        The source is a browser in which the user has signed in before, otherwise a network.
        """
        source = known_browsers.of(request, name) or network_of(self.get_client_ip(request))
        return f"{name.lower()}:{source}"

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        with languages.writing_to([user.pk]):
            super().send_password_reset_mail(user, email, context)

    def render_mail(
        self, template_prefix: str, email: str, context: dict[str, Any], **more: Any
    ) -> Any:
        """Return the e-mail, which a worker does not send once the account is closed."""
        message = super().render_mail(template_prefix, email, context, **more)
        if isinstance(user := context.get("user"), User):
            message.about = ("person", user.pk)
        return message

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        known_browsers.remember(request, response, user.username)
        if language := languages.of(user):
            languages.keep(response, language)
        return response


def invitation_in_hand(request: HttpRequest) -> Invitation | None:
    """Return the invitation that this visitor opened, if it is still open."""
    number: int = request.session.get(INVITATION_KEY, 0)
    return Invitation.objects.open().with_names().filter(pk=number).first()


def first_page(used: Invitation) -> str:
    """Return the address of a new annotator's first visit, "" for other people."""
    if used.study is None or used.role != Invitation.Role.ANNOTATOR:
        return ""
    return reverse("judging:judge", args=[used.study.slug])
