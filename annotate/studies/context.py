"""What every page may know about the person who reads it."""

from django.http import HttpRequest

from . import permissions


def rights(request: HttpRequest) -> dict[str, bool]:
    user = getattr(request, "user", None)
    return {
        "may_load_data": user is not None and permissions.may_load_data(user),
        "may_manage_people": user is not None and permissions.may_manage_people(user),
    }
