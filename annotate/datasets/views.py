"""Datasets: what is loaded, and the photographs themselves."""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.studies import permissions

from . import selectors
from .models import image_storage, stored_name

_A_YEAR: Final = 365 * 24 * 3600


@login_required
@require_safe
def dataset_list(request: HttpRequest) -> HttpResponse:
    datasets = selectors.with_counts(permissions.datasets_to_see(request.user))
    if not permissions.may_load_data(request.user) and not datasets:
        raise Http404
    return render(request, "datasets/list.html", {"datasets": datasets})


@login_required
@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    dataset = get_object_or_404(permissions.datasets_to_see(request.user), slug=slug)
    n_images = dataset.images.count()
    context = {
        "dataset": dataset,
        "n_images": n_images,
        "n_photographs": dataset.images.exclude(sha256="").count(),
        "methods": selectors.method_counts(dataset),
        "runs": dataset.runs.latest_of_each_protocol(),
        "imports": dataset.imports.select_related("person"),
        "studies": permissions.studies_to_follow(request.user).filter(dataset=dataset),
    }
    return render(request, "datasets/detail.html", context)


# A hash names one content for ever, so a browser may keep it; proxies may not: it is not public.
@cache_control(private=True, max_age=_A_YEAR, immutable=True)
@login_required
@require_safe
def image(request: HttpRequest, sha256: str) -> HttpResponseBase:
    return photograph(request, sha256)


def photograph(request: HttpRequest, sha256: str) -> HttpResponseBase:
    """Return the file of a photograph that somebody may see; the page and the API send it."""
    found = permissions.images_to_see(request.user).filter(sha256=sha256).first()
    if found is None:
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
        content_type=found.content_type,
        headers={
            "Content-Security-Policy": "default-src 'none'",
            "Content-Disposition": "inline",
            "ETag": etag,
        },
    )
