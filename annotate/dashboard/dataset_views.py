"""Pages of a dataset: its contents, its gaps, and each image with its regions."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotate.access import permitted
from annotate.datasets import exports, selectors, thumbnails
from annotate.datasets.drawing import picture
from annotate.datasets.mending import truth_as_of
from annotate.datasets.models import Dataset
from annotate.datasets.services import (
    declare_scenes,
    scenes_by_name,
    scenes_of_csv,
)
from annotate.datasets.shortcuts import seen_dataset
from annotate.leaderboards.shortcuts import keep_worst, shown_leaderboard
from annotate.requests import SignedInRequest, loads_data, refusals_on, require, takes_files
from annotate.scoring.leaderboards import newest_runs
from annotate.scoring.readiness import readiness
from annotate.scoring.services import are_old
from annotate.studies.models import Study
from protocols.core.regions import decode_regions

from . import completeness
from .forms import ScenesForm

_DATASETS_PER_PAGE: Final = 12
_IMAGES_PER_PAGE: Final = 50
_RECEIPTS_SHOWN: Final = 5
_SCENES_SHOWN: Final = 100


@login_required
@require_safe
def dataset_list(request: SignedInRequest) -> HttpResponse:
    page = Paginator(
        permitted(request.user, "annotate.see_dataset", Dataset), _DATASETS_PER_PAGE
    ).get_page(request.GET.get("page"))
    if not request.user.has_perm("annotate.load_data") and not page.object_list:
        raise Http404
    shown = Dataset.objects.filter(pk__in=[dataset.pk for dataset in page.object_list])
    datasets = list(selectors.with_counts(shown))
    complete = completeness.completeness_of({row.pk: row.n_images for row in datasets})
    pictures = thumbnails.covers_of_datasets(shown)
    rows = [(row, complete[row.pk], pictures[row.pk]) for row in datasets]
    return render(request, "datasets/list.html", {"rows": rows, "page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def detail(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show a dataset with its leaderboard.

    When posted, keep the images on which some methods do worst as a selection.
    """
    dataset = seen_dataset(request, slug)
    n_images = dataset.images.count()
    methods = selectors.method_counts(dataset, n_images)
    shares = completeness.run_counts(dataset, methods)
    runs = dataset.runs.latest_of_each_protocol()
    share_of = {share.name: share for share in shares}
    ready = readiness(dataset)
    context: dict[str, Any] = {
        "dataset": dataset,
        "n_images": n_images,
        "n_photographs": ready.n_photographs,
        "methods": methods,
        "beyond_lines": exports.beyond_lines(dataset),
        "runs": [(run, share_of[run.name]) for run in runs],
        "complete": completeness.completeness(n_images, methods, shares),
        "ready": ready,
        "may_score": bool(ready.fitting) and not shares,
        "imports": dataset.imports.select_related("person")[:_RECEIPTS_SHOWN],
        "n_imports": dataset.imports.count(),
        "studies": permitted(request.user, "annotate.follow_study", Study).filter(dataset=dataset),
    }
    if scored := newest_runs(dataset):
        context |= shown_leaderboard(request, dataset, scored, context["studies"])
        keep, boards = context["keep"], context["boards"]
        if keep.is_valid():
            [run] = [run for run in scored if run.name == boards.by]
            with refusals_on(keep):
                return keep_worst(request, run, boards.figure, keep.cleaned_data)
    status = 422 if request.method == "POST" else 200
    return render(request, "datasets/detail.html", context, status=status)


@login_required
@require_safe
def matrix(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the data of a dataset, image by image and method by method."""
    dataset = seen_dataset(request, slug)
    # By key, so that only the images of this page are loaded in full.
    keys = dataset.images.in_order().values_list("pk", flat=True)
    page = Paginator(keys, _IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    images = list(dataset.images.filter(pk__in=list(page.object_list)).in_order())
    n_images = page.paginator.count
    methods = selectors.method_counts(dataset, n_images)
    shares = completeness.run_counts(dataset, methods)
    context = {
        "dataset": dataset,
        "page": page,
        "n_images": n_images,
        "methods": methods,
        "rows": selectors.matrix(images, [row.method for row in methods]),
        "n_boxes": sum(row.n_boxes for row in methods),
        "n_missing": sum(row.n_not_evaluated for row in methods),
        "shares": shares,
        "ready": readiness(dataset),
        "complete": completeness.completeness(n_images, methods, shares),
    }
    return render(request, "datasets/matrix.html", context)


@takes_files(loads_data)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def scenes(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show and declare the scenes of a dataset's images."""
    require(request.user, "annotate.load_data")
    dataset = seen_dataset(request, slug)
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = ScenesForm(*sent)
    if form.is_valid():
        separator, file = form.cleaned_data["separator"], form.cleaned_data["file"]
        with refusals_on(form):
            scene_of = scenes_by_name(dataset, separator) if separator else {}
            scene_of = scenes_of_csv(file.read()) if file else scene_of
            n = declare_scenes(dataset=dataset, scene_of=scene_of)
            words = ngettext("The images show {n} scene.", "The images show {n} scenes.", n)
            messages.success(request, words.format(n=n))
            return redirect("datasets:scenes", slug=slug)
    declared = dataset.images.exclude(scene="").order_by("scene").values_list("scene")
    context = {
        "dataset": dataset,
        "form": form,
        "scenes": declared.annotate(n=Count("pk"))[:_SCENES_SHOWN],
        "n_scenes": declared.distinct().count(),
        "n_without": dataset.images.filter(scene="").count(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "datasets/scenes.html", context, status=status)


@login_required
@require_safe
def viewer(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """Show one image with its ground truth and, with ``?method=``, the method's result."""
    dataset = seen_dataset(request, slug)
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
    corrections, truth = list(image.earlier_truths.select_related("person")), image.truth_regions
    if (version := request.GET.get("version", "")) in {str(of.version) for of in corrections}:
        truth, context["version"] = truth_as_of(image, int(version)), int(version)
    context |= {
        "method": method,
        "result": result,
        "with_truth": with_truth,
        "n_truth": len(truth),
        "corrections": corrections,
        "methods": [(offered, results.get(offered.pk)) for offered in dataset.methods.all()],
        "picture": picture(
            truth=truth if with_truth else (),
            boxes=boxes,
            convention=dataset.box_convention,
            url=reverse("datasets:image", args=[image.sha256]) if image.sha256 else "",
            size=image.size_to_draw([*boxes, *truth]),
        ),
        "scores": (scores := _scores(dataset, result)),
        "are_old": are_old(image, [score.run for score in scores]),
        "boxes": boxes,
    }
    context["previous"], context["following"] = selectors.beside(image)
    return render(request, "datasets/viewer.html", context)


def _scores(dataset: Dataset, result: Any) -> list[Any]:
    """Return a result's scores in the newest run of each protocol."""
    if result is None:
        return []
    runs = dataset.runs.latest_of_each_protocol()
    return list(result.scores.filter(run__in=runs).select_related("run").order_by("run__name"))
