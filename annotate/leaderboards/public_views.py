"""The public page of a leaderboard and its files, for anyone with the address."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.datasets.models import Dataset
from annotate.reports.exports import FORMATS
from annotate.scoring.leaderboards import newest_runs

from .models import PublicBoard
from .selectors import rows_of
from .shortcuts import asked_boards, table_response


def _public(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass a view the dataset of an address; ask search engines not to index the page."""

    @require_safe
    # A withdrawn page disappears at once, from caches too.
    @cache_control(no_cache=True)
    @wraps(view)
    def answer(request: HttpRequest, address: str, **kwargs: str) -> HttpResponse:
        boards = PublicBoard.objects.select_related("dataset")
        response = view(request, get_object_or_404(boards, address=address).dataset, **kwargs)
        # The address is a secret that no other site may learn.
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return answer


@_public
def page(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    form, boards = asked_boards(request, newest_runs(dataset))
    context = {
        "dataset": dataset,
        "address": request.path,
        "form": form,
        "boards": boards,
        "rows": rows_of(boards),
        "others": boards.others,
        "formats": FORMATS,
        "is_public": True,
    }
    return render(request, "leaderboards/public.html", context)


@_public
def file(request: HttpRequest, dataset: Dataset, extension: str) -> HttpResponse:
    """Send the leaderboard as a file, in English."""
    return table_response(request, dataset, "leaderboard", extension)
