"""Requests and responses that the pages of signed-in and of all other readers share."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation

from annotate.datasets.models import Dataset
from annotate.reports.exports import TABLE_WRITERS
from annotate.reports.provenance import described
from annotate.reports.shortcuts import file_response
from annotate.scoring.leaderboards import newest_runs
from rankings.output.detector_tables import disagreement_table, leaderboard_table
from rankings.output.signature import SIGNATURE

from .forms import LeaderboardForm
from .selectors import Boards, boards_of


def asked_boards(request: HttpRequest, dataset: Dataset) -> tuple[LeaderboardForm, Boards]:
    """Return the form and the leaderboards that an address asks for; 404 for unknown ones."""
    runs = newest_runs(dataset)
    form = LeaderboardForm(request.GET, runs=runs)
    if not runs or not form.is_valid():
        raise Http404
    boards = boards_of(runs, **form.asked)
    # The form shows the protocol that orders the methods, chosen or not.
    form.data = request.GET.copy()
    form.data["by"] = boards.by
    if not boards.offers_shared:
        del form.fields["shared"]
    return form, boards


def table_response(
    request: HttpRequest, dataset: Dataset, table: str, extension: str
) -> HttpResponse:
    """Send a table of the leaderboard as a file, in English."""
    _, boards = asked_boards(request, dataset)
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
    return {
        "dataset": dataset.name,
        "figure": boards.figure,
        **({"images": "those of all methods"} if boards.is_shared else {}),
        "order": boards.by,
        SIGNATURE: "; ".join(map(described, dataset.runs.latest_of_each_protocol())),
    }
