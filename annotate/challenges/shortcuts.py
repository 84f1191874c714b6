"""Requests and responses that the pages of members, of the public and of the API share."""

from collections.abc import MutableMapping
from datetime import date
from typing import Any, Final

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation

from annotate.access import Person, permitted
from annotate.accounts.services import Admission
from annotate.figures.figure import Figure
from annotate.figures.presentation import ShownFigure, shown
from annotate.figures.shortcuts import asked_paper, figure_response
from annotate.figures.themes import Paper
from annotate.reports.exports import FORMATS, TABLE_WRITERS
from annotate.reports.shortcuts import file_response
from rankings.output.leaderboard_tables import leaderboard_table

from . import services
from .figure import figure_of
from .models import Challenge, ChallengeMember, Split
from .people import people_of
from .selectors import FIGURE, Reader, is_told, standings


def reader_of(person: Person, member: ChallengeMember | None, challenge: Challenge) -> Reader:
    """Return what a signed-in person may read in a challenge."""
    organises = permitted(person, "annotate.organise_challenge", Challenge)
    return Reader(member.team if member else None, organises.filter(pk=challenge.pk).exists())


def boards_context(
    request: HttpRequest, challenge: Challenge, reader: Reader, base: str
) -> dict[str, Any]:
    """Return the tables and the figure of a page of standings; ``base`` is its address."""
    by = request.GET.get("by", "")
    tables = []
    people = people_of(challenge, reader, request.user)
    places = people.of_team if people else {}
    for split in reversed(challenge.splits):
        if is_told(challenge, split, reader):
            found = standings(challenge, split, reader, by)
            rows = zip(found.entries, found.rows, strict=True) if found else ()
            placed = [(entry, row, places.get(entry.team_id)) for entry, row in rows]
            tables.append((Split(split), found, placed))
    figure = _figure(challenge, reader, base)
    return {
        "tables": tables,
        "waits": [Split(s) for s in challenge.splits if not is_told(challenge, s, reader)],
        "figure": figure,
        "formats": FORMATS,
        "base": base,
        "own_team": reader.team,
        "people": places,
        "against": people.against if people else (),
    }


def _figure(challenge: Challenge, reader: Reader, base: str) -> ShownFigure | None:
    split = _deciding(challenge, reader)
    if split is None:
        return None

    def address(_figure: Figure, extension: str, paper: Paper) -> str:
        return f"{base}figure.{extension}?theme={paper.theme_name}&width={paper.width_name}"

    return shown(figure_of(challenge, split, reader), address)


def _deciding(challenge: Challenge, reader: Reader) -> str | None:
    """Return the last split whose scores a reader sees: the hidden one if it is shown."""
    seen = [split for split in challenge.splits if is_told(challenge, split, reader)]
    return seen[-1] if seen else None


def board_file(
    request: HttpRequest, challenge: Challenge, reader: Reader, split: str, extension: str
) -> HttpResponse:
    """Send the standings on a split as a file, in English; 404 if there are none to see."""
    if split not in Split.values:
        raise Http404
    with translation.override("en"):
        found = standings(challenge, split, reader, request.GET.get("by", ""))
        if found is None:
            raise Http404
        table = leaderboard_table(found.boards.boards, found.boards.by, FIGURE)
        facts = {
            "challenge": challenge.title,
            "dataset": challenge.dataset.name,
            "images": split,
            "order": found.boards.by,
            **{f"protocol {one['name']}": f"{one['parameters']}" for one in challenge.protocols},
        }
        text = TABLE_WRITERS[extension](table, facts)
    return file_response(request, text, extension, f"{challenge.slug}-{split}.{extension}")


def board_figure(
    request: HttpRequest, challenge: Challenge, reader: Reader, extension: str
) -> HttpResponse:
    """Send the figure of the standings as a file."""
    split = _deciding(challenge, reader)
    figure = figure_of(challenge, split, reader) if split else None
    if figure is None or figure.is_empty:
        raise Http404
    facts = {"challenge": challenge.title, "date": f"{date.today():%Y-%m-%d}"}
    name = f"{challenge.slug}-by-date.{extension}"
    return figure_response(request, figure, asked_paper(request), facts, name)


# Session key of the challenge whose link a visitor opened.
_OPENED: Final = "challenge"


def remember(request: HttpRequest, challenge: Challenge) -> None:
    """Let a visitor make an account for a challenge."""
    request.session[_OPENED] = challenge.pk


def admission_of(session: MutableMapping[str, Any]) -> Admission | None:
    """Return how a visitor who opened the link of a challenge becomes its participant."""
    challenge = Challenge.objects.filter(pk=session.get(_OPENED, 0)).first()
    if challenge is None or challenge.is_over:
        return None

    def admit(person: User) -> None:
        services.join(challenge=challenge, person=person)

    return Admission(admit, reverse("challenges:challenge", args=[challenge.slug]))


def enters(person: Person, *, slug: str) -> bool:
    """Return whether a user may send entries to a challenge."""
    return permitted(person, "annotate.enter_challenge", Challenge).filter(slug=slug).exists()
