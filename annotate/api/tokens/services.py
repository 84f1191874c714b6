"""Creating, finding and revoking tokens."""

import secrets
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.api.scopes import SCOPES
from annotate.audit.models import Act
from annotate.audit.services import record

from .errors import TokenRefused
from .models import Token

MAX_TOKENS: Final = 20
# A prefix that identifies a token in a log or a repository.
_MARK: Final = "tdr_"
_BYTES: Final = 32
# Attribute of the User object of a request, which lives as long as the request.
_IN_USE: Final = "token_in_use"
_LAST_USED_EVERY: Final = timedelta(minutes=1)
# Expired tokens are still listed for this long.
_KEPT_AFTER_END = timedelta(days=30)


def create_token(
    *, person: User, name: str, scopes: Collection[str], days: int | None = None
) -> tuple[Token, str]:
    """Create a token and return it with its secret, which is not stored.

    ``days`` is its lifetime; None means until it is revoked. Raises TokenRefused if the name is
    taken, a scope is unknown, no scope is given, or there are too many tokens.
    """
    if not scopes or not set(scopes) <= set(SCOPES):
        raise TokenRefused(_("Choose what the token is for."))
    if person.api_tokens.count() >= MAX_TOKENS:
        raise TokenRefused(
            _("You already have {n} tokens, the maximum. Revoke one that you do not need.").format(
                n=MAX_TOKENS
            )
        )
    secret = _MARK + secrets.token_urlsafe(_BYTES)
    try:
        with transaction.atomic():
            token = Token.objects.create(
                person=person,
                name=name,
                scopes=[scope for scope in SCOPES if scope in scopes],
                beginning=secret[: len(_MARK) + 4],
                sha256=_digest(secret),
                expires=None if days is None else timezone.now() + timedelta(days=days),
            )
            # Not its name: the user chose that, and erasure could not remove it from the log.
            record(
                Act.TOKEN_MADE,
                actor=person,
                what=token.beginning,
                details={"scopes": token.scopes},
            )
    except IntegrityError as taken:
        raise TokenRefused(
            _("You have a token named “{name}” already.").format(name=name)
        ) from taken
    return token, secret


def _digest(secret: str) -> str:
    # 256 random bits cannot be guessed, so a slow hash would add no protection.
    return sha256(secret.encode()).hexdigest()


def find_token(secret: str) -> Token | None:
    """Return the valid token of this secret with its user, and record that it was used.

    The user object remembers the token (`token_in_use`).
    """
    now = timezone.now()
    alive = Token.objects.alive(now).select_related("person")
    token = alive.filter(sha256=_digest(secret)).first()
    if token is not None and (token.last_used is None or token.last_used <= now - _LAST_USED_EVERY):
        Token.objects.filter(pk=token.pk).update(last_used=now)
    if token is not None:
        setattr(token.person, _IN_USE, token.pk)
    return token


def token_in_use(person: User | None) -> int | None:
    """Return the primary key of the token that a request used, or None for a browser session."""
    key: int | None = getattr(person, _IN_USE, None)
    return key


@transaction.atomic
def revoke_token(*, person: User, pk: int) -> bool:
    """Revoke one of a user's tokens permanently; return whether it existed."""
    token = person.api_tokens.filter(pk=pk).first()
    if token is None:
        return False
    token.delete()
    record(Act.TOKEN_REVOKED, actor=person, what=token.beginning)
    return True


def forget_expired() -> int:
    """Delete tokens that expired over 30 days ago; return how many."""
    ended = Token.objects.filter(expires__lt=timezone.now() - _KEPT_AFTER_END)
    return ended.delete()[0]
