"""An annotator's own answers to a study as a table, without method names."""

from collections.abc import Iterator
from typing import Final

from django.contrib.auth.models import User

from annotate.csv_tables import Column
from annotate.judging.models import Assignment, Judgement, Skip
from annotate.judging.replay import is_withdrawn, stored_events
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA

from .rows import Row

# Neither methods nor the purpose of a pair: the annotator may still be annotating.
COLUMNS: Final = (
    Column("image_number", "integer", "1 for the first image you ranked."),
    Column("image", "text", "Name of the image."),
    Column("pair", "integer", "Number of the pair among those of the image."),
    Column("at", "time (ISO 8601, UTC)", "When it was stored."),
    *(Column(name, "left, equal, right or empty", "Empty: not asked.") for name in CRITERIA),
    Column("skipped", "text", "Why you skipped the pair."),
    Column("undone", "true or false", "Whether you undid or changed it later."),
    Column("seconds", "number", "How long you worked on the pair; empty if not measured."),
    Column("seen_first", "left, right, both or unknown", "Which result was shown first."),
    Column("seen_left_seconds", "number", "How long the left result was shown."),
    Column("seen_right_seconds", "number", "How long the right result was shown."),
    Column(
        "layout", "beside, stacked, one or empty", "The layout of both results; empty: not known."
    ),
)


def own_answers(study: Study, annotator: User) -> Iterator[Row]:
    """Yield an annotator's answers and skips, in the order in which they were given."""
    own = Assignment.objects.filter(study=study, annotator=annotator).select_related("image")
    for assignment in own.order_by("position").iterator():
        for event in stored_events(assignment):
            yield {
                "image_number": assignment.position,
                "image": assignment.image.name,
                "pair": event.screen.number,
                "at": event.created.isoformat(),
                **_answer(event),
                "undone": is_withdrawn(event),
            }


def _answer(event: Judgement | Skip) -> Row:
    if isinstance(event, Skip):
        reason = event.get_reason_display()
        words = f"{reason}: {event.text}" if event.text else reason
        nothing = dict.fromkeys((column.name for column in COLUMNS[4:]), None)
        return {**nothing, "skipped": words}
    return {
        **{name: getattr(event, name) or None for name in CRITERIA},
        "skipped": None,
        "seconds": event.seconds_taken,
        "seen_first": event.seen["first"],
        "seen_left_seconds": event.seen.get("left"),
        "seen_right_seconds": event.seen.get("right"),
        "layout": event.layout and event.layout["panes"],
    }
