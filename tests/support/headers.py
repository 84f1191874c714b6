"""The headers of every response of the site."""

from django.http import HttpResponse


def check_headers(response: HttpResponse) -> None:
    """Fail unless the response forbids foreign scripts, frames and guessing of types."""
    policy = _policy_of(response)
    assert policy["default-src"] == ["'none'"]
    for kind in ("script-src", "style-src"):
        # Files other than pages may allow less than a page, or something inside them by its hash.
        for source in policy.get(kind, ["'none'"]):
            assert source in ("'self'", "'none'") or source.startswith("'sha256-"), kind
    if response.get("Content-Type", "").startswith("text/html"):
        assert policy["frame-ancestors"] == ["'none'"]
        assert policy["base-uri"] == ["'none'"]
        assert policy["form-action"] == ["'self'"]
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


def _policy_of(response: HttpResponse) -> dict[str, list[str]]:
    parts = response["Content-Security-Policy"].split(";")
    return {name: rest for name, *rest in (part.split() for part in parts)}
