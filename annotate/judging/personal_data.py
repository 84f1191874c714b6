"""Personal data in the log of answers: all events of an annotator, and erasure of some parts."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from .models import Assignment, Judgement, Note, Skip, Withdrawal


def answers(person: User) -> Iterator[dict[str, Any]]:
    """Yield each event of the annotator's log, and each note, with its image and study."""
    for kind, of_kind in (("judgement", Judgement), ("skip", Skip), ("withdrawal", Withdrawal)):
        rows = of_kind.objects.filter(assignment__annotator=person).select_related(
            "assignment__study", "assignment__image"
        )
        for row in rows.order_by("assignment", "number").iterator():
            assignment: Assignment = row.assignment
            values = {
                field.name: getattr(row, field.attname)
                for field in row._meta.concrete_fields
                if field.name not in ("id", "assignment")
            }
            yield {
                "kind": kind,
                "study": str(assignment.study),
                "image": assignment.image.name,
                **values,
            }
    notes = Note.objects.filter(screen__assignment__annotator=person).order_by("pk")
    for note in notes.select_related("screen__assignment__study", "screen__assignment__image"):
        yield {
            "kind": "note",
            "study": str(note.screen.assignment.study),
            "image": note.screen.assignment.image.name,
            "screen": note.screen_id,
            "place": note.place,
            "text": note.text,
            "discuss": note.discuss,
            "created": note.created,
        }


def forget_browsers(before: datetime) -> int:
    """Clear the browsers' descriptions of pairs that were skipped before a time; return how many."""
    return Skip.objects.filter(created__lt=before).exclude(environment={}).update(environment={})


def erase_texts(person: User) -> None:
    """Erase an annotator's notes, the texts of their skips, and their browser descriptions."""
    Note.objects.filter(screen__assignment__annotator=person).delete()
    Skip.objects.filter(assignment__annotator=person).update(text="", environment={})
