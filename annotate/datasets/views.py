"""Datasets: what is loaded, what it looks like, files to take away, and the photographs themselves."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.studies import permissions
from protocols.core.regions import decode_regions

from . import exports, selectors
from .drawing import picture
from .models import Dataset, Image, image_storage, stored_name

_A_YEAR: Final = 365 * 24 * 3600
_IMAGES_PER_PAGE: Final = 50
_RECEIPTS_SHOWN: Final = 5


@login_required
@require_safe
def dataset_list(request: HttpRequest) -> HttpResponse:
    datasets = list(selectors.with_counts(permissions.datasets_to_see(request.user)))
    if not permissions.may_load_data(request.user) and not datasets:
        raise Http404
    complete = selectors.completeness_of(datasets)
    rows = [(dataset, complete[dataset.pk]) for dataset in datasets]
    return render(request, "datasets/list.html", {"rows": rows})


@login_required
@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    dataset = _dataset(request, slug)
    n_images = dataset.images.count()
    methods = selectors.method_counts(dataset, n_images)
    shares = selectors.run_counts(dataset, sum(row.n_results for row in methods))
    runs = dataset.runs.latest_of_each_protocol()
    share_of = {share.name: share for share in shares}
    context = {
        "dataset": dataset,
        "n_images": n_images,
        "n_photographs": dataset.images.exclude(sha256="").count(),
        "methods": methods,
        "runs": [(run, share_of[run.name]) for run in runs],
        "complete": selectors.completeness(n_images, methods, shares),
        "imports": dataset.imports.select_related("person")[:_RECEIPTS_SHOWN],
        "n_imports": dataset.imports.count(),
        "studies": permissions.studies_to_follow(request.user).filter(dataset=dataset),
    }
    return render(request, "datasets/detail.html", context)


@login_required
@require_safe
def matrix(request: HttpRequest, slug: str) -> HttpResponse:
    """What is loaded, image by image and method by method."""
    dataset = _dataset(request, slug)
    # By key, so that only the images of this page are read whole.
    keys = dataset.images.in_order().values_list("pk", flat=True)
    page = Paginator(keys, _IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    images = list(dataset.images.filter(pk__in=list(page.object_list)).in_order())
    n_images = page.paginator.count
    methods = selectors.method_counts(dataset, n_images)
    shares = selectors.run_counts(dataset, sum(row.n_results for row in methods))
    context = {
        "dataset": dataset,
        "page": page,
        "n_images": n_images,
        "methods": methods,
        "rows": selectors.matrix(images, [row.method for row in methods]),
        "n_boxes": sum(row.n_boxes for row in methods),
        "n_missing": sum(row.n_not_evaluated for row in methods),
        "shares": shares,
        "complete": selectors.completeness(n_images, methods, shares),
    }
    return render(request, "datasets/matrix.html", context)


@login_required
@require_safe
def viewer(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One image with its ground truth and, with ``?method=``, what a method found on it."""
    dataset = _dataset(request, slug)
    image = get_object_or_404(dataset.images, name=name)
    results = {
        result.method_id: result
        for result in image.results.select_related("method").order_by("method__name")
    }
    context: dict[str, Any] = {"dataset": dataset, "image": image}
    method = result = None
    if wanted := request.GET.get("method"):
        method = get_object_or_404(dataset.methods, slug=wanted)
        result = results.get(method.pk)
    boxes = decode_regions(result.regions) if result else ()
    with_truth = request.GET.get("truth") != "no"
    context |= {
        "method": method,
        "result": result,
        "with_truth": with_truth,
        "n_truth": len(image.truth_regions),
        "methods": [(one, results.get(one.pk)) for one in dataset.methods.all()],
        "picture": picture(
            truth=image.truth_regions if with_truth else (),
            boxes=boxes,
            convention=dataset.box_convention,
            url=reverse("datasets:image", args=[image.sha256]) if image.sha256 else "",
            size=image.size_to_draw(boxes),
        ),
        "scores": _scores(dataset, result),
        "boxes": boxes,
    }
    context["previous"], context["following"] = selectors.beside(image)
    return render(request, "datasets/viewer.html", context)


def _scores(dataset: Dataset, result: Any) -> list[Any]:
    """What the newest run of each protocol gives a result."""
    if result is None:
        return []
    runs = dataset.runs.latest_of_each_protocol()
    return list(result.scores.filter(run__in=runs).select_related("run").order_by("run__name"))


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
    found = get_object_or_404(dataset.methods.select_related("dataset"), slug=method)
    return _download(
        request, dataset, extension, f"{method}", lambda: exports.results_file(found, extension)
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
    return get_object_or_404(permissions.datasets_to_see(request.user), slug=slug)


# A hash names one content for ever, so a browser may keep it; proxies may not: it is not public.
@cache_control(private=True, max_age=_A_YEAR, immutable=True)
@login_required
@require_safe
def image(request: HttpRequest, sha256: str) -> HttpResponseBase:
    return photograph(request, sha256)


def photograph(request: HttpRequest, sha256: str) -> HttpResponseBase:
    """Return the file of a photograph that somebody may see; the page and the API send it."""
    found: Image | None = permissions.images_to_see(request.user).filter(sha256=sha256).first()
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
