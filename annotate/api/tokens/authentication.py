"""Authentication of requests that carry a token: "Authorization: Bearer tdr_..."."""

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed

from . import services
from .models import Token


class BearerToken(authentication.TokenAuthentication):
    """Authentication by token: the framework reads the header, we check the token."""

    keyword = "Bearer"
    model = Token

    def authenticate_credentials(self, key: str) -> tuple[User, Token]:
        token = services.find_token(key)
        if token is None:
            raise AuthenticationFailed(_("This token is not valid: wrong, expired or revoked."))
        return token.person, token
