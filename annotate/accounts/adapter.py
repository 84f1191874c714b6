"""Adapter of the account library: sign-up by invitation, mail, redirects."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from annotate.audit.models import Act
from annotate.audit.services import record

from .models import Invitation, hash_of

# Where a visitor's session keeps the number of the invitation whose link was opened.
INVITATION_KEY = "invitation"
# A person who is locked out and goes on trying is one entry of the log in this time.
_SECONDS_BETWEEN_ENTRIES = 300


class ClosedSignUp(DefaultAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Nobody makes an account unasked: an invitation opens the sign-up once."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return invitation_in_hand(request) is not None

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            # The name that was typed may be a password; only a name that exists is kept.
            name = str(credentials.get("username", ""))
            if cache.add(f"locked-out:{hash_of(name)}", True, _SECONDS_BETWEEN_ENTRIES):
                record(Act.LOCKED_OUT, about=User.objects.filter(username__iexact=name).first())
            raise


def invitation_in_hand(request: HttpRequest) -> Invitation | None:
    """The open invitation whose link this visitor opened."""
    number: int = request.session.get(INVITATION_KEY, 0)
    return Invitation.objects.open().with_names().filter(pk=number).first()
