"""Values that templates of every page have: mail, and the reader's theme."""

from django.conf import settings
from django.http import HttpRequest

from .models import Preferences


def mail(request: HttpRequest) -> dict[str, bool]:
    return {"mail_is_set_up": settings.MAIL_IS_SET_UP}


def theme(request: HttpRequest) -> dict[str, str]:
    """The theme somebody chose; empty: the same as the system."""
    if not request.user.is_authenticated:
        return {"theme": ""}
    return {
        "theme": Preferences.objects.filter(person=request.user)
        .values_list("theme", flat=True)
        .first()
        or ""
    }
