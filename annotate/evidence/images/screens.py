"""The screens that an annotator saw of an image, and whether their answers count."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotate.datasets.models import Method, Result
from annotate.judging.models import Assignment, Judgement, Screen, Skip
from annotate.judging.replay import is_withdrawn, item_of_each_result, read_log, settled_of
from rankings.elicitation import CRITERIA, State


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer or skip of a screen, or a screen without any."""

    number: int
    left: Method
    right: Method
    purpose: str
    # By criterion; empty where it followed from earlier answers.
    verdicts: Sequence[str]
    at: datetime
    seconds: float | None
    counts: str
    # "good", "warning" or "": how the word is marked.
    tone: str


def screens_of(assignment: Assignment) -> list[Shown]:
    """Return the screens in their order; one that was answered again stands there each time."""
    log = read_log(assignment)
    state = settled_of(assignment, log).state
    item_of = item_of_each_result(assignment)
    events: defaultdict[int, list[Judgement | Skip]] = defaultdict(list)
    for event in log.events:
        events[event.screen_id].append(event)
    results = Result.objects.filter(image=assignment.image_id).select_related("method")
    method_of = {result.pk: result.method for result in results.defer("regions")}
    return [
        shown
        for screen in assignment.screens.order_by("number")
        for shown in _shown(screen, events[screen.pk], state, item_of, method_of)
    ]


def _shown(
    screen: Screen,
    events: Sequence[Judgement | Skip],
    state: State,
    item_of: Mapping[int, int],
    method_of: Mapping[int, Method],
) -> Iterator[Shown]:
    left, right = method_of[screen.left_id], method_of[screen.right_id]
    purpose = screen.get_purpose_display()
    for event in events:
        verdicts: Mapping[str, str] = event.verdicts if isinstance(event, Judgement) else {}
        known = state.implied(item_of[screen.left_id], item_of[screen.right_id])
        counts, tone = _counts(event, verdicts, known)
        yield Shown(
            screen.number,
            left,
            right,
            purpose,
            [verdicts.get(criterion, "") for criterion in CRITERIA],
            event.created,
            event.seconds_taken if isinstance(event, Judgement) else None,
            counts,
            tone,
        )
    # After an undo a screen that was answered waits again.
    if not events or screen.state == Screen.State.WAITING:
        words = "waits for an answer" if screen.state == Screen.State.WAITING else "withdrawn"
        yield Shown(
            screen.number, left, right, purpose, ("", "", ""), screen.created, None, words, ""
        )


def _counts(
    event: Judgement | Skip, verdicts: Mapping[str, str], known: Mapping[str, str]
) -> tuple[str, str]:
    """Say whether an answer counts: whether the order that the log leads to says the same."""
    if is_withdrawn(event):
        return "no, withdrawn", ""
    if isinstance(event, Skip):
        return f"skipped: {event.text or event.get_reason_display()}", ""
    differing = [name for name, verdict in verdicts.items() if known.get(name) != verdict]
    if not differing:
        return "yes", "good"
    return f"not for {' and '.join(differing)}: the order says otherwise", "warning"
