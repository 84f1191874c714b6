"""Shortcuts shared by the views of several subjects: a dataset that is seen, a selection that is kept."""

from collections.abc import Collection

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import ngettext
from rest_framework.request import Request

from annotate.access import permitted
from annotate.requests import SignedInRequest

from .models import Dataset
from .selections import keep_selection


def seen_dataset(request: HttpRequest | Request, slug: str) -> Dataset:
    """Return a dataset that this request may see; raise Http404 for any other."""
    user: User | AnonymousUser = request.user
    return get_object_or_404(permitted(user, "annotate.see_dataset", Dataset), slug=slug)


def keep_and_list(
    request: SignedInRequest, *, dataset: Dataset, name: str, images: Collection[int], origin: str
) -> HttpResponse:
    """Keep images as a selection, and show it among the others. Raises SelectionRefused."""
    kept = keep_selection(
        dataset=dataset, name=name, images=images, person=request.user, origin=origin
    )
    n = kept.images.count()
    words = ngettext("“{name}” holds {n} image.", "“{name}” holds {n} images.", n)
    messages.success(request, words.format(name=kept, n=n))
    return redirect("datasets:selections", slug=dataset.slug)
