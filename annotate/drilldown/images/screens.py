"""The screens that an annotator saw of an image, and whether their answers count."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotate.datasets.models import Method, Result
from annotate.judging.attention_checks import is_right, pair_of
from annotate.judging.models import Assignment, Judgement, Screen, Skip
from annotate.judging.replay import is_withdrawn, item_of_each_result, read_log, stored_events
from protocols.core.degradation import WORSE_IN
from rankings.elicitation.log import CRITERIA, State

from .pair_answers import InSight

# Change made to the copy of a known-answer pair.
_CHANGES: Final = {
    "removed": gettext_lazy("removed"),
    "added": gettext_lazy("added"),
    "moved": gettext_lazy("moved"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer or skip of a screen, or a screen without any."""

    number: int
    left: Method
    right: Method
    purpose: str
    # By criterion; empty where the verdict followed from earlier answers.
    verdicts: Sequence[str]
    at: datetime
    seconds: float | None
    # None for a skip, and for a screen without an answer.
    in_sight: InSight | None
    counts: str
    # "good", "warning" or "": how ``counts`` is marked.
    tone: str


def screens_of(assignment: Assignment) -> list[Shown]:
    """Return the screens in their order; one answered again appears once for each answer."""
    state = read_log(assignment).settled.state
    item_of = item_of_each_result(assignment)
    events: defaultdict[int, list[Judgement | Skip]] = defaultdict(list)
    for event in stored_events(assignment):
        events[event.screen_id].append(event)
    results = Result.objects.filter(image=assignment.image_id).select_related("method")
    method_of = {result.pk: result.method for result in results.defer("regions")}
    screens = list(assignment.screens.order_by("number"))
    for screen in screens:
        screen.assignment = assignment
    return [
        shown
        for screen in screens
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
    pair = pair_of(screen)
    if pair is not None:
        if pair["side"] == "left":
            words = ngettext(
                "{purpose}: on the left a copy with {n} region {change}",
                "{purpose}: on the left a copy with {n} regions {change}",
                pair["dose"],
            )
        else:
            words = ngettext(
                "{purpose}: on the right a copy with {n} region {change}",
                "{purpose}: on the right a copy with {n} regions {change}",
                pair["dose"],
            )
        change = _CHANGES.get(pair["kind"], pair["kind"])
        purpose = words.format(purpose=purpose, n=pair["dose"], change=change)
    for event in events:
        verdicts: Mapping[str, str] = event.verdicts if isinstance(event, Judgement) else {}
        if pair is not None:
            counts, tone = _known_counts(event, pair)
        else:
            implied = state.implied(item_of[screen.left_id], item_of[screen.right_id])
            counts, tone = _counts(event, verdicts, implied)
        yield Shown(
            screen.number,
            left,
            right,
            purpose,
            [verdicts.get(criterion, "") for criterion in CRITERIA],
            event.created,
            event.seconds_taken if isinstance(event, Judgement) else None,
            InSight.of(event) if isinstance(event, Judgement) else None,
            counts,
            tone,
        )
    # After an undo, an answered screen waits again.
    if not events or screen.state == Screen.State.WAITING:
        is_waiting = screen.state == Screen.State.WAITING
        words = _("waits for an answer") if is_waiting else _("withdrawn")
        yield Shown(
            screen.number, left, right, purpose, ("", "", ""), screen.created, None, None, words, ""
        )


def _known_counts(event: Judgement | Skip, pair: Mapping[str, Any]) -> tuple[str, str]:
    """Return words and tone: whether a known-answer pair, which never counts, is answered right."""
    if is_withdrawn(event) or isinstance(event, Skip):
        return _counts(event, {}, {})
    if is_right(pair, event.verdicts):
        return _("in no ranking; right"), "good"
    worse = _(" and ").join(map(gettext, WORSE_IN[pair["kind"]]))
    words = _("in no ranking; wrong: the copy is worse in {criteria}")
    return words.format(criteria=worse), "warning"


def _counts(
    event: Judgement | Skip, verdicts: Mapping[str, str], known: Mapping[str, str]
) -> tuple[str, str]:
    """Return words and tone: whether an answer counts, that is, agrees with the log's order."""
    if is_withdrawn(event):
        return _("no, withdrawn"), ""
    if isinstance(event, Skip):
        why = event.text or event.get_reason_display()
        return _("skipped: {reason}").format(reason=why), ""
    differing = [name for name, verdict in verdicts.items() if known.get(name) != verdict]
    if not differing:
        return _("yes"), "good"
    words = _("not for {criteria}: the order says otherwise")
    return words.format(criteria=_(" and ").join(map(gettext, differing))), "warning"
