"""Limits on the requests of a token, a user or a network; counted in the shared cache."""

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from annotate.requests import network_of


class _Limit(SimpleRateThrottle):
    def get_rate(self) -> str | None:
        # Read for each request, so that the current settings apply, in tests as well.
        rates: dict[str, str] = settings.API_RATES
        return rates[self.scope or ""]

    def _key(self, ident: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": ident}


class PerPerson(_Limit):
    """Limit per token, so that one script does not block another; per user without a token."""

    scope = "person"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if not request.user or not request.user.is_authenticated:
            return None
        token = getattr(request.auth, "pk", None)
        return self._key(f"token-{token}" if token else f"person-{request.user.pk}")


class Pictures(PerPerson):
    """Limit per token for the pictures that a program fetches, one or more for each answer."""

    scope = "pictures"


class Heavy(PerPerson):
    """Limit for requests that take seconds; counted per user, for all tokens together."""

    scope = "heavy"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if not request.user or not request.user.is_authenticated:
            return None
        return self._key(f"person-{request.user.pk}")


class Anonymous(_Limit):
    """Limit per network for requests without a user, including those with wrong tokens."""

    scope = "anonymous"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if request.user and request.user.is_authenticated:
            return None
        return self._key(network_of(self.get_ident(request)))
