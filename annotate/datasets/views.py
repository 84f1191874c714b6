"""Photographs and their thumbnails."""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.access import permitted

from . import thumbnails
from .models import Image, image_storage, stored_name

_A_DAY: Final = 24 * 3600
_A_YEAR: Final = 365 * _A_DAY


# A hash always names the same content, so browsers may cache it; proxies may not: it is private.
@cache_control(private=True, max_age=_A_YEAR, immutable=True)
@login_required
@require_safe
def image(request: HttpRequest, sha256: str) -> HttpResponseBase:
    return photograph(request, sha256)


# One day: the size of thumbnails may change.
@cache_control(private=True, max_age=_A_DAY)
@login_required
@require_safe
def small_image(request: HttpRequest, sha256: str) -> HttpResponse:
    """Send a thumbnail of a photograph to a user who may see it."""
    if not permitted(request.user, "annotate.see_image", Image).filter(sha256=sha256).exists():
        raise Http404
    try:
        content = thumbnails.thumbnail(sha256)
    except FileNotFoundError as missing:
        raise Http404("The file of this image is missing.") from missing
    return HttpResponse(
        content,
        content_type=thumbnails.CONTENT_TYPE,
        headers={"Content-Security-Policy": "default-src 'none'"},
    )


def photograph(request: HttpRequest, sha256: str) -> HttpResponseBase:
    """Return the file of a photograph that the user may see, for page and API."""
    image: Image | None = (
        permitted(request.user, "annotate.see_image", Image).filter(sha256=sha256).first()
    )
    if image is None:
        raise Http404
    etag = quote_etag(sha256)
    known = get_conditional_response(request, etag=etag)
    if known is not None:
        return known
    try:
        file = image_storage().open(stored_name(sha256))
    except FileNotFoundError as missing:
        raise Http404("The file of this image is missing.") from missing
    return FileResponse(
        file,
        content_type=image.content_type,
        headers={
            "Content-Security-Policy": "default-src 'none'",
            "Content-Disposition": "inline",
            "ETag": etag,
        },
    )
