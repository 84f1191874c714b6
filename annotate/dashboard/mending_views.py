"""The page on which the ground truth of one image is corrected."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotate.datasets.mending import mend as mend_truth
from annotate.datasets.mending import version_of
from annotate.datasets.models import Image
from annotate.datasets.shortcuts import seen_dataset
from annotate.requests import SignedInRequest, refusals_on, require
from annotate.scoring.shortcuts import start_again
from protocols.core.regions import Region

from .forms import ReasonForm, RegionForms, initial_of

# Of one page; a request holds at most a thousand fields.
_AT_ONCE: Final = 200


@login_required
@require_http_methods(["GET", "POST"])
def mend(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """Correct regions of an image: outline, text, ignored, new ones, deleted ones."""
    require(request.user, "annotate.load_data")
    dataset = seen_dataset(request, slug)
    image = get_object_or_404(dataset.images.select_related("dataset"), name=name)
    truth = image.truth_regions
    first = _first(request, len(truth))
    shown = truth[first : first + _AT_ONCE]
    sent = request.POST if request.method == "POST" else None
    regions = RegionForms(sent, initial=initial_of(shown), prefix="region")
    reason = ReasonForm(sent, initial={"version": version_of(image)})
    if sent is not None and all([regions.is_valid(), reason.is_valid()]):
        after = [region for form in regions for region in [form.region()] if region is not None]
        whole = (*truth[:first], *after, *truth[first + len(shown) :])
        with refusals_on(reason):
            mend_truth(image=image, regions=whole, person=request.user, **reason.cleaned_data)
            return _mended(request, image)
    parts = range(0, len(truth), _AT_ONCE) if len(truth) > _AT_ONCE else ()
    context = {
        "dataset": dataset,
        "image": image,
        "forms": regions,
        "reason": reason,
        "first": first,
        "parts": [(part, min(part + _AT_ONCE, len(truth))) for part in parts],
        "outlines": [_outline(form, at) for at, form in enumerate(regions)],
        "url": reverse("datasets:image", args=[image.sha256]) if image.sha256 else "",
        "size": image.size_to_draw(()),
    }
    return render(request, "datasets/mend.html", context, status=200 if sent is None else 422)


def _first(request: SignedInRequest, n: int) -> int:
    asked = request.GET.get("first", "")
    at = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0
    return at if at < n else 0


def _outline(form: Any, at: int) -> tuple[int, str, str]:
    """Return the number of a form, the outline to draw, and its class."""
    region: Region | None = form.initial.get("region")
    if region is None:
        return at, "", ""
    return at, " ".join(f"{value:.10g}" for value in region.points), "ignored" * region.ignored


def _mended(request: SignedInRequest, image: Image) -> HttpResponse:
    """Start scoring again, and show the image."""
    jobs = start_again(dataset=image.dataset, person=request.user)
    messages.success(request, _("The ground truth is corrected."))
    if jobs:
        messages.info(
            request, _("Its scores are computed again; until then they are the old ones.")
        )
    return redirect("datasets:viewer", slug=image.dataset.slug, name=image.name)
