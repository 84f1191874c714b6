"""The command prefix of this installation, for the hints of every template."""

from django.conf import settings
from django.http import HttpRequest


def program(request: HttpRequest) -> dict[str, str]:
    return {"manage": settings.MANAGE}
