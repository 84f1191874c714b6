"""Rows of the raw data: events, rankings and exclusions, fetched a few images at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet

from annotate.csv_tables import some_at_a_time
from annotate.datasets.mending import corrected_at, version_at
from annotate.datasets.models import Image, Result
from annotate.judging.models import LOOK_THE_SAME, Assignment, Judgement, Note, Skip, Withdrawal
from annotate.judging.replay import item_of_each_result
from annotate.studies.exclusions import left_out, programs
from annotate.studies.models import Role, Study
from annotate.studies.pseudonyms import names_of
from rankings.elicitation.log import CRITERIA

from .columns import TABLES

_IMAGES_AT_A_TIME: Final = 20
Row = dict[str, Any]


def assignments_in_order(study: Study, people: Mapping[int, str]) -> Iterator[list[Assignment]]:
    """Yield the study's assignments ordered by image and annotator, a few images at a time."""
    images = Image.objects.filter(assignments__study=study).distinct().in_order()
    place = {person: at for at, person in enumerate(people)}
    for some in some_at_a_time(images.values_list("pk", flat=True), _IMAGES_AT_A_TIME):
        order = {image: at for at, image in enumerate(some)}
        assignments = study.assignments.filter(image__in=some).select_related("image")
        yield sorted(assignments, key=lambda row: (order[row.image_id], place[row.annotator_id]))


@dataclass(frozen=True, slots=True)
class Logs:
    """The events of each of some assignments, in order, and the method of each result."""

    events: Mapping[int, Sequence[Judgement | Skip | Withdrawal]]
    method_of: Mapping[int, str]
    # By image, when its ground truth was corrected.
    corrected: Mapping[int, Sequence[datetime]]


def logs_of(assignments: Sequence[Assignment]) -> Logs:
    """Fetch the events of some assignments in a handful of queries."""
    events: dict[int, list[Judgement | Skip | Withdrawal]] = {
        assignment.pk: [] for assignment in assignments
    }
    queries: tuple[QuerySet[Any], ...] = (
        Judgement.objects.select_related("screen", "withdrawal"),
        Skip.objects.select_related("screen", "withdrawal"),
        Withdrawal.objects.select_related("judgement__screen", "skip__screen"),
    )
    for query in queries:
        for event in query.filter(assignment__in=list(events)):
            events[event.assignment_id].append(event)
    for log in events.values():
        log.sort(key=lambda event: event.number)
    images = {assignment.image_id for assignment in assignments}
    results = Result.objects.filter(image__in=images)
    return Logs(events, dict(results.values_list("pk", "method__name")), corrected_at(images))


