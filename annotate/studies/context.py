"""The current user's permissions, for every template."""

from django.http import HttpRequest


def rights(request: HttpRequest) -> dict[str, bool]:
    user = getattr(request, "user", None)
    return {
        "may_load_data": user is not None and user.has_perm("annotate.load_data"),
        "may_manage_people": user is not None and user.has_perm("annotate.manage_people"),
    }
