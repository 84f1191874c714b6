"""Requests and responses that the pages of signed-in and of all other readers share."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset
from annotate.datasets.shortcuts import keep_and_list
from annotate.drilldown.selectors import worst_of_each
from annotate.figures.figure import Figure
from annotate.figures.presentation import shown
from annotate.figures.themes import Paper
from annotate.reports.exports import FORMATS, TABLE_WRITERS
from annotate.reports.provenance import described
from annotate.reports.shortcuts import file_response
from annotate.requests import SignedInRequest
from annotate.scoring.leaderboards import newest_runs
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.output.detector_tables import disagreement_table, leaderboard_table
from rankings.output.signature import SIGNATURE

from .figure import figure_of
from .forms import KeepForm, LeaderboardForm
from .models import PublicBoard
from .selectors import Boards, boards_of, orders_of_people, rows_of


def asked_boards(request: HttpRequest, runs: list[ProtocolRun]) -> tuple[LeaderboardForm, Boards]:
    """Return the form and the leaderboards that an address asks for; 404 for unknown ones."""
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


def shown_leaderboard(
    request: SignedInRequest, dataset: Dataset, runs: list[ProtocolRun], studies: QuerySet[Study]
) -> dict[str, Any]:
    """Return what leaderboards/leaderboard.html needs; ``studies`` are those that the reader may follow."""
    form, boards = asked_boards(request, runs)
    people = orders_of_people(studies)

    def address(figure: Figure, extension: str, paper: Paper) -> str:
        asked = request.GET.copy()
        asked["theme"], asked["width"] = paper.theme_name, paper.width_name
        path = reverse("leaderboards:figure", args=[dataset.slug, extension])
        return f"{path}?{asked.urlencode()}"

    return {
        "form": form,
        "keep": KeepForm(request.POST or None, slugs=boards.slugs.values()),
        "boards": boards,
        "rows": rows_of(boards, people),
        "others": boards.others,
        "people": people,
        "disagreements": disagreement_table(boards.boards).rows,
        "formats": FORMATS,
        "figure": shown(figure_of(boards), address),
        "public": PublicBoard.objects.filter(dataset=dataset).first(),
    }


def keep_worst(
    request: SignedInRequest, run: ProtocolRun, figure: str, asked: Mapping[str, Any]
) -> HttpResponse:
    """Keep the images on which methods do worst as a selection. Raises SelectionRefused."""
    methods = list(run.dataset.methods.filter(slug__in=asked["method"]))
    names = ", ".join(method.name for method in methods)
    origin = _("Where each of {methods} loses most by {protocol}: {n} images").format(
        methods=names, protocol=run.name, n=asked["n"]
    )
    images = worst_of_each(run, figure, methods, asked["n"])
    return keep_and_list(
        request, dataset=run.dataset, name=asked["name"], images=images, origin=origin
    )


def table_response(
    request: HttpRequest, dataset: Dataset, table: str, extension: str
) -> HttpResponse:
    """Send a table of the leaderboard as a file, in English."""
    _, boards = asked_boards(request, newest_runs(dataset))
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
