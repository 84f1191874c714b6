"""The leaderboard of a dataset as files and as a figure, and whether it is public."""

from datetime import date

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotate.datasets.shortcuts import seen_dataset
from annotate.figures.shortcuts import asked_paper, figure_response
from annotate.requests import SignedInRequest, require
from annotate.scoring.leaderboards import newest_runs

from . import services
from .figure import figure_of
from .shortcuts import asked_boards, facts, table_response


@login_required
@require_safe
def file(request: HttpRequest, slug: str, table: str, extension: str) -> HttpResponse:
    """Send a table of the leaderboard as a file, in English."""
    return table_response(request, seen_dataset(request, slug), table, extension)


@login_required
@require_safe
def figure(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """Send the figure of the leaderboard as a file."""
    dataset = seen_dataset(request, slug)
    paper = asked_paper(request)
    _form, boards = asked_boards(request, newest_runs(dataset))
    drawn = figure_of(boards)
    if drawn.is_empty:
        raise Http404
    about = facts(dataset, boards) | {"date": f"{date.today():%Y-%m-%d}"}
    name = f"{dataset.slug}-leaderboard.{extension}"
    return figure_response(request, drawn, paper, about, name)


@login_required
@require_POST
def publish(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make the leaderboard public, or withdraw its page."""
    require(request.user, "annotate.load_data")
    dataset = seen_dataset(request, slug)
    if request.POST.get("do") == "withdraw":
        services.withdraw(dataset=dataset, person=request.user)
        messages.success(request, _("The public page is gone."))
    else:
        services.publish(dataset=dataset, person=request.user)
        messages.success(request, _("The page is public."))
    return redirect("datasets:detail", slug)
