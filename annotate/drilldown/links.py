"""Settings that links pass on to the next page."""

from django.http import HttpRequest, QueryDict

_KEPT = ("criterion", "decimals", "consensus", "beta", "min_annotators", "pseudonyms")


def kept(request: HttpRequest) -> str:
    """Return the settings that a link passes on, as a query string."""
    handed_on = QueryDict(mutable=True)
    for name in _KEPT:
        if request.GET.get(name):
            handed_on[name] = request.GET[name]
    return handed_on.urlencode()
