"""The leaderboard of a dataset, as a page and as files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import translation
from django.views.decorators.http import require_safe

from annotate.access import permitted
from annotate.datasets.models import Dataset
from annotate.reports.exports import FORMATS, TABLE_WRITERS
from annotate.reports.shortcuts import file_response
from annotate.requests import SignedInRequest
from annotate.studies.models import Study
from rankings.output.leaderboard_tables import disagreement_table, leaderboard_table

from .forms import LeaderboardForm
from .selectors import Boards, boards_of, newest_runs, rows_of


@login_required
@require_safe
def leaderboard(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the methods of a dataset by the figures of every protocol."""
    dataset = _dataset(request, slug)
    context: dict[str, Any] = {"dataset": dataset}
    runs = newest_runs(dataset)
    if runs:
        form, boards = _asked(request, dataset)
        studies = permitted(request.user, "annotate.follow_study", Study).filter(dataset=dataset)
        context |= {
            "form": form,
            "boards": boards,
            "rows": rows_of(boards),
            "others": boards.others,
            "disagreements": disagreement_table(boards.boards).rows,
            "formats": FORMATS,
            "studies": studies,
        }
    return render(request, "leaderboards/leaderboard.html", context)


@login_required
@require_safe
def file(request: HttpRequest, slug: str, table: str, extension: str) -> HttpResponse:
    """Send a table of the leaderboard as a file, in English."""
    dataset = _dataset(request, slug)
    _, boards = _asked(request, dataset)
    with translation.override("en"):
        asked = (
            leaderboard_table(boards.boards, boards.by, boards.figure)
            if table == "leaderboard"
            else disagreement_table(boards.boards)
        )
        text = TABLE_WRITERS[extension](asked, facts(dataset, boards))
    return file_response(request, text, extension, f"{dataset.slug}-{table}.{extension}")


def facts(dataset: Dataset, boards: Boards) -> dict[str, str]:
    """Return where the numbers come from, for the header of a file."""
    runs = dataset.runs.latest_of_each_protocol()
    return {
        "data set": dataset.name,
        "figure": boards.figure,
        "order": boards.by,
        **{f"protocol {run.name}": f"{run.version} {run.parameters}" for run in runs},
    }


def _asked(request: HttpRequest, dataset: Dataset) -> tuple[LeaderboardForm, Boards]:
    """Return the form and the leaderboards that an address asks for; 404 for unknown ones."""
    runs = newest_runs(dataset)
    form = LeaderboardForm(request.GET, runs=runs)
    if not runs or not form.is_valid():
        raise Http404
    return form, boards_of(runs, form.cleaned_data["figure"], form.cleaned_data["by"])


def _dataset(request: HttpRequest, slug: str) -> Dataset:
    return get_object_or_404(permitted(request.user, "annotate.see_dataset", Dataset), slug=slug)
