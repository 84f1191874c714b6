"""Files of a dataset to take away, and the photographs themselves."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.access import permitted

from . import exports
from .models import Dataset, Image, image_storage, stored_name

_A_YEAR: Final = 365 * 24 * 3600


@login_required
@require_safe
def truth_file(request: HttpRequest, slug: str, extension: str) -> HttpResponseBase:
    dataset = _dataset(request, slug)
    return _download(
        request,
        dataset,
        extension,
        f"{slug}-ground-truth",
        lambda: exports.truth_file(dataset, extension),
    )


@login_required
@require_safe
def results_file(request: HttpRequest, slug: str, method: str, extension: str) -> HttpResponseBase:
    dataset = _dataset(request, slug)
    of = get_object_or_404(dataset.methods.select_related("dataset"), slug=method)
    return _download(
        request, dataset, extension, method, lambda: exports.results_file(of, extension)
    )


def _download(
    request: HttpRequest, dataset: Dataset, extension: str, name: str, make: Any
) -> HttpResponseBase:
    try:
        stream = make()
    except exports.NotExported as refusal:
        messages.error(request, str(refusal))
        return redirect("datasets:detail", slug=dataset.slug)
    return FileResponse(
        stream,
        as_attachment=True,
        filename=f"{name}.{extension}",
        content_type=exports.CONTENT_TYPES[extension],
    )


def _dataset(request: HttpRequest, slug: str) -> Dataset:
    return get_object_or_404(permitted(request.user, "annotate.see_dataset", Dataset), slug=slug)


# A hash names one content for ever, so a browser may keep it; proxies may not: it is not public.
@cache_control(private=True, max_age=_A_YEAR, immutable=True)
@login_required
@require_safe
def image(request: HttpRequest, sha256: str) -> HttpResponseBase:
    return photograph(request, sha256)


def photograph(request: HttpRequest, sha256: str) -> HttpResponseBase:
    """Return the file of a photograph that somebody may see; the page and the API send it."""
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
