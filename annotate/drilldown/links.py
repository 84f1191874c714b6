"""Settings that links pass on to the next page."""

from django.http import HttpRequest, QueryDict

from rankings.agreement.settings import declared_settings

# Both distances are shown there.
_NOT_KEPT = "distance"


def kept(request: HttpRequest) -> str:
    """Return the settings that a link passes on, as a query string."""
    handed_on = QueryDict(mutable=True)
    of_settings = [name for name in declared_settings() if name != _NOT_KEPT]
    for name in ("criterion", *of_settings, "pseudonyms"):
        if request.GET.get(name):
            handed_on[name] = request.GET[name]
    return handed_on.urlencode()


def asks(request: HttpRequest, name: str) -> bool:
    """Return whether the address says yes to something."""
    return request.GET.get(name, "") not in ("", "0")
