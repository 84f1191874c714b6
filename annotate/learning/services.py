"""Consent, practice and the end of a first visit. Nothing here changes the log of judgements."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import Refusal
from annotate.judging.models import CRITERION_NAMES, Assignment
from annotate.judging.services import in_turn
from annotate.studies.models import Study

from . import consent
from .models import FirstVisit
from .pairs import CHECKED, EXERCISES, NEEDED, PAIRS_IN_A_ROUND, ROUNDS, Exercise


class StudyNotOpen(Refusal):
    """The study takes no new annotators now."""


Answers = Mapping[str, str]


class PracticeAnswer(TypedDict):
    """An answer to a practice pair, in the format of a first visit."""

    round: int
    pair: str
    answers: dict[str, str]
    expected: dict[str, str]


def is_due(study: Study, annotator: User) -> bool:
    """Return whether this annotator must complete the first visit before the first pair.

    False once it is finished, and for annotators who have started to judge.
    """
    return not Study.objects.filter(begun_by(annotator), pk=study.pk).exists()


def begun_by(annotator: User) -> Q:
    """Return the condition for studies in which a user may judge without a first visit."""
    assignments = Assignment.objects.filter(annotator=annotator)
    finished = FirstVisit.objects.filter(annotator=annotator, finished__isnull=False)
    return Q(pk__in=assignments.values("study")) | Q(pk__in=finished.values("study"))


def find_visit(study: Study, annotator: User) -> FirstVisit | None:
    return FirstVisit.objects.filter(study=study, annotator=annotator).first()


def consent_text(study: Study, visit: FirstVisit | None) -> str:
    """Return the consent that an annotator has given, or has yet to give, in Markdown."""
    if visit is None:
        return study.consent_text
    return visit.consent_words or str(consent.TEXTS[visit.consent_version])


def give_consent(*, study: Study, annotator: User) -> None:
    """Record an annotator's consent and its time; a second call changes nothing."""
    _require_open(study)
    visit = FirstVisit(
        study=study,
        annotator=annotator,
        consented=timezone.now(),
        consent_version=consent.VERSION,
        consent_words=study.consent,
    )
    FirstVisit.objects.bulk_create([visit], ignore_conflicts=True)


def pass_example(*, study: Study, annotator: User, number: int) -> None:
    """Record that an annotator has passed a worked example; the furthest counts."""
    _require_open(study)
    visits = FirstVisit.objects.filter(study=study, annotator=annotator)
    visits.filter(examples_seen__lt=number).update(examples_seen=number)


@in_turn()
@transaction.atomic
def record_practice(
    *, study: Study, annotator: User, round_number: int, answers: Mapping[str, Answers]
) -> None:
    """Store the first answers to practice pairs of the open round, by the pair's slug.

    Nothing is stored for another round, and without a first visit.
    """
    _require_open(study)
    visit = FirstVisit.objects.select_for_update().filter(study=study, annotator=annotator).first()
    if visit is None or Practice(visit).open_round != round_number:
        return
    new: list[PracticeAnswer] = [
        {
            "round": round_number,
            "pair": exercise.pair.slug,
            "answers": dict(answers[exercise.pair.slug]),
            "expected": dict(exercise.expected),
        }
        for exercise in EXERCISES[round_number]
        if exercise.pair.slug in answers and stored_answers(visit, round_number, exercise) is None
    ]
    if new:
        visit.practice_answers += new
        _save(visit)


@in_turn()
@transaction.atomic
def finish(*, study: Study, annotator: User) -> FirstVisit:
    """End a first visit that was begun, even if parts of it were skipped."""
    _require_open(study)
    visit = FirstVisit.objects.select_for_update().get(study=study, annotator=annotator)
    if visit.finished is None:
        visit.finished = timezone.now()
        _save(visit)
    return visit


@dataclass(frozen=True)
class Round:
    """Counts of one round of practice."""

    number: int
    n_answered: int
    n_right: Mapping[str, int]

    @property
    def is_complete(self) -> bool:
        return self.n_answered == PAIRS_IN_A_ROUND

    @property
    def is_passed(self) -> bool:
        return self.is_complete and min(self.n_right.values()) >= NEEDED

    @property
    def figures(self) -> list[tuple[str, int]]:
        return [(str(CRITERION_NAMES[criterion]), n) for criterion, n in self.n_right.items()]


class Practice:
    """Practice of a first visit; without a visit, of a preview. ``visit.practice`` is the outcome."""

    def __init__(self, visit: FirstVisit | None) -> None:
        self.rounds = tuple(
            _round(number, [answer for answer in _stored(visit) if answer["round"] == number])
            for number in ROUNDS
        )

    @property
    def open_round(self) -> int | None:
        """The round whose answers are stored now; None once practice is over."""
        for practised in self.rounds:
            if not practised.is_complete:
                return practised.number
            if practised.is_passed:
                return None
        return None

    @property
    def is_begun(self) -> bool:
        return self.rounds[0].n_answered > 0

    @property
    def complete_rounds(self) -> list[Round]:
        return [practised for practised in self.rounds if practised.is_complete]


def stored_answers(
    visit: FirstVisit | None, round_number: int, exercise: Exercise
) -> Answers | None:
    """Return the stored answers to a practice pair, or None if there are none."""
    for answer in _stored(visit):
        if (answer["round"], answer["pair"]) == (round_number, exercise.pair.slug):
            return answer["answers"]
    return None


def next_pair(visit: FirstVisit | None) -> tuple[int, int] | None:
    """Return the round and number of the first unanswered pair.

    None once practice is over, or if there is no first visit to store the answer.
    """
    open_round = Practice(visit).open_round
    if visit is None or open_round is None:
        return None
    answered = {answer["pair"] for answer in _stored(visit) if answer["round"] == open_round}
    waiting = (
        number
        for number, exercise in enumerate(EXERCISES[open_round], 1)
        if exercise.pair.slug not in answered
    )
    return open_round, next(waiting)


def may_be_asked(visit: FirstVisit | None, round_number: int, *, again: bool) -> bool:
    """Return whether a round may be practised: the open one; ``again``, once practice is over."""
    waiting = next_pair(visit)
    return waiting is None if again else waiting is not None and waiting[0] == round_number


def _stored(visit: FirstVisit | None) -> list[PracticeAnswer]:
    answers: list[PracticeAnswer] = visit.practice_answers if visit else []
    return answers


def _round(number: int, given: list[PracticeAnswer]) -> Round:
    right = {
        criterion: sum(
            answer["answers"].get(criterion) == answer["expected"][criterion] for answer in given
        )
        for criterion in CHECKED
    }
    return Round(number, len(given), right)


def _save(visit: FirstVisit) -> None:
    """Save a changed visit with the resulting outcome of practice; only this function sets it."""
    visit.practice = _outcome(visit)
    visit.save(update_fields=["practice_answers", "finished", "practice"])


def _outcome(visit: FirstVisit) -> FirstVisit.Practice:
    tried = Practice(visit).complete_rounds
    if any(practised.is_passed for practised in tried):
        return FirstVisit.Practice.PASSED
    if len(tried) == len(ROUNDS) or (tried and visit.finished):
        return FirstVisit.Practice.NOT_PASSED
    return FirstVisit.Practice.SKIPPED if visit.finished else FirstVisit.Practice.OPEN


def _require_open(study: Study) -> None:
    if study.state != Study.State.OPEN:
        raise not_open(study)


def not_open(study: Study) -> StudyNotOpen:
    return StudyNotOpen(
        _("The study “{study}” is {state}.").format(study=study, state=study.get_state_display())
    )
