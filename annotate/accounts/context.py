"""Values that templates of every page have: mail, and the reader's theme."""

from django.conf import settings
from django.http import HttpRequest

from .models import Preferences


def mail(request: HttpRequest) -> dict[str, bool]:
    return {"mail_is_set_up": settings.MAIL_IS_SET_UP}


def theme(request: HttpRequest) -> dict[str, str]:
    """Add the user's theme; empty: the same as the system."""
    # A request that is refused early has no user: a wrong host name, for one.
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"theme": ""}
    chosen = Preferences.objects.filter(person=user).values_list("theme", flat=True)
    return {"theme": chosen.first() or ""}