def events(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every event of a study, ordered by image, annotator and position in the log."""
    people = names_of(study, real=names)
    for some in _of_people(study, people):
        logs = logs_of(some)
        for assignment in some:
            item_of = item_of_each_result(assignment)
            for event in logs.events[assignment.pk]:
                yield {
                    "study": study.name,
                    "image": assignment.image.name,
                    "annotator": people[assignment.annotator_id],
                    "image_number": assignment.position,
                    **_event(event, assignment, item_of, logs),
                }


def _of_people(study: Study, people: Mapping[int, str]) -> Iterator[list[Assignment]]:
    """Yield the assignments without those whose answers came from a program."""
    not_people = {*programs(study).values_list("about", flat=True)}
    for some in assignments_in_order(study, people):
        yield [assignment for assignment in some if assignment.annotator_id not in not_people]


def _event(
    event: Judgement | Skip | Withdrawal,
    assignment: Assignment,
    item_of: Mapping[int, int],
    logs: Logs,
) -> Row:
    answer, method_of = answer_of(event), logs.method_of
    screen = answer.screen
    corrected = logs.corrected.get(assignment.image_id, ())
    row: Row = {
        "event": event.number,
        "kind": type(event).__name__.lower(),
        "at": event.created.isoformat(),
        "screen": screen.number,
        "purpose": screen.purpose,
        "strategy": screen.strategy,
        "attempt": answer.attempt,
    }
    for side, result in (("left", screen.left_id), ("right", screen.right_id)):
        item = item_of[result]
        row[f"{side}_method"] = method_of[result]
        row[f"{side}_alike"] = sorted(method_of[alike] for alike in assignment.items[item])
        row[f"{side}_item"] = item + 1
    row["first_side"] = screen.first
    pair = assignment.known[screen.known] if screen.known is not None else {}
    row["known"] = {name: pair[name] for name in ("side", "kind", "dose") if name in pair}
    judgement = event if isinstance(event, Judgement) else None
    skip = event if isinstance(event, Skip) else None
    is_withdrawal = isinstance(event, Withdrawal)
    verdicts = judgement.verdicts if judgement else {}
    return row | {
        **{name: verdicts.get(name) for name in CRITERIA},
        "seconds": judgement.seconds_taken if judgement else None,
        "aids": judgement.aids if judgement else {},
        "truth_version": version_at(corrected, screen.created),
        "seen": judgement.seen if judgement else {},
        "places": judgement.places if judgement else None,
        "layout": judgement.layout if judgement else None,
        "reason": skip.reason if skip else _reason_of(judgement),
        "text": skip.text if skip else None,
        "ends": answer.number if is_withdrawal else None,
        "in_force": None if is_withdrawal else not hasattr(event, "withdrawal"),
    }


def _reason_of(judgement: Judgement | None) -> str | None:
    return LOOK_THE_SAME[0] if judgement and judgement.looks_same else None


def answer_of(event: Judgement | Skip | Withdrawal) -> Judgement | Skip:
    """Return the answer or skip that a withdrawal ends; any other event itself."""
    if not isinstance(event, Withdrawal):
        return event
    ended = event.judgement or event.skip
    if ended is None:
        raise ValueError(f"{event} ends neither a judgement nor a skip")
    return ended


def rankings(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every complete ranking of a study, ordered by image, annotator and criterion."""
    people = names_of(study, real=names)
    method_of = dict(study.dataset.methods.values_list("pk", "name"))
    run_of = {run.pk: f"{run.name} {run.created:%Y-%m-%d}" for run in study.dataset.runs.all()}
    excluded = left_out(study)
    members = study.memberships.filter(role=Role.ANNOTATOR)
    group_of = dict(members.values_list("person", "group"))
    for some in _of_people(study, people):
        for assignment in some:
            for criterion, buckets in (assignment.rankings or {}).items():
                yield {
                    "study": study.name,
                    "image": assignment.image.name,
                    "annotator": people[assignment.annotator_id],
                    "group": group_of.get(assignment.annotator_id, ""),
                    "scene": assignment.image.scene,
                    "criterion": criterion,
                    "buckets": [sorted(method_of[key] for key in bucket) for bucket in buckets],
                    **_drawn(assignment, method_of, run_of),
                    "unsettled": criterion in assignment.unsettled,
                    "finished": assignment.finished and assignment.finished.isoformat(),
                    "in_reports": assignment.annotator_id not in excluded,
                }


def _drawn(assignment: Assignment, method_of: Mapping[int, str], run_of: Mapping[int, str]) -> Row:
    """Return the columns about the drawn sample, without removed methods and runs."""
    drawn = assignment.drawn
    if drawn is None:
        return dict.fromkeys(("drawn_from", "probabilities", "drawn_by"))
    return {
        "drawn_from": sorted(method_of[key] for key in drawn["from"] if key in method_of),
        "probabilities": [[method_of[a], method_of[b], chance] for a, b, chance in drawn["pairs"]],
        "drawn_by": [run_of[key] for key in drawn["runs"] if key in run_of],
    }


def exclusions(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every decision to exclude or readmit an annotator, in order."""
    people = names_of(study, real=names)
    for row in study.exclusions.all():
        yield {
            "study": study.name,
            "annotator": people[row.person_id],
            "excluded": row.is_excluded,
            "reason": row.reason,
            "at": row.created.isoformat(),
            "by": people.get(row.created_by_id or 0),
        }


def notes(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every note of a study, the oldest first."""
    people = names_of(study, real=names)
    of_people = Note.objects.of(study).exclude(screen__assignment__annotator__in=programs(study))
    for note in of_people.order_by("pk").iterator():
        screen, place = note.screen, note.place or {}
        yield {
            "study": study.name,
            "image": screen.assignment.image.name,
            "annotator": people[screen.assignment.annotator_id],
            "screen": screen.number,
            "left_method": screen.left.method.name,
            "right_method": screen.right.method.name,
            "side": place.get("side"),
            "at": place.get("at"),
            "text": note.text,
            "discuss": note.discuss,
            "written": note.created.isoformat(),
        }


def questions(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every answer to the questions of entrances, in the order in which people came."""
    people = names_of(study, real=names)
    for arrival in study.arrivals.select_related("entrance"):
        for number, asked in enumerate(arrival.answers, 1):
            yield {
                "study": study.name,
                "annotator": people.get(arrival.person_id),
                "entrance": arrival.entrance.name,
                "number": number,
                "question": asked["words"],
                "answer": asked["answer"],
            }


def dictionary(study: Study | None = None, *, names: bool = False) -> Iterator[Row]:
    """Yield every column of the tables with its meaning; ``study`` and ``names`` are ignored."""
    for table, columns in TABLES.items():
        for column in columns:
            yield {
                "table": table,
                "column": column.name,
                "values": column.kind,
                "meaning": column.meaning,
            }
