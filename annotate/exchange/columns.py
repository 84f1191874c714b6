"""The data dictionary: every column of the raw data's tables and its meaning."""

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
        "place, near, repeat, again, repair or known",
        "Why the pair was asked: to place a result; as a re-check of neighbours, of an earlier pair, "
        "or of a doubtful pair; because a changed answer opened it again; or because its answer is "
        "known: left and right are one result, on one side as a worse copy, and no ranking counts it.",
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
        "first_side",
        "left or right",
        "The side shown first where the page has room for one result alone; drawn.",
    ),
    Column(
        "known",
        "object (JSON)",
        "Of a known-answer pair: the side of the copy, what was done to it (regions removed: worse in "
        "recall and preference; added: precision and preference; moved: all three), and to how many.",
    ),
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
        "blink, zoomed, single_view; next_difference from the first use of it.",
    ),
    Column(
        "seen",
        "object (JSON)",
        "Of an answer: seconds for which the left and the right result were painted over the photograph "
        'inside the window, and what was seen first: left, right or both. {"first": "unknown"}: '
        "the page had no scripts, or a script answered that did not say.",
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
        "The complete ranking, best first; the methods of an inner list are tied. A ranking that is "
        "incomplete because pairs were skipped has no row; its skips are in the events.",
    ),
    Column(
        "drawn_from",
        "list of text (JSON) or empty",
        "Where some methods of the image were drawn and asked: from which. Empty: all were asked.",
    ),
    Column(
        "probabilities",
        "list of lists (JSON) or empty",
        "Two of the methods drawn, and the probability with which a draw holds both.",
    ),
    Column(
        "drawn_by",
        "list of text (JSON) or empty",
        "The protocols whose disagreement weighed in the draw, with the date of their run.",
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
_GAIN: Final = (
    "By how much {} of the method would grow if this cause alone were mended; empty: undefined."
)
CAUSE_COLUMNS: Final = (
    Column("method", "text", "Name of the method."),
    Column("image", "text", "Name of the image."),
    Column("side", "truth or detection", "Whether it is a region of the ground truth."),
    Column("region", "integer", "Its place in the file, from 1."),
    Column("cause", "text", "Why it got less than full credit."),
    Column("credit", "number", "What it earned, 0 to 1."),
    Column("partners", "list of integers (JSON)", "The regions of the other side to blame."),
)
COST_COLUMNS: Final = (
    Column("method", "text", "Name of the method."),
    Column("cause", "text", "A cause."),
    Column("n_truth", "integer", "Regions of the ground truth that have it."),
    Column("n_detections", "integer", "Detections that have it."),
    Column("recall", "number or empty", _GAIN.format("recall")),
    Column("precision", "number or empty", _GAIN.format("precision")),
    Column("f_score", "number or empty", _GAIN.format("F-score")),
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
