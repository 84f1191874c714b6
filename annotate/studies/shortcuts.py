"""A shortcut shared by the views of several subjects: a study that the request may see."""

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotate.access import permitted

from .models import Study


def followed(request: HttpRequest | Request, slug: str) -> Study:
    """Return a study whose progress and report this request may see; raise Http404 for any other."""
    user: User | AnonymousUser = request.user
    studies = permitted(user, "annotate.follow_study", Study).select_related("dataset")
    return get_object_or_404(studies, slug=slug)
