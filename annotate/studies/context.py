"""The current user's permissions and the section of the site, for every template."""

from typing import Final

from django.http import HttpRequest

# The sections of the site's header: the page of each, and the namespaces in it.
_SECTIONS: Final = {
    "studies": (
        "home",
        "studies reports evidence figures questions publication exchange",
    ),
    "data": ("datasets:list", "datasets imports scoring leaderboards scored"),
    "work": ("jobs:work", "jobs"),
    "people": ("accounts:invitations", ""),
    "guide": ("guide:list", "guide"),
}


def rights(request: HttpRequest) -> dict[str, bool]:
    user = getattr(request, "user", None)
    return {
        "may_load_data": user is not None and user.has_perm("annotate.load_data"),
        "may_manage_people": user is not None and user.has_perm("annotate.manage_people"),
    }


def section(request: HttpRequest) -> dict[str, str]:
    """Return the section that the header marks, and its value of aria-current."""
    here = request.resolver_match
    if here is None:
        return {}
    if here.view_name == "audit:log":
        return {"section": "people", "aria_current": "true"}
    for name, (page, namespaces) in _SECTIONS.items():
        if here.view_name == page:
            return {"section": name, "aria_current": "page"}
        if here.namespace and here.namespace in namespaces.split():
            return {"section": name, "aria_current": "true"}
    return {}
