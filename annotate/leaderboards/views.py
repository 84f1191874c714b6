"""The leaderboard of a dataset, as a page, as files and as a figure."""

from datetime import date
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.access import permitted
from annotate.datasets.shortcuts import keep_and_list, seen_dataset
from annotate.drilldown.selectors import worst_of_each
from annotate.figures.figure import Figure
from annotate.figures.presentation import shown
from annotate.figures.shortcuts import asked_paper, figure_response
from annotate.figures.themes import Paper
from annotate.reports.exports import FORMATS
from annotate.requests import SignedInRequest, refusals_on, require
from annotate.scoring.leaderboards import newest_runs
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.output.detector_tables import disagreement_table

from . import services
from .figure import figure_of
from .forms import KeepForm
from .models import PublicBoard
from .selectors import orders_of_people, rows_of
from .shortcuts import asked_boards, facts, table_response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def leaderboard(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the methods of a dataset by the figures of every protocol, and by people.

    When posted, keep the images on which some of them do worst as a selection.
    """
    dataset = seen_dataset(request, slug)
    context: dict[str, Any] = {"dataset": dataset}

    def address(figure: Figure, extension: str, paper: Paper) -> str:
        asked = request.GET.copy()
        asked["theme"], asked["width"] = paper.theme_name, paper.width_name
        path = reverse("leaderboards:figure", args=[slug, extension])
        return f"{path}?{asked.urlencode()}"

    if runs := newest_runs(dataset):
        form, boards = asked_boards(request, dataset)
        keep = KeepForm(request.POST or None, slugs=boards.slugs.values())
        if keep.is_valid():
            run = next(run for run in runs if run.name == boards.by)
            with refusals_on(keep):
                return _kept(request, run, boards.figure, keep.cleaned_data)
        studies = permitted(request.user, "annotate.follow_study", Study).filter(dataset=dataset)
        people = orders_of_people(studies)
        context |= {
            "form": form,
            "keep": keep,
            "boards": boards,
            "rows": rows_of(boards, people),
            "others": boards.others,
            "people": people,
            "disagreements": disagreement_table(boards.boards).rows,
            "formats": FORMATS,
            "figure": shown(figure_of(boards), address),
            "studies": studies,
            "public": PublicBoard.objects.filter(dataset=dataset).first(),
        }
    status = 422 if request.method == "POST" else 200
    return render(request, "leaderboards/leaderboard.html", context, status=status)


def _kept(
    request: SignedInRequest, run: ProtocolRun, figure: str, asked: dict[str, Any]
) -> HttpResponse:
    methods = list(run.dataset.methods.filter(slug__in=asked["method"]))
    names = ", ".join(method.name for method in methods)
    origin = _("Where each of {methods} loses most by {protocol}: {n} images").format(
        methods=names, protocol=run.name, n=asked["n"]
    )
    images = worst_of_each(run, figure, methods, asked["n"])
    return keep_and_list(
        request, dataset=run.dataset, name=asked["name"], images=images, origin=origin
    )


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
    _form, boards = asked_boards(request, dataset)
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
    return redirect("leaderboards:leaderboard", slug)
