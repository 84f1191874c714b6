"""A shortcut shared by the views of several subjects: a dataset that the request may see."""

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotate.access import permitted

from .models import Dataset


def seen_dataset(request: HttpRequest | Request, slug: str) -> Dataset:
    """Return a dataset that this request may see; raise Http404 for any other."""
    user: User | AnonymousUser = request.user
    return get_object_or_404(permitted(user, "annotate.see_dataset", Dataset), slug=slug)
