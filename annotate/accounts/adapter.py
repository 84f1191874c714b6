"""How the account library behaves here."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignUp(DefaultAccountAdapter):
    """Nobody makes an account unasked: admins create people."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
