"""Context of all templates: whether mail is set up, and the user's theme."""

from django.conf import settings
from django.http import HttpRequest

from .models import Preferences


def mail(request: HttpRequest) -> dict[str, bool]:
    return {"mail_is_set_up": settings.MAIL_IS_SET_UP}


def theme(request: HttpRequest) -> dict[str, str]:
    """Add the user's theme; empty means the system's."""
    # A request refused early, for example for a wrong host name, has no user.
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"theme": ""}
    return {"theme": Preferences.of(user).theme}
