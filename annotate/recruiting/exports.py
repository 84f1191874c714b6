"""Payment lists: who came by an entrance, in the shape of its platform. Nothing is paid here."""

import csv
import io
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

from annotate.studies.pseudonyms import pseudonyms

from . import services
from .models import Arrival, Entrance, Outcome, Platform
from .selectors import why_look_at

LIST, APPROVE, BONUS, REVIEW = "list", "approve", "bonus", "review"
KINDS: Final = (LIST, APPROVE, BONUS, REVIEW)
_PAID: Final = (Outcome.COMPLETED, Outcome.LATE)
_REJECTED: Final = "Too many of the pairs with a known answer were answered differently."


def payment_list(entrance: Entrance, kind: str, bonus: Decimal | None = None) -> str:
    """Return one of the lists of an entrance as CSV; ids that were erased are not in them.

    ``list``: everybody, with outcome, minutes and checks. ``approve``: the ids of those to pay, for
    Mechanical Turk with a column for rejections. ``bonus``: ids with this amount. ``review``: those
    to look at first, with the reasons.
    """
    arrivals = _arrivals(entrance)
    rows = {LIST: _everybody, APPROVE: _approve, BONUS: _bonus, REVIEW: _review}[kind]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows(entrance, arrivals, bonus))
    return file.getvalue()


def _arrivals(entrance: Entrance) -> list[Arrival]:
    arrivals = list(entrance.arrivals.select_related("entrance", "study", "person"))
    for arrival in arrivals:
        if not arrival.outcome:
            services.count(arrival)
    return arrivals


Rows = Iterator[list[Any]]


def _everybody(entrance: Entrance, arrivals: Iterable[Arrival], _: Decimal | None) -> Rows:
    name_of = pseudonyms(entrance.study)
    yield [
        *("id", "submission", "annotator", "outcome", "code", "minutes", "active_seconds"),
        *("pairs", "skipped", "checks", "checks_right", "fast_pairs", "look_at"),
    ]
    for arrival in arrivals:
        ended = arrival.ended
        minutes = (
            "" if ended is None else round((ended - arrival.consented).total_seconds() / 60, 1)
        )
        yield [
            *(arrival.participant, arrival.submission, name_of.get(arrival.person_id, "")),
            *(arrival.outcome or "in progress", arrival.code, minutes, arrival.active_seconds),
            *(arrival.n_pairs, arrival.n_skipped, arrival.n_checks, arrival.n_right),
            *(arrival.n_fast, "; ".join(why_look_at(arrival))),
        ]


def _approve(entrance: Entrance, arrivals: Iterable[Arrival], _: Decimal | None) -> Rows:
    if entrance.platform == Platform.MTURK:
        yield ["AssignmentId", "WorkerId", "Approve", "Reject"]
    for arrival in arrivals:
        if not arrival.participant:
            continue
        is_paid = arrival.outcome in _PAID
        if entrance.platform == Platform.MTURK:
            if is_paid or arrival.outcome == Outcome.CHECKS:
                paid, why = ("x", "") if is_paid else ("", _REJECTED)
                yield [arrival.submission, arrival.participant, paid, why]
        elif is_paid:
            yield [arrival.participant]


def _bonus(entrance: Entrance, arrivals: Iterable[Arrival], bonus: Decimal | None) -> Rows:
    for arrival in arrivals:
        if arrival.participant and arrival.outcome in _PAID and bonus:
            yield [arrival.participant, f"{bonus:.2f}"]


def _review(entrance: Entrance, arrivals: Iterable[Arrival], _: Decimal | None) -> Rows:
    yield ["id", "submission", "outcome", "reasons"]
    for arrival in arrivals:
        reasons = why_look_at(arrival)
        if reasons:
            yield [arrival.participant, arrival.submission, arrival.outcome, "; ".join(reasons)]
