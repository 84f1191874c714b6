"""Selections of a dataset's images: listed and deleted."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotate.datasets.selections import deletable
from annotate.datasets.shortcuts import seen_dataset
from annotate.requests import SignedInRequest


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def selections(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the selections of a dataset; when posted, delete one."""
    dataset = seen_dataset(request, slug)
    own = deletable(dataset.selections.all(), request.user)
    if request.method == "POST":
        key = request.POST.get("delete", "")
        gone = get_object_or_404(own, pk=key if key.isdecimal() else 0)
        gone.delete()
        messages.success(request, _("“{name}” is deleted.").format(name=gone.name))
        return redirect("datasets:selections", slug=slug)
    keys = set(own.values_list("pk", flat=True))
    counted = dataset.selections.annotate(n=Count("images")).select_related("person")
    context = {"dataset": dataset, "selections": [(one, one.pk in keys) for one in counted]}
    return render(request, "datasets/selections.html", context)
