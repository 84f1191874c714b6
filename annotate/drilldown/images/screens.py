"""The screens that annotators saw of an image, their answers to two of its results, and notes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotate.datasets.mending import corrected_at, version_at
from annotate.datasets.models import Image, Method, Result
from annotate.judging.attention_checks import is_right, pair_of
from annotate.judging.models import Assignment, Judgement, Note, Screen, Skip
from annotate.judging.replay import is_withdrawn, item_of_each_result, read_log, stored_events
from annotate.studies.models import Study
from protocols.core.degradation import WORSE_IN
from rankings.elicitation.log import CRITERIA, MIRRORED, State


@dataclass(frozen=True, slots=True)
class InSight:
    """The result that was shown first ("" if unknown), and the seconds that each was shown."""

    first: str
    left: float | None
    right: float | None

    @classmethod
    def of(cls, event: Judgement) -> "InSight":
        seen = event.seen
        first = "" if seen["first"] == "unknown" else seen["first"]
        return cls(first, seen.get("left"), seen.get("right"))

    def mirrored(self) -> "InSight":
        return InSight(MIRRORED.get(self.first, self.first), self.right, self.left)


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """One valid answer, left and right as on this page; ``was_swapped``: shown reversed."""

    key: str
    name: str
    # By criterion; empty where the verdict followed from earlier answers.
    verdicts: tuple[str, ...]
    was_swapped: bool
    in_sight: InSight
    # {"n": places that differ, "seen": those looked at}, or None.
    places: Mapping[str, int] | None
    at: datetime
    # Words on an earlier ground truth that the pair was drawn on; else empty.
    seen_with: str


def answers_to(
    study: Study, left: Result, right: Result, names: Mapping[int, tuple[str, str]]
) -> Iterator[PairAnswer]:
    """Yield the answers to this pair; ``names`` gives each person's key and displayed name."""
    pair = Q(screen__left=left, screen__right=right) | Q(screen__left=right, screen__right=left)
    answers = Judgement.objects.filter(
        pair, assignment__study=study, withdrawal__isnull=True
    ).select_related("screen", "assignment")
    # One side of a known-answer pair is a changed copy, so it does not compare the two results.
    answers = answers.exclude(screen__purpose=Screen.Purpose.KNOWN)
    corrected = corrected_at([left.image_id]).get(left.image_id, ())
    for answer in answers.order_by("created", "pk"):
        is_swapped = answer.screen.left_id != left.pk
        key, name = names[answer.assignment.annotator_id]
        given = [answer.verdicts.get(criterion, "") for criterion in CRITERIA]
        in_sight = InSight.of(answer)
        yield PairAnswer(
            key,
            name,
            tuple(MIRRORED.get(said, said) for said in given) if is_swapped else tuple(given),
            is_swapped,
            in_sight.mirrored() if is_swapped else in_sight,
            answer.places,
            answer.created,
            seen_with(corrected, answer.screen),
        )


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
    corrected = corrected_at([assignment.image_id]).get(assignment.image_id, ())
    return [
        replace(shown, purpose=f"{shown.purpose}{seen_with(corrected, screen)}")
        for screen in screens
        for shown in _shown(screen, events[screen.pk], state, item_of, method_of)
    ]


def seen_with(corrected: Sequence[datetime], screen: Screen) -> str:
    """Return words on a pair that was drawn on an earlier ground truth; empty for the newest one."""
    version = version_at(corrected, screen.created)
    if version > len(corrected):
        return ""
    return _(" (ground truth: version {n} of {all})").format(n=version, all=len(corrected) + 1)


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


@dataclass(frozen=True, slots=True)
class Told:
    """A note, with the annotator's key and shown name."""

    note: Note
    key: str
    name: str


def notes_of(
    study: Study,
    names: Mapping[int, tuple[str, str]],
    *,
    image: Image | None = None,
    discuss: bool = False,
) -> Iterator[Told]:
    """Yield the notes of a study or an image, the newest first; only those to discuss if asked.

    ``names``: key and shown name of each person.
    """
    notes = Note.objects.of(study)
    if image is not None:
        notes = notes.filter(screen__assignment__image=image)
    if discuss:
        notes = notes.filter(discuss=True)
    for note in notes:
        key, name = names.get(note.screen.assignment.annotator_id, ("", "–"))
        yield Told(note, key, name)
