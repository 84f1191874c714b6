"""The request that a view gets behind ``login_required``."""

from django.contrib.auth.models import User
from django.http import HttpRequest


class SignedInRequest(HttpRequest):
    """A request of somebody who is signed in; for annotations only, Django makes plain ones."""

    user: User
