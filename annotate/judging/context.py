"""What every page knows of somebody's preferences."""

from django.http import HttpRequest

from .models import Preferences


def theme(request: HttpRequest) -> dict[str, str]:
    """The theme somebody chose; empty: as the system has it."""
    if not request.user.is_authenticated:
        return {"theme": ""}
    return {
        "theme": Preferences.objects.filter(person=request.user)
        .values_list("theme", flat=True)
        .first()
        or ""
    }
