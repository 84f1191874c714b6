"""Personal data in the log of answers: all events of an annotator, and erasure of some parts."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from .models import Judgement, Note, Skip, Withdrawal


def answers(person: User) -> Iterator[dict[str, Any]]:
    """Yield each event of the annotator's log, and each note, with its image and study."""
    of_kind: Any
    for kind, of_kind, to, *order in (
        ("judgement", Judgement, "assignment", "assignment", "number"),
        ("skip", Skip, "assignment", "assignment", "number"),
        ("withdrawal", Withdrawal, "assignment", "assignment", "number"),
        ("note", Note, "screen__assignment", "pk"),
    ):
        rows = of_kind._default_manager.filter(**{f"{to}__annotator": person}).order_by(*order)
        fields = [field.name for field in of_kind._meta.concrete_fields]
        # Values, because a model of an image would read its ground truth.
        for row in rows.values(
            *(name for name in fields if name not in ("id", "assignment")),
            in_study=F(f"{to}__study__name"),
            of_image=F(f"{to}__image__name"),
        ).iterator():
            study, image = row.pop("in_study"), row.pop("of_image")
            yield {"kind": kind, "study": study, "image": image, **row}


def forget_browsers(before: datetime) -> int:
    """Clear the browsers' descriptions of pairs that were skipped before a time; return how many."""
    return Skip.objects.filter(created__lt=before).exclude(environment={}).update(environment={})


def erase_texts(person: User) -> None:
    """Erase an annotator's notes, the texts of their skips, and their browser descriptions."""
    Note.objects.filter(screen__assignment__annotator=person).delete()
    Skip.objects.filter(assignment__annotator=person).update(text="", environment={})
