"""A bundle's assignments: screens and events, and the rankings that must follow from them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import User

from annotate.imports.errors import NotLoaded
from annotate.judging.models import Assignment, Judgement, Note, Screen, Skip, Withdrawal
from annotate.judging.replay import complete_rankings_of, read_log
from annotate.studies.models import Study, StudyImage
from protocols.formats.problems import quoted
from rankings.elicitation.log import CRITERIA

from .members import Bundle, checked_list, reading
from .read_data import DataReader
from .records import decoded, store

_PARTS_OF_A_LOG: Final = ("screens", "judgements", "skips", "withdrawals", "notes")


@dataclass(frozen=True)
class AssignmentReader:
    """Loader of assignments with their logs; refuses rankings that do not follow from the logs."""

    bundle: Bundle
    study: Study
    data: DataReader
    people: Mapping[str, User]

    def read(self) -> None:
        taking_part = dict(self.study.methods.values_list("name", "pk"))
        method_of = {
            result: taking_part[name]
            for (_, name), result in self.data.results.items()
            if name in taking_part
        }
        n_complete: Counter[int] = Counter()
        for part in self.bundle.parts("assignments"):
            logs = []
            for number, row in self.bundle.lines(part):
                with reading(part, number):
                    logs.append(self._log(row))
            with reading(part):
                store([log.assignment for log in logs])
                for name in _PARTS_OF_A_LOG:
                    rows = [row for log in logs for row in getattr(log, name)]
                    store(rows)
                    self.bundle.counts[name] += len(rows)
            for number, log in enumerate(logs, 1):
                with reading(part, number):
                    _check_replay(log.assignment, method_of)
                if log.assignment.state == Assignment.State.COMPLETE:
                    n_complete[log.assignment.image_id] += 1
            self.bundle.counts["assignments"] += len(logs)
        for image_id, n in n_complete.items():
            StudyImage.objects.filter(study=self.study, image=image_id).update(n_complete=n)

    def _log(self, row: dict[str, Any]) -> "_Log":
        """Build an assignment with its events, without storing them."""
        image = self.data.images[row.pop("image")]
        screens, events, notes = row.pop("screens"), row.pop("events"), row.pop("notes")
        row["known"] = known = [
            {**pair, "result": self.data.results[image.name, pair["result"]]}
            for pair in checked_list(row["known"])
        ]
        items = [
            [self.data.results[image.name, name] for name in checked_list(item)]
            for item in checked_list(row.pop("items"))
        ]
        flat = [result for item in items for result in item]
        if not all(items) or len(set(flat)) != len(flat):
            raise ValueError("an item is empty, or a result is in two items")
        assignment = decoded(
            Assignment,
            {name: value for name, value in row.items() if name not in ("annotator", "rankings")}
            | {"drawn": self._drawn(row["drawn"])},
            study=self.study,
            image=image,
            annotator=self.people[row["annotator"]],
            items=items,
            rankings=self._ranked(row["rankings"]),
        )
        if not set(checked_list(assignment.hidden)) <= set(range(len(items))):
            raise ValueError("an item is hidden that is none")
        drawn = row["drawn"]
        if drawn and {self.data.results[image.name, name] for name in drawn["methods"]} != {*flat}:
            raise ValueError("its items are not those of the methods that were drawn")
        if not set(checked_list(assignment.unsettled)) <= set(CRITERIA):
            raise ValueError("an unknown criterion is unsettled")
        log = _Log(assignment)
        numbered: dict[int, Screen] = {}
        for screen in checked_list(screens):
            left, right = (
                self.data.results[image.name, screen.pop(side)] for side in ("left", "right")
            )
            if not {left, right} <= set(flat):
                raise ValueError("a screen shows what is no item")
            made = decoded(Screen, screen, assignment=assignment, left_id=left, right_id=right)
            if made.known is not None and known[made.known]["result"] != left:
                raise ValueError("a screen shows another known-answer pair than it says")
            numbered[made.number] = made
            log.screens.append(made)
        for number, event in enumerate(checked_list(events), 1):
            if event["number"] != number:
                raise ValueError("its events are not numbered 1, 2, 3 ...")
            log.add(event, numbered)
        for note in checked_list(notes):
            log.notes.append(decoded(Note, note, screen=numbered[note.pop("screen")]))
        if assignment.state != Assignment.State.IN_WORK:
            states = Counter(screen.state for screen in log.screens)
            assignment.n_answered = states[Screen.State.ANSWERED]
            assignment.n_skipped = states[Screen.State.SKIPPED]
        return log

    def _drawn(self, drawn: Any) -> dict[str, Any] | None:
        """Return the sample of methods with this site's keys, or None."""
        if drawn is None:
            return None
        methods = self.data.methods
        return {
            **drawn,
            "methods": [methods[name].pk for name in checked_list(drawn["methods"])],
            "from": [methods[name].pk for name in checked_list(drawn["from"])],
            "pairs": [
                [methods[a].pk, methods[b].pk, chance]
                for a, b, chance in checked_list(drawn["pairs"])
            ],
            "runs": [self.data.run(number).pk for number in checked_list(drawn["runs"])],
        }

    def _ranked(self, rankings: Any) -> dict[str, list[list[int]]] | None:
        if rankings is None:
            return None
        return {
            criterion: [
                sorted(self.data.methods[name].pk for name in checked_list(bucket))
                for bucket in checked_list(rankings[criterion])
            ]
            for criterion in CRITERIA
            if criterion in rankings or not self.study.is_external
        }


@dataclass
class _Log:
    """An assignment with its events, before they are stored."""

    assignment: Assignment
    screens: list[Screen] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    withdrawals: list[Withdrawal] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    answers: dict[int, Judgement | Skip] = field(default_factory=dict)

    def add(self, event: dict[str, Any], screens: Mapping[int, Screen]) -> None:
        kind = event.pop("kind")
        if kind == "withdrawal":
            ended = self.answers[event.pop("ends")]
            ends = "judgement" if isinstance(ended, Judgement) else "skip"
            made = decoded(Withdrawal, event, assignment=self.assignment, **{ends: ended})
            self.withdrawals.append(made)
            return
        screen = screens[event.pop("screen")]
        answer: Judgement | Skip
        if kind == "judgement":
            answer = decoded(Judgement, event, assignment=self.assignment, screen=screen)
            self.judgements.append(answer)
        elif kind == "skip":
            answer = decoded(Skip, event, assignment=self.assignment, screen=screen)
            self.skips.append(answer)
        else:
            raise ValueError(f"{quoted(str(kind))} is no kind of event")
        self.answers[answer.number] = answer


def _check_replay(assignment: Assignment, method_of: Mapping[int, int]) -> None:
    """Raise NotLoaded if the rankings do not follow from the stored events."""
    state = read_log(assignment).settled.state
    shown = {result for item in assignment.items for result in item}
    taking_part = {result: method_of[result] for result in shown & method_of.keys()}
    rankings = complete_rankings_of(assignment, state, taking_part)
    if assignment.state == Assignment.State.COMPLETE:
        same = rankings is not None and assignment.rankings == rankings
    else:
        same = assignment.state != Assignment.State.INCOMPLETE or rankings is None
    if not same:
        raise NotLoaded(
            f"The events of {assignment.annotator} on {assignment.image} lead to other rankings "
            "than the bundle holds."
        )
