"""The dictionary of the raw data: every column of its tables and what it means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str
    meaning: str


EVENT_COLUMNS: Final = (
    Column("study", "text", "Name of the study."),
    Column("image", "text", "Name of the image."),
    Column(
        "annotator", "text", "Who answered: a pseudonym, or the user name where it was asked for."
    ),
    Column(
        "image_number", "integer", "1 for the first image this annotator ranked, 2 for the next."
    ),
    Column(
        "event", "integer", "Place in the log of this annotator and image, from 1, over all kinds."
    ),
    Column("kind", "judgement, skip or withdrawal", "What happened."),
    Column("at", "time (ISO 8601, UTC)", "When it was stored."),
    Column("screen", "integer", "Number of the screen among those of this annotator and image."),
    Column(
        "purpose",
        "place, near, repeat, again or repair",
        "Why the pair was asked: to place a result; as a re-check of neighbours, of an earlier pair, "
        "or of a doubtful pair; or because a changed answer opened it again.",
    ),
    Column("strategy", "insertion or balanced", "How the pair was chosen."),
    Column("attempt", "integer", "How often this screen had been answered or skipped before."),
    Column("left_method", "text", "Method of the result on the left."),
    Column("right_method", "text", "Method of the result on the right."),
    Column(
        "left_alike",
        "list of text (JSON)",
        "All methods whose result looks like the one on the left; an answer holds for each of them.",
    ),
    Column("right_alike", "list of text (JSON)", "The same for the right."),
    Column(
        "left_item",
        "integer",
        "Place of the left result in the order in which this annotator's results of the image were "
        "drawn, from 1. When a result is placed by insertion, the later one is the newcomer.",
    ),
    Column("right_item", "integer", "The same for the right."),
    Column(
        "recall",
        "left, equal, right or empty",
        "The better side by recall; empty: not asked, because it followed from earlier answers.",
    ),
    Column("precision", "left, equal, right or empty", "The same for precision."),
    Column("preference", "left, equal, right or empty", "The same for preference."),
    Column(
        "seconds",
        "number or empty",
        "Active time on the screen; empty where the page could not measure it.",
    ),
    Column(
        "aids",
        "object (JSON)",
        "Seconds for which each aid was on: ground_truth, match_colours, differences, boxes_hidden, "
        "blink, zoomed.",
    ),
    Column("reason", "text", "Of a skip: cannot_see, no_text, question, broken or other."),
    Column("text", "text", "Of a skip: what the annotator wrote."),
    Column("ends", "integer or empty", "Of a withdrawal: the event that no longer counts."),
    Column(
        "in_force",
        "true, false or empty",
        "Whether the answer or skip still counts; false: a withdrawal ended it. Empty for "
        "withdrawals.",
    ),
)
RANKING_COLUMNS: Final = (
    Column("study", "text", "Name of the study."),
    Column("image", "text", "Name of the image."),
    Column(
        "annotator", "text", "Who ranked: a pseudonym, or the user name where it was asked for."
    ),
    Column("criterion", "recall, precision or preference", "What was ranked by."),
    Column(
        "buckets",
        "list of lists of text (JSON)",
        "The complete ranking, best first; the methods of an inner list are tied.",
    ),
    Column(
        "unsettled",
        "true or false",
        "Whether a confirmed contradiction was left standing in this criterion.",
    ),
    Column("finished", "time (ISO 8601, UTC)", "When the ranking was complete."),
    Column(
        "in_reports",
        "true or false",
        "Whether reports count the ranking; false: its annotator is left out, see exclusions.",
    ),
)
EXCLUSION_COLUMNS: Final = (
    Column("study", "text", "Name of the study."),
    Column("annotator", "text", "Whose rankings: a pseudonym, or the user name."),
    Column(
        "excluded",
        "true or false",
        "Whether reports leave the rankings out from then on, or count them again.",
    ),
    Column("reason", "text", "Why."),
    Column("at", "time (ISO 8601, UTC)", "When it was decided; the last word on a person holds."),
    Column(
        "by",
        "text or empty",
        "Who decided; empty for an admin who is none of the study's people, and for a study that "
        "came from another site.",
    ),
)
TABLES: Final[Mapping[str, Sequence[Column]]] = {
    "events": EVENT_COLUMNS,
    "rankings": RANKING_COLUMNS,
    "exclusions": EXCLUSION_COLUMNS,
}
DICTIONARY_COLUMNS: Final = (
    Column("table", "text", ""),
    Column("column", "text", ""),
    Column("values", "text", ""),
    Column("meaning", "text", ""),
)
